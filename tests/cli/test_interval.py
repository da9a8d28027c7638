"""Matches on the command line whose regret is known only in an interval."""

import json


def test_the_interval_is_shown_and_judged(arena):
    result = arena("play", "kernel-awv", "repeated(points=9)", "--rounds", 300, "--hindsight", "interval")
    assert result.exit_code == 0
    assert "beyond the best penalised predictor in hindsight" in result.output
    assert " to " in next(line for line in result.output.splitlines() if line.strip().startswith("regret"))
    assert "holds for every value in the interval" in result.output


def test_json_has_both_ends(arena):
    words = ("play", "zero", "repeated(points=9)", "--rounds", 300, "--bound", "awv-logdet", "--json", "--hindsight")
    interval = json.loads(arena(*words, "interval").output)
    exact = json.loads(arena(*words, "exact").output)
    low, high = interval["regret_interval"]
    assert interval["regret"] is None
    assert low <= exact["regret"] <= high
    assert exact["regret_interval"] == [exact["regret"], exact["regret"]]
    assert interval["verdicts"][0]["outcome"] == exact["verdicts"][0]["outcome"] == "violated"
    assert len(interval["verdicts"][0]["other_end"]) == 2


def test_a_violation_at_both_ends_is_a_failure(arena):
    words = ("play", "zero", "repeated(points=9)", "--rounds", 300, "--hindsight", "interval", "--bound", "awv-logdet")
    result = arena(*words)
    assert result.exit_code == 1
    assert "violated: for every value in the interval" in result.output


def test_nothing_is_claimed_if_the_interval_contains_the_bound(arena):
    """Lambda is so small that rounding errors leave no features, so the interval is wide."""
    words = ("play", "krr", "repeated(points=200)", "--dimension", 5, "--kernel", "laplacian", "--bound", "awv-logdet")
    result = arena(*words, "--regularisation", 1e-11, "--hindsight", "interval")
    assert result.exit_code == 2
    assert "? awv-logdet: undecided: regret between" in result.output
    assert "narrow it with --hindsight exact" in result.output


def test_saved_intervals_are_judged_again(arena):
    words = ("play", "krr", "repeated(points=9)", "--rounds", 200, "--hindsight", "interval", "--save", "run.npz")
    assert arena(*words).exit_code == 0
    again = arena("judge", "run.npz", "--bound", "clipped-krr")
    assert "clipped-krr" in again.output
