"""Every failure of a player is its foul, in whatever method, and also if it changes what it must not change."""

import pytest

from arena import play
from arena.testing import OneByOne
from arena_tests.players import Fails, Script


@pytest.mark.parametrize("adversary", ["alternating", OneByOne("alternating"), "greedy(starts=4, polished=0)"])
@pytest.mark.parametrize(
    ("method", "round_"),
    [
        ("begin", 0),
        ("theorems", 0),
        ("reveal", 1),
        ("predict", 1),
        ("update", 1),
        ("dictionary_size", 1),
        ("evidence", 5),
    ],
)
def test_a_failure_in_any_method_of_the_learner_is_its_foul(method, round_, adversary):
    run = play(Fails(method), adversary, rounds=5)
    assert (run.forfeit.side, run.forfeit.round) == ("learner", round_)
    assert "RuntimeError: sick" in run.forfeit.reason
    assert run.rounds == (5 if method == "evidence" else 0)


def test_a_failing_peek_is_the_learners_foul_though_the_adversary_called_it():
    run = play(Fails("peek"), "greedy(starts=4, polished=0)", rounds=5)
    assert (run.forfeit.side, run.forfeit.round) == ("learner", 1)
    assert play(Fails("peek"), "alternating", rounds=5).forfeit is None


@pytest.mark.parametrize("adversary", ["greedy", "alternating"])
def test_a_learner_that_writes_into_its_arguments_forfeits_with_advice(adversary):
    """If the learner could change the array, it might move the adversary's point out of the box."""

    class Doubles:
        def predict(self, x):
            x *= 2.0
            return 0.0

        def update(self, x, y):
            pass

    forfeit = play(Doubles(), adversary, rounds=5).forfeit
    assert (forfeit.side, forfeit.round) == ("learner", 1)
    assert "read-only (test_failing_players.py, line" in forfeit.reason
    assert forfeit.reason.endswith("work on a copy")


def test_an_adversary_that_cannot_begin():
    class Sick(Script):
        def begin(self, game, rng):
            raise RuntimeError("late")

    run = play("zero", Sick([]), rounds=5)
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("adversary", 0, 0)
    assert "before the first round" in str(run.forfeit)


@pytest.mark.parametrize("evidence", [{"a": object()}, {"a": [None, 1]}, {"a": [[1], [1, 2]]}, 7])
def test_evidence_that_no_file_can_hold_is_a_foul(evidence):
    class Odd(Fails):
        def evidence(self):
            return evidence

    run = play(Odd(""), "alternating", rounds=5)
    assert (run.forfeit.side, run.rounds, run.evidence) == ("learner", 5, {})


def test_theorems_may_be_promised_by_name():
    class Promising:
        theorems = ("awv-leverage", "clipped-krr(regularisation=2)")

        def predict(self, x):
            return 0.0

        def update(self, x, y):
            pass

    run = play(Promising(), "alternating", rounds=5)
    assert [verdict.name for verdict in run.verdicts()] == ["awv-leverage", "clipped-krr"]
    Promising.theorems = ("no-such-theorem",)
    assert "no-such-theorem" in play(Promising(), "alternating", rounds=5).forfeit.reason


def test_a_learner_cannot_change_the_point():
    class Vandal:
        def predict(self, x):
            x[0] = 0.9
            return 0.0

        def update(self, x, y):
            pass

    for adversary in ("alternating", OneByOne("alternating")):
        run = play(Vandal(), adversary, rounds=5)
        assert run.forfeit.side == "learner"
        assert "read-only" in run.forfeit.reason
