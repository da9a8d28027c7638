"""A round's order, the referee, interruptions, reproducibility, and that blocks and rounds are the same game."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import arena
from arena import Adversary, ArenaError, Game, Interrupted, Learner, play
from arena.building import build
from arena.registry import entries

ROOT = Path(arena.__file__).parent.parent
LEARNERS = [name for name in sorted(entries("learner")) if not build("learner", name).foresight]
OBLIVIOUS = ("alternating", "repeated(points=7)", "repeated(points=7, labels=alternating)")


class Adaptive(Adversary):
    """The same adversary, but played round by round."""

    def __init__(self, inner):
        self.inner = build("adversary", inner)

    def arrange(self, game):
        return self.inner.arrange(game)

    def begin(self, game, rng):
        self.inner.begin(game, rng)

    def point(self, view):
        return self.inner.point(view)

    def label(self, view, x, prediction):
        return self.inner.label(view, x, prediction)


class Script(Adversary):
    """Plays these moves, whatever they are; an exception among them is raised."""

    def __init__(self, moves, oblivious=False):
        self.moves, self.oblivious = moves, oblivious

    def begin(self, game, rng):
        self.next = iter(self.moves)

    def point(self, view):
        self.move = next(self.next, None)
        return None if self.move is None else _raised_or(self.move[0])

    def label(self, view, x, prediction):
        return _raised_or(self.move[1])


class Answers:
    """Answers with these predictions, and fails in the update if told to."""

    def __init__(self, predictions, updates=()):
        self.predictions, self.updates = list(predictions), list(updates)

    def begin(self, game, rng):
        self.round = 0

    def predict(self, x):
        return _raised_or(self.predictions[self.round]) if self.round < len(self.predictions) else 0.0

    def update(self, x, y):
        outcome = self.updates[self.round] if self.round < len(self.updates) else None
        self.round += 1
        _raised_or(outcome)


class InBlocks(Learner):
    """The same, as a learner that replays."""

    def __init__(self, predictions):
        self.predictions = predictions

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass

    def replay(self, X, y):
        return _raised_or(self.predictions(X)) if callable(self.predictions) else self.predictions


def _raised_or(value):
    if isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException)):
        raise value
    return value


# ---- the order of a round


class Diary:
    """Writes down what it is asked, from both sides."""

    def __init__(self):
        self.lines = []
        self.events = []

    def begin(self, game, rng):
        self.lines.append("begin")

    def reveal(self, x):
        self.lines.append("reveal")

    def predict(self, x):
        self.lines.append("predict")
        return 0.25

    def update(self, x, y):
        self.lines.append(f"update {y:g}")


def test_a_round_is_point_reveal_predict_label_update():
    diary = Diary()

    class Watcher(Adversary):
        def begin(self, game, rng):
            diary.lines.append("adversary begins")

        def point(self, view):
            diary.lines.append(f"point {view.round}")
            assert len(view.points) == len(view.labels) == len(view.predictions) == view.round - 1
            return np.zeros(2)

        def label(self, view, x, prediction):
            assert prediction == 0.25
            diary.lines.append("label")
            return 1.0

    play(diary, Watcher(), rounds=2)
    one = ["reveal", "predict", "predict", "label", "update 1"]  # asked twice at first: is predict pure?
    assert diary.lines == ["begin", "adversary begins", "point 1", *one, "point 2", *one]


def test_in_blocks_the_learner_meets_the_same_calls_in_the_same_order():
    rounds, blocks = Diary(), Diary()
    play(rounds, Adaptive("alternating"), rounds=5)
    play(blocks, "alternating", rounds=5)
    assert rounds.lines == blocks.lines
    assert blocks.lines.count("reveal") == 5


class Proxy:
    """A guest all of whose methods come from elsewhere, as in many wrappers."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


def test_a_proxys_reveal_is_called_in_blocks_too():
    rounds, blocks = Diary(), Diary()
    play(Proxy(rounds), Adaptive("alternating"), rounds=3)
    play(Proxy(blocks), "alternating", rounds=3)
    assert rounds.lines.count("reveal") == blocks.lines.count("reveal") == 3


def test_an_oblivious_adversary_gets_no_prediction():
    seen = []

    class Curious(Script):
        def label(self, view, x, prediction):
            seen.append(prediction)
            return 1.0

    play("zero", Curious([(np.zeros(2), 1.0)] * 3, oblivious=True), rounds=3)
    assert np.isnan(seen).all()


@pytest.mark.parametrize("look", [lambda view: view.predictions, lambda view: view.peek(np.zeros((1, 2)))])
def test_the_view_forbids_an_oblivious_adversary_to_look_at_the_learner(look):
    class Cheat(Script):
        def point(self, view):
            look(view)
            return np.zeros(2)

    run = play("zero", Cheat([], oblivious=True), rounds=3)
    assert run.forfeit.side == "adversary"
    assert run.forfeit.round == 1
    assert "declares itself oblivious" in run.forfeit.reason
    assert play("zero", Cheat([], oblivious=False), rounds=1).forfeit.reason.startswith("label")  # it may look


def test_the_view_shows_the_past_and_the_posterior_and_lets_nobody_change_them():
    class Checker(Adversary):
        def point(self, view):
            t = view.round
            assert np.array_equal(view.points, np.full((t - 1, 1), 0.5))
            assert np.array_equal(view.labels, np.ones(t - 1))
            for array in (view.points, view.labels, view.predictions):
                with pytest.raises(ValueError, match="read-only"):
                    array[:] = 0
            mean, variance = view.posterior(np.array([[0.5]]))  # one point: mean (t-1)/(t-1+lambda)
            assert mean[0] == pytest.approx((t - 1) / (t - 1 + 2.0))
            assert variance[0] == pytest.approx(2.0 / (t - 1 + 2.0))
            assert view.peek(np.array([[0.5], [0.1]])).tolist() == [0, 0]
            with pytest.raises(ArenaError, match="shape"):
                view.peek(np.zeros(1))
            with pytest.raises(ArenaError, match="shape"):
                view.posterior(np.zeros((1, 2)))
            return np.array([0.5])

        def label(self, view, x, prediction):
            return 1.0

    run = play("zero", Checker(), rounds=6, dimension=1, regularisation=2.0)
    assert run.ended == "completed", run.forfeit


@pytest.mark.parametrize("name", LEARNERS)
def test_questions_change_nothing(name):
    """An adversary that peeks everywhere before each round sees the same game as one that does not."""
    tosses_coins = type(build("learner", name)).reveal is not Learner.reveal

    class Peeker(Adaptive):
        def point(self, view):
            X = np.random.default_rng(view.round).uniform(-1, 1, size=(9, 2))
            assert np.array_equal(view.peek(X), view.peek(X))
            np.testing.assert_allclose(view.peek(X[3:4]), view.peek(X)[3:4], rtol=0, atol=1e-10)
            view.posterior(X)
            return super().point(view)

        def label(self, view, x, prediction):
            if not tosses_coins:  # a coin may have been tossed since, which `peek` does not know of
                assert view.peek(x[np.newaxis])[0] == pytest.approx(prediction, abs=1e-10)
            return super().label(view, x, prediction)

    quiet = play(name, Adaptive("repeated(points=7)"), rounds=40)
    peeked = play(name, Peeker("repeated(points=7)"), rounds=40)
    assert peeked.ended == "completed", peeked.forfeit
    np.testing.assert_allclose(peeked.predictions, quiet.predictions, rtol=0, atol=1e-12)


# ---- blocks and rounds


@pytest.mark.parametrize("adversary", OBLIVIOUS)
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("regularisation", [1e-3, 1.0])
def test_blocks_give_the_predictions_of_the_round_by_round_game(name, adversary, regularisation):
    fields = {"rounds": 150, "regularisation": regularisation, "seed": 3}
    blocks, rounds = play(name, adversary, **fields), play(name, Adaptive(adversary), **fields)
    assert np.array_equal(blocks.points, rounds.points)
    assert np.array_equal(blocks.labels, rounds.labels)
    np.testing.assert_allclose(blocks.predictions, rounds.predictions, rtol=0, atol=1e-8)
    np.testing.assert_allclose(blocks.regret, rounds.regret, rtol=0, atol=1e-7)


@pytest.mark.parametrize("rate", [0.5, 0.25])
def test_gradient_descent_that_forgets_everything_in_a_round_forgets_it_in_blocks(rate):
    """1 - eta lambda = 0, and so small that the product underflows inside a block."""
    for shrinkage in (1.0 / rate, 0.999 / rate):
        spec = f"fgd(rate={rate}, shrinkage={shrinkage})"
        blocks = play(spec, "repeated(points=300)", rounds=700)
        rounds = play(spec, Adaptive("repeated(points=300)"), rounds=700)
        np.testing.assert_allclose(blocks.predictions, rounds.predictions, rtol=0, atol=1e-10)


def test_a_match_longer_than_a_block(monkeypatch):
    monkeypatch.setattr("arena.match.BLOCK", 64)
    for name in LEARNERS:
        blocks = play(name, "repeated(points=5)", rounds=150)
        monkeypatch.setattr("arena.match.BLOCK", 4096)
        whole = play(name, "repeated(points=5)", rounds=150)
        monkeypatch.setattr("arena.match.BLOCK", 64)
        np.testing.assert_allclose(blocks.predictions, whole.predictions, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", [*LEARNERS, "fgd(radius=1)"])
@pytest.mark.parametrize("moves", [0, 1, 64, 70, 128])
def test_an_adversary_that_runs_out_of_moves(monkeypatch, name, moves):
    """At a block's edge too, where the last block is empty."""
    monkeypatch.setattr("arena.match.BLOCK", 64)
    script = [(np.full(2, 0.1 * (t % 7)), 1.0) for t in range(moves)]
    for oblivious in (True, False):
        run = play(name, Script(script, oblivious), rounds=500)
        assert run.forfeit is None
        assert run.ended == "exhausted"
        assert run.rounds == len(run.predictions) == len(run.seconds) == moves


# ---- the referee

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


@pytest.mark.parametrize("oblivious", [False, True])
def test_a_failing_update_is_a_foul_of_its_own_round(oblivious):
    run = play(Answers([], [None, None, OSError("disk")]), Script([GOOD] * 9, oblivious), rounds=9)
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("learner", 3, 2)
    assert "OSError: disk" in run.forfeit.reason
    assert "test_match.py" in run.forfeit.reason  # the place in the user's own code
    assert "Traceback" in run.forfeit.details


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
    run = play(InBlocks(answer), "alternating", rounds=9)
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("learner", round_, kept)
    assert message in run.forfeit.reason


class Blocks(Adversary):
    oblivious = True

    def __init__(self, *blocks):
        self.blocks = blocks

    def begin(self, game, rng):
        self.next = iter(self.blocks)

    def block(self, view, rounds):
        return _raised_or(next(self.next, (np.empty((0, 2)), np.empty(0))))


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
    run = play("zero", Blocks((np.zeros((2, 2)), np.ones(2)), bad), rounds=20)
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("adversary", round_, round_ - 1)
    assert message in run.forfeit.reason


def test_a_block_longer_than_asked_for_is_cut():
    run = play("zero", Blocks((np.zeros((50, 2)), np.ones(50))), rounds=20)
    assert run.rounds == 20
    assert run.ended == "completed"


def test_the_learners_foul_comes_first_if_its_round_does():
    run = play(Answers([0.0, None]), Script([GOOD] * 4 + [(np.full(2, 9.0), 1.0)], oblivious=True), rounds=9)
    assert (run.forfeit.side, run.forfeit.round) == ("learner", 2)


class Fails(Learner):
    """Fails in one method, told by name."""

    def __init__(self, method, error=None):
        self.method, self.error = method, error or RuntimeError("sick")

    def _fail_in(self, method):
        if method == self.method:
            raise self.error

    def begin(self, game, rng):
        self._fail_in("begin")

    def reveal(self, x):
        self._fail_in("reveal")

    def predict(self, x):
        self._fail_in("predict")
        return 0.0

    def peek(self, X):
        self._fail_in("peek")
        return np.zeros(len(X))

    def update(self, x, y):
        self._fail_in("update")

    @property
    def dictionary_size(self):
        self._fail_in("dictionary_size")
        return 1

    @property
    def theorems(self):
        self._fail_in("theorems")
        return ()

    def evidence(self):
        self._fail_in("evidence")
        return {}


@pytest.mark.parametrize("adversary", ["alternating", Adaptive("alternating"), "greedy(starts=4, polished=0)"])
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
def test_whatever_of_the_learner_fails_is_its_foul(method, round_, adversary):
    run = play(Fails(method), adversary, rounds=5)
    assert (run.forfeit.side, run.forfeit.round) == ("learner", round_)
    assert "RuntimeError: sick" in run.forfeit.reason
    assert run.rounds == (5 if method == "evidence" else 0)


def test_a_failing_peek_is_the_learners_foul_though_the_adversary_called_it():
    run = play(Fails("peek"), "greedy(starts=4, polished=0)", rounds=5)
    assert (run.forfeit.side, run.forfeit.round) == ("learner", 1)
    assert play(Fails("peek"), "alternating", rounds=5).forfeit is None


@pytest.mark.parametrize("adversary", ["greedy", "alternating"])
def test_a_learner_that_writes_into_its_arguments_is_blamed_and_told_what_to_do(adversary):
    """The adversary's points are in the arrays that it asks about: moved, they would be its own foul."""

    class Doubles:
        def predict(self, x):
            x *= 2.0
            return 0.0

        def update(self, x, y):
            pass

    forfeit = play(Doubles(), adversary, rounds=5).forfeit
    assert (forfeit.side, forfeit.round) == ("learner", 1)
    assert "read-only (test_match.py, line" in forfeit.reason
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

    for adversary in ("alternating", Adaptive("alternating")):
        run = play(Vandal(), adversary, rounds=5)
        assert run.forfeit.side == "learner"
        assert "read-only" in run.forfeit.reason


def test_an_adversary_may_use_one_array_for_all_points():
    class Reuses(Adversary):
        x = np.zeros(2)

        def point(self, view):
            self.x[:] = view.round / 100
            return self.x

        def label(self, view, x, prediction):
            return 1.0

    for oblivious in (False, True):
        adversary = Reuses()
        adversary.oblivious = oblivious
        run = play("kernel-awv", adversary, rounds=9)
        assert np.array_equal(run.points[:, 0], np.arange(1, 10) / 100)


# ---- Ctrl-C


@pytest.mark.parametrize("oblivious", [False, True])
@pytest.mark.parametrize("where", ["point", "label", "predict", "update"])
def test_ctrl_c_keeps_what_was_played(where, oblivious):
    stop = KeyboardInterrupt()
    moves = [GOOD] * 3 + [(stop if where == "point" else GOOD[0], stop if where == "label" else 1.0)]
    learner = Answers([0.5] * 3 + [stop if where == "predict" else 0.5], [None] * 3 + [stop])
    with pytest.raises(Interrupted) as caught:
        play(learner, Script(moves, oblivious), rounds=9)
    run = caught.value.transcript
    assert run.ended == "interrupted"
    expected = 0 if oblivious and where in ("point", "label") else 3  # a block not yet answered is no round
    assert run.rounds == len(run.predictions) == len(run.points) == expected
    assert isinstance(caught.value, KeyboardInterrupt)
    assert len(run.regret) == expected
    assert f"{expected} rounds" in str(caught.value)


@pytest.mark.parametrize("method", ["begin", "evidence"])
def test_ctrl_c_before_and_after_the_rounds(method):
    with pytest.raises(Interrupted) as caught:
        play(Fails(method, KeyboardInterrupt()), "alternating", rounds=5)
    assert caught.value.transcript.rounds == (0 if method == "begin" else 5)


def test_ctrl_c_while_the_comparator_is_computed_loses_nothing(monkeypatch):
    from arena.hindsight import RidgeComparator

    with monkeypatch.context() as patch:
        patch.setattr(RidgeComparator, "hindsight", lambda *_: _raised_or(KeyboardInterrupt))
        with pytest.raises(Interrupted) as caught:
            play("zero", "alternating", rounds=5)
    run = caught.value.transcript
    assert run.rounds == 5
    assert run.ended == "completed"
    np.testing.assert_array_equal(run.regret, play("zero", "alternating", rounds=5).regret)


def test_an_interrupted_learner_is_not_asked_for_evidence():
    """It may be in the middle of an update."""

    class Half(Fails):
        def update(self, x, y):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        play(Half("evidence"), "alternating", rounds=5)
    assert caught.value.transcript.evidence == {}


# ---- the same again


@pytest.mark.parametrize("name", LEARNERS)
def test_objects_may_be_used_for_a_second_match(name):
    learner, adversary = build("learner", name), build("adversary", "repeated(points=5)")
    first = play(learner, adversary, rounds=30, seed=2)
    play(learner, adversary, rounds=17, seed=9, dimension=3)
    again = play(learner, adversary, rounds=30, seed=2)
    assert np.array_equal(first.points, again.points)
    assert np.array_equal(first.predictions, again.predictions)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("adversary", ["repeated(points=5)", "greedy(starts=8, polished=1, steps=2)"])
def test_the_global_random_state_is_neither_read_nor_changed(name, adversary):
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    before, plain = np.random.get_state(), random.getstate()  # noqa: NPY002
    first = play(name, adversary, rounds=12)
    after = np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    assert np.array_equal(before[1], after[1])
    assert before[2:] == after[2:]
    assert random.getstate() == plain
    np.random.seed(77)  # noqa: NPY002
    random.seed(77)
    assert np.array_equal(play(name, adversary, rounds=12).predictions, first.predictions)


def test_the_seed_matters_and_each_side_has_its_own_stream():
    drawn = {}

    class Draws(Learner):
        extra = 0

        def begin(self, game, rng):
            drawn["learner"] = rng.random(4)
            rng.random(self.extra)

        def predict(self, x):
            return 0.0

        def update(self, x, y):
            pass

    class Throws(Script):
        def begin(self, game, rng):
            super().begin(game, rng)
            drawn["adversary"] = rng.random(4)

    play(Draws(), Throws([]), rounds=3, seed=5)
    first = dict(drawn)
    assert not np.array_equal(first["learner"], first["adversary"])
    play(Draws(), Throws([]), rounds=3, seed=5)
    assert all(np.array_equal(first[side], drawn[side]) for side in first)
    play(Draws(), Throws([]), rounds=3, seed=6)
    assert not any(np.array_equal(first[side], drawn[side]) for side in first)
    Draws.extra = 3  # a learner that needs more coins does not change the adversary's
    play(Draws(), Throws([]), rounds=3, seed=5)
    assert np.array_equal(first["adversary"], drawn["adversary"])


ELSEWHERE = """
import json, sys, arena
for words in json.load(sys.stdin):
    run = arena.play(*words, rounds=25, seed=4, game=arena.Game(dimension=3))
    print(json.dumps([run.points.tolist(), run.labels.tolist(), run.predictions.tolist(), run.regret.tolist()]))
"""


def test_another_process_plays_the_same_match_in_another_order():
    matches = [(name, adversary) for name in LEARNERS for adversary in ("repeated(points=5)", "greedy(starts=8)")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    answer = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=json.dumps(matches[::-1]),
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    theirs = [json.loads(line) for line in answer.stdout.splitlines()]
    for (learner, adversary), other in zip(matches[::-1], theirs, strict=True):
        run = play(learner, adversary, rounds=25, seed=4, game=Game(dimension=3))
        for mine, got in zip((run.points, run.labels, run.predictions, run.regret), other, strict=True):
            assert mine.tolist() == got, (learner, adversary)


# ---- guests and arguments


class Bare:
    """The mean of the labels, with nothing but predict and update."""

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


def test_guests_need_nothing_but_their_two_methods():
    run = play(Bare(), Opponent(), rounds=4)
    assert run.labels.tolist() == [1, -1, 1, -1]
    assert run.predictions.tolist() == pytest.approx([0, 1, 0, 1 / 3])
    assert play(Bare, Opponent, rounds=4).labels.tolist() == run.labels.tolist()
    assert play(Bare(), "greedy(starts=4, polished=1, steps=2)", rounds=4).ended == "completed"


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
def test_an_adversary_arranges_the_game_that_is_wanted(given):
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


def test_sizes_are_noted_when_they_change():
    class Grows(Learner):
        def begin(self, game, rng):
            self.seen = 0

        def predict(self, x):
            return 0.0

        def update(self, x, y):
            self.seen += 1

        @property
        def dictionary_size(self):
            return self.seen // 3

    for adversary in ("alternating", Adaptive("alternating")):
        assert play(Grows(), adversary, rounds=7).sizes.tolist() == [[1, 0], [3, 1], [6, 2]]


def test_what_else_a_guest_offers_is_used():
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

    for adversary in ("alternating", Adaptive("alternating")):
        run = play(Odd(), adversary, rounds=4)
        assert (run.forfeit.side, run.forfeit.round) == ("learner", 1)
        assert "dictionary_size" in run.forfeit.reason


def test_progress_is_told():
    heard = []
    play("zero", Adaptive("alternating"), rounds=3, progress=heard.append)
    assert heard == [1, 2, 3]
    play("zero", "alternating", rounds=3, progress=heard.append)
    assert heard[3:] == [3]


def test_hindsight_can_be_switched_off():
    run = play("kernel-awv", "alternating", rounds=5, hindsight="none")
    assert run.regret is None
    assert run.plain_regret is None
    assert not run.verdict("awv-leverage").applicable
    assert "switched off" in run.verdict("awv-leverage").reason
