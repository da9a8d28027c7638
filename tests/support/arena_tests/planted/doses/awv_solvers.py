"""Kernel-AWV with the inverse updated round by round, and mistakes in the linear algebra."""

import numpy as np


class KernelAwv:
    """Correct: the inverse of K + lambda I grows by a row and a column each round."""

    theorems = ("awv-leverage",)
    doses = ()

    def __init__(self, dose=1.0):
        self.dose = dose

    def begin(self, game, rng):
        self.kernel, self.ridge, self.rng, self.game = game.kernel, game.regularisation, rng, game
        self.points, self.labels = np.empty((0, game.dimension)), np.empty(0)
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
        self.points, self.labels = np.vstack([self.points, x]), np.append(self.labels, y)

    def grow(self, x, similar):
        column = self.inverse @ similar
        schur = self.ridge + max(float(self.kernel.diagonal(x[np.newaxis])[0] - similar @ column), 0.0)
        extended = np.append(column, -1.0)
        self.inverse = np.pad(self.inverse, (0, 1)) + np.outer(extended, extended) / schur


class WrongSign(KernelAwv):
    """The correction of the old block has the wrong sign or the wrong factor."""

    doses = (-1.0, 0.0, 0.5, 0.95)

    def grow(self, x, similar):
        size, old = len(similar), self.inverse
        super().grow(x, similar)
        self.inverse[:size, :size] = old + self.dose * (self.inverse[:size, :size] - old)


class LambdaMissingInTheSchurComplement(KernelAwv):
    """It has this share of lambda."""

    doses = (0.3, 0.9, 0.99)

    def grow(self, x, similar):
        column = self.inverse @ similar
        diagonal = float(self.kernel.diagonal(x[np.newaxis])[0])
        schur = self.dose * self.ridge + max(diagonal - similar @ column, 0.0)
        extended = np.append(column, -1.0)
        self.inverse = np.pad(self.inverse, (0, 1)) + np.outer(extended, extended) / schur


class StaleInverse(KernelAwv):
    """Learns in batches of so many rounds."""

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
    """The variance is brought up to date every so many rounds; the mean always."""

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
    """The upper triangle is off by a share: solved as if it were not there."""

    doses = (1.0, 0.1, 0.01)

    def mean(self, similar):
        K = self.kernel.gram(self.points, self.points) + self.ridge * np.eye(len(self.labels))
        K -= self.dose * np.triu(K, 1)
        return similar @ np.linalg.solve(K, self.labels)


class LooseCutoff(KernelAwv):
    """Eigenvalues of K below this share of the largest are thrown away, and lambda with them."""

    doses = (0.3, 0.03, 1e-3, 1e-5)

    def update(self, x, y):
        super().update(x, y)
        values, vectors = np.linalg.eigh(self.kernel.gram(self.points, self.points))
        kept = values > self.dose * values[-1]
        self.inverse = (vectors[:, kept] / (values[kept] + self.ridge)) @ vectors[:, kept].T


class ConjugateGradientsStopEarly(KernelAwv):
    """So many steps of conjugate gradients from zero."""

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
    """Only the leading eigenvectors of K, so many."""

    doses = (1, 3, 8, 20)

    def update(self, x, y):
        super().update(x, y)
        values, vectors = np.linalg.eigh(self.kernel.gram(self.points, self.points))
        values, vectors = np.maximum(values[-self.dose :], 0.0), vectors[:, -self.dose :]
        size = len(self.labels)
        self.inverse = (np.eye(size) - (vectors * (values / (values + self.ridge))) @ vectors.T) / self.ridge


class Jitter(KernelAwv):
    """Added to the diagonal on top of lambda, to be safe."""

    doses = (1.0, 0.1, 0.01, 1e-3)

    def grow(self, x, similar):
        column = self.inverse @ similar
        diagonal = float(self.kernel.diagonal(x[np.newaxis])[0])
        schur = self.dose + self.ridge + max(diagonal - similar @ column, 0.0)
        extended = np.append(column, -1.0)
        self.inverse = np.pad(self.inverse, (0, 1)) + np.outer(extended, extended) / schur


class SinglePrecision(KernelAwv):
    """The inverse is kept in 5, 10 (float16) or 23 bits (float32)."""

    doses = (5, 10, 16)

    def update(self, x, y):
        super().update(x, y)
        mantissa, exponent = np.frexp(self.inverse)
        self.inverse = np.ldexp(np.round(mantissa * 2.0**self.dose) / 2.0**self.dose, exponent)


class OffByOneLabels(KernelAwv):
    """The weights belong to the rounds before: an index is off, from this round on."""

    doses = (1, 20, 80)

    def mean(self, similar):
        labels = self.labels
        if len(labels) > self.dose:
            labels = np.concatenate([labels[: self.dose], np.roll(labels[self.dose :], 1)])
        return similar @ (self.inverse @ labels)


class OverflowingCounter(KernelAwv):
    """A counter of so many bits numbers the rounds: when it overflows, everything is counted from the start."""

    doses = (3, 5, 6, 7)

    def update(self, x, y):
        super().update(x, y)
        if len(self.labels) == 2**self.dose:
            self.points, self.labels = self.points[:0], self.labels[:0]
            self.inverse = np.empty((0, 0))


class NothingButThePast:
    """Correct, and the least that a learner can be: lambda = 1 and the Gaussian kernel of bandwidth 1 are built in."""

    theorems = ("awv-leverage(regularisation=1)",)
    doses = ()

    def __init__(self, dose=1.0):
        self.dose, self.points, self.labels = dose, [], []

    def kernel(self, X, Z):
        return np.exp(-0.5 * np.sum((X[:, np.newaxis] - Z[np.newaxis]) ** 2, axis=2))

    def predict(self, x):
        if not self.points:
            return 0.0
        past = np.array(self.points)
        similar = self.kernel(past, x[np.newaxis])[:, 0]
        inverse = np.linalg.inv(self.kernel(past, past) + np.eye(len(past)))
        return float(similar @ inverse @ np.array(self.labels) / (2.0 - similar @ inverse @ similar))

    def update(self, x, y):
        self.points.append(np.array(x))
        self.labels.append(float(y))


class NothingButADoubtfulPast(NothingButThePast):
    """The label of every so-manyth round is learnt with the wrong sign."""

    doses = (2, 5, 20)

    def update(self, x, y):
        super().update(x, y if (len(self.labels) + 1) % self.dose else -y)
