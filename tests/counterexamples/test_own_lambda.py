"""A user's class that was written for one lambda is not blamed for failing with another lambda."""

import numpy as np
import pytest

from arena import play
from arena.adversaries.replay import Replay
from arena.counterexamples.shrinking import shrink


class RecursiveLeastSquares:
    """Ridge regression in two dimensions with its own lambda, which does not depend on the game's lambda."""

    factor = 1.0

    def __init__(self, ridge=2.0):
        self.ridge = ridge
        self.inverse, self.weights = np.eye(2) / ridge, np.zeros(2)

    def predict(self, x):
        return float(self.weights @ x)

    def update(self, x, y):
        gain = self.inverse @ x / (1.0 + x @ self.inverse @ x)
        self.weights = self.weights + self.factor * gain * (y - self.predict(x))
        self.inverse = self.inverse - np.outer(gain, x @ self.inverse)


class TooTimid(RecursiveLeastSquares):
    """A planted mistake: each step is multiplied by 0.9."""

    factor = 0.9


FIELDS = {"rounds": 30, "dimension": 2, "regularisation": 2.0}


def test_the_smallest_match_keeps_the_lambda_for_which_the_class_was_written():
    run = play(TooTimid, "greedy", **FIELDS)
    shrunk = shrink(TooTimid, run, "rls-identity")
    assert shrunk.smallest.game.regularisation == 2.0
    assert shrunk.smallest.rounds <= 3
    moves = Replay(X=shrunk.points, y=shrunk.labels)
    mended = play(RecursiveLeastSquares, moves, game=shrunk.smallest.game)
    assert mended.verdict("rls-identity").holds


@pytest.mark.parametrize(("learner", "theorem"), [("krr", "awv-logdet"), ("fgd(rate=2.0)", "awv-leverage")])
def test_learners_that_know_the_game_are_shrunk_to_the_plain_one(learner, theorem):
    shrunk = shrink(learner, play(learner, "greedy", rounds=40, regularisation=2.0), theorem)
    assert shrunk.smallest.game.regularisation == 1.0
