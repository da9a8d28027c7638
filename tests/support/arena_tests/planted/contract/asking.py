"""Learners that fail in `predict` or `update`, change when they are asked, or change or keep arrays of the arena."""

import numpy as np

from arena.players.learner import Learner
from arena_tests.planted.contract.correct import Averaging, Mean, Neighbour, Single
from arena_tests.planted.contract.planting import wrong_learner


@wrong_learner("plays")
class Raises(Mean):
    def update(self, x, y):
        raise RuntimeError("out of luck")


@wrong_learner("plays")
class AnswersWithAList(Mean):
    def predict(self, x):
        return [0.0, 1.0]


@wrong_learner("predict-is-pure")
class CountsQuestions(Mean):
    asked = 0

    def predict(self, x):
        self.asked += 1
        return super().predict(x)


@wrong_learner("predict-is-pure")
class DriftsWhenAsked(Mean):
    def predict(self, x):
        self.sum += 0.001
        return super().predict(x)


@wrong_learner("predict-is-pure")
class TossesACoinWhenAsked(Single):
    def predict(self, x):
        return super().predict(x) + self.rng.normal()


@wrong_learner("predict-is-pure")
class LearnsFromPeeks(Averaging):
    def peek(self, X):
        self.count += len(X)
        return super().peek(X)

    replay = Learner.replay


@wrong_learner("leaves-its-arguments-alone")
class NormalisesInPlace(Single):
    def update(self, x, y):
        x /= 1.0 + np.abs(x).max()
        super().update(x, y)


@wrong_learner("leaves-its-arguments-alone")
class CentresTheBlock(Averaging):
    def replay(self, X, y):
        predictions = super().replay(X, y)
        y -= y.mean()
        return predictions


@wrong_learner("keeps-no-reference")
class KeepsThePoint(Neighbour):
    def update(self, x, y):
        self.points.append(x)
        self.labels.append(y)


@wrong_learner("keeps-no-reference")
class KeepsTheRevealedPoint(Neighbour):
    def reveal(self, x):
        self.now = x

    def update(self, x, y):
        self.points.append(self.now)
        self.labels.append(y)


@wrong_learner("keeps-no-reference")
class KeepsTheBlock(Neighbour):
    def replay(self, X, y):
        predictions = super().replay(X, y)
        self.points[len(self.points) - len(X) :] = list(X)
        return predictions


@wrong_learner("update-needs-no-prediction")
class LearnsFromTheLastAnswer(Single):
    """A least-mean-squares filter that learns from the last prediction that `predict` made, at whatever point."""

    last = 0.0

    def predict(self, x):
        self.last = super().predict(x)
        return self.last

    def update(self, x, y):
        super().update(x, y - self.last)


@wrong_learner("update-needs-no-prediction")
class LearnsAtTheLastQuestion(Neighbour):
    """Learns the label at the point of the last call of `predict`, instead of the point of the round."""

    asked = None

    def predict(self, x):
        self.asked = x.copy()
        return super().predict(x)

    def update(self, x, y):
        super().update(x if self.asked is None else self.asked, y)
