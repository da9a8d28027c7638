"""A player cannot change the record or the rules through the arrays and objects that it gets."""

import pickle

import numpy as np
import pytest

from arena import Game, play
from arena_tests.players import Answers, LeavesEvidence, Script

GOOD = (np.array([0.5, -0.5]), 1.0)


class LiftsTheFlag:
    """A learner that makes the point's array writable and changes it."""

    def begin(self, game, rng):
        self.game = game

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        x.flags.writeable = True
        x[:] = 7.0


class LiftsTheFlagOfBlocks(LiftsTheFlag):
    def replay(self, X, y):
        for array in (X, y):
            array.flags.writeable = True
            array[:] = 7.0
        return np.zeros(len(X))


class LiftsTheFlagOfTheBox(LiftsTheFlag):
    def update(self, x, y):
        self.game.low.flags.writeable = True
        self.game.low[:] = -9.0


class ChangesItsGame(LiftsTheFlag):
    def update(self, x, y):
        object.__setattr__(self.game, "label_bound", 9.0)
        vars(self.game)["low"] = np.full(2, -9.0)


class Leaves(Script):
    """An adversary that enlarges the box and the label bound of its game, and then plays outside the real box."""

    def begin(self, game, rng):
        super().begin(game, rng)
        vars(game)["low"] = np.full(2, -9.0)
        object.__setattr__(game, "label_bound", 9.0)


@pytest.mark.parametrize("oblivious", [False, True])
@pytest.mark.parametrize("learner", [LiftsTheFlag, LiftsTheFlagOfBlocks, LiftsTheFlagOfTheBox])
def test_what_a_learner_is_given_cannot_be_made_writable(learner, oblivious):
    if learner is LiftsTheFlagOfBlocks and not oblivious:
        return
    moves = [(np.array([0.25, 0.5]), 1.0)] * 12
    run = play(learner(), Script(moves, oblivious), rounds=12)
    assert run.forfeit.side == "learner"
    assert "cannot set WRITEABLE flag to True" in run.forfeit.reason
    assert "work on a copy" in run.forfeit.reason
    points, labels = run.unanswered
    assert np.array_equal(points, np.full((len(points), 2), [0.25, 0.5]))
    assert np.array_equal(labels, np.ones(len(labels)))


@pytest.mark.parametrize("oblivious", [False, True])
@pytest.mark.parametrize("bad", [(np.full(2, -5.0), 1.0), (np.zeros(2), 5.0)])
def test_a_side_that_changes_its_game_does_not_change_the_rules(bad, oblivious):
    run = play(ChangesItsGame(), Leaves([GOOD] * 3 + [bad], oblivious), rounds=9)
    assert (run.forfeit.side, run.forfeit.round) == ("adversary", 4)
    assert run.game.label_bound == 1.0
    assert run.game.low.tolist() == [-1.0, -1.0]


@pytest.mark.parametrize("array", ["points", "labels", "predictions"])
def test_the_past_that_an_adversary_sees_cannot_be_made_writable(array):
    class Forger(Script):
        def label(self, view, x, prediction):
            if view.round == 3:
                past = getattr(view, array)
                past.flags.writeable = True
                past[:] = 0.5
            return super().label(view, x, prediction)

    run = play("zero", Forger([GOOD] * 5, False), rounds=5)
    assert (run.forfeit.side, run.forfeit.round) == ("adversary", 3)
    assert np.array_equal(run.labels, [GOOD[1]] * 2)


def test_a_game_that_was_sent_to_another_process_has_a_locked_box():
    game = Game(rounds=3)
    assert game.low[0] == -1.0
    sent = pickle.loads(pickle.dumps(game))
    with pytest.raises(ValueError, match="WRITEABLE"):
        sent.low.flags.writeable = True


def test_evidence_is_copied():
    class KeepsItsEvidence(Answers):
        def evidence(self):
            self.mine = np.ones(3)
            return {"steps": self.mine}

    learner = KeepsItsEvidence([0.0] * 3)
    run = play(learner, "alternating", rounds=3)
    learner.mine[:] = 7.0
    assert np.array_equal(run.evidence["steps"], np.ones(3))


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 101, "two\nlines"])
def test_names_of_evidence_are_short_texts(name):
    run = play(LeavesEvidence({name: np.ones(3)}), "alternating", rounds=3)
    assert "the name of a piece of evidence must be a short text" in run.forfeit.reason


@pytest.mark.parametrize("size", [-1, 10**400])
def test_sizes_of_dictionaries_are_numbers_of_points(size):
    class Boasts(Answers):
        dictionary_size = size

    run = play(Boasts([0.0] * 3), "alternating", rounds=3)
    assert "its dictionary_size must be a whole number between 0 and" in run.forfeit.reason
