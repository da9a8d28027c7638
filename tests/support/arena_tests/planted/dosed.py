"""Base classes of the learners in `doses`, and mistakes that are planted in several families."""

import numpy as np


class Dosed:
    """A learner with a mistake of the strength `dose`; a class without `doses` of its own is correct.

    `begin` keeps the game, its kernel, its lambda as `ridge` and the random numbers, and starts with no rounds.
    """

    doses = ()

    def __init__(self, dose=1.0):
        self.dose = dose

    def begin(self, game, rng):
        self.game, self.kernel, self.ridge, self.rng = game, game.kernel, game.regularisation, rng
        self.round = 0
        self.clear()

    def clear(self):
        """Forget all rounds."""
        self.points = np.empty((0, self.game.dimension))
        self.labels, self.weights = np.empty(0), np.empty(0)

    def predict(self, x):
        return float(self.peek(x[np.newaxis])[0])

    def remember(self, x, y):
        self.points, self.labels = np.vstack([self.points, x]), np.append(self.labels, y)


class KernelSum(Dosed):
    """A learner whose function is a sum of kernels at its atoms, with weights."""

    def peek(self, X):
        return self.kernel.gram(X, self.points) @ self.weights

    def add(self, x, weight):
        self.points, self.weights = np.vstack([self.points, x]), np.append(self.weights, weight)


class NewestAtoms:
    """Mixin: only the newest `dose` atoms are kept."""

    def add(self, x, weight):
        super().add(x, weight)
        self.points, self.weights = self.points[-self.dose :], self.weights[-self.dose :]


class FirstAtoms:
    """Mixin: no atom is added after the first `dose` atoms."""

    def add(self, x, weight):
        if len(self.weights) < self.dose:
            super().add(x, weight)


class RoundedAtoms:
    """Mixin: the coordinates of atoms are rounded to multiples of `dose`."""

    def add(self, x, weight):
        super().add(np.round(x / self.dose) * self.dose, weight)


class LateAtoms:
    """Mixin: each atom is added when `dose` more atoms are due."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.waiting = []

    def add(self, x, weight):
        self.waiting.append((x.copy(), weight))
        if len(self.waiting) > self.dose:
            super().add(*self.waiting.pop(0))


class MovedPoints:
    """Mixin: it predicts and learns at the point `seen(x)` instead of x."""

    def predict(self, x):
        return super().predict(self.seen(x))

    def update(self, x, y):
        super().update(self.seen(x), y)


class Ridge(Dosed):
    """Ridge regression on the past by a dense solve, with the mean and the variance at each point."""

    def clear(self):
        super().clear()
        self.inverse = None

    def posterior(self, X):
        if not len(self.labels):
            return np.zeros(len(X)), self.diagonal(X)
        if self.inverse is None:
            self.inverse = np.linalg.inv(self.gram(self.points, self.points) + np.diag(self.penalty()))
        cross = self.gram(X, self.points)
        variance = self.diagonal(X) - np.einsum("ij,jk,ik->i", cross, self.inverse, cross, optimize=True)
        return cross @ self.inverse @ self.labels, np.maximum(variance, 0.0)

    def update(self, x, y):
        self.remember(x, y)
        self.inverse = None

    def penalty(self):
        return np.full(len(self.labels), self.strength())

    def strength(self):
        return self.ridge

    def gram(self, X, Z):
        return self.kernel.gram(X, Z)

    def diagonal(self, X):
        return self.kernel.diagonal(X)


def cut_to_bits(value, digits):
    """Return the numbers rounded to so many binary digits."""
    mantissa, exponent = np.frexp(np.asarray(value, dtype=float))
    return np.ldexp(np.round(mantissa * 2.0**digits) / 2.0**digits, exponent)
