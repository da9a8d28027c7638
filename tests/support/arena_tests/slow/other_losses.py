"""The best function for a loss, found by coordinate ascent on the dual problem.

With one dual variable a_t for each round, the dual value is the sum of min_z l(z, y_t) + a_t z, minus a'K a / (4
lambda). The function of a is the sum of a_t k(x_t, .) / (2 lambda).
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr

from arena.game.losses import EpsilonInsensitive, Logistic, SmoothHinge, Squared, SquaredHinge

SWEEPS = 20_000


def coordinate_ascent(K, y, loss, *, regularisation):
    """Return the value of the dual, the penalised loss of its function, and a.

    K is the kernel matrix of the rounds. Each step maximises the dual exactly in one variable.
    """
    a = np.zeros(len(y))
    for _ in range(SWEEPS):
        before = a.copy()
        for t in range(len(y)):
            rest = (K[t] @ a - K[t, t] * a[t]) / (2 * regularisation)  # the prediction without a_t
            a[t] = best_of_one(loss, y[t], rest, K[t, t] / (2 * regularisation))
        if np.abs(a - before).max() <= 1e-15 * np.abs(a).max(initial=0.0):
            break
    return dual_value(K, y, loss, a, regularisation), primal_value(K, y, loss, a, regularisation), a


def best_of_one(loss, y, rest, own):
    """Return the a that maximises v(a) - a rest - a^2 own / 2, where v(a) = min_z l(z, y) + a z."""
    if isinstance(loss, Squared):
        return (y - rest) / (own + 0.5)
    if isinstance(loss, EpsilonInsensitive):
        miss = y - rest
        step = np.sign(miss) * max(abs(miss) - loss.epsilon, 0.0)
        return float(np.clip(step / own, -1.0, 1.0)) if own else float(np.sign(step))
    if y == 0.0:  # a margin of zero, whatever the function
        return 0.0
    rest, own = y * rest, y * y * own
    if isinstance(loss, Logistic):
        return y * brentq(lambda b: np.log(b / (1 - b)) + rest + own * b, 1e-300, 1 - 1e-16, xtol=1e-300, rtol=1e-14)
    bend = {SquaredHinge: 0.5}.get(type(loss), loss.tau if isinstance(loss, SmoothHinge) else 0.0)
    most = np.inf if isinstance(loss, SquaredHinge) else 1.0
    return y * float(np.clip((1.0 - rest) / (own + bend), 0.0, most))


def dual_value(K, y, loss, a, regularisation):
    """Return the dual value of a: the sum of min_z l(z, y_t) + a_t z, minus a'K a / (4 lambda)."""
    return sum(value_of_one(loss, *pair) for pair in zip(y, a, strict=True)) - a @ K @ a / (4 * regularisation)


def value_of_one(loss, y, a):
    """Return the minimum of l(z, y) + a z over all z."""
    if isinstance(loss, Squared):
        return y * a - a * a / 4
    if isinstance(loss, EpsilonInsensitive):
        return y * a - loss.epsilon * abs(a)
    if y == 0.0:
        return float(loss.of_margin(0.0))
    b = a / y
    if isinstance(loss, Logistic):
        return float(entr(b) + entr(1 - b))
    return b - b * b * {SquaredHinge: 0.25}.get(type(loss), loss.tau / 2 if isinstance(loss, SmoothHinge) else 0.0)


def primal_value(K, y, loss, a, regularisation):
    """Return the penalised loss of the function sum_t a_t k(x_t, .) / (2 lambda)."""
    predictions = K @ a / (2 * regularisation)
    return float(loss.value(predictions, y).sum()) + a @ K @ a / (4 * regularisation)
