"""Whatever a player raises or returns, the match ends as a forfeit or with an `ArenaError`."""

import numpy as np
import pytest

from arena import ArenaError, Learner, play
from arena.errors import MOST_CHARACTERS
from arena.game.game import Game
from arena.testing import OneByOne
from arena_tests.hostile import FOULS, RAISED, UNUSABLE
from arena_tests.players import Fails, Script

WAYS = ["alternating", OneByOne("alternating"), "greedy(starts=2, polished=0)"]
METHODS = ["begin", "theorems", "reveal", "predict", "update", "dictionary_size", "evidence"]


@pytest.mark.parametrize("adversary", WAYS, ids=["blocks", "rounds", "greedy"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("raised", RAISED)
def test_whatever_a_learner_raises_is_its_foul(raised, method, adversary):
    run = play(Fails(method, RAISED[raised]), adversary, rounds=3)
    assert run.forfeit.side == "learner"
    assert type(RAISED[raised]).__name__ in run.forfeit.reason
    assert len(run.forfeit.reason) < MOST_CHARACTERS + 200
    assert run.forfeit.reason.isprintable()
    assert "Traceback" in run.forfeit.details


@pytest.mark.parametrize("oblivious", [False, True])
@pytest.mark.parametrize("where", ["point", "label"])
@pytest.mark.parametrize("raised", RAISED)
def test_whatever_an_adversary_raises_is_its_foul(raised, where, oblivious):
    error = RAISED[raised]
    move = (error, 1.0) if where == "point" else (np.zeros(2), error)
    run = play("zero", Script([move], oblivious), rounds=3)
    assert (run.forfeit.side, run.forfeit.round) == ("adversary", 1)


@pytest.mark.parametrize("adversary", WAYS, ids=["blocks", "rounds", "greedy"])
@pytest.mark.parametrize("foul", FOULS)
def test_values_that_are_no_numbers_are_fouls(foul, adversary):
    run = play(FOULS[foul](), adversary, rounds=3)
    asked = {"masked in blocks": "blocks", "masked peek": "greedy"}.get(foul)
    if asked is None or asked == ["blocks", "rounds", "greedy"][WAYS.index(adversary)]:
        assert run.forfeit.side == "learner"
        assert "masked" in run.forfeit.reason or "not numeric" in run.forfeit.reason
    else:
        assert run.forfeit is None


def test_masked_evidence_is_a_foul():
    class Hides(Learner):
        def predict(self, x):
            return 0.0

        def update(self, x, y):
            pass

        def evidence(self):
            return {"steps": np.ma.array([1.0, 2.0], mask=[True, False])}

    assert "'steps' is not an array of numbers" in play(Hides(), "alternating", rounds=2).forfeit.reason


@pytest.mark.parametrize("adversary", ["alternating", "greedy(starts=2, polished=0)"])
@pytest.mark.parametrize("kind", UNUSABLE)
def test_an_object_that_cannot_be_looked_at_is_refused(kind, adversary):
    with pytest.raises(ArenaError, match=r"cannot be used as a learner|must be True or False"):
        play(UNUSABLE[kind](), adversary, rounds=3)


@pytest.mark.parametrize("arranged", [None, 7, {}, Game])
def test_an_adversary_must_arrange_a_game(arranged):
    class Arranges(Script):
        def arrange(self, game):
            return arranged

    with pytest.raises(ArenaError, match=r"Arranges.arrange\(game\) must return a Game"):
        play("zero", Arranges([]), rounds=3)


@pytest.mark.parametrize("raised", RAISED)
def test_an_adversary_that_cannot_arrange_is_refused(raised):
    class Arranges(Script):
        def arrange(self, game):
            raise RAISED[raised]

    with pytest.raises(ArenaError, match=r"cannot be used as an adversary: arrange\(game\) raised"):
        play("zero", Arranges([]), rounds=3)
