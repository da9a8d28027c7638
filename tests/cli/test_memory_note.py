"""A note is printed before a match that may not fit into memory, and not before a match that fits."""

import pytest

from arena.engine import long_matches
from arena.engine.long_matches import memory_note
from arena.guards.machine import GIBIBYTE


@pytest.fixture(autouse=True)
def eight_gibibytes(monkeypatch):
    monkeypatch.setattr(long_matches, "physical_memory", lambda: 8 * GIBIBYTE)


@pytest.mark.parametrize("learner", ["krr", "kernel-awv(regularisation=2)", "ewa", "ewa(of=[zero, krr])", "kons"])
def test_learners_that_keep_a_row_for_each_point(learner):
    assert "up to 37 GiB in 100,000 rounds, and this machine has 8" in memory_note(learner, 100_000)
    assert memory_note(learner, 30_000) == ""


@pytest.mark.parametrize("learner", ["fogd", "pkawv", "zero", "ewa(of=[zero, fogd])", "sklearn:no.Such", "no-such"])
def test_learners_that_do_not(learner):
    assert memory_note(learner, 10**7) == ""


def test_a_learner_that_is_to_be_isolated_is_not_made_in_this_process(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "class Mine:\n"
        "    memory_growth = 'quadratic'\n"
        "    def __init__(self):\n        raise MemoryError\n"
        "    def predict(self, x):\n        return 0.0\n"
        "    def update(self, x, y):\n        pass\n"
    )
    note = memory_note(f"{file}:Mine", 100_000, adversary="drift", isolate=True)
    assert "up to 37 GiB in 100,000 rounds" in note


def test_exact_learners_against_known_moves_are_played_through_features():
    assert memory_note("krr", 100_000, adversary="drift") == ""
    assert "this machine has 8" in memory_note("krr", 100_000, adversary="orthogonal(labels=contrary)")
    assert "this machine has 8" in memory_note("kons", 100_000, adversary="drift")


def test_exact_predictions_must_fit_into_memory(arena):
    told = arena("play", "krr", "drift", "--rounds", 100_000, "--exact")
    assert told.exit_code == 2
    assert "--exact: krr needs 37 GiB for 100,000 different points, and this machine has 8" in told.stderr


@pytest.mark.parametrize("options", [(), ("--exact",)], ids=["", "exact"])
@pytest.mark.parametrize("learner", ["krr", "kernel-awv", "clipped-krr"])
def test_adversaries_that_wait_for_predictions_are_refused_before_they_start(arena, learner, options):
    told = arena("play", learner, "greedy", "--rounds", 100_000, *options)
    assert told.exit_code == 2
    assert f"{learner} needs 37 GiB for 100,000 different points, and this machine has 8" in told.stderr
    assert "play fewer rounds" in told.stderr


@pytest.mark.parametrize("options", [("greedy",), ("drift", "--exact")], ids=" ".join)
def test_isolated_learners_are_compared_with_their_own_limit(arena, options):
    told = arena("play", "krr", *options, "--rounds", 40_000, "--isolate")
    assert told.exit_code == 2
    assert "krr needs 6 GiB for 40,000 different points, and an isolated process may use 4" in told.stderr


def test_matches_of_few_points_are_not_refused(arena):
    assert arena("play", "krr", "contrarian", "--rounds", 50, "--hindsight", "none").exit_code == 0
    assert "ends the match and keeps" in memory_note("krr", 100_000, adversary="contrarian")


def test_the_note_comes_before_the_match_and_not_into_json(arena, monkeypatch):
    monkeypatch.setattr(long_matches, "physical_memory", lambda: GIBIBYTE // 128)
    monkeypatch.setattr(long_matches, "FIT_ANYWHERE", 10)
    result = arena("play", "ewa", "alternating", "--rounds", 2_000)
    assert result.stderr.startswith("note: the memory of ewa grows")
    assert "regret" in result.stdout
    assert arena("play", "ewa", "alternating", "--rounds", 2_000, "--hindsight", "none", "--json").stderr == ""
    assert "note:" not in arena("play", "krr", "alternating", "--rounds", 100).stderr


def test_an_unknown_amount_of_memory(monkeypatch):
    monkeypatch.undo()
    assert 2**28 < long_matches.physical_memory() < 2**50
    monkeypatch.delattr("os.sysconf")
    assert long_matches.physical_memory() == float("inf")
