"""The best function in hindsight for losses other than the squared one, to a duality gap that is reported.

For a convex loss l_t of the prediction (theory C5, with lambda |f|^2 for the penalty)

    min_f sum l_t(f(x_t)) + lambda |f|^2  =  max_a sum min_z [l_t(z) + a_t z] - a'K a / (4 lambda),

and at the optimum f = sum_t a_t k(x_t, .) / (2 lambda). A margin loss phi(y z) has a_t = y_t b_t with b_t >= 0, and
min_z is min_m phi(m) + b m (phi(0) where y = 0, by the best b):

    hinge b, smooth hinge b - tau b^2 / 2, logistic -b log b - (1 - b) log(1 - b), all for b <= 1;
    squared hinge b - b^2 / 4;  epsilon-insensitive y a - epsilon |a| for |a| <= 1;  squared y a - a^2 / 4.

Comparators are looked for in the span of a few pivots. One found there is a function of the RKHS, so its objective
bounds the optimum from above; `Space.kernel_form` bounds a'K a for any dual vector a, and duality then bounds the
optimum from below (theory C3 to C6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.kernels import Kernel
from arena.game.losses import EpsilonInsensitive, Hinge, Logistic, Loss, MarginLoss, SmoothHinge, Squared, SquaredHinge
from arena.hindsight.certificate import CHUNK, affordable
from arena.hindsight.pivots import UNIT, Pivots, pivots_of_stream

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
        """Return min_z l(z) + a z in each round."""
        entropy = scipy.special.entr(b) + scipy.special.entr(1.0 - b) if self.entropy else 0.0
        return np.asarray(self.linear * b - self.quadratic * b**2 + entropy)

    def slope(self, b: Array) -> Array:
        """Return the derivative of `value`."""
        return np.asarray(self.linear - 2.0 * self.quadratic * b - (scipy.special.logit(b) if self.entropy else 0.0))


@dataclass(frozen=True)
class BestFunction:
    """The best function of a class, up to a certified gap.

    The optimum of its objective lies in [lower, upper], and upper is the objective of the function found: its
    `predictions` on the points, its `loss` on the labels and its `squared_norm`.
    """

    lower: float
    upper: float
    loss: float
    squared_norm: float
    regularisation: float
    predictions: Array

    @property
    def gap(self) -> float:
        """An upper bound on the objective of the function found minus the optimum."""
        return self.upper - self.lower


class Space:
    """The features F of a sequence, the residuals, and bounds on the rounding errors."""

    def __init__(self, pivots: Pivots, X: Array):
        self.pivots, self.X = pivots, X
        self.F = pivots.coordinates(X)
        self.residual, reach = pivots.certified_residual(X, self.F)
        diagonal = pivots.kernel.diagonal(X)
        self.scale = np.sqrt(diagonal)
        self.unit = 4.0 * (len(X) + pivots.unit / UNIT) * UNIT
        self.rounding = 3.0 * pivots.unit * float(reach.sum()) + self.unit * float(diagonal.sum())

    @classmethod
    def of(cls, kernel: Kernel, X: Array, *, features: int | None = None) -> Space:
        """Return the space of greedy pivots out of the sequence itself."""
        chunks = lambda: ((X[at : at + CHUNK], np.empty(0)) for at in range(0, len(X), CHUNK))
        rank = affordable(len(X)) if features is None else features
        return cls(pivots_of_stream(kernel, chunks, tolerance=0.0, rank=rank), X)

    def kernel_form(self, a: Array) -> float:
        """Return an upper bound on a'K a."""
        product, norm = a @ self.F, float(a @ a)
        beyond = min(float(self.residual.sum()) * norm, float(np.sqrt(self.residual) @ np.abs(a)) ** 2)
        return float((float(product @ product) + beyond) * (1.0 + self.unit) + self.rounding * norm)

    def mass(self, weights: Array) -> float:
        """Return sum_j |b_j| sqrt k(z_j, z_j) for the function sum_j b_j k(z_j, .) that has these weights.

        Its values differ from F w by at most `unit` sqrt k(x, x) times this, its squared norm from |w|^2 by `unit`
        times the square of this.
        """
        return float(self.pivots.amplification(weights[np.newaxis])[0])

    def prediction_error(self, weights: Array) -> Array:
        """Return by how much the predictions of the function may differ from F w."""
        return np.asarray(self.unit * self.mass(weights) * self.scale)

    def squared_norm(self, weights: Array) -> float:
        """Return an upper bound on the squared norm of the function."""
        return float(weights @ weights) * (1.0 + self.unit) + self.unit * self.mass(weights) ** 2


def best_for_loss(space: Space, loss: Loss, y: Array, *, regularisation: float) -> BestFunction:
    """Compute min_f sum l(f(x_t), y_t) + lambda |f|^2 over the RKHS, in a certified interval.

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
    """Return the best multiple of the function that belongs to the dual variables."""
    fitted = space.F @ weights
    cost = lambda scale: (
        float(loss.value(scale * fitted, y).sum()) + regularisation * scale**2 * float(weights @ weights)
    )
    scale = float(scipy.optimize.minimize_scalar(cost, bounds=(0.0, 2.0), method="bounded", options={"xatol": 1e-9}).x)
    scale = min((1.0, scale, 0.0), key=cost)
    weights, predictions, off = scale * weights, scale * fitted, abs(scale) * space.prediction_error(weights)
    # The loss is convex, so it is largest at one end of the error.
    either = np.maximum(loss.value(predictions + off, y), loss.value(predictions - off, y))
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
    """Return whether a dual of the loss is known."""
    try:
        _dual_of(loss, np.ones(1))
    except ArenaError:
        return False
    return True


def _dual_of(loss: Loss, y: Array) -> tuple[Dual, Callable[[Array], Array]]:
    """Return the dual of the loss, and the function that folds its variables into one a for each round."""
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
