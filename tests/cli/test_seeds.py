"""`arena play --seeds`: output and exit codes."""

import json
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

from arena import Transcript
from arena_tests.sources import STOPPED_IN_THE_FOURTH

FORFEITS = """
class Fails:
    def predict(self, x): return float("nan") if x[0] > 0.9 else 0.0
    def update(self, x, y): pass
"""

PRESSES_CTRL_C = """
import os, signal
class Presses:
    def predict(self, x):
        if x[0] > 0.5: os.kill(os.getpid(), signal.SIGINT)
        return 0.0
    def update(self, x, y): pass
"""


@pytest.fixture
def one_processor(monkeypatch):
    """Make the series run in one process, since starting processes would take longer than the matches."""
    monkeypatch.setattr("arena.tournament.series.processors", lambda: 1)


@pytest.mark.usefixtures("one_processor")
def test_the_summary_names_the_worst_seed_and_its_command(arena):
    result = arena("play", "fgd", "repeated(points=3)", "--rounds", 30, "--seeds", 4, "--seed", 2, "--bound", "ogd")
    assert result.exit_code == 0
    assert "fgd against repeated(points=3): 30 rounds, seeds 2 to 5" in result.output
    assert "ogd: holds: in each of 4 matches" in result.output
    worst = next(line for line in result.output.splitlines() if line.startswith("Worst: "))
    single = json.loads(arena(*shlex.split(worst)[2:], "--json").output)
    others = [
        json.loads(arena("play", "fgd", "repeated(points=3)", "--rounds", 30, "--seed", seed, "--json").output)
        for seed in range(2, 6)
    ]
    assert single["regret"] == max(other["regret"] for other in others)


@pytest.mark.usefixtures("one_processor")
def test_the_repeating_command_gives_the_same_series(arena):
    words = ("play", "krr", "repeated(points=3)", "--rounds", 20, "--seeds", 3, "--seed", 4, "--bound", "awv-logdet")
    first = json.loads(arena(*words, "--json").output)
    second = json.loads(arena(*shlex.split(first["command"])[1:], "--json").output)
    for result in (first, second):
        del result["seconds"], result["each"]["seconds"]
    assert first == second


@pytest.mark.usefixtures("one_processor")
def test_json_has_the_keys_of_a_single_match_and_an_array_for_each_number(arena):
    words = ("play", "sketched-kons", "repeated(points=3)", "--rounds", 20, "--json")
    single = json.loads(arena(*words).output)
    many = json.loads(arena(*words, "--seeds", 3).output)
    assert set(single) <= set(many)
    assert many["seeds"] == [0, 1, 2]
    assert many["each"]["regret"][0] == single["regret"]
    assert many["regret"] == np.mean(many["each"]["regret"])
    assert many["quantiles"]["regret"]["1"] == max(many["each"]["regret"])
    assert many["endings"] == ["completed"] * 3


@pytest.mark.usefixtures("one_processor")
def test_a_violation_exits_with_1_and_files_are_of_the_worst_match(arena, tmp_path):
    result = arena("play", "krr", "alternating", "--rounds", 60, "--seeds", 2, "--bound", "awv-logdet",
                   "--save", "worst.npz", "--report", "worst.html")  # fmt: skip
    assert result.exit_code == 1
    assert "awv-logdet: violated: in 2 of 2 matches; with seed 0" in result.output
    assert "Saved (seed 0): worst.npz" in result.output
    assert Transcript.load(tmp_path / "worst.npz").rounds == 60
    assert "awv-logdet" in (tmp_path / "worst.html").read_text()


def test_a_forfeit_exits_with_1_and_names_its_seeds(arena, write):
    path = write("mine.py", FORFEITS)
    result = arena("play", f"{path}:Fails", "repeated(points=2)", "--rounds", 5, "--seeds", 6)
    assert result.exit_code == 1
    many = json.loads(
        arena("play", f"{path}:Fails", "repeated(points=2)", "--rounds", 5, "--seeds", 6, "--json").output
    )
    seeds = [seed for seed, ending in zip(many["seeds"], many["endings"], strict=True) if ending == "forfeit"]
    assert 1 < len(seeds) < 6
    first = f"with seed {seeds[0]}: the learner forfeits in round "
    assert f"\nForfeit: seeds {', '.join(map(str, seeds))}; {first}" in result.output
    assert many["worst"]["seed"] in seeds


@pytest.mark.usefixtures("one_processor")
def test_ctrl_c_exits_with_130_and_prints_the_matches_played(arena, write):
    path = write("mine.py", PRESSES_CTRL_C)
    result = arena("play", f"{path}:Presses", "repeated(points=2)", "--rounds", 5, "--seeds", 40)
    assert result.exit_code == 130
    assert re.search(r"Interrupted: \d+ of 40 matches were played", result.output)


@pytest.mark.usefixtures("one_processor")
def test_after_ctrl_c_numbers_are_printed_even_if_the_worst_match_takes_too_long_to_play_again(arena, write):
    path = write("stopped.py", STOPPED_IN_THE_FOURTH)
    options = ("--rounds", 5, "--seeds", 40, "--bound", "awv-logdet", "--save", "worst.npz")
    result = arena("play", f"{path}:Stopped", "alternating", *options)
    assert result.exit_code == 130
    assert "Interrupted: 3 of 40 matches were played" in result.output
    assert re.search(r"  loss +5 +5 ", result.output)
    assert "awv-logdet" in result.output
    assert "Saved" not in result.output
    assert not Path("worst.npz").exists()


@pytest.mark.parametrize("seeds", [0, -1])
def test_wrong_numbers_of_seeds(arena, seeds):
    result = arena("play", "zero", "alternating", "--seeds", seeds)
    assert result.exit_code == 2
    assert "seeds must be a whole number >= 1" in result.output


@pytest.mark.usefixtures("one_processor")
def test_unknown_names_are_reported_once(arena):
    result = arena("play", "zeroo", "alternating", "--seeds", 3)
    assert result.exit_code == 2
    assert "Did you mean 'zero'" in result.output


@pytest.mark.usefixtures("one_processor")
def test_without_regret_the_losses_are_printed(arena):
    result = arena("play", "zero", "alternating", "--rounds", 5, "--seeds", 2, "--hindsight", "none")
    assert result.exit_code == 0
    assert re.search(r"^  loss( +5){6}$", result.output, re.MULTILINE)
    assert "plain regret" not in result.output
    assert "No theorem was judged" in result.output


def test_a_folder_named_arena_in_the_working_folder_is_not_imported(tmp_path):
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / "__init__.py").write_text("raise RuntimeError('imported from the working folder')\n")
    command = [Path(sysconfig.get_path("scripts")) / "arena", "play", "krr", "alternating", "--seeds", "4"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert "imported from the working folder" not in result.stderr
    assert (result.returncode, "seeds 0 to 3" in result.stdout) == (0, True), result.stderr


@pytest.mark.usefixtures("one_processor")
def test_a_wide_interval_of_the_regret_is_printed_with_both_ends(arena):
    words = ("fgd", "repeated(points=7, labels=contrary)", "--rounds", 60, "--loss", "hinge", "--seeds", 3)
    wide = ("play", *words, "--regularisation", 1e-11)
    lines = {line[:16].strip(): line[16:].split() for line in arena(*wide).output.splitlines()}
    assert "regret" not in lines
    content = json.loads(arena(*wide, "--json").output)
    assert content["regret"] is None
    ends = np.array(content["each"]["regret_interval"])
    for end, head in enumerate(("regret, from", "regret, to")):
        assert lines[head][0] == f"{content['regret_interval'][end]:.5g}"
        assert lines[head][1] == f"{ends[:, end].min():.5g}"
    narrow = arena("play", *words, "--regularisation", 0.01).output
    assert "regret, from" not in narrow
    assert "  regret  " in narrow
