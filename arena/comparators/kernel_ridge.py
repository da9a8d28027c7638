"""The best kernel ridge predictor, the default comparator of every match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arena.errors import NoHindsight
from arena.game.kernels import Kernel
from arena.hindsight.checkpoints import checkpoints
from arena.hindsight.comparator import Comparator, automatic_hindsight
from arena.hindsight.duals import has_dual
from arena.record.comparing import BestLosses, NamedComparator
from arena.record.theorem import lambda_stands_out
from arena.specs.parameters import parameter

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

MOST_ROUNDS = 5000  # largest number of rounds if the optimum has no closed form


@dataclass(frozen=True)
class KernelRidge(NamedComparator):
    """The best kernel ridge predictor in hindsight, with its penalty lambda |f|^2.

    Most theorems bound the regret to this predictor. For a lambda that is small beside rounding errors, the regret is
    known up to a certified interval.

    >>> from arena import play
    >>> run = play("krr", "alternating", rounds=100)
    >>> bool(abs(run.regret_to("kernel-ridge").regret[0] - run.regret[-1]) < 1e-9)
    True
    """

    name: ClassVar[str] = "kernel-ridge"
    family: ClassVar[str] = "fixed"
    cost: ClassVar[str] = "O(T^3) in T different points; an interval beyond 20,000 rounds, and for other losses"

    kernel: Kernel | None = parameter(None, "its kernel (none: the game's)")
    regularisation: float | None = parameter(None, "lambda (none: the game's)", above=0)

    @property
    def plainly(self) -> str:
        kernel = "kernel" if self.kernel is None else self.kernel.name
        weight = "" if self.regularisation is None else f" {self.regularisation:g} |f|^2"
        return f"the best {kernel} ridge predictor, its penalty{weight} included"

    def best_losses(self, run: Transcript) -> BestLosses:
        game = run.game.replace(kernel=self.kernel or run.game.kernel, regularisation=run.game.at(self.regularisation))
        precise = lambda_stands_out(run, game.regularisation, game.kernel).holds
        if precise and game == run.game and run.hindsight_mode != "none":
            return ridge_losses(run.comparator, run)
        # if lambda is lost in rounding, the exact formulas give losses above that of zero; intervals stay correct
        mode = automatic_hindsight(run.rounds, run.points) if precise else "interval"
        return ridge_losses(Comparator(game, run.points, run.labels, mode), run)


def ridge_losses(comparator: Comparator, run: Transcript) -> BestLosses:
    """Return the penalised loss of the best kernel ridge predictor of each prefix of the match.

    `comparator` has the kernel and lambda, which may differ from those of the match. For losses other than the squared
    one, only the prefixes of 1, 2, 4, ... and of all rounds are computed; raise `NoHindsight` if the loss is not
    built-in, or if there are more than 5,000 rounds.
    """
    at, rounds = comparator.game.regularisation, len(run.labels)
    if comparator.closed_form and comparator.mode == "exact":
        return BestLosses.of_increments(comparator.hindsight().increments)
    if comparator.closed_form:
        interval = comparator.interval(at)
        return BestLosses(np.arange(1, rounds + 1), interval.lower, interval.upper)
    require_solver(run, MOST_ROUNDS)
    ends = checkpoints(rounds)
    found = [comparator.optimum(at, t) for t in ends]
    return BestLosses(
        np.array(ends), np.array([each.lower for each in found]), np.array([each.upper for each in found])
    )


def require_solver(run: Transcript, longest: int) -> None:
    """Raise `NoHindsight` if the loss is not built-in, or if the match has more than `longest` rounds."""
    if not has_dual(run.game.loss):
        raise NoHindsight(f"it is known for the built-in losses, and the loss is {run.game.loss.name}")
    if run.rounds > longest:
        raise NoHindsight(
            f"for the {run.game.loss.name} loss it is computed up to {longest:,} rounds, and there are {run.rounds:,}; "
            "play fewer rounds"
        )
