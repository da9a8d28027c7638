"""Players without a base class, and the arguments of a match."""

import re

import pytest

from arena import ArenaError, Game, Learner, play
from arena.hunt import hunt
from arena.testing import OneByOne
from arena.theorems.at_most import AtMost
from arena_tests.players import Script


class Bare:
    """A learner without a base class that predicts the mean of the labels, with `predict` and `update` alone."""

    total = count = 0

    def predict(self, x):
        return self.total / self.count if self.count else 0

    def update(self, x, y):
        self.total, self.count = self.total + y, self.count + 1


class Opponent:
    def point(self, view):
        return [0.5, 0.5]

    def label(self, view, x, prediction):
        return -1 if prediction > 0 else 1


def test_user_players_need_nothing_but_their_two_methods():
    run = play(Bare(), Opponent(), rounds=4)
    assert run.labels.tolist() == [1, -1, 1, -1]
    assert run.predictions.tolist() == pytest.approx([0, 1, 0, 1 / 3])
    assert play(Bare, Opponent, rounds=4).labels.tolist() == run.labels.tolist()
    assert play(Bare(), "greedy(starts=4, polished=1, steps=2)", rounds=4).ended == "completed"


def test_other_methods_of_a_users_learner_are_used():
    class Offers(Bare):
        def evidence(self):
            return {"total": self.total}

        @property
        def dictionary_size(self):
            return self.count

    class Arranges(Opponent):
        def arrange(self, game):
            return game.replace(label_bound=2.0)

    run = play(Offers(), Arranges(), rounds=4)
    assert run.evidence["total"] == 0
    assert run.sizes.tolist() == [[1, 1], [2, 2], [3, 3], [4, 4]]
    assert run.game.label_bound == 2


@pytest.mark.parametrize("size", ["many", float("nan"), [1], lambda: 3])
def test_a_size_that_is_no_number_is_a_foul(size):
    class Odd(Bare):
        dictionary_size = size if not callable(size) else staticmethod(size)

    for adversary in ("alternating", OneByOne("alternating")):
        run = play(Odd(), adversary, rounds=4)
        assert (run.forfeit.side, run.forfeit.round) == ("learner", 1)
        assert "dictionary_size" in run.forfeit.reason


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((object(), "alternating"), {}, "predict and update"),
        (("zero", object()), {}, "point and label"),
        (("zero", "alternating"), {"seed": -1}, "seed"),
        (("zero", "alternating"), {"seed": 1.5}, "seed"),
        (("zero", "alternating"), {"seed": True}, "seed"),
        (("zero", "alternating"), {"hindsight": "maybe"}, "auto, exact, interval or none"),
        (("zero", "alternating"), {"game": "big"}, "game must be a Game"),
        (("zero", "alternating"), {"turns": 5}, "no field 'turns'"),
        (("zero", "alternating"), {"rounds": 0}, "rounds"),
        (("zerro", "alternating"), {}, "Did you mean 'zero'"),
        (("zero(rate=1)", "alternating"), {}, "no parameter 'rate'"),
    ],
)
def test_bad_arguments_are_turned_away_at_the_door(arguments, options, message):
    with pytest.raises(ArenaError, match=message):
        play(*arguments, **options)


@pytest.mark.parametrize("given", [{"loss": "hinge"}, {"game": Game(), "loss": "hinge"}, {"game": Game(loss="hinge")}])
def test_an_adversary_may_arrange_the_game(given):
    with pytest.raises(ArenaError, match="greedy needs the squared loss"):
        play("zero", "greedy", **given)


def test_an_adversary_brings_its_field_and_the_user_has_the_last_word():
    class Brings(Script):
        def arrange(self, game):
            return game.replace(dimension=3, box=[(0, 1), (0, 2), (0, 3)], rounds=7)

    for game in (None, Game(label_bound=2.0)):
        for fields in ({}, {"regularisation": 2.0}):
            brought = play("zero", Brings([]), game=game, **fields).game
            assert (brought.dimension, brought.rounds, brought.box[2]) == (3, 7, (0, 3))
    asked = play("zero", Brings([]), rounds=5, dimension=3).game
    assert (asked.rounds, asked.box[2]) == (5, (0, 3))


def test_hindsight_can_be_switched_off():
    run = play("kernel-awv", "alternating", rounds=5, hindsight="none")
    assert run.regret is None
    assert run.plain_regret is None
    assert not run.verdict("awv-leverage").applicable
    assert "switched off" in run.verdict("awv-leverage").reason


@pytest.mark.parametrize("base", [Bare, Learner])
@pytest.mark.parametrize("theorems", ["ogd", AtMost(), 3], ids=["text", "theorem", "number"])
def test_promises_that_are_no_tuple_are_refused(base, theorems):
    """A string, for instance, would be read as a sequence of letters."""
    kind = type("Promising", (base,), {"theorems": theorems, "predict": Bare.predict, "update": Bare.update})
    refusal = "a learner's `theorems` must be a tuple of theorems, such as ("
    for isolate in (False, True):
        run = play(kind(), "alternating", rounds=3, isolate=isolate)
        assert run.ended == "forfeit"
        assert refusal in run.forfeit.reason
    with pytest.raises(ArenaError, match=re.escape(refusal)):
        hunt(kind(), budget=1.0, matches=1, rounds=3)
