"""Learners that answer many questions otherwise than one by one."""

import numpy as np

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
