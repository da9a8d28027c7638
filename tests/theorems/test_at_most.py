"""The theorem `at-most`: a limit of the regret, for any loss; its failures are shrunk and kept."""

import contextlib

import numpy as np
import pytest

from arena import ArenaError, play
from arena.adversaries import Replay
from arena.counterexamples.reproduction import as_test
from arena.counterexamples.shrinking import shrink
from arena.testing import RegretTooLarge, assert_regret
from arena.testing.session import RunSettings, run_settings


@contextlib.contextmanager
def remembering(folder, **fields):
    token = run_settings.set(RunSettings(failures=folder, **fields))
    yield
    run_settings.reset(token)


@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic", "absolute", "smooth-hinge"])
def test_it_knows_the_regret_of_every_loss(loss):
    match = {"rounds": 64, "loss": loss, "theorem": "none"}
    run = play("fgd", "repeated(points=4)", rounds=64, loss=loss)
    regret = run.loss - run.comparator.best().upper
    assert_regret("fgd", "repeated(points=4)", at_most=regret + 1e-4, **match)
    broken = pytest.raises(RegretTooLarge, match="the regret exceeds what is allowed in round 64")
    # shrinking under another loss than the squared one uses up whatever time it gets
    with remembering(None, shrinking=0.5), broken as failure:
        assert_regret("fgd", "repeated(points=4)", at_most=regret - 1e-4, **match)
    assert failure.value.verdict.measured == pytest.approx(regret, abs=1e-5)


def test_only_the_end_counts():
    """The regret of a learner that errs in the first rounds alone falls later, as the best function pays its norm."""

    class Learns:
        def __init__(self):
            self.t = 0

        def predict(self, x):
            return 0.0 if self.t < 3 else 1.0

        def update(self, x, y):
            self.t += 1

    moves = Replay(X=np.zeros((40, 2)), y=np.ones(40))
    run = play(Learns(), moves, rounds=40, regularisation=10.0)
    assert run.regret.max() > run.regret[-1] + 1.0
    assert_regret(Learns, moves, rounds=40, regularisation=10.0, at_most=run.regret[-1] + 1e-6)
    with pytest.raises(RegretTooLarge):
        assert_regret(Learns, moves, rounds=40, regularisation=10.0, at_most=run.regret[-1] - 1e-6)


def test_the_default_limit_is_the_loss_of_predicting_zero():
    assert play("zero", "alternating", rounds=31).verdict("at-most").holds
    assert play("krr", "alternating", rounds=31).verdict("at-most").holds
    assert play("fgd(rate=0.9)", "alternating", rounds=31).verdict("at-most").violated


def test_a_failure_is_made_small_kept_and_played_first(tmp_path):
    with (
        remembering(tmp_path, shrinking=1000.0),  # shrinking ends by itself
        pytest.raises(RegretTooLarge, match=r"smallest sequence, \d+ rounds: regret") as failure,
    ):
        assert_regret("krr", "greedy", rounds=60, at_most=3.0)
    small = failure.value.shrunk
    assert small.rounds < 20
    assert small.smallest.regret[-1] > 3.0
    assert "--bound 'at-most(regret=3.0)'" in str(failure.value)
    assert "arena failures promote" in str(failure.value)
    with remembering(tmp_path), pytest.raises(RegretTooLarge, match="known since"):
        assert_regret("krr", "greedy", rounds=60, at_most=3.0)
    with remembering(tmp_path):
        assert_regret("krr", "greedy", rounds=60, at_most=1e4)  # another assertion, with a memory of its own


def test_a_failure_becomes_a_test(tmp_path, python):
    """The test fails, since the learner was not changed."""
    with pytest.raises(RegretTooLarge) as failure:
        assert_regret("krr", "alternating", rounds=30, at_most=1.0)
    path = tmp_path / "test_promoted.py"
    path.write_text(as_test(failure.value.shrunk, "test_promoted"))
    assert 'theorem="at-most(regret=1.0)"' in path.read_text()
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", path, cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "the regret exceeds what is allowed" in done.stdout


def test_shrinking_keeps_what_fails_at_the_end():
    """A sequence whose regret exceeds the limit only before its end is no failure."""
    run = play("krr", "alternating", rounds=40)
    small = shrink("krr", run, "at-most(regret=2.5)", budget=1000.0)
    assert small.smallest.verdict("at-most(regret=2.5)").violated
    assert small.smallest.regret[-1] > 2.5
    assert (small.smallest.regret[:-1] <= 2.5).all()


def test_an_unknown_regret_does_not_pass():
    with pytest.raises(ArenaError, match=r"at_most needs the regret, but it is not known: .*switched off"):
        assert_regret("fgd", "alternating", rounds=20, loss="hinge", at_most=5.0, theorem="none", hindsight="none")


@pytest.mark.parametrize("seeds", [None, 2])
def test_a_match_without_rounds_does_not_pass(seeds):
    class NoMoves:
        def point(self, view):
            return None

        def label(self, view, x, prediction):
            return 0.0

    with pytest.raises(ArenaError, match=r"at_most needs the regret, but .*: no round was played"):
        assert_regret("krr", NoMoves(), at_most=5.0, theorem="none", seeds=seeds)
