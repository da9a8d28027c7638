"""A second implementation of the forecaster of Azoury, Warmuth and Vovk, and subclasses with mistakes.

Mistakes in learning override `learn`, and mistakes in predicting override `peek`.
"""

import numpy as np

from arena import Learner
from arena.learners.awv import KernelAWV
from arena.linalg.posterior import RidgePosterior
from arena.specs.building import build


class Forecaster(Learner):
    """Correct: the mean of ridge regression on the past, divided by 1 + variance / lambda."""

    def begin(self, game, rng):
        self.game, self.round, self.past = game, 0, RidgePosterior(game.kernel, game.regularisation)

    def peek(self, X):
        mean, variance = self.past.at(X)
        return mean / (1 + variance / self.past.regularisation)

    def update(self, x, y):
        self.round += 1
        self.learn(x, y)

    def learn(self, x, y):
        self.past.append(x, y)

    def relearn(self, rounds):
        """Forget everything, and learn these rounds, which are pairs of a point and a label."""
        self.past = RidgePosterior(self.past.kernel, self.past.regularisation)
        if rounds:
            X, y = zip(*rounds, strict=True)
            self.past.extend(np.array(X), np.array(y))


class NoShrinkage(Forecaster):
    """Predicts the mean of ridge regression, without dividing it by 1 + variance / lambda."""

    def peek(self, X):
        return self.past.at(X)[0]


class Overconfident(Forecaster):
    def peek(self, X):
        return 1.5 * self.past.at(X)[0]


class ShrinksTheWrongWay(Forecaster):
    """Multiplies the mean of ridge regression by 1 + variance / lambda instead of dividing it."""

    def peek(self, X):
        mean, variance = self.past.at(X)
        return mean * (1 + variance / self.past.regularisation)


class BlowsUp(Forecaster):
    def peek(self, X):
        return super().peek(X) + (1e200 if self.past.rounds == 20 else 0.0)


class NotANumberAfterFour(Forecaster):
    def peek(self, X):
        return super().peek(X) if self.round < 4 else np.full(len(X), np.nan)


class WrongLambda(Forecaster):
    """Uses a hundredth of the game's lambda."""

    def begin(self, game, rng):
        super().begin(game.replace(regularisation=game.regularisation / 100), rng)


class WrongKernel(Forecaster):
    """Uses a Gaussian kernel of bandwidth 20 in every game."""

    def begin(self, game, rng):
        super().begin(game.replace(kernel=build("kernel", "gaussian(bandwidth=20)")), rng)


class IgnoresACoordinate(Forecaster):
    """Replaces the last coordinate of each point by zero."""

    def peek(self, X):
        return super().peek(np.hstack([X[:, :-1], np.zeros((len(X), 1))]))

    def learn(self, x, y):
        super().learn(np.append(x[:-1], 0.0), y)


class OneRoundLate(Forecaster):
    """Learns at each point the label of the round before."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.label = 0.0

    def learn(self, x, y):
        super().learn(x, self.label)
        self.label = y


class WrongSign(Forecaster):
    def learn(self, x, y):
        super().learn(x, -y)


class WrongSignAtNegative(Forecaster):
    """Learns labels with the wrong sign at points whose coordinates are all negative."""

    def learn(self, x, y):
        super().learn(x, -y if (x < 0).all() else y)


class Unsigned(Forecaster):
    def learn(self, x, y):
        super().learn(x, abs(y))


class ClipsLabels(Forecaster):
    def learn(self, x, y):
        super().learn(x, np.clip(y, -0.5, 0.5))


class SkipsEveryThird(Forecaster):
    def learn(self, x, y):
        if self.round % 3:
            super().learn(x, y)


class IsFullWithFive(Forecaster):
    def learn(self, x, y):
        if self.past.rounds < 5:
            super().learn(x, y)


class StartsAgainAfterTen(Forecaster):
    def learn(self, x, y):
        super().learn(x, y)
        if self.past.rounds == 10:
            self.relearn([])


class NewestAlone(Forecaster):
    def learn(self, x, y):
        self.past = RidgePosterior(self.past.kernel, 1e-3)
        super().learn(x, y)


class ForgetsAfterFive(Forecaster):
    """Keeps only the last five rounds."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.last = []

    def learn(self, x, y):
        self.last = [*self.last, (x.copy(), y)][-5:]
        self.relearn(self.last)


class IgnoresTheSecondLabel(Forecaster):
    """Learns each point only once, with its first label."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.seen = set()

    def learn(self, x, y):
        if x.tobytes() not in self.seen:
            self.seen.add(x.tobytes())
            super().learn(x, y)


class KeepsTheLastLabel(Forecaster):
    """Keeps each point once, with its last label, and uses lambda = 0.01."""

    def begin(self, game, rng):
        super().begin(game.replace(regularisation=0.01), rng)
        self.known = {}

    def learn(self, x, y):
        self.known[x.tobytes()] = x.copy(), y
        self.relearn(self.known.values())


class FailsAtTheFullHorizon(Forecaster):
    """Learns labels with the wrong sign in games with the horizon 17."""

    def learn(self, x, y):
        super().learn(x, -y if self.game.rounds == 17 else y)


class Crashes(Forecaster):
    """Raises a `ZeroDivisionError` at the third negative label."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.negative = 0

    def learn(self, x, y):
        super().learn(x, y)
        self.negative += y < 0
        if self.negative == 3:
            raise ZeroDivisionError(f"in round {self.round}")


class WrongInACorner(KernelAWV):
    """Learns labels with the wrong sign where all coordinates are above 0.5; it plays fast, in blocks."""

    def update(self, x, y):
        super().update(x, -y if (x > 0.5).all() else y)

    def replay(self, X, y):
        return super().replay(X, np.where((X > 0.5).all(axis=1), -y, y))


class CrashesInBlocks(WrongInACorner):
    """Raises a `RuntimeError` in `replay` after six rounds."""

    past_rounds = 0

    def replay(self, X, y):
        if self.past_rounds + len(X) > 6:
            raise RuntimeError("too long")
        self.past_rounds += len(X)
        return super().replay(X, y)
