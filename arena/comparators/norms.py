"""The best functions of bounded norm in the RKHS, for every bound on the norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arena.arrays import Array
from arena.comparators.kernel_ridge import require_solver
from arena.hindsight.norms import NormPath, Spectrum
from arena.hindsight.spaces import Space
from arena.record.cached import once_per_match
from arena.record.comparing import BestLosses, NamedComparator, Profile
from arena.specs.parameters import parameter

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

EXACT = 2000  # rounds of the longest match with squared loss whose kernel matrix is decomposed
MOST_ROUNDS = 20_000  # largest number of rounds
NORMS = np.geomspace(0.01, 100.0, 33)  # values of U in the profile
LAMBDAS = np.geomspace(1e-4, 1e4, 49)  # multiples of the game's lambda; the best functions for them bound the curve


@dataclass(frozen=True)
class Norms(NamedComparator):
    """The best function f in the RKHS with norm |f| <= U; its loss has no penalty.

    The regret is known after the last round only. The result also has the regrets for 33 values of U from 0.01 to
    100. For the squared loss and at most 2,000 rounds all these regrets are exact; otherwise they are known up to
    bounds. If R(U) is the regret for U, the penalised regret of theorems is max_U (R(U) - lambda U^2).

    >>> from arena import play
    >>> run = play("zero", "label-blocks(length=60)", rounds=60)  # the best f predicts U, or 1 if U > 1
    >>> [round(run.regret_to(f"norms(U={U})").regret[0], 6) for U in (0.5, 1, 2)]
    [45.0, 60.0, 60.0]
    """

    name: ClassVar[str] = "norms"
    family: ClassVar[str] = "fixed"
    cost: ClassVar[str] = "O(T^3) up to 2,000 rounds, 49 interior-point solutions beyond and for other losses"

    U: float = parameter(1.0, "the norm whose regret is reported; the profile has all", at_least=0)

    @property
    def plainly(self) -> str:
        return f"the best function with |f| <= {self.U:g}, which pays no penalty"

    def best_losses(self, run: Transcript) -> BestLosses:
        lower, upper = least_losses(run, np.array([self.U]))
        return BestLosses.at_the_end(run.rounds, float(lower[0]), float(upper[0]))

    def profile(self, run: Transcript) -> Profile:
        lower, upper = least_losses(run, NORMS)
        return Profile("largest |f|", NORMS, run.loss - upper, run.loss - lower)


def least_losses(run: Transcript, norms: Array) -> tuple[Array, Array]:
    """Return bounds (lower, upper) on the least loss of functions of RKHS norm at most U, for each U in `norms`."""
    path = _computed(run)
    if isinstance(path, Spectrum):
        exact = np.array([path.least_loss(norm) for norm in norms.tolist()])
        return exact, exact
    lower, upper = zip(*(path.least_loss(norm) for norm in norms.tolist()), strict=True)
    return np.array(lower), np.array(upper)


@once_per_match
def _computed(run: Transcript) -> Spectrum | NormPath:
    game = run.game
    if run.comparator.closed_form and run.rounds <= EXACT:
        return Spectrum.of(game.kernel.gram(run.points, run.points), run.labels)
    require_solver(run, MOST_ROUNDS)
    space = Space.of(game.kernel, run.points)
    return NormPath.of(space, game.loss, run.labels, game.regularisation * LAMBDAS, watch=run.comparator.watch)
