"""Exact learners play long sequences of different points through features, with error bars that hold."""

import dataclasses

import numpy as np
import pytest

import arena
from arena.adversaries.replay import Replay
from arena.engine import long_matches
from arena.game.losses import Hinge, Squared
from arena.record.error_bars import losses_between
from arena_tests.sequences import noisy_sine

LEARNERS = ["krr", "clipped-krr(regularisation=0.5)", "kernel-awv"]


@pytest.fixture(autouse=True)
def little_memory(monkeypatch):
    monkeypatch.setattr(long_matches, "LONG", 100)


@pytest.fixture
def moves():
    X, y = noisy_sine(400, 2)
    return Replay(X=X, y=y)


def played(learner, moves, **options):
    return arena.play(learner, moves, rounds=400, dimension=2, **options)


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_bars_hold(learner, moves):
    run, exact = played(learner, moves), played(learner, moves, exact=True)
    assert exact.error_bars is None
    assert (np.abs(run.predictions - exact.predictions) <= run.error_bars + 1e-12).all()
    assert 0 < run.error_bars.max() < 0.05
    least, largest = run.losses_between
    assert (least <= exact.losses).all()
    assert (exact.losses <= largest).all()
    low, high = run.final_regret
    assert low <= exact.final_regret[0] <= high
    assert run.regret is None
    assert (run.regret_interval[0] <= exact.regret).all()
    assert (exact.regret <= run.regret_interval[1]).all()


def test_a_match_played_exactly_is_kept(moves, tmp_path):
    played("krr", moves, exact=True).save(tmp_path / "run.npz")
    assert arena.Transcript.load(tmp_path / "run.npz").header["exact"]


def test_the_line_says_so(moves):
    remark = played("krr", moves).header["learner_remark"]
    assert "more than 100 different points: the learner was played through" in remark
    assert "`exact=True` plays it exactly" in remark
    exact = played("krr", moves, exact=True)
    assert "learner_remark" not in exact.header
    from arena.record.commands import play_command

    file = Replay(file="data.csv")
    exact.adversary = arena.specs.spelling.spec_text(file)
    assert "--exact" in play_command(exact)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("mode", ["exact", "interval"])
def test_verdicts_take_the_bars_into_account(learner, mode, moves):
    run = played(learner, moves, hindsight=mode)
    for verdict in run.verdicts():
        exact = verdict.name.endswith("identity")
        assert verdict.outcome == ("not applicable" if exact else "holds"), verdict
        assert exact or verdict.other_end is not None


def test_wide_bars_leave_the_verdict_undecided(moves):
    run = played("zero", moves)
    assert run.verdict("awv-logdet").violated
    run = dataclasses.replace(run, evidence={**run.evidence, "error_bars": np.ones(400)})
    verdict = run.verdict("awv-logdet")
    assert verdict.outcome == "undecided"
    assert verdict.other_end[0] < verdict.measured


def test_few_points_and_adversaries_that_wait_are_played_exactly(moves):
    few = Replay(X=moves.X[:50], y=moves.y[:50], loop=True)
    assert played("krr", few).error_bars is None
    assert arena.play("krr", "far-point", rounds=120).error_bars is None
    assert played("pkawv", moves).error_bars is None


@pytest.mark.parametrize("mode", ["exact", "interval"])
def test_a_record_keeps_its_bars(mode, moves, tmp_path):
    run = played("kernel-awv", moves, hindsight=mode)
    again = arena.Transcript.load(run.save(tmp_path / "run.npz"))
    np.testing.assert_array_equal(again.error_bars, run.error_bars)
    assert again.final_regret == pytest.approx(run.final_regret)
    np.testing.assert_allclose(again.regret_interval, run.regret_interval)
    assert [each.outcome for each in again.verdicts()] == [each.outcome for each in run.verdicts()]


@pytest.mark.parametrize("bars", [np.full(400, np.nan), -np.ones(400), np.ones(3), np.ones(400, dtype=int)])
def test_evidence_that_is_no_bars(bars, moves):
    run = dataclasses.replace(played("zero", moves), evidence={"error_bars": bars})
    assert run.error_bars is None


def test_losses_within_bars():
    predictions, bars, labels = np.array([0.0, 2.0]), np.array([0.5, 0.5]), np.array([1.0, 1.0])
    least, largest = losses_between(Hinge(), predictions, bars, labels)
    np.testing.assert_allclose(least, [0.5, 0.0])
    np.testing.assert_allclose(largest, [1.5, 0.0])
    least, largest = losses_between(Squared(), predictions, bars, labels)
    np.testing.assert_allclose(least, [0.25, 0.25])
    np.testing.assert_allclose(largest, [2.25, 2.25])


def test_the_regret_to_other_comparators_takes_the_bars_into_account(moves):
    run = played("zero", moves)
    barred = dataclasses.replace(run, evidence={**run.evidence, "error_bars": np.full(400, 0.5)})
    least, largest = (float(each.sum()) for each in barred.losses_between)
    for name in ("constant", "shifts(k=1)", "intervals", "norms"):
        (low, high), exact = barred.regret_to(name).regret, run.regret_to(name).regret
        assert low == pytest.approx(exact[0] - run.loss + least)
        assert high == pytest.approx(exact[1] - run.loss + largest)
    profile, exact = barred.regret_to("norms").profile, run.regret_to("norms").profile
    np.testing.assert_allclose(profile.upper - exact.upper, largest - run.loss)
    np.testing.assert_allclose(exact.lower - profile.lower, run.loss - least)
    limit = run.regret_to("constant").regret[1] + 1.0
    assert run.verdict(f"at-most(regret={limit}, comparator=constant)").holds
    assert barred.verdict(f"at-most(regret={limit}, comparator=constant)").outcome == "undecided"
    assert run.plain_regret is not None
    assert barred.plain_regret is None
