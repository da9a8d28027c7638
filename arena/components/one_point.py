"""The value of the game at one point: the least regret that a learner can ensure against the labels B and -B.

With one point x and k = k(x, x), a function of the RKHS matters only by its value c at x, and the least penalty of a
function with that value is lambda c^2 / k. Let p of the first t labels be B. V_t(p) is the smallest value of D that
the learner can ensure, where D is the learner's loss in the rounds after t minus the least regularised loss of all T
rounds. With the learner's prediction z,

    V_T(p) = - min_c [p loss(c, B) + (T - p) loss(c, -B) + lambda c^2 / k]
    V_{t-1}(p) = min_z max{loss(z, B) + V_t(p + 1), loss(z, -B) + V_t(p)},

and V_0(0) is the least regret that any learner can ensure. For the squared loss V_t is a quadratic function of the sum
of the labels, with the coefficients of `square_weights` (Koolen, Malek and Bartlett 2014, with a penalty).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.game.losses import Loss

HALVINGS = 60  # halvings of the interval in which a prediction is sought
FAR = 40.0  # margin beyond which losses of the margin are flat in double precision


def square_weights(rounds: int, kernel: float, regularisation: float) -> Array:
    """Return the numbers a_1, ..., a_T with a_T = k / (lambda + k T) and a_{t-1} = a_t + a_t^2.

    If all points equal x and the loss is squared, the minimax prediction in round t is a_t times the sum of the earlier
    labels. T is `rounds`, k = k(x, x) is `kernel` and lambda is `regularisation`.

    >>> square_weights(2, 1.0, 1.0).round(4)
    array([0.4444, 0.3333])
    """
    weights, weight = np.empty(rounds), kernel / (regularisation + kernel * rounds)
    for t in range(rounds - 1, -1, -1):
        weights[t] = weight
        weight += weight * weight
    return weights


@functools.lru_cache(maxsize=4)
def value_table(loss: Loss, label_bound: float, rounds: int, kernel: float, regularisation: float) -> tuple[Array, ...]:
    """Return the arrays V_0, ..., V_T of the values of the game after t = 0, ..., T rounds.

    All points equal one point x, and every label is B or -B, where B is `label_bound`. Let p of the first
    t labels be B. Entry p of V_t is the smallest value of D that the learner can ensure, where D is the learner's loss
    in the rounds after t minus the least regularised loss of all T rounds. So V_0[0] is the least regret. `kernel` is
    k(x, x), T is `rounds` and lambda is `regularisation`.

    >>> from arena.game.losses import Absolute
    >>> float(value_table(Absolute(), 1.0, 1, 1.0, 0.25)[0][0].round(6))
    0.75
    """
    plus = np.arange(rounds + 1.0)
    values = [-comparator_objective(loss, label_bound, plus, rounds - plus, kernel, regularisation)]
    for _ in range(rounds):
        up, down = values[-1][1:], values[-1][:-1]
        values.append(_value(loss, label_bound, up, down))
    return tuple(reversed(values))


def comparator_objective(
    loss: Loss, label_bound: float, plus: Array, minus: Array, kernel: float, regularisation: float
) -> Array:
    """Return min_c [p loss(c, B) + q loss(c, -B) + lambda c^2 / k] for each entry p of `plus` and q of `minus`.

    It is the least regularised loss in hindsight if all points equal x; c is the value of a function at x. p and q
    are the numbers of labels B and -B, B is `label_bound`, k = k(x, x) is `kernel` and lambda is `regularisation`. If
    k = 0, the only possible c is 0.
    """
    at_zero = plus * float(loss.value(0.0, label_bound)) + minus * float(loss.value(0.0, -label_bound))
    if kernel <= 0.0:
        return np.asarray(at_zero)
    penalty = regularisation / kernel

    def slope(c: Array) -> Array:
        return np.asarray(
            plus * loss.derivative(c, label_bound) + minus * loss.derivative(c, -label_bound) + 2.0 * penalty * c
        )

    def objective(c: Array) -> Array:
        return np.asarray(plus * loss.value(c, label_bound) + minus * loss.value(c, -label_bound) + penalty * c**2)

    low, high = _bisected(lambda c: slope(c) < 0.0, plus, _reach(loss, label_bound))
    return np.asarray(np.minimum(np.minimum(objective(low), objective(high)), at_zero))


def _value(loss: Loss, label_bound: float, up: Array, down: Array) -> Array:
    """Return min_z max{loss(z, B) + up, loss(z, -B) + down} for each entry of `up` and `down`.

    This is the value of one round: the learner predicts z, then the adversary chooses the label B or -B. `up` and
    `down` have the values of the later rounds, after the label B and after the label -B.
    """

    def both(z: Array) -> tuple[Array, Array]:
        return loss.value(z, label_bound) + up, loss.value(z, -label_bound) + down

    # the first sum decreases in z, and the second one increases
    low, high = _bisected(lambda z: np.asarray(np.greater(*both(z))), up, _reach(loss, label_bound))
    return np.asarray(np.minimum(np.maximum(*both(low)), np.maximum(*both(high))))


def _reach(loss: Loss, label_bound: float) -> float:
    """Return r > 0 such that predictions outside [-r, r] need not be tried if every label is B or -B."""
    return FAR / label_bound if loss.classifies else label_bound


def _bisected(too_low: Callable[[Array], NDArray[np.bool_]], like: Array, reach: float) -> tuple[Array, Array]:
    """Solve several problems by bisection; return the ends (low, high) of a tiny interval for each problem.

    `too_low` gets one number in [-reach, reach] for each problem, and returns for each number whether it is below the
    solution. There are as many problems as `like` has entries; the values of `like` do not matter.
    """
    low, high = np.full(len(like), -reach), np.full(len(like), reach)
    for _ in range(HALVINGS + max(0, math.ceil(math.log2(reach)))):
        middle = (low + high) / 2
        below = too_low(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low, high
