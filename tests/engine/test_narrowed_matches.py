"""Matches whose regret's interval is narrowed by products: which matches, how far, and what the record keeps."""

import numpy as np
import pytest

import arena
from arena.adversaries.replay import Replay
from arena.engine import long_matches, match
from arena.engine.match import Interrupted
from arena.errors import ArenaError
from arena.hindsight import comparator, narrowing
from arena.hindsight.narrowing import Effort
from arena_tests.sequences import noisy_sine


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Lower the limits, so that 600 rounds count as a long match and 50 different points as many."""
    for module in (comparator, long_matches, match):
        monkeypatch.setattr(module, "EXACT_LIMIT", 500)
    monkeypatch.setattr(comparator, "INSISTED_LIMIT", 550)
    monkeypatch.setattr(comparator, "FEW_POINTS", 50)
    monkeypatch.setattr("arena.hindsight.certificate.affordable", lambda _: 20)
    monkeypatch.setattr(narrowing, "SHORTEST", 100)


@pytest.fixture
def moves():
    X, y = noisy_sine(600, 3)
    return Replay(X=X, y=y)


def played(moves, **options):
    return arena.play("fogd", moves, rounds=600, dimension=3, **options)


def test_auto_narrows_for_a_while_and_exact_until_it_is_narrow(moves):
    none = played(moves, effort=Effort())
    wide = played(moves, hindsight="interval")
    auto, exact = played(moves), played(moves, hindsight="exact")
    assert {run.hindsight_mode for run in (none, wide, auto, exact)} == {"interval"}
    assert none.comparator.interval().relative_width == wide.comparator.interval().relative_width > 1e-2
    assert auto.comparator.interval().relative_width <= 1e-6
    assert exact.comparator.interval().relative_width <= 1e-6
    truth = arena.Comparator(wide.game, wide.points, wide.labels, "exact").hindsight().optimum[-1]
    low, high = auto.final_regret
    assert low <= auto.loss - truth <= high


def test_the_record_keeps_the_checkpoints(moves, tmp_path):
    run = played(moves)
    again = arena.Transcript.load(run.save(tmp_path / "run.npz"))
    assert again.comparator.interval().prefixes == run.comparator.interval().prefixes != ()
    assert again.final_regret == pytest.approx(run.final_regret)
    np.testing.assert_allclose(again.regret_interval, run.regret_interval)


def test_a_user_who_asks_for_features_gets_features(moves):
    run = played(moves)
    assert run.comparator.interval(features=10).relative_width > 1e-2


def test_ctrl_c_keeps_the_match_and_its_wide_interval(moves):
    def stop(work, *_):
        if work.startswith("product"):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as interrupted:
        played(moves, watch=stop)
    run = interrupted.value.transcript
    assert run.rounds == 600
    assert run.comparator.interval().relative_width > 1e-2


def test_the_watch_of_an_effort_is_called(moves):
    steps = []
    played(moves, effort=Effort(seconds=60.0, watch=lambda work, *_: steps.append(work)))
    assert any(work.startswith("product") for work in steps)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "hinge", "epsilon-insensitive"])
def test_other_losses_get_a_regret_too(loss, moves):
    moves = Replay(X=moves.X, y=np.sign(moves.y))
    run = played(moves, loss=loss)
    low, high = run.final_regret
    assert high - low <= 2e-6 * run.loss
    assert played(moves, loss=loss, effort=Effort()).final_regret is None


def test_effort_must_be_an_effort(moves):
    with pytest.raises(ArenaError, match="effort must be an Effort"):
        played(moves, effort=60.0)


def test_wide_intervals_of_other_losses_are_narrowed_in_shorter_matches(moves, monkeypatch):
    monkeypatch.setattr(comparator, "EXACT_LIMIT", 1000)
    monkeypatch.setattr(comparator, "FEW", 500)
    monkeypatch.setattr("arena.hindsight.spaces.affordable", lambda _: 20)
    moves = Replay(X=moves.X, y=np.sign(moves.y))
    wide = played(moves, loss="logistic", effort=Effort()).final_regret
    narrow = played(moves, loss="logistic").final_regret
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    assert narrow[1] - narrow[0] < 1e-3 * (wide[1] - wide[0])
