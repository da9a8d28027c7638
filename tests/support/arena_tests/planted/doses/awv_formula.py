"""Kernel-AWV by a dense solve for the past, and mistakes in its formula and its kernel."""

import numpy as np

from arena_tests.planted.dosed import Ridge


class KernelAwv(Ridge):
    """Correct: the mean of ridge regression on the past, divided by 1 + variance / lambda."""

    theorems = ("awv-leverage",)

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + self.weight() * variance / self.strength())

    def weight(self):
        return 1.0


class LambdaTimes(KernelAwv):
    """Lambda is multiplied by `dose`; with the dose 2, lambda is added twice."""

    doses = (100.0, 0.01, 2.0, 0.5, 1.1, 0.97)

    def strength(self):
        return self.dose * self.ridge


class LambdaInTheSolveOnly(KernelAwv):
    """Lambda is multiplied by `dose` in the matrix K + lambda I alone."""

    doses = (10.0, 0.1, 1.2, 0.97)

    def penalty(self):
        return np.full(len(self.labels), self.dose * self.strength())


class LambdaOverTime(KernelAwv):
    """Lambda is multiplied by (number of past rounds)^dose, so that it grows or decays."""

    doses = (1.0, -1.0, 0.3, -0.3, 0.03)

    def strength(self):
        return self.ridge * max(len(self.labels), 1) ** self.dose


class MeanLoss(KernelAwv):
    """Lambda grows with the rounds; with the dose 1 it penalises the mean of the losses instead of their sum."""

    doses = (1.0, 0.1, 0.01)

    def strength(self):
        return self.ridge * (1.0 + self.dose * (len(self.labels) - 1) if len(self.labels) else 1.0)


class NoAwvTerm(KernelAwv):
    """The prediction is the mean divided by 1 + dose variance / lambda; the right dose is 1."""

    doses = (0.0, 0.5, 0.9, 0.98)

    def weight(self):
        return self.dose


class AwvTermTwice(KernelAwv):
    doses = (10.0, 2.0, 1.1, 1.02)

    def weight(self):
        return self.dose


class SquareRootOfTheVariance(KernelAwv):
    """The prediction is the mean divided by 1 + (variance / lambda)^dose; the right dose is 1."""

    doses = (0.5, 2.0, 0.9, 0.98)

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + (variance / self.strength()) ** self.dose)


class VarianceOfThePrior(KernelAwv):
    """In place of the variance, the prediction uses `dose` times k(x, x) plus (1 - dose) times the variance."""

    doses = (1.0, 0.1, 0.01)

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + (self.dose * self.diagonal(X) + (1 - self.dose) * variance) / self.strength())


class NoiseInTheVariance(KernelAwv):
    """The prediction uses the variance plus `dose` times lambda; predictive variances often contain lambda."""

    doses = (1.0, 0.1, 0.01)

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + variance / self.strength() + self.dose)


class WrongBandwidth(KernelAwv):
    """The kernel is computed for coordinates multiplied by `dose`."""

    doses = (10.0, 0.1, 2.0**0.5, 0.5**0.5, 1.05, 0.99)

    def gram(self, X, Z):
        return self.kernel.gram(self.dose * X, self.dose * Z)

    def diagonal(self, X):
        return self.kernel.diagonal(self.dose * X)


class DistanceNotSquared(KernelAwv):
    """The Gaussian kernel has |x - z|^dose in place of |x - z|^2; other radial kernels are changed in the same way."""

    doses = (1.0, 1.5, 1.9, 1.98)

    def gram(self, X, Z):
        gaps = X[:, np.newaxis] - Z[np.newaxis]
        size = np.sqrt(np.sum(gaps**2, axis=2, keepdims=True))
        scale = np.where(size > 0, np.maximum(size, 1e-300) ** (self.dose / 2 - 1), 0.0)
        moved = (gaps * scale).reshape(-1, X.shape[1])
        return self.kernel.gram(moved, np.zeros((1, X.shape[1]))).reshape(len(X), len(Z))


class AsymmetricKernel(KernelAwv):
    """Past points are moved by `dose` in each coordinate when the kernel compares them with new points."""

    doses = (0.5, 0.1, 0.01)

    def gram(self, X, Z):
        return self.kernel.gram(X, Z if len(X) == len(Z) and np.array_equal(X, Z) else Z + self.dose)


class KernelTimes(KernelAwv):
    """The kernel is multiplied by `dose`."""

    doses = (10.0, 0.1, 1.3, 0.95)

    def gram(self, X, Z):
        return self.dose * self.kernel.gram(X, Z)

    def diagonal(self, X):
        return self.dose * self.kernel.diagonal(X)


class KernelPlus(KernelAwv):
    """`dose` is added to the kernel, which gives the learner an intercept that the comparator does not have."""

    doses = (1.0, 0.1, 0.01)

    def gram(self, X, Z):
        return self.kernel.gram(X, Z) + self.dose

    def diagonal(self, X):
        return self.kernel.diagonal(X) + self.dose


class CutsOffSmallKernels(KernelAwv):
    """Kernel values smaller than `dose` between new and past points are replaced by zero."""

    doses = (0.9, 0.5, 0.1)

    def gram(self, X, Z):
        K = self.kernel.gram(X, Z)
        return np.where(np.abs(K) < self.dose, 0.0, K) if len(X) != len(Z) or not np.array_equal(X, Z) else K


class LabelsInTheWrongOrder(KernelAwv):
    """After every `dose` rounds, the last two labels are exchanged."""

    doses = (2, 10, 50)

    def update(self, x, y):
        super().update(x, y)
        if len(self.labels) % self.dose == 0:
            self.labels[[-1, -2]] = self.labels[[-2, -1]]


class NewestRoundWeighsMore(KernelAwv):
    """The lambda of the latest round is multiplied by `dose`, which is less than 1."""

    doses = (0.01, 0.5, 0.9, 0.99)

    def penalty(self):
        penalty = super().penalty()
        penalty[-1] *= self.dose
        return penalty


class ReadsTheBandwidth(KernelAwv):
    """Correct, but it fails in `begin` if the kernel has no bandwidth."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bandwidth = game.kernel.bandwidth


class TakesTheDiagonalForOne(KernelAwv):
    """k(x, x) is replaced by k(x, x)^(1 - dose), which is right only for kernels with k(x, x) = 1."""

    doses = (1.0, 0.3, 0.03)

    def diagonal(self, X):
        return self.kernel.diagonal(X) ** (1.0 - self.dose)
