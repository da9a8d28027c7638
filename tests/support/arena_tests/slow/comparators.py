"""Losses of comparators by brute force: every prefix, every shift and every interval is tried."""

import itertools

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from arena_tests.slow.ridge import optimum


def least_squares(F, y):
    """Return the least sum of squares of a linear function of the rows of F, computed with a pseudo-inverse."""
    return float(np.square(y - F @ (np.linalg.pinv(F) @ y)).sum())


def constant(loss, y, reach=50.0):
    """Return the least total loss of a constant prediction.

    The constants are the labels, points where the loss may have a kink, and a minimum that SciPy finds in [-reach,
    reach].
    """
    candidates = [-1e6, 1e6, *y, -1.0, 1.0, 0.0, *(y + 0.1), *(y - 0.1)]
    total = lambda c: float(loss.value(np.full(len(y), c), y).sum())
    found = minimize_scalar(total, bounds=(-reach, reach), method="bounded", options={"xatol": 1e-10})
    return min(*map(total, candidates), float(found.fun))


def shifts(K, y, regularisation, k):
    """Return the least penalised loss of at most k + 1 ridge predictors, each for one interval of the rounds.

    All ways of cutting the rounds into intervals are tried.
    """
    rounds = len(y)
    costs = []
    for many in range(min(k, rounds - 1) + 1):
        for places in itertools.combinations(range(1, rounds), many):
            edges = [0, *places, rounds]
            costs.append(
                sum(
                    optimum(K[start:stop, start:stop], y[start:stop], regularisation)
                    for start, stop in itertools.pairwise(edges)
                )
            )
    return min(costs)


def worst_interval(K, y, losses, regularisation, longest=None):
    """Return the largest regret over all intervals of at most `longest` rounds.

    The regret of an interval compares the losses with the ridge predictor of this interval.
    """
    rounds = len(y)
    regrets = [
        losses[start:stop].sum() - optimum(K[start:stop, start:stop], y[start:stop], regularisation)
        for start in range(rounds)
        for stop in range(start + 1, min(rounds, start + (longest or rounds)) + 1)
    ]
    return max(regrets)


def in_ball(K, y, norm):
    """Return the least sum of squares of a function f with |f| <= norm.

    SciPy's solver SLSQP finds the function in the span of the points.
    """
    values, vectors = np.linalg.eigh(K)
    F = vectors * np.sqrt(np.maximum(values, 0.0))
    found = minimize(
        lambda w: np.square(F @ w - y).sum(),
        np.full(F.shape[1], 0.1 * norm),
        jac=lambda w: 2.0 * F.T @ (F @ w - y),
        constraints={"type": "ineq", "fun": lambda w: norm**2 - w @ w, "jac": lambda w: -2.0 * w},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return float(found.fun)
