"""What the hunt catches, and whom it leaves alone."""

from dataclasses import dataclass

import numpy as np
import pytest

import arena
from arena.adversaries.replay import Replay
from arena.hunt import hunt
from arena.learners import KRR, ClippedKRR, FunctionalGradientDescent, KernelAWV, Kons, Perceptron


@pytest.fixture
def by_hand_and_wrong(by_hand):
    """Learners made of one that knows nothing of games, by name."""

    class WrongLambda(by_hand):
        regularisation = 1.1

    class ForgetsTheSecondLabel(by_hand):
        def update(self, x, y):
            if not any(np.array_equal(x, known) for known in self.points):
                super().update(x, y)

    class IgnoresTheLastCoordinate(by_hand):
        def predict(self, x):
            return super().predict(x * ([1.0] * (len(x) - 1) + [0.0]))

        def update(self, x, y):
            super().update(x * ([1.0] * (len(x) - 1) + [0.0]), y)

    return {each.__name__: each for each in (WrongLambda, ForgetsTheSecondLabel, IgnoresTheLastCoordinate)}


@dataclass
class LosesUpdates(KernelAWV):
    """Only round by round: its blocks are those of the class above."""

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
class ForgetsTheGamesLambda(KernelAWV):
    """Right as long as lambda is 1."""

    def begin(self, game, rng):
        super().begin(game.replace(regularisation=1.0), rng)


@dataclass
class ClipsLabels(KRR):
    """Right as long as labels are at most 1."""

    def update(self, x, y):
        super().update(x, float(np.clip(y, -1, 1)))


@dataclass
class ForgetsAfterwards(ClippedKRR):
    """Starts afresh every 20 rounds."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.game, self.rounds = game, 0

    def update(self, x, y):
        self.rounds += 1
        super().update(x, y)
        if self.rounds % 20 == 0:
            super().begin(self.game, None)

    replay = arena.Learner.replay


@dataclass
class HalfSteps(FunctionalGradientDescent):
    def update(self, x, y):
        super().update(x, y if y > 0 else 0.5 * y)

    replay = arena.Learner.replay


@dataclass
class WrongSign(Kons):
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


PLANTED = [
    ("WrongLambda", "awv-leverage"),
    ("ForgetsTheSecondLabel", "awv-logdet"),
    ("IgnoresTheLastCoordinate", "awv-leverage"),
    (LosesUpdates, "awv-logdet"),
    (WrongInBlocks, "awv-leverage"),
    (ForgetsTheGamesLambda, "awv-leverage"),
    (ClipsLabels, "ridge-identity"),
    (ForgetsAfterwards, "clipped-krr"),
    (HalfSteps, "ogd"),
    (WrongSign, "kons-logdet"),
    (LearnsEverySecondMistake, "perceptron-mistakes"),
    ("krr", "awv-logdet"),
    ("zero", "clipped-krr"),
    ("fogd(frequencies=5)", "ogd"),
]


@pytest.mark.parametrize(("learner", "theorem"), PLANTED, ids=lambda each: getattr(each, "__name__", str(each)))
def test_a_planted_mistake_is_caught(learner, theorem, by_hand_and_wrong):
    learner = by_hand_and_wrong.get(learner, learner)
    found = hunt(learner, theorem, matches=400, workers=0, rounds=100)
    assert found.violation is not None
    assert found.violation.kind == "bound"
    assert found.violation.verdict.violated
    worst = found.violation.transcript
    assert worst.judge(theorem).violated
    moves = Replay(X=worst.points, y=worst.labels, scale_x=None, scale_y=None, one_by_one=learner is not WrongInBlocks)
    again = arena.play(learner, moves, game=worst.game, seed=worst.seed)
    np.testing.assert_allclose(again.predictions, worst.predictions, atol=1e-9)


CORRECT = ["kernel-awv", "krr", "clipped-krr", "kons", "fgd", "perceptron", "pkawv", "bsgd", "projectron-pp", "ewa"]


@pytest.mark.parametrize("learner", CORRECT)
def test_correct_learners_are_left_alone(learner):
    found = hunt(learner, matches=60, workers=0, rounds=60, seed=3)
    assert found.violation is None
    assert found.applied
