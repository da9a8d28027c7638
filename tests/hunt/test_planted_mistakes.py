"""A hunt finds planted mistakes, and finds no violation of correct learners."""

import numpy as np
import pytest

import arena
from arena.adversaries.replay import Replay
from arena.hunt import hunt
from arena.record.judging import judge
from arena_tests.planted.built_upon import (
    ClipsLabelsAtOne,
    ForgetsTheGamesLambda,
    HalfSteps,
    LearnsEverySecondMistake,
    LosesSigns,
    LosesUpdates,
    StartsAgainAfterTwenty,
    WrongInBlocks,
)
from arena_tests.planted.by_hand import ForgetsTheSecondLabel, IgnoresTheLastCoordinate, WrongLambda

PLANTED = [
    (WrongLambda, "awv-leverage"),
    (ForgetsTheSecondLabel, "awv-logdet"),
    (IgnoresTheLastCoordinate, "awv-leverage"),
    (LosesUpdates, "awv-logdet"),
    (WrongInBlocks, "awv-leverage"),
    (ForgetsTheGamesLambda, "awv-leverage"),
    (ClipsLabelsAtOne, "ridge-identity"),
    (StartsAgainAfterTwenty, "clipped-krr"),
    (HalfSteps, "ogd"),
    (LosesSigns, "kons-logdet"),
    (LearnsEverySecondMistake, "perceptron-mistakes"),
    ("krr", "awv-logdet"),
    ("zero", "clipped-krr"),
    ("fogd(frequencies=5)", "ogd"),
]


@pytest.mark.parametrize(("learner", "theorem"), PLANTED, ids=lambda each: getattr(each, "__name__", str(each)))
def test_a_planted_mistake_is_caught(learner, theorem):
    found = hunt(learner, theorem, matches=400, workers=0, rounds=100)
    assert found.violation is not None
    assert found.violation.kind == "bound"
    assert found.violation.verdict.violated
    worst = found.violation.transcript
    assert judge(worst, theorem).violated
    moves = Replay(X=worst.points, y=worst.labels, scale_x=None, scale_y=None, one_by_one=learner is not WrongInBlocks)
    again = arena.play(learner, moves, game=worst.game, seed=worst.seed)
    np.testing.assert_allclose(again.predictions, worst.predictions, atol=1e-9)


CORRECT = ["kernel-awv", "krr", "clipped-krr", "kons", "fgd", "perceptron", "pkawv", "bsgd", "projectron-pp", "ewa"]


@pytest.mark.parametrize("learner", CORRECT)
def test_a_correct_learner_is_not_accused(learner):
    found = hunt(learner, matches=60, workers=0, rounds=60, seed=3)
    assert found.violation is None
    assert found.applied
