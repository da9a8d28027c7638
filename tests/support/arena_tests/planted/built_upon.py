"""Subclasses of built-in learners, each with a mistake; `doses/built_in.py` has such mistakes in several doses."""

from dataclasses import dataclass

import numpy as np

from arena import Learner
from arena.learners import KRR, ClippedKRR, FunctionalGradientDescent, KernelAWV, Kons, Perceptron, ProsNKons


@dataclass
class LosesUpdates(KernelAWV):
    """Ignores every fifth round when it plays round by round; its `replay` is correct."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.rounds = 0

    def update(self, x, y):
        self.rounds += 1
        if self.rounds % 5:
            super().update(x, y)


@dataclass
class WrongInBlocks(KernelAWV):
    def replay(self, X, y):
        return super().replay(X, 0.9 * y)


@dataclass
class RightInBlocks(KernelAWV):
    """Wrong round by round; correct in blocks."""

    def update(self, x, y):
        super().update(x, 0.0)

    def peek(self, X):
        return 0.5 * super().peek(X) - 0.1


@dataclass
class ForgetsTheGamesLambda(KernelAWV):
    """Uses lambda = 1 in every game."""

    def begin(self, game, rng):
        super().begin(game.replace(regularisation=1.0), rng)


@dataclass
class ClipsLabelsAtOne(KRR):
    """Clips labels to [-1, 1], so that it is correct in games with label bounds up to 1."""

    def update(self, x, y):
        super().update(x, float(np.clip(y, -1, 1)))


@dataclass
class StartsAgainAfterTwenty(ClippedKRR):
    """Forgets everything after every 20 rounds."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.game, self.rounds = game, 0

    def update(self, x, y):
        self.rounds += 1
        super().update(x, y)
        if self.rounds % 20 == 0:
            super().begin(self.game, None)

    replay = Learner.replay


@dataclass
class HalfSteps(FunctionalGradientDescent):
    """Halves every negative label."""

    def update(self, x, y):
        super().update(x, y if y > 0 else 0.5 * y)

    replay = Learner.replay


@dataclass
class LosesSigns(Kons):
    def update(self, x, y):
        super().update(x, abs(y))


@dataclass
class LearnsEverySecondMistake(Perceptron):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.odd = False

    def correct(self, i, prediction, sign):
        self.odd = not self.odd
        if self.odd:
            super().correct(i, prediction, sign)


@dataclass
class PredictsTheOpposite(ProsNKons):
    def peek(self, X):
        return -super().peek(X)

    def replay(self, X, y):
        return -super().replay(X, y)


def newton_mistakes(base):
    """Return a dictionary of subclasses of `base`, a learner with Newton steps: a correct one, and some with mistakes.

    All of them play round by round.
    """
    # KONS keeps its own `update` in `replay`; a block of one round passes no mistake over
    learn = _one_round if base is Kons else base.update

    class Stepping(base):
        """Correct: `base` without its fast `replay`."""

        replay = Learner.replay

        def update(self, x, y):
            learn(self, x, y)

    class WrongWay(Stepping):
        def begin(self, game, rng):
            super().begin(game, rng)
            right = self.derivative
            self.derivative = lambda prediction, label: -right(prediction, label)

    class TooSmallSteps(Stepping):
        def begin(self, game, rng):
            super().begin(game, rng)
            self.steps.constant /= 100

    class TooSmallRidge(Stepping):
        def begin(self, game, rng):
            self.alpha = 1e-3
            super().begin(game, rng)

    class StartsAgainAfterTen(Stepping):
        def begin(self, game, rng):
            super().begin(game, rng)
            self.game, self.again, self.count = game, np.random.default_rng(0), 0

        def update(self, x, y):
            super().update(x, y)
            self.count += 1
            if self.count == 10:
                self.begin(self.game, self.again)

    class OneRoundLate(Stepping):
        def begin(self, game, rng):
            super().begin(game, rng)
            self.last = 0.0

        def update(self, x, y):
            super().update(x, self.last)
            self.last = y

    every = (Stepping, WrongWay, TooSmallSteps, TooSmallRidge, StartsAgainAfterTen, OneRoundLate)
    return {each.__name__: each for each in every}


def _one_round(learner, x, y):
    Kons.replay(learner, x[np.newaxis], np.array([y]))
