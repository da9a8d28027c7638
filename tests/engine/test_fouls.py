"""The referee finds every foul of a move or prediction, in rounds and in blocks."""

import numpy as np
import pytest

from arena import play
from arena_tests.players import Answers, AnswersInBlocks, Script, ScriptInBlocks

GOOD = (np.array([0.5, -0.5]), 1.0)
FOUL_MOVES = {
    "point outside": ((np.array([0.0, 1.5]), 1.0), "coordinate 2 of the point is 1.5"),
    "point NaN": ((np.array([np.nan, 0.0]), 1.0), "coordinate 1 of the point is nan"),
    "point infinite": ((np.array([0.0, -np.inf]), 1.0), "coordinate 2 of the point is -inf"),
    "point of wrong dimension": ((np.zeros(3), 1.0), "shape (3,)"),
    "point a matrix": ((np.zeros((1, 2)), 1.0), "shape (1, 2)"),
    "point a number": ((0.5, 1.0), "shape ()"),
    "point a word": (("here", 1.0), "'here'"),
    "point of words": ((["a", "b"], 1.0), "'a'"),
    "point complex": ((np.zeros(2) * 1j, 1.0), "not numeric"),
    "point ragged": (([[1.0], [1.0, 2.0]], 1.0), "not numeric"),
    "point raises": ((ZeroDivisionError("p"), 1.0), "ZeroDivisionError: p"),
    "point exits": ((SystemExit(3), 1.0), "SystemExit"),
    "label beyond B": ((GOOD[0], 1.0000001), "beyond the label bound 1"),
    "label NaN": ((GOOD[0], float("nan")), "label nan"),
    "label infinite": ((GOOD[0], -np.inf), "label -inf"),
    "label a word": ((GOOD[0], "1.0"), "'1.0'"),
    "label None": ((GOOD[0], None), "None"),
    "label of wrong shape": ((GOOD[0], np.ones(1)), "shape (1,)"),
    "label raises": ((GOOD[0], KeyError("l")), "KeyError: 'l'"),
}
FOUL_PREDICTIONS = {
    "NaN": (float("nan"), "nan"),
    "infinite": (np.float64("inf"), "inf"),
    "wrong shape": (np.zeros(1), "shape (1,)"),
    "word": ("0.5", "'0.5'"),
    "None": (None, "None"),
    "complex": (1j, "1j"),
    "too big": (10**400, "not numeric"),
    "raises": (ValueError("no idea"), "ValueError: no idea"),
    "exits": (SystemExit(0), "SystemExit"),
}


@pytest.mark.parametrize("oblivious", [False, True])
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("foul", FOUL_MOVES)
def test_every_foul_of_the_adversary(foul, before, oblivious):
    move, message = FOUL_MOVES[foul]
    for learner in ("zero", "fgd", "kernel-awv", Answers([])):
        run = play(learner, Script([GOOD] * before + [move] + [GOOD] * 3, oblivious), rounds=10)
        assert run.ended == "forfeit"
        assert (run.forfeit.side, run.forfeit.round) == ("adversary", before + 1)
        assert message in run.forfeit.reason
        assert run.rounds == len(run.predictions) == len(run.points) == len(run.seconds) == before
        assert np.array_equal(run.labels, np.ones(before))
        assert f"the adversary forfeits in round {before + 1}" in str(run.forfeit)
        assert len(run.regret) == before
        assert run.verdicts() is not None


@pytest.mark.parametrize("oblivious", [False, True])
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("foul", FOUL_PREDICTIONS)
def test_every_foul_of_the_learner(foul, before, oblivious):
    prediction, message = FOUL_PREDICTIONS[foul]
    run = play(Answers([0.5] * before + [prediction] + [0.5] * 3), Script([GOOD] * 9, oblivious), rounds=9)
    assert run.ended == "forfeit"
    assert (run.forfeit.side, run.forfeit.round) == ("learner", before + 1)
    assert message in run.forfeit.reason
    assert run.rounds == len(run.points) == len(run.seconds) == before
    assert np.array_equal(run.predictions, np.full(before, 0.5))


@pytest.mark.parametrize(
    ("answer", "round_", "kept", "message"),
    [
        (lambda X: np.where(np.arange(len(X)) == 4, np.nan, 0.5), 5, 4, "nan"),
        (lambda X: np.zeros(len(X) + 1), 1, 0, "shape (10,) for 9 points"),
        (lambda X: np.zeros((len(X), 1)), 1, 0, "shape (9, 1)"),
        (lambda _: None, 1, 0, "None"),
        (lambda X: ["x"] * len(X), 1, 0, "'x'"),
        (lambda _: RuntimeError("in the block"), 1, 0, "RuntimeError: in the block"),
        (lambda X: X.__setitem__(0, 1.0), 1, 0, "read-only"),
    ],
)
def test_fouls_in_a_replay(answer, round_, kept, message):
    run = play(AnswersInBlocks(answer), "alternating", rounds=9)
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("learner", round_, kept)
    assert message in run.forfeit.reason


@pytest.mark.parametrize(
    ("bad", "round_", "message"),
    [
        ((np.zeros((3, 2)), np.ones(2)), 3, "labels of shape (2,)"),
        ((np.zeros((3, 1)), np.ones(3)), 3, "points of shape (3, 1)"),
        ((np.zeros(2), np.ones(1)), 3, "points of shape (2,)"),
        ((np.zeros((3, 2)), np.array([1.0, -2.0, 1.0])), 4, "the label -2 is beyond"),
        ((np.array([[0, 0], [0, 0], [9, 0]]), np.ones(3)), 5, "coordinate 1 of the point is 9"),
        (None, 3, "TypeError"),
        ((["a"], ["b"]), 3, "not numeric"),
        (LookupError("gone"), 3, "LookupError: gone"),
    ],
)
def test_fouls_in_a_block_of_moves(bad, round_, message):
    run = play("zero", ScriptInBlocks((np.zeros((2, 2)), np.ones(2)), bad), rounds=20)
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("adversary", round_, round_ - 1)
    assert message in run.forfeit.reason


def test_a_block_longer_than_asked_for_is_cut():
    run = play("zero", ScriptInBlocks((np.zeros((50, 2)), np.ones(50))), rounds=20)
    assert run.rounds == 20
    assert run.ended == "completed"


def test_the_learners_foul_comes_first_if_its_round_does():
    run = play(Answers([0.0, None]), Script([GOOD] * 4 + [(np.full(2, 9.0), 1.0)], oblivious=True), rounds=9)
    assert (run.forfeit.side, run.forfeit.round) == ("learner", 2)


@pytest.mark.parametrize("oblivious", [False, True])
def test_a_failing_update_is_a_foul_of_its_own_round(oblivious):
    run = play(Answers([], [None, None, OSError("disk")]), Script([GOOD] * 9, oblivious), rounds=9)
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("learner", 3, 2)
    assert "OSError: disk" in run.forfeit.reason
    assert "players.py" in run.forfeit.reason  # the place in the user's own code
    assert "Traceback" in run.forfeit.details
