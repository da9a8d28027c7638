"""Kernel ridge regression with and without clipping, and mistakes in both."""

import numpy as np

from arena_tests.planted.dosed import KernelSum, cut_to_bits


class ClippedKrr(KernelSum):
    """Correct: ridge regression on the past, with predictions clipped to [-C, C]."""

    theorems = ("clipped-krr",)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bound = game.clip

    def peek(self, X):
        return np.clip(self.fitted(X), -self.bound, self.bound)

    def fitted(self, X):
        return super().peek(X)

    def update(self, x, y):
        self.remember(x, y)
        self.weights = self.solve()

    def solve(self):
        return self.solved(self.points, self.labels, self.strength())

    def solved(self, points, labels, ridge):
        return np.linalg.solve(self.kernel.gram(points, points) + ridge * np.eye(len(points)), labels)

    def strength(self):
        return self.ridge


class Krr(ClippedKrr):
    """Correct: ridge regression on the past without clipping, for which an identity holds but no bound."""

    theorems = ("ridge-identity",)

    def peek(self, X):
        return self.fitted(X)


class ForgottenClipping(ClippedKrr):
    """Predictions are clipped at `dose` times C, which is too large."""

    doses = (100.0, 2.0, 1.1)

    def peek(self, X):
        return np.clip(self.fitted(X), -self.dose * self.bound, self.dose * self.bound)


class ClippingTooLow(ClippedKrr):
    doses = (0.05, 0.2, 0.5)

    def peek(self, X):
        return np.clip(self.fitted(X), -self.dose * self.bound, self.dose * self.bound)


class SignInsteadOfClipping(ClippedKrr):
    """Predictions larger than `dose` times C are replaced by C or -C."""

    doses = (0.0, 0.1, 0.4)

    def peek(self, X):
        fitted = self.fitted(X)
        return np.where(np.abs(fitted) > self.dose * self.bound, np.sign(fitted) * self.bound, fitted)


class WrongSignWhereSmall(ClippedKrr):
    doses = (1.0, 0.3, 0.05)

    def peek(self, X):
        fitted = super().peek(X)
        return np.where(np.abs(fitted) < self.dose * self.bound, -fitted, fitted)


class FewerRows(ClippedKrr):
    """Only the latest `dose` rounds are fitted."""

    doses = (1, 5, 20)

    def update(self, x, y):
        super().update(x, y)
        self.points, self.labels = self.points[-self.dose :], self.labels[-self.dose :]
        self.weights = self.solve()


class FitsTheFirstRounds(ClippedKrr):
    """Only the first `dose` rounds are fitted."""

    doses = (1, 10, 50)

    def update(self, x, y):
        if len(self.labels) < self.dose:
            super().update(x, y)


class FitsSeldom(ClippedKrr):
    """The fit is computed anew only every `dose` rounds."""

    doses = (60, 25, 8)

    def solve(self):
        fresh = len(self.labels) % self.dose == 0
        return super().solve() if fresh else np.append(self.weights, 0.0)


class RidgeTimes(ClippedKrr):
    """Lambda is multiplied by `dose`."""

    doses = (1000.0, 0.001, 30.0)

    def strength(self):
        return self.dose * self.ridge


class RidgeGrows(ClippedKrr):
    """Lambda is multiplied by t^dose after t rounds."""

    doses = (2.0, 1.0, 0.6)

    def strength(self):
        return self.ridge * len(self.labels) ** self.dose


class NarrowKernel(ClippedKrr):
    """The kernel is computed for coordinates multiplied by `dose`."""

    doses = (100.0, 10.0, 4.0)

    def begin(self, game, rng):
        super().begin(game, rng)
        own, factor = game.kernel, self.dose

        class Scaled:
            def gram(self, X, Z):
                return own.gram(factor * X, factor * Z)

        self.kernel = Scaled()


class IgnoresOneSide(ClippedKrr):
    """Rounds with labels less than -dose times C are not learnt."""

    doses = (0.0, 0.5, 0.99)

    def update(self, x, y):
        if y >= -self.dose * self.bound:
            super().update(x, y)


class IdentityRidgeTimes(Krr):
    """Lambda is multiplied by `dose`; the smallest doses violate the identity alone."""

    doses = (2.0, 1.01, 1.0001, 1.000001)

    def strength(self):
        return self.dose * self.ridge


class IdentityForgets(Krr):
    """All past labels are multiplied by `dose` in each round."""

    doses = (0.9, 0.999, 0.99999)

    def solve(self):
        ages = np.arange(len(self.labels))[::-1]
        return self.solved(self.points, self.labels * self.dose**ages, self.ridge)


class IdentityWindow(Krr):
    """Only the latest `dose` rounds are fitted."""

    doses = (5, 30, 150)

    def solve(self):
        recent = np.arange(len(self.labels)) >= len(self.labels) - self.dose
        weights = np.zeros(len(self.labels))
        weights[recent] = self.solved(self.points[recent], self.labels[recent], self.ridge)
        return weights


class IdentityClipped(Krr):
    """Predictions are clipped at `dose` times C, although the identity is about predictions without clipping."""

    doses = (0.5, 0.95, 1.0)

    def peek(self, X):
        return np.clip(self.fitted(X), -self.dose * self.bound, self.dose * self.bound)


class IdentitySinglePrecision(Krr):
    """Weights are rounded to `dose` binary digits."""

    doses = (10, 16, 23)

    def solve(self):
        return cut_to_bits(super().solve(), self.dose)


class IdentityLearnsThePointTwice(Krr):
    """A repeated point is fitted once, with the mean of its labels; its repetitions count at most `dose` times."""

    doses = (1, 3, 10)

    def solve(self):
        points, where = np.unique(self.points, axis=0, return_inverse=True)
        counts = np.bincount(where.reshape(-1))
        means = np.bincount(where.reshape(-1), weights=self.labels) / counts
        K = self.kernel.gram(points, points) + np.diag(self.ridge / np.minimum(counts, self.dose))
        weights = np.linalg.solve(K, means) / counts
        return weights[where.reshape(-1)]
