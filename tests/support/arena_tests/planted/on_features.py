"""A second implementation of forecasters on features and dictionaries, and subclasses with mistakes."""

import numpy as np

from arena import Learner
from arena.components.features.taylor import Taylor
from arena.components.linear_ridge import LinearRidge
from arena.components.span import Span


class OnFeatures(Learner):
    """Correct: the forecaster of Azoury, Warmuth and Vovk on Taylor features."""

    degree, share = 1, 1.0

    def begin(self, game, rng):
        self.basis = Taylor(self.degree).begun(game, rng)
        self.past = LinearRidge(self.basis.dimension, self.share * game.regularisation)

    def peek(self, X):
        mean, surprise = self.past.at(self.basis.features(X))
        return mean / (1 + surprise)

    def update(self, x, y):
        self.past.append(self.basis.features(x[np.newaxis])[0], y)

    def evidence(self):
        return {"taylor_degree": self.degree}


class NoShrinkage(OnFeatures):
    def peek(self, X):
        return self.past.at(self.basis.features(X))[0]


class WrongLambda(OnFeatures):
    share = 1 / 50


class LosesAFeature(OnFeatures):
    """Learns each round with its second feature replaced by zero."""

    def update(self, x, y):
        f = self.basis.features(x[np.newaxis])[0]
        f[1] = 0.0
        self.past.append(f, y)


class WrongSign(OnFeatures):
    def update(self, x, y):
        super().update(x, -y)


class WrongSignOnManyFeatures(WrongSign):
    degree = 16


class LastRoundTwice(OnFeatures):
    def update(self, x, y):
        super().update(x, y)
        super().update(x, y)


class ForgetsTheOldDictionary(Learner):
    """PKAWV in which past rounds have the coordinate zero for each point that joins the dictionary later."""

    def begin(self, game, rng):
        self.span = Span(game.kernel, game.dimension)
        self.at = game.regularisation
        self.F, self.y, self.accepted = [], [], []

    def reveal(self, x):
        if len(self.y) % 3 == 0:
            self.accepted.append(len(self.y) + 1)
            self.span.add(x)

    def peek(self, X):
        size = len(self.span)
        F = np.array([np.pad(f, (0, size - len(f))) for f in self.F]).reshape(-1, size)
        A = self.at * np.eye(size) + F.T @ F
        b = F.T @ np.array(self.y)
        return np.array([f @ np.linalg.solve(A + np.outer(f, f), b) for f in self.span.coordinates(X)])

    def update(self, x, y):
        self.F.append(self.span.coordinates(x[np.newaxis])[0])
        self.y.append(y)

    def evidence(self):
        return {"accepted_rounds": np.array(self.accepted, dtype=float)}
