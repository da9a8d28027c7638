"""`arena tournament` and `arena store`: output, files and exit codes."""

import json
import re

import pytest

from arena.cli.progress import TournamentProgress, in_words
from arena.tournament.running import Report

SMALL = ("--rounds", 5, "--workers", 0)


def test_learners_and_adversaries_of_the_command_line(arena):
    result = arena(
        "tournament", "krr", "fgd(rate=[0.1,0.2])", "--against", "drift", "alternating", "--seeds", 2, *SMALL
    )
    assert result.exit_code == 0
    assert "12 matches: 12 played, 0 kept before in .arena/store" in result.output
    for learner in ("krr", "fgd(rate=0.1)", "fgd(rate=0.2)"):
        assert len(re.findall(rf"^ *{re.escape(learner)} +(drift|alternating) ", result.output, re.MULTILINE)) == 2


def test_the_usual_store_is_hidden_from_git(arena, tmp_path):
    arena("tournament", "krr", "--against", "drift", *SMALL)
    assert (tmp_path / ".arena/.gitignore").read_text() == "*\n"
    assert arena("store", "verify").exit_code == 0


def test_options_may_stand_anywhere(arena):
    result = arena("tournament", *SMALL, "krr", "--seeds", 2, "--against", "drift", "alternating", "--dry-run")
    assert result.exit_code == 0
    assert "4 matches, 0 kept" in result.output
    assert arena("store", "list").exit_code == 2  # nothing was played, nothing written


def test_json_says_what_happened(arena):
    words = ("tournament", "krr", "pkawv-beforehand", "--against", "drift", "greedy", "--seeds", 2, *SMALL, "--json")
    result = json.loads(arena(*words).output)
    assert (result["planned"], result["played"], result["kept"], result["failed"]) == (6, 6, 0, [])
    assert [each["adversary"] for each in result["skipped"]] == ["greedy"]
    assert "must know the whole sequence" in result["skipped"][0]["reason"]
    assert {(each["learner"], each["matches"]) for each in result["outcomes"]} == {("krr", 2), ("pkawv-beforehand", 2)}
    dry = json.loads(arena(*words, "--dry-run").output)
    assert [match["kept"] for match in dry["matches"]] == [True] * 6
    listed = [json.loads(line) for line in arena("store", "list", "--json").stdout.splitlines()]
    assert {each["key"] for each in listed} == {match["key"] for match in dry["matches"]}
    assert all(each["course"][-1] == pytest.approx(each["regret"], rel=1e-5) for each in listed)


def test_a_violation_or_a_forfeit_exits_with_1(arena, write):
    result = arena("tournament", "krr", "--against", "greedy", "--rounds", 60, "--bound", "awv-logdet", "--workers", 0)
    assert result.exit_code == 1
    assert "awv-logdet" in result.output
    nan = write(
        "nan.py", "class Nan:\n    def predict(self, x): return float('nan')\n    def update(self, x, y): pass\n"
    )
    result = arena("tournament", f"{nan}:Nan", "--against", "drift", *SMALL)
    assert result.exit_code == 1
    assert "1 forfeit" in result.output


def test_theorems_with_a_probability_are_judged_over_the_seeds(arena):
    words = ("tournament", "zero", "--against", "alternating", "--rounds", 5, "--workers", 0, "--seeds", 3)
    result = arena(*words, "--bound", "descent-fourier-rkhs")
    assert result.exit_code == 2
    result = arena(*words, "--bound", "awv-logdet", "--json")
    assert result.exit_code in (0, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("krr",), "Missing option '--against ADVERSARY...'"),
        (("krr", "--against"), "needs at least one adversary"),
        (("krr", "zeroo", "--against", "drift", "driftt"), "no learner named 'zeroo'"),
        (("krr", "--against", "drift", "--bound", "awv"), "no theorem named 'awv'"),
        (("none.toml",), "cannot read none.toml"),
        (("none.toml", "--against", "drift"), "says who plays"),
        (("krr", "--against", "drift", "--store", "file"), "Error"),
    ],
)
def test_wrong_usage_is_a_message(words, message, arena, write):
    write("file", "mine")
    result = arena("tournament", *words)
    assert result.exit_code == 2
    assert message in result.output


def test_all_bad_entries_of_a_file_are_printed(arena, write):
    write("league.toml", 'learners = ["krrr"]\nadversaries = ["driftt"]\n')
    result = arena("tournament", "league.toml")
    assert result.exit_code == 2
    assert "league.toml, learners[0]: there is no learner named 'krrr'" in result.output
    assert "league.toml, adversaries[0]: there is no adversary named 'driftt'" in result.output


def test_nothing_to_play_is_no_success(arena):
    result = arena("tournament", "pkawv-beforehand", "--against", "greedy", *SMALL)
    assert result.exit_code == 2
    assert "No match was played" in result.output


def test_a_damaged_store_exits_with_3(arena, tmp_path):
    arena("tournament", "krr", "--against", "drift", "--seeds", 2, *SMALL)
    assert arena("store", "verify").exit_code == 0
    path = sorted((tmp_path / ".arena/store/matches").rglob("*.npz"))[0]
    path.write_bytes(path.read_bytes()[:100])
    result = arena("store", "verify")
    assert result.exit_code == 3
    assert "damaged: " in result.output
    assert "1 match sound" in result.output
    assert json.loads(arena("store", "verify", "--json").output)["matches"] == 1


def test_a_store_that_is_not_there(arena):
    for command in ("list", "verify", "gc"):
        result = arena("store", command, "nowhere")
        assert result.exit_code == 2
        assert "there is no store nowhere" in result.output


def test_progress_is_a_line_every_ten_seconds(capsys):
    from rich.console import Console

    report = Report(total=10, kept=2, done=5, failed=1, skipped=0, seconds_left=3661.0, workers={0: 2, 1: 3})
    assert in_words(report).endswith("2 left, about 1:01:01 left; workers: 2, 3")
    with TournamentProgress(Console(stderr=True), 10) as progress:
        progress(report)
        progress.last -= 11
        progress(report)
        progress(report)
    assert capsys.readouterr().err.count("7 of 10 matches done (2 kept before), 1 failed") == 1


def test_a_pattern_that_fits_no_match_is_named(arena):
    result = arena("tournament", "krr", "--against", "drift", "--rounds", 5, "--only", "seed=[1")
    assert result.exit_code == 2
    assert "No match was played: no match fits --only 'seed=[1'; --dry-run without it lists all" in result.output
