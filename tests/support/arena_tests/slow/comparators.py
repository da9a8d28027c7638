"""Comparators by brute force: every prefix, every place of every shift and every interval is tried."""

import itertools

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from arena_tests.slow.ridge import optimum


def least_squares(F, y):
    """The least sum of squares of a linear function, from a fresh pseudo-inverse."""
    return float(np.square(y - F @ (np.linalg.pinv(F) @ y)).sum())


def constant(loss, y, reach=50.0):
    """The least sum of losses of a constant, among the labels, their kinks and SciPy's minimum between them."""
    candidates = [-1e6, 1e6, *y, -1.0, 1.0, 0.0, *(y + 0.1), *(y - 0.1)]
    total = lambda c: float(loss.value(np.full(len(y), c), y).sum())
    found = minimize_scalar(total, bounds=(-reach, reach), method="bounded", options={"xatol": 1e-10})
    return min(*map(total, candidates), float(found.fun))


def shifts(K, y, regularisation, k):
    """The least penalised loss of ridge predictors with at most k shifts, over all places of the shifts."""
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
    """The largest regret over all intervals of at most `longest` rounds, each to its own ridge predictor."""
    rounds = len(y)
    regrets = [
        losses[start:stop].sum() - optimum(K[start:stop, start:stop], y[start:stop], regularisation)
        for start in range(rounds)
        for stop in range(start + 1, min(rounds, start + (longest or rounds)) + 1)
    ]
    return max(regrets)


def in_ball(K, y, norm):
    """The least sum of squares of a function with |f| <= norm, by a general solver on the span of the points."""
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
