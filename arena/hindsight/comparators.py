"""Comparators for the squared loss beyond ridge regression: in a ball, among functions that stay small, in a subspace.

Each is found in the span of a few pivots and comes with a certified interval for the optimum over the whole class
(theory C3, C4, C6).

>>> from arena.game.kernels import Linear
>>> X, y = np.array([[1.0], [2.0]]), np.array([1.0, 2.0])
>>> best = best_in_ball(Space.of(Linear(), X), y, radius=0.5)
>>> round(best.loss, 6), round(best.squared_norm, 6)
(1.25, 0.25)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from arena.arrays import Array
from arena.errors import ArenaError
from arena.hindsight.spaces import Comparator, Space
from arena.linalg.feature_ridge import FeatureRidge

ITERATIONS = 2000
TINY = 1e-14  # a multiplier below this times the largest eigenvalue is none


def best_in_ball(space: Space, y: Array, *, radius: float) -> Comparator:
    """min_f sum (f(x_t) - y_t)^2 over |f| <= radius.

    By duality it is max_lambda [min_f sum (f - y)^2 + lambda |f|^2] - lambda radius^2, and the best f is ridge
    regression with the lambda that makes |f| = radius, or with none at all if the least-squares solution is in the
    ball. Then lambda has to be small against radius^-2 and large against rounding, and some gap is left.
    """
    if not radius > 0:
        raise ArenaError(f"radius must be a number > 0, but it is {radius!r}")
    values, vectors = space.spectrum
    aim = np.square(vectors.T @ (y @ space.F))  # |f|^2 at lambda is sum aim / (values + lambda)^2

    def beyond(log: float) -> float:
        return float((aim / np.square(values + np.exp(log))).sum()) - radius**2

    largest = max(float(values.max(initial=0.0)), 1e-300)
    least = np.log(TINY * largest)
    most = np.log(max(np.sqrt(aim.sum()) / radius, TINY * largest)) + 1.0
    exponent = scipy.optimize.brentq(beyond, least, most, xtol=1e-13) if beyond(least) > 0 else least
    regularisation = float(np.exp(exponent))
    weights = vectors @ ((vectors.T @ (y @ space.F)) / (values + regularisation))
    weights = weights * min(1.0, radius / np.sqrt(max(space.squared_norm(weights), 1e-300)))
    best = _found(space, y, weights, 0.0, -np.inf)
    multipliers = regularisation * 10.0 ** np.arange(0.0, 14.0, 0.5) if beyond(least) <= 0 else [regularisation]
    lower = max(_ridge_or_nothing(space, y, at) - at * radius**2 for at in multipliers)
    return _with(best, max(lower, 0.0), regularisation)


def best_clipped(space: Space, y: Array, *, regularisation: float, bound: float) -> Comparator:
    """min_f sum (f(x_t) - y_t)^2 + lambda |f|^2 over the f with |f(x_t)| <= bound on every point of the sequence.

    With multipliers mu the Lagrangian's minimum is ridge regression on the labels y - mu:

        D(mu) = |y|^2 - |y - mu|^2 + min_f [sum (f - (y - mu))^2 + lambda |f|^2] - 2 bound |mu|_1.
    """
    if not bound > 0:
        raise ArenaError(f"bound must be a number > 0, but it is {bound!r}")
    rounds = len(y)

    def negative_dual(pair: Array) -> tuple[float, Array]:
        moved = y - (pair[:rounds] - pair[rounds:])
        fitted = space.F @ space.ridge(moved, regularisation)
        value = float(y @ y) - float(moved @ fitted) - 2.0 * bound * float(pair.sum())
        return -value, -np.concatenate([2.0 * fitted - 2.0 * bound, -2.0 * fitted - 2.0 * bound])

    fitted = space.F @ space.ridge(y, regularisation)
    multipliers = np.zeros(rounds)
    if np.abs(fitted).max(initial=0.0) > bound:
        pair = maximised(negative_dual, np.zeros(2 * rounds), [(0.0, None)] * (2 * rounds))
        multipliers = pair[:rounds] - pair[rounds:]
    moved = y - multipliers
    weights = space.ridge(moved, regularisation)
    reached = float((np.abs(space.F @ weights) + space.off(weights)).max(initial=0.0))
    lower = float(y @ y) - float(moved @ moved) - 2.0 * bound * float(np.abs(multipliers).sum())
    lower += space.ridge_from_below(moved, regularisation)
    lower -= space.unit * (float(y @ y) + float(moved @ moved) + 2.0 * bound * float(np.abs(multipliers).sum()))
    plain = space.ridge_from_below(y, regularisation)
    return _found(space, y, weights * min(1.0, bound / max(reached, 1e-300)), regularisation, max(lower, plain))


def best_in_subspace(space: Space, y: Array, *, regularisation: float) -> Comparator:
    """min_f sum (f(x_t) - y_t)^2 + lambda |f|^2 over the span of the space's points alone."""
    weights = space.ridge(y, regularisation)
    best = _found(space, y, weights, regularisation, 0.0)
    slack = space.rounding / regularisation + space.unit
    return _with(best, max(best.upper * (1.0 - 4.0 * slack) - 4.0 * space.unit * float(y @ y), 0.0), regularisation)


def subspace_optimum(space: Space, y: Array, *, regularisation: float) -> Array:
    """The optimum of `best_in_subspace` for every prefix."""
    mean, variance = FeatureRidge(space.F.shape[1], regularisation).play(space.F, y)
    return np.asarray(np.cumsum(np.square(y - mean) / (1.0 + variance)))


def maximised(
    negative_dual: Callable[[Array], tuple[float, Array]], start: Array, bounds: list[tuple[float | None, float | None]]
) -> Array:
    """Where L-BFGS-B, which heeds bounds, finds the dual's maximum; whatever it finds proves something."""
    options = {"maxiter": ITERATIONS, "maxfun": 2 * ITERATIONS, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-10}
    found = scipy.optimize.minimize(negative_dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(found.x)


def _found(space: Space, y: Array, weights: Array, regularisation: float, lower: float) -> Comparator:
    predictions = space.F @ weights
    misses = np.abs(predictions - y) + space.off(weights)
    loss, norm = float(misses @ misses) * (1.0 + space.unit), space.squared_norm(weights)
    upper = loss + regularisation * norm
    return Comparator(min(lower, upper), upper, loss, norm, regularisation, predictions)


def _with(best: Comparator, lower: float, regularisation: float) -> Comparator:
    return Comparator(
        min(lower, best.upper), best.upper, best.loss, best.squared_norm, regularisation, best.predictions
    )


def _ridge_or_nothing(space: Space, y: Array, regularisation: float) -> float:
    try:
        return space.ridge_from_below(y, regularisation)
    except FloatingPointError:
        return 0.0
