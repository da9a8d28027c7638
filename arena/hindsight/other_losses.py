"""The best function in hindsight for losses other than the squared one, to a duality gap that is reported.

For a convex loss l_t of the prediction (theory C5, with lambda |f|^2 for the penalty)

    min_f sum l_t(f(x_t)) + lambda |f|^2  =  max_a sum min_z [l_t(z) + a_t z] - a'K a / (4 lambda),

and at the optimum f = sum_t a_t k(x_t, .) / (2 lambda). A margin loss phi(y z) has a_t = y_t b_t with b_t >= 0, and
min_z is min_m phi(m) + b m (phi(0) where y = 0, by the best b):

    hinge b, smooth hinge b - tau b^2 / 2, logistic -b log b - (1 - b) log(1 - b), all for b <= 1;
    squared hinge b - b^2 / 4;  epsilon-insensitive y a - epsilon |a| for |a| <= 1;  squared y a - a^2 / 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.losses import EpsilonInsensitive, Hinge, Logistic, Loss, MarginLoss, SmoothHinge, Squared, SquaredHinge
from arena.hindsight.spaces import BestFunction, Space

ITERATIONS = 2000
EDGE = 1e-12  # the entropy's slope is infinite at 0 and 1; its variables keep this distance


@dataclass(frozen=True)
class Dual:
    """The variables b of a loss's dual: a = scale b, a value for each round, and bounds."""

    scale: Array
    linear: Array
    quadratic: float
    entropy: bool
    low: float
    high: float | None

    def value(self, b: Array) -> Array:
        """min_z l(z) + a z in each round."""
        entropy = scipy.special.entr(b) + scipy.special.entr(1.0 - b) if self.entropy else 0.0
        return np.asarray(self.linear * b - self.quadratic * b**2 + entropy)

    def slope(self, b: Array) -> Array:
        """Its derivative."""
        return np.asarray(self.linear - 2.0 * self.quadratic * b - (scipy.special.logit(b) if self.entropy else 0.0))


def best_for_loss(space: Space, loss: Loss, y: Array, *, regularisation: float) -> BestFunction:
    """min_f sum l(f(x_t), y_t) + lambda |f|^2 over the RKHS, in a certified interval.

    >>> from arena.game.kernels import Linear
    >>> space = Space.of(Linear(), np.array([[1.0], [-1.0]]))
    >>> best = best_for_loss(space, Hinge(), np.array([1.0, -1.0]), regularisation=1.0)
    >>> round(best.lower, 6), round(best.upper, 6)  # min over w of 2 max(0, 1 - w) + w^2
    (1.0, 1.0)
    """
    if not regularisation > 0:
        raise ArenaError(f"regularisation must be a number > 0, but it is {regularisation!r}")
    dual, fold = _dual_of(loss, y)

    def negative_dual(b: Array) -> tuple[float, Array]:
        a = fold(dual.scale * b)
        weights = a @ space.F / (2.0 * regularisation)
        fitted = space.F @ weights
        value = float(dual.value(b).sum()) - 0.5 * float(a @ fitted)
        unfolded = np.concatenate([fitted, fitted]) if len(b) > len(y) else fitted
        return -value, -(dual.slope(b) - dual.scale * unfolded)

    margin = EDGE if dual.entropy else 0.0
    high = None if dual.high is None else dual.high - margin
    middle = np.full(len(dual.scale), 0.5 if dual.entropy else 0.0)
    b = _maximised(negative_dual, middle, [(dual.low + margin, high)] * len(middle))
    a = fold(dual.scale * b)
    value = dual.value(b)
    lower = float(value.sum()) - space.kernel_form(a) / (4.0 * regularisation) - space.unit * float(np.abs(value).sum())
    return _primal(space, loss, y, a @ space.F / (2.0 * regularisation), regularisation, max(lower, 0.0))


def _primal(space: Space, loss: Loss, y: Array, weights: Array, regularisation: float, lower: float) -> BestFunction:
    """The dual's function, scaled as suits it best."""
    fitted = space.F @ weights
    cost = lambda scale: (
        float(loss.value(scale * fitted, y).sum()) + regularisation * scale**2 * float(weights @ weights)
    )
    scale = float(scipy.optimize.minimize_scalar(cost, bounds=(0.0, 2.0), method="bounded", options={"xatol": 1e-9}).x)
    scale = min((1.0, scale, 0.0), key=cost)
    weights, predictions, off = scale * weights, scale * fitted, abs(scale) * space.off(weights)
    either = np.maximum(loss.value(predictions + off, y), loss.value(predictions - off, y))  # convex
    total, norm = float(either.sum()) * (1.0 + space.unit), space.squared_norm(weights)
    upper = total + regularisation * norm
    return BestFunction(min(lower, upper), upper, total, norm, regularisation, predictions)


def _maximised(
    negative_dual: Callable[[Array], tuple[float, Array]], start: Array, bounds: list[tuple[float | None, float | None]]
) -> Array:
    """Return the maximiser of the dual that L-BFGS-B finds; any point that it finds is a valid certificate."""
    options = {"maxiter": ITERATIONS, "maxfun": 2 * ITERATIONS, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-10}
    found = scipy.optimize.minimize(negative_dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(found.x)


def has_dual(loss: Loss) -> bool:
    """Whether a dual of the loss is known."""
    try:
        _dual_of(loss, np.ones(1))
    except ArenaError:
        return False
    return True


def _dual_of(loss: Loss, y: Array) -> tuple[Dual, Callable[[Array], Array]]:
    """The loss's dual, and how its variables are folded into one a for each round."""
    ones, same = np.ones(len(y)), np.asarray
    if isinstance(loss, MarginLoss):
        forms: dict[type[Loss], tuple[float, bool, float | None]] = {
            Hinge: (0.0, False, 1.0),
            Logistic: (0.0, True, 1.0),
            SquaredHinge: (0.25, False, None),
        }
        if isinstance(loss, SmoothHinge):
            forms[SmoothHinge] = (loss.tau / 2.0, False, 1.0)
        if type(loss) in forms:
            quadratic, entropy, high = forms[type(loss)]
            return Dual(y, 0.0 * ones if entropy else ones, quadratic, entropy, 0.0, high), same
    if isinstance(loss, EpsilonInsensitive):  # a = p - q with p, q in [0, 1]
        linear = np.concatenate([y - loss.epsilon, -y - loss.epsilon])
        signs = np.concatenate([ones, -ones])
        return Dual(signs, linear, 0.0, False, 0.0, 1.0), lambda a: a[: len(y)] + a[len(y) :]
    if isinstance(loss, Squared):
        return Dual(ones, y, 0.25, False, -np.inf, None), same
    raise ArenaError(f"no dual is known for the loss {loss.name}; there are duals for the built-in losses")
