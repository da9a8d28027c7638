"""Kernel-AWV with a growing Cholesky factor, and mistakes in what it keeps of the past."""

import numpy as np
from scipy.linalg import solve_triangular

from arena_tests.planted.dosed import Dosed


class KernelAwv(Dosed):
    """Correct: the mean of ridge regression on the past, divided by 1 + variance / lambda."""

    theorems = ("awv-leverage",)

    def clear(self):
        super().clear()
        self.factor, self.residuals = np.empty((0, 0)), np.empty(0)

    def peek(self, X):
        mean, variance = self.posterior(X)
        return mean / (1.0 + variance / self.ridge)

    def posterior(self, X):
        whitened = self.whiten(X)
        variance = self.kernel.diagonal(X) - np.sum(whitened**2, axis=0)
        return whitened.T @ self.residuals, np.maximum(variance, 0.0)

    def whiten(self, X):
        if not len(self.points):
            return np.empty((0, len(X)))
        return solve_triangular(self.factor, self.kernel.gram(self.points, X), lower=True)

    def update(self, x, y):
        self.round += 1
        self.learn(x, y)

    def learn(self, x, y):
        self.append(x, y)

    def append(self, x, y):
        row = self.whiten(x[np.newaxis])[:, 0]
        pivot = np.sqrt(self.ridge + max(self.kernel.diagonal(x[np.newaxis])[0] - row @ row, 0.0))
        size = len(row)
        factor = np.zeros((size + 1, size + 1))
        factor[:size, :size], factor[size, :size], factor[size, size] = self.factor, row, pivot
        self.residuals = np.append(self.residuals, (y - row @ self.residuals) / pivot)
        self.factor, self.points = factor, np.vstack([self.points, x])

    def refit(self, X, y):
        """Forget everything, and learn the points X with the labels y."""
        self.clear()
        if len(X):
            self.points = np.array(X)
            self.factor = np.linalg.cholesky(self.kernel.gram(self.points, self.points) + self.ridge * np.eye(len(X)))
            self.residuals = solve_triangular(self.factor, np.array(y), lower=True)


class IgnoresTheFirstRounds(KernelAwv):
    doses = (30, 5, 2, 1)
    shortest = 2

    def learn(self, x, y):
        if self.round > self.dose:
            self.append(x, y)


class IgnoresEveryKthRound(KernelAwv):
    doses = (2, 5, 20, 60)

    def learn(self, x, y):
        if self.round % self.dose:
            self.append(x, y)


class LosesTheLabelOfEveryKthRound(KernelAwv):
    doses = (2, 5, 20, 60)

    def learn(self, x, y):
        self.append(x, y if self.round % self.dose else 0.0)


class LearnsOneRoundLate(KernelAwv):
    """Each round is learnt `dose` rounds late."""

    doses = (10, 3, 1)
    shortest = 2

    def begin(self, game, rng):
        super().begin(game, rng)
        self.waiting = []

    def learn(self, x, y):
        self.waiting.append((x.copy(), y))
        if len(self.waiting) > self.dose:
            self.append(*self.waiting.pop(0))


class IgnoresASecondLabel(KernelAwv):
    """A point is not learnt if a past point differs from it by at most `dose` in each coordinate."""

    doses = (0.5, 0.1, 1e-3, 0.0)
    shortest = 3

    def learn(self, x, y):
        known = len(self.points) and np.abs(self.points - x).max(axis=1).min() <= self.dose
        if not known:
            self.append(x, y)


class AveragesRepeatedLabels(KernelAwv):
    """Points that differ by at most `dose` in each coordinate are kept once, with the mean of their labels."""

    doses = (0.3, 0.01, 0.0)
    shortest = 3

    def begin(self, game, rng):
        super().begin(game, rng)
        self.sums, self.counts = [], []

    def learn(self, x, y):
        gaps = np.abs(self.points - x).max(axis=1) if len(self.points) else np.array([np.inf])
        nearest = int(gaps.argmin())
        if gaps[nearest] <= self.dose:
            self.sums[nearest] += y
            self.counts[nearest] += 1
            self.refit(self.points, np.array(self.sums) / np.array(self.counts))
        else:
            self.sums.append(y)
            self.counts.append(1)
            self.append(x, y)


class KeepsTheLastLabelOnly(KernelAwv):
    """Points that are equal after rounding to `dose` decimals are kept once, with the last point and label."""

    doses = (0, 1, 3, 9)
    shortest = 3

    def begin(self, game, rng):
        super().begin(game, rng)
        self.known = {}

    def learn(self, x, y):
        key = tuple(np.round(x, self.dose).tolist())
        fresh = key not in self.known
        self.known[key] = (x.copy(), y)
        if fresh:
            self.append(x, y)
        else:
            self.refit([point for point, _ in self.known.values()], [label for _, label in self.known.values()])


class HashCollisions(KernelAwv):
    """Rounds are kept in a hash table of `dose` places, in which a new round replaces the old one at its place."""

    doses = (4, 16, 64, 256)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.table = {}

    def learn(self, x, y):
        place = (hash(x.tobytes()) + self.round * 2654435761) % self.dose
        taken = place in self.table
        self.table[place] = (x.copy(), y)
        if taken:
            self.refit([point for point, _ in self.table.values()], [label for _, label in self.table.values()])
        else:
            self.append(x, y)


class SlidingWindow(KernelAwv):
    doses = (5, 20, 60, 150)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.window = []

    def learn(self, x, y):
        self.window = [*self.window, y][-self.dose :]
        if len(self.window) > len(self.points):
            self.append(x, y)
        else:
            self.refit(np.vstack([self.points, x])[-self.dose :], self.window)


class StopsLearning(KernelAwv):
    """Only the first `dose` rounds are learnt."""

    doses = (5, 20, 60, 150)

    def learn(self, x, y):
        if len(self.points) < self.dose:
            self.append(x, y)


class StartsAfresh(KernelAwv):
    """Everything is forgotten after every `dose` rounds."""

    doses = (5, 20, 60, 150)

    def learn(self, x, y):
        if len(self.points) == self.dose:
            self.clear()
        self.append(x, y)


class RingBuffer(KernelAwv):
    """All points are kept, but only the last `dose` labels.

    A new label takes the place of the label `dose` rounds before, so that both rounds have the new label.
    """

    doses = (4, 16, 64, 128)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.labels = np.zeros(self.dose)

    def learn(self, x, y):
        self.labels[(self.round - 1) % self.dose] = y
        self.append(x, y)
        if self.round > self.dose:
            count = len(self.points)
            self.residuals = solve_triangular(self.factor, self.labels[np.arange(count) % self.dose], lower=True)


class GrownButZeroed(KernelAwv):
    """All labels become zero when the number of rounds is `dose`, and whenever it has doubled again."""

    doses = (1, 8, 32, 128)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.capacity = self.dose

    def learn(self, x, y):
        if len(self.points) == self.capacity:
            self.capacity *= 2
            self.residuals[:] = 0.0
        self.append(x, y)


class ForgetsSlowly(KernelAwv):
    """All past labels are multiplied by `dose` in each round."""

    doses = (0.5, 0.9, 0.99, 0.999, 0.9999)
    shortest = 3

    def learn(self, x, y):
        self.residuals *= self.dose
        self.append(x, y)


class DropsAtRandom(KernelAwv):
    """Each round is forgotten with the probability `dose`."""

    doses = (0.5, 0.1, 0.02)

    def learn(self, x, y):
        if self.rng.random() >= self.dose:
            self.append(x, y)


class StopsAfterConvergence(KernelAwv):
    """A round is not learnt if the prediction was wrong by at most `dose`."""

    doses = (0.9, 0.5, 0.1, 0.01)

    def learn(self, x, y):
        if abs(y - self.predict(x)) > self.dose:
            self.append(x, y)
