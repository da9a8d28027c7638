"""Kernel-AWV by a solve that holds the current point as well, and mistakes in its formula and its kernel."""

import numpy as np


class KernelAwv:
    """Correct: ridge regression on the past and on the current point with the label zero."""

    theorems = ("awv-leverage",)
    doses = ()

    def __init__(self, dose=1.0):
        self.dose = dose

    def begin(self, game, rng):
        self.game, self.rng = game, rng
        self.points, self.labels = np.empty((0, game.dimension)), np.empty(0)
        self.inverse = None

    def predict(self, x):
        return float(self.peek(x[np.newaxis])[0])

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + self.weight() * variance / self.ridge())

    def posterior(self, X):
        if not len(self.labels):
            return np.zeros(len(X)), self.diagonal(X)
        if self.inverse is None:
            penalty = self.penalty()
            self.inverse = np.linalg.inv(self.gram(self.points, self.points) + np.diag(penalty))
        cross = self.gram(X, self.points)
        variance = self.diagonal(X) - np.einsum("ij,jk,ik->i", cross, self.inverse, cross, optimize=True)
        return cross @ self.inverse @ self.labels, np.maximum(variance, 0.0)

    def update(self, x, y):
        self.points, self.labels, self.inverse = np.vstack([self.points, x]), np.append(self.labels, y), None

    def ridge(self):
        return self.game.regularisation

    def weight(self):
        return 1.0

    def penalty(self):
        return np.full(len(self.labels), self.ridge())

    def gram(self, X, Z):
        return self.game.kernel.gram(X, Z)

    def diagonal(self, X):
        return self.game.kernel.diagonal(X)


class LambdaTimes(KernelAwv):
    """Lambda too large or too small by a factor; twice is lambda added in two places."""

    doses = (100.0, 0.01, 2.0, 0.5, 1.1, 0.97)

    def ridge(self):
        return self.dose * self.game.regularisation


class LambdaInTheSolveOnly(KernelAwv):
    """The factor is in the matrix and not in the shrinking."""

    doses = (10.0, 0.1, 1.2, 0.97)

    def penalty(self):
        return np.full(len(self.labels), self.dose * self.ridge())


class LambdaOverTime(KernelAwv):
    """Lambda times t to this power: not scaled with the rounds, or decaying."""

    doses = (1.0, -1.0, 0.3, -0.3, 0.03)

    def ridge(self):
        return self.game.regularisation * max(len(self.labels), 1) ** self.dose


class MeanLoss(KernelAwv):
    """Lambda for the mean of the losses where the sum is meant, up to a share."""

    doses = (1.0, 0.1, 0.01)

    def ridge(self):
        return self.game.regularisation * (1.0 + self.dose * (len(self.labels) - 1) if len(self.labels) else 1.0)


class NoAwvTerm(KernelAwv):
    """The current point counts this much."""

    doses = (0.0, 0.5, 0.9, 0.98)

    def weight(self):
        return self.dose


class AwvTermTwice(KernelAwv):
    doses = (10.0, 2.0, 1.1, 1.02)

    def weight(self):
        return self.dose


class SquareRootOfTheVariance(KernelAwv):
    """Divides by 1 + (variance / lambda)^power."""

    doses = (0.5, 2.0, 0.9, 0.98)

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + (variance / self.ridge()) ** self.dose)


class VarianceOfThePrior(KernelAwv):
    """Shrinks by a mixture of k(x, x) and the variance."""

    doses = (1.0, 0.1, 0.01)

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + (self.dose * self.diagonal(X) + (1 - self.dose) * variance) / self.ridge())


class NoiseInTheVariance(KernelAwv):
    """Shrinks as if lambda were part of the variance, as some libraries' predictive variance has it."""

    doses = (1.0, 0.1, 0.01)

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + variance / self.ridge() + self.dose)


class WrongBandwidth(KernelAwv):
    """The kernel of coordinates times this factor."""

    doses = (10.0, 0.1, 2.0**0.5, 0.5**0.5, 1.05, 0.99)

    def gram(self, X, Z):
        return self.game.kernel.gram(self.dose * X, self.dose * Z)

    def diagonal(self, X):
        return self.game.kernel.diagonal(self.dose * X)


class DistanceNotSquared(KernelAwv):
    """exp(-|x - z|^power / 2): a square root too many, or one that is missing; for any kernel that is radial."""

    doses = (1.0, 1.5, 1.9, 1.98)

    def gram(self, X, Z):
        gaps = X[:, np.newaxis] - Z[np.newaxis]
        size = np.sqrt(np.sum(gaps**2, axis=2, keepdims=True))
        scale = np.where(size > 0, np.maximum(size, 1e-300) ** (self.dose / 2 - 1), 0.0)
        moved = (gaps * scale).reshape(-1, X.shape[1])
        return self.game.kernel.gram(moved, np.zeros((1, X.shape[1]))).reshape(len(X), len(Z))


class AsymmetricKernel(KernelAwv):
    """Points of the past are moved by the dose when they are compared with a new one."""

    doses = (0.5, 0.1, 0.01)

    def gram(self, X, Z):
        return self.game.kernel.gram(X, Z if len(X) == len(Z) and np.array_equal(X, Z) else Z + self.dose)


class KernelTimes(KernelAwv):
    """The kernel times a constant."""

    doses = (10.0, 0.1, 1.3, 0.95)

    def gram(self, X, Z):
        return self.dose * self.game.kernel.gram(X, Z)

    def diagonal(self, X):
        return self.dose * self.game.kernel.diagonal(X)


class KernelPlus(KernelAwv):
    """A constant added to the kernel, an intercept that the comparator does not have."""

    doses = (1.0, 0.1, 0.01)

    def gram(self, X, Z):
        return self.game.kernel.gram(X, Z) + self.dose

    def diagonal(self, X):
        return self.game.kernel.diagonal(X) + self.dose


class CutsOffSmallKernels(KernelAwv):
    """Similarities below the dose are taken for zero, to save memory."""

    doses = (0.9, 0.5, 0.1)

    def gram(self, X, Z):
        K = self.game.kernel.gram(X, Z)
        return np.where(np.abs(K) < self.dose, 0.0, K) if len(X) != len(Z) or not np.array_equal(X, Z) else K


class LabelsInTheWrongOrder(KernelAwv):
    """One label in so many changes places with the one before it."""

    doses = (2, 10, 50)

    def update(self, x, y):
        super().update(x, y)
        if len(self.labels) % self.dose == 0:
            self.labels[[-1, -2]] = self.labels[[-2, -1]]


class NewestRoundWeighsMore(KernelAwv):
    """The penalty of the latest point is smaller by this factor."""

    doses = (0.01, 0.5, 0.9, 0.99)

    def penalty(self):
        penalty = super().penalty()
        penalty[-1] *= self.dose
        return penalty


class ReadsTheBandwidth(KernelAwv):
    """Correct for Gaussian kernels, and cannot play with one that has no bandwidth."""

    doses = ()

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bandwidth = game.kernel.bandwidth


class TakesTheDiagonalForOne(KernelAwv):
    """k(x, x) is taken for one, or nearly so: what is wrong shows with kernels of other diagonals only."""

    doses = (1.0, 0.3, 0.03)

    def diagonal(self, X):
        return self.game.kernel.diagonal(X) ** (1.0 - self.dose)
