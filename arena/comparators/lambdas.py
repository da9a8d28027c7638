"""The best kernel ridge predictor for each of several lambdas."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arena.arrays import Array
from arena.comparators.kernel_ridge import require_solver
from arena.errors import ArenaError, shown
from arena.hindsight.certificate import interval_hindsight
from arena.hindsight.comparator import EXACT_LIMIT, automatic_hindsight
from arena.hindsight.narrowing import optima_by_products
from arena.hindsight.smoothing import can_be_smoothed
from arena.linalg.posterior import RidgePosterior
from arena.record.cached import once_per_match
from arena.record.comparing import BestLosses, NamedComparator, Profile
from arena.record.theorem import lambda_stands_out
from arena.specs.parameters import parameter

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

VALUES = (0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Lambdas(NamedComparator):
    """The best kernel ridge predictor with its penalty, for each of several values of lambda.

    The reported regret is to the predictor for the game's lambda. The comparison's `profile` has the regret for each
    lambda. The optima are known up to certified intervals for losses other than the squared one, in matches that have
    more than 20,000 rounds and more than 500 different points, and for a lambda that is small beside rounding errors.

    >>> from arena import play
    >>> run = play("zero", "alternating", rounds=10)  # both labels at one point: zero is the best function
    >>> found = run.regret_to("lambdas(values=[0.1, 10])")
    >>> found.profile.x.tolist(), found.profile.upper.round(6).tolist()
    ([0.1, 1.0, 10.0], [0.0, 0.0, 0.0])
    """

    name: ClassVar[str] = "lambdas"
    family: ClassVar[str] = "fixed"
    cost: ClassVar[str] = "that of kernel-ridge for each lambda up to 20,000 rounds, shared products beyond"

    values: Sequence[float] = parameter(VALUES, "the values of lambda beside the game's")

    def __post_init__(self) -> None:
        super().__post_init__()
        wrong = [each for each in self.values if isinstance(each, bool) or not 0.0 < float(each) < np.inf]
        if wrong or not len(self.values):
            given = shown(wrong[0]) if wrong else "none"
            raise ArenaError(f"{self.name}: values must be numbers > 0, as in lambdas(values=[0.1,1]), not {given}")

    @property
    def plainly(self) -> str:
        return "the best kernel ridge predictor, its penalty included; the profile has one for each lambda"

    def best_losses(self, run: Transcript) -> BestLosses:
        grid = self._grid(run)
        lower, upper = least_penalised(run, grid)
        own = int(np.flatnonzero(grid == run.game.regularisation)[0])
        return BestLosses.at_the_end(run.rounds, float(lower[own]), float(upper[own]))

    def profile(self, run: Transcript) -> Profile:
        grid = self._grid(run)
        lower, upper = least_penalised(run, grid)
        return Profile("lambda", grid, run.loss - upper, run.loss - lower)

    def _grid(self, run: Transcript) -> Array:
        return np.unique([*map(float, self.values), run.game.regularisation])


def least_penalised(run: Transcript, grid: Array) -> tuple[Array, Array]:
    """Return lower and upper bounds on the least penalised loss for each lambda in `grid`."""
    found = np.array(_computed(run, *grid.tolist()))
    return found[:, 0], found[:, 1]


@once_per_match
def _computed(run: Transcript, *grid: float) -> list[tuple[float, float]]:
    game, comparator = run.game, run.comparator
    if not comparator.closed_form:
        products = comparator.effort.seconds > 0.0 and can_be_smoothed(game.loss)
        require_solver(run, run.rounds if products else EXACT_LIMIT)
        found = [comparator.optimum(at, run.rounds) for at in grid]
        return [(each.lower, each.upper) for each in found]
    if automatic_hindsight(run.rounds, run.points) == "exact":
        return [_at(run, at) for at in grid]
    effort = dataclasses.replace(comparator.effort, watch=comparator.watch)
    if effort.seconds > 0.0:
        wanted = [(run.rounds, at) for at in grid]
        shared = optima_by_products(game.kernel, run.points, run.labels, wanted, effort)
        if shared is not None:
            return shared
    return [interval_hindsight(game.kernel, at, run.points, run.labels).final for at in grid]


def _at(run: Transcript, at: float) -> tuple[float, float]:
    """Return bounds on the least penalised loss for lambda = `at`; they are equal unless lambda is lost in rounding."""
    if not lambda_stands_out(run, at).holds:
        return interval_hindsight(run.game.kernel, at, run.points, run.labels).final
    if run.hindsight_mode == "exact" and at == run.game.regularisation:
        optimum = float(run.comparator.hindsight().optimum[-1])
        return optimum, optimum
    posterior = RidgePosterior(run.game.kernel, at)
    posterior.extend(run.points, run.labels)
    return posterior.optimum, posterior.optimum
