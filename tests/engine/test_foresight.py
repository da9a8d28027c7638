"""A learner with foresight gets all moves in one call of `replay`, or plays no match."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from arena import Adversary, ArenaError, Learner, play
from arena.engine.match import BLOCK


@dataclass
class MeanInHindsight(Learner):
    """A learner with foresight that predicts the mean of all labels of the match."""

    foresight: ClassVar[bool] = True
    lengths: list = field(default_factory=list)

    def replay(self, X, y):
        self.lengths.append(len(y))
        return np.full(len(y), y.mean())


@dataclass
class MeanSoFar(MeanInHindsight):
    foresight: ClassVar[bool] = False


@dataclass
class Ramp(Adversary):
    """An adversary whose labels rise from -1 to 1.

    It has no more points after `length` rounds, and plays an illegal label in round `foul_in`.
    """

    oblivious: bool = True
    length: int = 10**9
    foul_in: int = 10**9

    def point(self, view):
        return np.zeros(2) if view.round <= self.length else None

    def label(self, view, x, prediction):
        return 7.0 if view.round == self.foul_in else -1 + 2 * (view.round - 1) / (view.game.rounds - 1)


def test_the_whole_sequence_comes_in_one_replay():
    learner, rounds = MeanInHindsight(), 2 * BLOCK + 5
    run = play(learner, Ramp(), rounds=rounds, hindsight="none")
    assert learner.lengths == [rounds]
    assert run.rounds == rounds
    assert np.allclose(run.predictions, 0.0, atol=1e-12)


def test_other_learners_still_get_blocks():
    learner, rounds = MeanSoFar(), 2 * BLOCK + 5
    play(learner, Ramp(), rounds=rounds, hindsight="none")
    assert learner.lengths == [BLOCK, BLOCK, 5]


def test_a_short_sequence_is_still_one_replay():
    learner = MeanInHindsight()
    run = play(learner, Ramp(length=30), rounds=50)
    assert (learner.lengths, run.ended, run.rounds) == ([30], "exhausted", 30)


def test_rounds_before_a_foul_are_one_replay():
    learner = MeanInHindsight()
    run = play(learner, Ramp(foul_in=21), rounds=50)
    assert learner.lengths == [20]
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("adversary", 21, 20)


def test_an_adaptive_adversary_is_refused_at_the_door():
    with pytest.raises(ArenaError, match=r"MeanInHindsight.*whole sequence.*greedy.*choose an oblivious adversary"):
        play(MeanInHindsight(), "greedy", rounds=10)
