"""A match that may not fit into memory is announced, one that fits is not."""

import pytest

from arena.cli import play
from arena.cli.play import memory_note
from arena.guards.machine import GIBIBYTE


@pytest.fixture(autouse=True)
def eight_gibibytes(monkeypatch):
    monkeypatch.setattr(play, "physical_memory", lambda: 8 * GIBIBYTE)


@pytest.mark.parametrize("learner", ["krr", "kernel-awv(regularisation=2)", "ewa", "ewa(of=[zero, krr])", "kons"])
def test_learners_that_keep_a_row_for_each_point(learner):
    assert "up to 37 GiB in 100,000 rounds, and this machine has 8" in memory_note(learner, 100_000)
    assert memory_note(learner, 30_000) == ""


@pytest.mark.parametrize("learner", ["fogd", "pkawv", "zero", "ewa(of=[zero, fogd])", "sklearn:no.Such", "no-such"])
def test_learners_that_do_not(learner):
    assert memory_note(learner, 10**7) == ""


def test_exact_learners_against_known_moves_are_played_through_features():
    assert memory_note("krr", 100_000, adversary="drift") == ""
    assert "this machine has 8" in memory_note("krr", 100_000, adversary="greedy")
    assert "this machine has 8" in memory_note("kons", 100_000, adversary="drift")


def test_exact_predictions_must_fit_into_memory(arena):
    told = arena("play", "krr", "drift", "--rounds", 100_000, "--exact")
    assert told.exit_code == 2
    assert "--exact: krr needs 37 GiB for 100,000 different points, and this machine has 8" in told.stderr


def test_the_note_comes_before_the_match_and_not_into_json(arena, monkeypatch):
    monkeypatch.setattr(play, "physical_memory", lambda: GIBIBYTE // 128)
    result = arena("play", "ewa", "alternating", "--rounds", 2_000)
    assert result.stderr.startswith("note: the memory of ewa grows")
    assert "regret" in result.stdout
    assert arena("play", "ewa", "alternating", "--rounds", 2_000, "--hindsight", "none", "--json").stderr == ""
    assert "note:" not in arena("play", "krr", "alternating", "--rounds", 100).stderr


def test_an_unknown_amount_of_memory(monkeypatch):
    monkeypatch.undo()
    assert 2**28 < play.physical_memory() < 2**50
    monkeypatch.delattr("os.sysconf")
    assert play.physical_memory() == float("inf")
