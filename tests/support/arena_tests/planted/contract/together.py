"""Learners whose answers for many points at once differ from their answers one by one."""

import numpy as np

from arena.record.error_bars import Approximation
from arena_tests.planted.contract.correct import Averaging
from arena_tests.planted.contract.planting import wrong_learner


@wrong_learner("no-label-is-used-before-it-is-seen")
class LooksAhead(Averaging):
    def replay(self, X, y):
        return super().replay(X, y) + 0.01 * np.append(y[1:], 0.0)


@wrong_learner("no-label-is-used-before-it-is-seen")
class ScalesByTheBlock(Averaging):
    def replay(self, X, y):
        return super().replay(X, y) * (1.0 + 0.1 * y.mean())


@wrong_learner("replay-equals-rounds")
class ReplaysOneBehind(Averaging):
    def replay(self, X, y):
        predictions = super().replay(X, y)
        return np.append(0.0, predictions[:-1])


@wrong_learner("replay-equals-rounds")
class ReplayForgetsTheLastRound(Averaging):
    def replay(self, X, y):
        predictions = super().replay(X, y)
        self.sum, self.bias, self.count = self.sum - y[-1] * X[-1], self.bias - y[-1], self.count - 1
        return predictions


@wrong_learner("replay-equals-rounds")
class ReplayStartsAnew(Averaging):
    def replay(self, X, y):
        self.sum, self.bias, self.count = np.zeros(X.shape[1]), 0.0, 1
        return super().replay(X, y)


@wrong_learner("peek-equals-predict")
class PeeksWithoutBias(Averaging):
    def peek(self, X):
        return X @ self.sum / self.count


@wrong_learner("peek-equals-predict")
class PeeksAtTheFirstRowOnly(Averaging):
    def peek(self, X):
        return np.full(len(X), super().peek(X[:1])[0])


class ThroughFeatures(Averaging):
    """Correct: plays long matches through features, with error bars of 0.001 although its error is 0."""

    error = 0.0

    def through_features(self, X, y, watch=None):
        if watch is not None:
            watch("features", len(X), len(X))
        return Approximation(self.replay(X, y) + self.error, np.full(len(X), 1e-3), 1, None)


@wrong_learner("features-keep-to-their-error-bars")
class BarsTooShort(ThroughFeatures):
    error = 2e-3


@wrong_learner("features-keep-to-their-error-bars")
class NeverReportsProgress(ThroughFeatures):
    def through_features(self, X, y, watch=None):
        return super().through_features(X, y)


@wrong_learner("features-keep-to-their-error-bars")
class BarsAreNoNumbers(ThroughFeatures):
    def through_features(self, X, y, watch=None):
        found = super().through_features(X, y, watch)
        return Approximation(found.predictions, np.full(len(X), np.nan), 1, None)
