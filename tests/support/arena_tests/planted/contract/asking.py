"""Learners that fail when they are asked, learn from being asked, or meddle with what they are given."""

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
