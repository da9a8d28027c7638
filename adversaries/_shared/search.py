"""Searches for the point of the box that has the highest score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy

from arena.adversaries._shared.chosen_points import random_points
from arena.arrays import Array
from arena.game.game import Game
from arena.players.view import View

STEP = 1e-5  # step of central differences, as a share of the box's side
POPULATION = 4  # points in the population of differential evolution for each coordinate

Score = Callable[[Array], Array]  # maps points to rows of one or more scores each; larger is better
Method = Literal["l-bfgs-b", "differential-evolution", "dual-annealing", "direct"]


def candidates(view: View, rng: np.random.Generator, count: int) -> Array:
    """Return `count` random points, some random corners of the box, and a few past points, in one row each."""
    fresh, past = random_points(view.game, count, count // 4, rng), view.points
    if len(past):
        past = past[rng.integers(len(past), size=count // 8)]
    return np.concatenate([fresh, past])


def improved(score: Score, starts: Array, game: Game, *, polished: int, steps: int) -> Array:
    """Return the point with the highest score that L-BFGS-B finds in at most `steps` steps from the best `starts`.

    `score` returns a row of one or more scores for each point; the largest of them counts. L-BFGS-B begins at the
    points of the `polished` largest scores. If `polished` is 0, return the best of `starts`.
    """
    scores = score(starts)
    rows, columns = np.unravel_index(np.argsort(-scores, axis=None)[: max(polished, 1)], scores.shape)
    if not polished:
        return np.asarray(starts[rows[0]])
    sides, dimension = game.high - game.low, game.dimension
    shifts = STEP * np.concatenate([np.zeros((1, dimension)), np.eye(dimension), -np.eye(dimension)])
    sought = np.repeat(columns, len(shifts))  # the number of the score, for each start and each of its neighbours

    def negative(flat: Array) -> tuple[float, Array]:
        units = flat.reshape(-1, 1, dimension) + shifts  # each point with its neighbours, for central differences
        units = np.clip(units, 0.0, 1.0)
        values = score((game.low + units * sides).reshape(-1, dimension))
        values = values[np.arange(len(values)), sought].reshape(-1, len(shifts))
        width = np.einsum("ijj->ij", units[:, 1 : 1 + dimension] - units[:, 1 + dimension :])
        gradient = (values[:, 1 : 1 + dimension] - values[:, 1 + dimension :]) / width
        return -float(values[:, 0].sum()), -gradient.ravel()

    start = ((starts[rows] - game.low) / sides).ravel()
    bounds = [(0.0, 1.0)] * start.size
    # all rows are one problem with the sum of their scores, so that they share the calls of `score`
    found = scipy.optimize.minimize(
        negative, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": steps}
    )
    finalists = np.concatenate([starts[rows[:1]], _into_box(found.x.reshape(-1, dimension), game)])
    return np.asarray(finalists[score(finalists).max(axis=1).argmax()])


def global_best(score: Score, game: Game, method: Method, evaluations: int, rng: np.random.Generator) -> Array:
    """Return, as one row, the best point that SciPy's `method` finds in about `evaluations` evaluations of `score`.

    `score` returns a row of one or more scores for each point; the largest of them counts.
    """
    bounds = [(0.0, 1.0)] * game.dimension

    def negative(unit: Array) -> float:
        return -float(score(_into_box(unit[np.newaxis], game)).max())

    # SciPy passes one column for each point
    def negatives(units: Array) -> Array:
        return np.asarray(-score(_into_box(units.T, game)).max(axis=1))

    if method == "differential-evolution":
        generations = max(evaluations // max(POPULATION * game.dimension, 5) - 1, 1)
        found = scipy.optimize.differential_evolution(
            negatives,
            bounds,
            maxiter=generations,
            popsize=POPULATION,
            polish=False,
            vectorized=True,
            updating="deferred",
            seed=rng,
        )
    elif method == "dual-annealing":
        found = scipy.optimize.dual_annealing(
            negative, bounds, maxiter=evaluations, maxfun=evaluations, no_local_search=True, seed=rng
        )
    else:
        found = scipy.optimize.direct(negative, bounds, maxfun=evaluations, maxiter=evaluations)
    return _into_box(np.asarray(found.x)[np.newaxis], game)


def _into_box(units: Array, game: Game) -> Array:
    return np.asarray(np.clip(game.low + np.clip(units, 0.0, 1.0) * (game.high - game.low), game.low, game.high))
