"""What a transcript computes: losses, regrets, dimensions, verdicts."""

import numpy as np
import pytest

from arena import (
    ArenaError,
    Transcript,
    play,
)
from arena.linalg.posterior import RidgePosterior
from arena.specs.building import build
from arena_tests.players import LeavesEvidence


def test_curves_by_hand():
    """With one point, x = 1, a linear kernel and lambda = 1, the optimum is sum y^2 - (sum y)^2 / (t + 1)."""
    run = play("zero", "alternating(at=[1])", rounds=5, dimension=1, kernel="linear", label_bound=2.0)
    y = np.array([2.0, -2, 2, -2, 2])
    t = np.arange(1, 6)
    optimum = 4.0 * t - np.square(np.cumsum(y)) / (t + 1)
    np.testing.assert_allclose(run.hindsight().optimum, optimum, atol=1e-12)
    np.testing.assert_allclose(run.regret, 4.0 * t - optimum, atol=1e-12)
    best = 2.0 / 6
    np.testing.assert_allclose(run.plain_regret, np.cumsum(4.0 - np.square(y - best)), atol=1e-12)
    assert run.loss == 20
    assert run.losses.tolist() == [4] * 5
    assert run.regret_against(3.0)[-1] == pytest.approx(20 - (20 - 4 / 8))
    np.testing.assert_allclose(run.comparator.effective_dimensions(), t / (t + 1), atol=1e-12)
    assert run.summary()["rounds"] == 5


def test_effective_dimensions_are_computed_once_for_each_lambda(monkeypatch):
    run, asked = play("zero", "repeated(points=3)", rounds=9), []
    genuine = RidgePosterior.effective_dimensions
    monkeypatch.setattr(RidgePosterior, "effective_dimensions", lambda past: (asked.append(1), genuine(past))[1])
    first, other = run.comparator.effective_dimensions(), run.comparator.effective_dimensions(0.5)
    run.verdicts(["awv-effective-dimension", "awv-effective-dimension(regularisation=0.5)"])
    assert np.array_equal(run.comparator.effective_dimensions(), first)
    assert other[-1] > first[-1]
    assert len(asked) == 2


def test_transcripts_are_equal_to_themselves_alone():
    run, twin = (play("zero", "alternating", rounds=3) for _ in range(2))
    assert run == run
    assert run != twin
    assert run.hindsight() != twin.hindsight()
    assert len({run, twin}) == 2


def test_a_forfeit_before_the_first_round_has_empty_curves(tmp_path):
    run = Transcript.load(play(LeavesEvidence(fails=1), "alternating", rounds=9).save(tmp_path / "a.npz"))
    assert run.rounds == 0
    assert run.loss == 0
    assert len(run.regret) == len(run.plain_regret) == 0
    assert run.summary()["regret"] is None
    assert run.verdict("awv-leverage").reason == "no round was played"
    assert "ünïcode" in run.forfeit.reason


def test_theorems_by_name_by_object_and_none():
    run = play("kernel-awv(regularisation=2)", "alternating", rounds=5)
    own = ["awv-leverage", "awv-logdet", "awv-effective-dimension", "awv-identity"]
    assert [verdict.name for verdict in run.verdicts()] == own
    assert run.verdicts("none") == []
    assert run.verdict("awv-leverage").theorem == "awv-leverage(regularisation=2.0)"  # the learner's own lambda
    assert run.verdict("awv-leverage(regularisation=1)").theorem == "awv-leverage(regularisation=1.0)"
    assert [verdict.name for verdict in run.verdicts(["ogd", build("theorem", "awv-logdet")])] == ["ogd", "awv-logdet"]
    assert [verdict.name for verdict in run.verdicts("clipped-krr")] == ["clipped-krr"]
    with pytest.raises(ArenaError, match="Did you mean"):
        run.verdict("awv-leverige")


@pytest.mark.parametrize("regularisation", [0.0, -1.0, np.nan])
def test_a_lambda_that_is_not_positive_is_refused(regularisation):
    run = play("kernel-awv", "alternating", rounds=10)
    for curve in (run.regret_against, run.hindsight, run.comparator.effective_dimensions):
        with pytest.raises(ArenaError, match="regularisation must be a number > 0"):
            curve(regularisation)
