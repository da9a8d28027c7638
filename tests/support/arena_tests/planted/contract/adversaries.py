"""Adversaries each of which breaks one rule that `arena check` checks."""

import copy
import random
from typing import ClassVar

import numpy as np

from arena_tests.planted.contract.correct import Coin, Contrary
from arena_tests.planted.contract.planting import wrong_adversary


@wrong_adversary("moves-are-legal")
class LeavesTheBox(Coin):
    def block(self, view, rounds):
        points, labels = super().block(view, rounds)
        return points + 2.0 * (self.game.high - self.game.low), labels


@wrong_adversary("moves-are-legal")
class ShoutsLabels(Contrary):
    def label(self, view, x, prediction):
        return 1.01 * super().label(view, x, prediction)


@wrong_adversary("moves-are-legal")
class KnowsOneBoxOnly(Contrary):
    def point(self, view):
        return self.rng.uniform(-1, 1, size=self.game.dimension)


@wrong_adversary("moves-are-legal")
class GivesUp(Contrary):
    def label(self, view, x, prediction):
        if view.round == 17:
            raise RuntimeError("tired")
        return super().label(view, x, prediction)


@wrong_adversary("oblivious-never-looks")
class ClaimsNotToLook(Contrary):
    oblivious = True


@wrong_adversary("oblivious-never-looks")
class ClaimsNotToPeek(Contrary):
    oblivious = True

    def point(self, view):
        X = self.rng.uniform(self.game.low, self.game.high, size=(8, self.game.dimension))
        return X[np.argmax(view.peek(X))]

    def label(self, view, x, prediction):
        return 0.5 * self.game.label_bound


@wrong_adversary("blocks-equal-single-moves")
class BlocksOtherwise(Coin):
    def block(self, view, rounds):
        points, labels = super().block(view, rounds)
        return points[::-1], labels


@wrong_adversary("blocks-equal-single-moves")
class BlocksEndEarly(Coin):
    def block(self, view, rounds):
        points, labels = super().block(view, rounds)
        return (
            (points, labels)
            if view.round == 1 and rounds < 2
            else (points[: 30 - view.round], labels[: 30 - view.round])
        )


@wrong_adversary("same-seed-same-moves")
class BringsEntropy(Contrary):
    def begin(self, game, rng):
        super().begin(game, np.random.default_rng())


@wrong_adversary("same-seed-same-moves")
class CountsInTheClass(Contrary):
    matches: ClassVar = [0]

    def begin(self, game, rng):
        super().begin(game, rng)
        self.matches[0] += 1

    def label(self, view, x, prediction):
        return self.game.label_bound / self.matches[0]


@wrong_adversary("same-moves-in-another-process")
class LabelsByHash(Contrary):
    def label(self, view, x, prediction):
        return self.game.label_bound * (hash(f"round {view.round}") % 1000) / 1000


@wrong_adversary("begin-forgets")
class RemembersLastMatch(Contrary):
    played = 0

    def label(self, view, x, prediction):
        self.played += 1
        return self.game.label_bound / self.played


@wrong_adversary("global-random-state-is-untouched")
class UsesTheGlobalCoin(Contrary):
    def label(self, view, x, prediction):
        return self.game.label_bound * random.uniform(-1, 1)


@wrong_adversary("only-the-past-is-known")
class TriesOutTheFuture(Contrary):
    def point(self, view):
        x = super().point(view)
        future = copy.deepcopy(view._learner)
        for _ in range(5):
            future.update(x, self.game.label_bound)
        return x if future.predict(x) >= 0 else 0.5 * (x + self.game.low)


@wrong_adversary("the-learner-is-let-alone")
class TeachesTheLearner(Contrary):
    def label(self, view, x, prediction):
        view._learner.update(x, 0.0)
        return super().label(view, x, prediction)
