"""Searches for the point of the box that has the highest score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy

from arena.adversaries._shared.chosen_points import random_points
from arena.arrays import TIE, Array, first_best, first_bests, size_of
from arena.game.game import Game
from arena.players.view import View

FIRST_STEP, LAST_STEP = 1 / 4, 1 / 1024  # from a point to its neighbours at first and at last, as shares of the side
POPULATION = 4  # points in the population of differential evolution for each coordinate

Score = Callable[[Array], Array]  # maps points to rows of one or more scores each; larger is better
Method = Literal["random", "differential-evolution", "dual-annealing", "direct"]


def candidates(view: View, rng: np.random.Generator, count: int) -> Array:
    """Return `count` random points of the grid, some random corners of the box, and a few past points, one a row."""
    fresh, past = random_points(view.game, count, count // 4, rng), view.points
    if len(past):
        past = past[rng.integers(len(past), size=count // 8)]
    return np.concatenate([view.game.on_grid(fresh), past])


def improved(score: Score, starts: Array, game: Game, *, polished: int, steps: int) -> Array:
    """Return the best point of the grid that a pattern search finds in at most `steps` steps from the best `starts`.

    `score` returns a row of one or more scores for each point; the largest of them counts. The search begins at the
    points of the `polished` largest scores. If `polished` is 0, return the best of `starts`.

    A step compares a point with its neighbours along each coordinate, and with the point that all improvements together
    lead to, and goes to the best of them; if that is the point itself, its neighbours come closer. Only comparisons of
    scores decide, by `first_best`: the same on every processor.
    """

    def best(X: Array) -> Array:
        return np.asarray(score(X).max(axis=1))

    scores = best(starts)
    scale = size_of(scores)
    rows = first_bests(scores, max(polished, 1))
    here, value = starts[rows], scores[rows]
    if not polished:
        return np.asarray(here[0])
    sides, dimension = game.high - game.low, game.dimension
    directions = np.concatenate([np.eye(dimension), -np.eye(dimension)])
    reach = np.full(len(here), FIRST_STEP)
    for _ in range(steps):
        rows = np.flatnonzero(reach >= LAST_STEP)
        if not len(rows):
            break
        centres, known = here[rows], value[rows]
        reaches = reach[rows, np.newaxis] * sides
        near = game.on_grid(centres[:, np.newaxis] + reaches[:, np.newaxis] * directions)
        values = best(near.reshape(-1, dimension)).reshape(len(rows), -1)
        gains = np.maximum(values - known[:, np.newaxis] - TIE * scale, 0.0)
        ahead, back = gains[:, :dimension], gains[:, dimension:]
        together = game.on_grid(centres + reaches * np.where(ahead >= back - TIE * scale, np.sign(ahead), -1.0))
        options = np.concatenate([centres[:, np.newaxis], together[:, np.newaxis], near], axis=1)
        found = np.column_stack([known, best(together), values])
        chosen = first_best(found, scale=scale)
        each = np.arange(len(rows))
        here[rows], value[rows] = options[each, chosen], found[each, chosen]
        reach[rows[chosen == 0]] /= 4.0
    return np.asarray(here[first_best(value, scale=scale)])


def global_best(score: Score, game: Game, method: Method, evaluations: int, rng: np.random.Generator) -> Array:
    """Return, as one row, the best point that SciPy's `method` finds in about `evaluations` evaluations of `score`.

    `score` returns a row of one or more scores for each point; the largest of them counts. A point of the grid near the
    one found is returned. SciPy's comparisons know no ties, so scores get a slight slope: equal scores then differ by
    far more than rounding errors.
    """
    bounds = [(0.0, 1.0)] * game.dimension
    slope = TIE * np.sqrt(np.arange(2.0, game.dimension + 2))  # of different size in each coordinate
    scale = size_of(score(np.array([game.low, (game.low + game.high) / 2])))

    # SciPy passes one column for each point
    def negatives(units: Array) -> Array:
        return np.asarray(-score(_into_box(units.T, game)).max(axis=1) - scale * (slope @ units))

    def negative(unit: Array) -> float:
        return float(negatives(unit[:, np.newaxis])[0])

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
    return game.on_grid(_into_box(np.asarray(found.x)[np.newaxis], game))


def _into_box(units: Array, game: Game) -> Array:
    return np.asarray(np.clip(game.low + np.clip(units, 0.0, 1.0) * (game.high - game.low), game.low, game.high))
