"""Values that a film of a match shows over the box: the best function in hindsight, and the slack of a bound."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from arena.arrays import Array
from arena.engine.elsewhere import AGREE, NotShown
from arena.errors import ArenaError, describe_error
from arena.game.game import Game
from arena.guards.user_code import guarded
from arena.hindsight.exact import RidgeHindsight
from arena.linalg.threads import one_thread
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict


def box_grid(game: Game, points: int) -> Array:
    """Return the points of a regular grid over a box of one or two dimensions, with `points` points along each side.

    >>> box_grid(Game(dimension=2), 2).tolist()
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    """
    sides = [np.linspace(low, high, points) for low, high in zip(game.low, game.high, strict=True)]
    return np.stack([each.ravel() for each in np.meshgrid(*sides)], axis=1)


def best_so_far(run: Transcript, grid: Array, frames: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return the mean and the variance of ridge regression at the points of `grid`, before each round in `frames`.

    Both arrays have a row for each of these rounds, and a column for each point. The mean is the best function in
    hindsight of the earlier rounds. Raise `NotShown` if this function has no closed form for the game's loss.
    """
    if not run.comparator.closed_form:
        raise NotShown(f"the best function so far has a closed form for the squared loss, not for {run.game.loss.name}")
    kernel, rounds = run.game.kernel, int(frames[-1]) - 1
    prior, X = kernel.diagonal(grid), run.points[:rounds]
    means, variances = np.zeros((len(frames), len(grid))), np.tile(prior, (len(frames), 1))
    if not rounds:
        return means, variances
    factor = np.linalg.cholesky(kernel.gram(X, X) + run.game.regularisation * np.eye(rounds))
    solved = scipy.linalg.solve_triangular(factor, kernel.gram(X, grid), lower=True)
    weights = scipy.linalg.solve_triangular(factor, run.labels[:rounds], lower=True)
    sums, explained = np.cumsum(weights[:, np.newaxis] * solved, axis=0), np.cumsum(np.square(solved), axis=0)
    later = frames > 1
    means[later] = sums[frames[later] - 2]
    variances[later] = np.maximum(prior - explained[frames[later] - 2], 0.0)
    return means, variances


class Slack:
    """The slack (allowed - measured) of a bound after t rounds, if round t had been played at another point x.

    The earlier rounds stay as they were. In round t the prediction is the learner's prediction at x, and the label is B
    or -B, whichever leaves less slack. The constructor raises `NotShown` if the bound after t rounds depends on more
    than these rounds, or if the regret is known only as an interval.
    """

    def __init__(self, run: Transcript, verdict: Verdict, theorem: Theorem):
        self.run, self.theorem = run, theorem
        if run.comparator.why_unknown:
            raise NotShown("the regret is known in an interval only")
        self.hindsight = run.hindsight()
        measured, allowed = verdict.measured_curve, verdict.allowed_curve
        assert measured is not None
        assert allowed is not None
        self.seconds = np.inf
        # without a change of round t, the first t rounds must give the slack of the whole match after round t
        for t in (1, (1 + run.rounds) // 2, run.rounds, run.rounds):
            started, at, past = time.perf_counter(), t - 1, self.hindsight
            found = self.after(
                t, run.points[at], float(run.labels[at]), float(run.predictions[at]),
                float(past.mean[at]), float(past.variance[at]),
            )  # fmt: skip
            spent = time.perf_counter() - started
            self.seconds = min(self.seconds, spent) if t == run.rounds else self.seconds
            size = 1.0 + abs(float(measured[at])) + abs(float(allowed[at]))
            if not abs(found - float(allowed[at] - measured[at])) <= AGREE * size:
                raise NotShown(f"the bound of {theorem.name} in a round depends on more than the moves so far")

    def after(self, t: int, x: Array, y: float, prediction: float, mean: float, variance: float) -> float:
        """Return allowed - measured after round t, if round t has this point, label and prediction.

        `mean` and `variance` are the mean and the variance of ridge regression on the earlier rounds, at this point.
        """
        run, past = self.run, self.hindsight

        def ended(values: Array, last: float | Array) -> Array:
            return np.concatenate([values[: t - 1], np.asarray(last, dtype=float)[np.newaxis]])

        labels = ended(run.labels, y)
        other = dataclasses.replace(
            run,
            points=ended(run.points, x),
            labels=labels,
            predictions=ended(run.predictions, prediction),
            seconds=np.zeros(t),
        )
        other.comparator.exact[run.game.regularisation] = RidgeHindsight(
            past.regularisation, labels, ended(past.mean, mean), ended(past.variance, variance), np.full(t, np.nan)
        )
        with one_thread(), np.errstate(all="ignore"):
            try:
                with guarded(lambda error: NotShown(f"{self.theorem.name} raised {describe_error(error)}")):
                    allowed, measured = self.theorem.allowed(other), self.theorem.measured(other)
                    return float(allowed[-1] - measured[-1])
            except ArenaError as error:
                raise NotShown(str(error)) from None

    def over(self, grid: Array, frames: NDArray[np.intp], predicted: Array, means: Array, variances: Array) -> Array:
        """Return allowed - measured after each round in `frames`, if its point is replaced by a point of `grid`.

        The result has a row for each round and a column for each point of `grid`. `predicted` has the learner's
        predictions, and `means` and `variances` are those of ridge regression on the earlier rounds. All three arrays
        have the shape of the result.
        """
        bound, found = self.run.game.label_bound, np.empty((len(frames), len(grid)))
        for row, t in enumerate(frames.tolist()):
            for at, x in enumerate(grid):
                values = float(predicted[row, at]), float(means[row, at]), float(variances[row, at])
                found[row, at] = min(self.after(t, x, label, *values) for label in (bound, -bound))
        return found


def regret_growth(game: Game, predicted: Array, means: Array, variances: Array) -> Array:
    """Return, for each point, the largest increase of the regret that a round at this point can cause.

    `predicted` has the learner's predictions at the points. `means` and `variances` are those of ridge regression on
    the rounds so far. The increase has a closed form for every learner (theory F1). It is largest for the label B or
    -B.
    """
    weights = game.regularisation / (game.regularisation + variances)
    changes = [
        np.square(predicted - label) - weights * np.square(means - label)
        for label in (game.label_bound, -game.label_bound)
    ]
    return np.maximum(*changes)


def closest_theorems(verdicts: Sequence[Verdict]) -> list[tuple[Verdict, Theorem]]:
    """Return the verdicts "holds" and "violated" on upper bounds of the regret, each with its theorem.

    Violated bounds come first, then the other bounds. Within each group the largest tightness comes first.
    """
    pairs = [
        (verdict, verdict.about)
        for verdict in verdicts
        if verdict.about is not None
        and (verdict.holds or verdict.violated)
        and not (verdict.is_deviation or verdict.identity or verdict.lower)
        and verdict.quantity.startswith("regret")
        and verdict.measured_curve is not None
        and verdict.allowed_curve is not None
    ]
    return sorted(pairs, key=lambda pair: (pair[0].violated, pair[0].tightness or 0.0), reverse=True)
