"""Kernel-AWV with an inverse matrix that grows each round, and mistakes in the linear algebra."""

import numpy as np

from arena_tests.planted.by_hand import ByHand
from arena_tests.planted.dosed import Dosed, cut_to_bits


class KernelAwv(Dosed):
    """Correct: the inverse of K + lambda I grows by a row and a column each round."""

    theorems = ("awv-leverage",)

    def clear(self):
        super().clear()
        self.inverse = np.empty((0, 0))

    def predict(self, x):
        similar = self.similar(x)
        mean, variance = self.mean(similar), self.variance(x, similar)
        return float(mean / (1.0 + variance / self.ridge))

    def similar(self, x):
        return self.kernel.gram(self.points, x[np.newaxis])[:, 0]

    def mean(self, similar):
        return similar @ (self.inverse @ self.labels[: len(similar)])

    def variance(self, x, similar):
        return max(float(self.kernel.diagonal(x[np.newaxis])[0] - similar @ self.inverse @ similar), 0.0)

    def update(self, x, y):
        self.grow(x, self.similar(x))
        self.remember(x, y)

    def grow(self, x, similar):
        column = self.inverse @ similar
        schur = self.pivot() + max(float(self.kernel.diagonal(x[np.newaxis])[0] - similar @ column), 0.0)
        extended = np.append(column, -1.0)
        self.inverse = np.pad(self.inverse, (0, 1)) + np.outer(extended, extended) / schur

    def pivot(self):
        return self.ridge


class WrongSign(KernelAwv):
    """The change of the inverse's old part in each round is multiplied by `dose`."""

    doses = (-1.0, 0.0, 0.5, 0.95)

    def grow(self, x, similar):
        size, old = len(similar), self.inverse
        super().grow(x, similar)
        self.inverse[:size, :size] = old + self.dose * (self.inverse[:size, :size] - old)


class LambdaMissingInTheSchurComplement(KernelAwv):
    """Lambda is multiplied by `dose` in the Schur complement."""

    doses = (0.3, 0.9, 0.99)

    def pivot(self):
        return self.dose * self.ridge


class StaleInverse(KernelAwv):
    """Rounds are learnt in batches of `dose` rounds."""

    doses = (20, 5, 2)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.waiting = []

    def update(self, x, y):
        self.waiting.append((x.copy(), y))
        if len(self.waiting) >= self.dose:
            for point, label in self.waiting:
                super().update(point, label)
            self.waiting = []


class StaleVariance(KernelAwv):
    """The variance is updated every `dose` rounds alone; the mean is updated in each round."""

    doses = (50, 10, 2)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.old = np.empty((0, 0))

    def variance(self, x, similar):
        known = similar[: len(self.old)]
        return max(float(self.kernel.diagonal(x[np.newaxis])[0] - known @ self.old @ known), 0.0)

    def update(self, x, y):
        super().update(x, y)
        if len(self.labels) % self.dose == 0:
            self.old = self.inverse.copy()


class LowerTriangleOnly(KernelAwv):
    """The part of K above the diagonal is multiplied by 1 - dose when the mean is computed."""

    doses = (1.0, 0.1, 0.01)

    def mean(self, similar):
        K = self.kernel.gram(self.points, self.points) + self.ridge * np.eye(len(self.labels))
        K -= self.dose * np.triu(K, 1)
        return similar @ np.linalg.solve(K, self.labels)


class LooseCutoff(KernelAwv):
    """The inverse leaves out the eigenvectors of K whose eigenvalues are at most `dose` times the largest one."""

    doses = (0.3, 0.03, 1e-3, 1e-5)

    def update(self, x, y):
        super().update(x, y)
        values, vectors = np.linalg.eigh(self.kernel.gram(self.points, self.points))
        kept = values > self.dose * values[-1]
        self.inverse = (vectors[:, kept] / (values[kept] + self.ridge)) @ vectors[:, kept].T


class ConjugateGradientsStopEarly(KernelAwv):
    """The weights of the mean are computed by at most `dose` steps of conjugate gradients."""

    doses = (1, 2, 4, 8)

    def update(self, x, y):
        super().update(x, y)
        K = self.kernel.gram(self.points, self.points) + self.ridge * np.eye(len(self.labels))
        weights, residual = np.zeros(len(self.labels)), self.labels.copy()
        direction = residual.copy()
        for _ in range(self.dose):
            size = residual @ residual
            if size < 1e-24:
                break
            step = size / (direction @ K @ direction)
            weights = weights + step * direction
            residual = residual - step * (K @ direction)
            direction = residual + (residual @ residual) / size * direction
        self.weights = weights

    def mean(self, similar):
        return similar @ self.weights if len(similar) else 0.0


class LowRank(KernelAwv):
    """K is replaced by its part for the `dose` largest eigenvalues."""

    doses = (1, 3, 8, 20)

    def update(self, x, y):
        super().update(x, y)
        values, vectors = np.linalg.eigh(self.kernel.gram(self.points, self.points))
        values, vectors = np.maximum(values[-self.dose :], 0.0), vectors[:, -self.dose :]
        size = len(self.labels)
        self.inverse = (np.eye(size) - (vectors * (values / (values + self.ridge))) @ vectors.T) / self.ridge


class Jitter(KernelAwv):
    """`dose` is added to the diagonal of K + lambda I."""

    doses = (1.0, 0.1, 0.01, 1e-3)

    def pivot(self):
        return self.dose + self.ridge


class SinglePrecision(KernelAwv):
    """The entries of the inverse are rounded to `dose` binary digits."""

    doses = (5, 10, 16)

    def update(self, x, y):
        super().update(x, y)
        self.inverse = cut_to_bits(self.inverse, self.dose)


class OffByOneLabels(KernelAwv):
    """In the mean, the labels after the first `dose` rounds are moved by one round."""

    doses = (1, 20, 80)

    def mean(self, similar):
        labels = self.labels
        if len(labels) > self.dose:
            labels = np.concatenate([labels[: self.dose], np.roll(labels[self.dose :], 1)])
        return similar @ (self.inverse @ labels)


class OverflowingCounter(KernelAwv):
    """All is forgotten after every 2^dose rounds, as if a counter of `dose` bits started again."""

    doses = (3, 5, 6, 7)

    def update(self, x, y):
        super().update(x, y)
        if len(self.labels) == 2**self.dose:
            self.clear()


class NothingButThePast(ByHand):
    """Correct, with `predict` and `update` alone; lambda = 1 and the Gaussian kernel of bandwidth 1 are built in."""

    theorems = ("awv-leverage(regularisation=1)",)
    doses = ()

    def __init__(self, dose=1.0):
        super().__init__()
        self.dose = dose


class NothingButADoubtfulPast(NothingButThePast):
    """The label of every round whose number is a multiple of `dose` is learnt with the wrong sign."""

    doses = (2, 5, 20)

    def update(self, x, y):
        super().update(x, y if (len(self.labels) + 1) % self.dose else -y)
