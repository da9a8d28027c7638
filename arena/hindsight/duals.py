"""Duals of the built-in losses: concave functions of one or two numbers for each round.

Let l_t be a convex loss of the prediction in round t, lambda |f|^2 the penalty, and K the kernel matrix of the points.
Then (theory C5)

    min_f sum l_t(f(x_t)) + lambda |f|^2  =  max_a sum min_z [l_t(z) + a_t z] - a'K a / (4 lambda),

and at the optimum f = sum_t a_t k(x_t, .) / (2 lambda). For a loss phi(m) of the margin m = y z, let a_t = y_t b_t with
b_t >= 0. Then the minimum over z is min_m phi(m) + b m, or phi(0) if y = 0. For the built-in losses, with their
parameters tau and epsilon, the minimum over z is

- hinge: b, for b <= 1;
- smooth hinge: b - tau b^2 / 2, for b <= 1;
- logistic: -b log b - (1 - b) log(1 - b), for b <= 1;
- squared hinge: b - b^2 / 4;
- epsilon-insensitive: y a - epsilon |a|, for |a| <= 1;
- squared: y a - a^2 / 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, Loss, SmoothHinge, Squared, SquaredHinge


@dataclass(frozen=True)
class Dual:
    """The dual of a loss: the sum over rounds t of min_z l_t(z) + a_t z, written with variables b.

    Here l_t(z) is the loss of the prediction z in round t, and a is the dual vector. Each round has one or two
    variables b between `low` and `high`.

    - The entry a_t is the sum of `scale` b over the variables of round t.
    - The value of a variable is `linear` b - `quadratic` b^2, and with `entropy` also -b log b - (1 - b) log(1 - b).
    - The values of round t sum to at most min_z l_t(z) + a_t z, and to exactly this number for the best variables.
    """

    rounds: int
    scale: Array
    linear: Array
    quadratic: float = 0.0
    entropy: bool = False
    low: float = 0.0
    high: float = np.inf

    def values(self, b: Array) -> Array:
        """Return the value of each dual variable: the term that it adds to the dual of the loss."""
        # the terms of a round sum to at most min_z l_t(z) + a_t z, with equality for the best variables with this a_t
        # -(1 - b) log(1 - b) by log1p: near b = 0 it is about b, but the rounding of 1 - b alone may be as large
        entropy = scipy.special.entr(b) - scipy.special.xlog1py(1.0 - b, -b) if self.entropy else 0.0
        return np.asarray(self.linear * b - self.quadratic * b**2 + entropy)

    def slope(self, b: Array) -> Array:
        """Return `linear` - 2 `quadratic` b for each dual variable b: the derivative of its value, without entropy."""
        return np.asarray(self.linear - 2.0 * self.quadratic * b)

    def folded(self, each: Array) -> Array:
        """Return, for each round, the sum of `each` over the round's dual variables."""
        return each if len(each) == self.rounds else each[: self.rounds] + each[self.rounds :]

    def vector(self, b: Array) -> Array:
        """Return the dual vector a, one entry for each round, for the variables `b`."""
        return self.folded(self.scale * b)

    def spread(self, predictions: Array) -> Array:
        """Return the derivative of a'z with respect to each variable, for the dual vector a and z = `predictions`."""
        copies = len(self.scale) // max(self.rounds, 1)
        return self.scale * (np.tile(predictions, copies) if copies > 1 else predictions)


def dual_of(loss: Loss, y: Array) -> Dual:
    """Return the dual of `loss` for the labels `y`; raise an `ArenaError` if none is known."""
    rounds, ones = len(y), np.ones(len(y))
    # subclasses may have other values, so only the built-in classes themselves have a known dual
    if type(loss) is Hinge:
        return Dual(rounds, y, ones, high=1.0)
    if type(loss) is SmoothHinge:
        return Dual(rounds, y, ones, quadratic=loss.tau / 2.0, high=1.0)
    if type(loss) is SquaredHinge:
        return Dual(rounds, y, ones, quadratic=0.25)
    if type(loss) is Logistic:
        return Dual(rounds, y, 0.0 * ones, entropy=True, high=1.0)
    if type(loss) is EpsilonInsensitive or type(loss) is Absolute:  # a = p - q with p, q in [0, 1]
        linear = np.concatenate([y - loss.epsilon, -y - loss.epsilon])
        return Dual(rounds, np.concatenate([ones, -ones]), linear, high=1.0)
    if type(loss) is Squared:
        return Dual(rounds, ones, y, quadratic=0.25, low=-np.inf)
    raise ArenaError(f"no dual is known for the loss {loss.name}; there are duals for the built-in losses")


def has_dual(loss: Loss) -> bool:
    """Return whether a dual of the loss is known."""
    try:
        dual_of(loss, np.ones(1))
    except ArenaError:
        return False
    return True
