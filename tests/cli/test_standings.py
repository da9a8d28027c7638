"""The tables at the end of a tournament, in wide and narrow terminals and in pipes; everything unusual is listed."""

import io
import json
import re

import numpy as np
import pytest
from rich.console import Console

from arena.cli.standings import print_standings, standings_as_json
from arena.tournament.playing import Failed
from arena.tournament.scores import Scores
from arena_tests.summaries import GAME, league, summary

LONG = "pkawv(embedding=taylor(degree=2), regularisation=0.1)"


def noisy(*learners, **options):
    rng = np.random.default_rng(0)
    return league({name: lambda *_, at=at: 10.0 + 3 * at + rng.normal() for at, name in enumerate(learners)}, **options)


def printed(matches, width=None, **options):
    """Return the printed tables as plain text; `width` is the terminal's width, or None for a pipe."""
    file = io.StringIO()
    terminal = {"width": width, "force_terminal": True, "no_color": True} if width else {"width": 80}
    console = Console(file=file, highlight=False, soft_wrap=True, **terminal)
    print_standings(console, Scores.of(matches), **options)
    assert console.width == (width or 80)
    return re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())


def rows(output, heading):
    """Return the words of each line of the table with this heading."""
    table = output.partition(f"{heading}\n")[2].partition("\n\n")[0].splitlines()
    return [line.split() for line in table]


def test_a_ranking_with_intervals():
    table = rows(printed(noisy("good", "bad")), "Ranking")
    assert table[0] == ["place", "learner", "rank", "mean", "regret"]
    assert table[1][:4] == ["1", "good", "1.00", "[1.00,"]
    assert table[2][:3] == ["2", "bad", "2.00"]
    assert "Means over 3 settings (adversary and game) of means over 5 seeds" in printed(noisy("good", "bad"))


def test_ties_are_ties():
    output = printed(league({"a": lambda *_: 1.0, "b": lambda *_: 1.0, "c": lambda *_: 2.0}))
    assert [row[:3] for row in rows(output, "Ranking")[1:4]] == [
        ["1-2", "a", "1.50"], ["1-2", "b", "1.50"], ["3", "c", "3.00"],
    ]  # fmt: skip


def test_no_number_is_cut_in_a_narrow_terminal_and_lines_fit_into_80_columns():
    matches = noisy("good", LONG, "bad", adversaries=tuple("abcdefghijkl"))
    wide = printed(matches)
    assert LONG in wide.partition("Critical")[0]
    for width in (80, 50):
        narrow = printed(matches, width=width)
        numbers = [word for row in rows(wide, "Ranking")[1:4] for word in row if word[0].isdigit() or word[0] == "["]
        assert "…" not in narrow
        assert all(number in narrow for number in numbers)
    tables = printed(matches, width=80).partition("Worst match")[0]
    assert max(map(len, tables.splitlines())) <= 80


@pytest.mark.parametrize(("settings", "test"), [(6, "by permutations"), (12, "(Iman-Davenport)")])
def test_the_critical_difference(settings, test):
    output = printed(noisy("a", "b", "c", "d", adversaries=tuple("abcdefghijkl"[:settings]), seeds=2))
    assert f"Friedman's test over {settings} settings {test}: p = " in output
    assert "Demsar 2006" in output
    assert "│" in output.partition("Critical difference")[2]


def test_costs_and_the_learner_that_is_faster_and_better():
    matches = noisy("good", "bad")
    matches = [summary(**{**vars_of(each), "seconds": 1.0 if each.learner == "good" else 2.0}) for each in matches]
    table = rows(printed(matches), "Cost against regret")
    assert table[1] == ["good", "1", "5e+03", "7", "1.00", "none"]
    assert table[2] == ["bad", "2", "1e+04", "7", "2.00", "good"]


def test_a_learner_that_is_better_by_chance_alone_is_not_called_better():
    """The lucky learner has the better average rank, but the table does not say that it beats the other one."""
    flips = {"lucky": lambda _, seed: seed % 2, "unlucky": lambda *_: 0.5}
    matches = [summary(**{**vars_of(each), "seconds": 1.0 + (each.learner == "unlucky")}) for each in league(flips)]
    table = rows(printed(matches), "Cost against regret")
    assert [row[0] for row in table[1:3]] == ["lucky", "unlucky"]
    assert table[1][4] < table[2][4]
    assert [row[-1] for row in table[1:3]] == ["none", "none"]


def vars_of(match):
    names = ("learner", "adversary", "seed", "regret")
    return {name: getattr(match, name) for name in names}


def test_the_worst_match_has_a_command():
    matches = [summary("krr", "drift", 0, regret=1.0), summary("krr", "greedy", 4, regret=9.0)]
    other = {**GAME, "regularisation": 0.1}
    output = printed([*matches, summary("krr", "greedy", 5, regret=2.0, game=other)])
    assert "krr against greedy, seed 4: regret 9\n    arena play krr greedy --seed 4\n" in output
    output = printed([summary("krr", "greedy", violated=("awv-logdet", "ogd"), promised=("ogd",))])
    assert "    arena play krr greedy --bound awv-logdet\n" in output
    foreign = {**GAME, "kernel": "./mine.py:Mine"}
    output = printed([summary("krr", "greedy", game=foreign)])
    assert "arena judge nowhere/krr-greedy-0.npz --trust" in output


def test_forfeits_violations_and_failures_are_visible():
    matches = noisy("good", "bad")
    matches += [summary("bad", "x", 7, violated=("awv",)), summary("good", "x", 7, regret=0.0, forfeit="learner")]
    failed = [
        Failed("k", "bad", "y", GAME, 9, "late", "slow", 1),
        Failed("k", "good", "y", GAME, 9, "refused", "no", 1),
    ]
    output = printed(matches, failures=failed)
    table = rows(output, "Ranking")
    assert table[0][-3:] == ["violations", "forfeits", "failed"]
    assert table[1][-4:] == ["0", "✘", "1", "0"]
    assert table[2][-5:] == ["✘", "1", "0", "✘", "1"]
    assert "bad against x, seed 7: regret 1; ✘ violates awv" in output
    assert "good against x, seed 7: ✘ the learner forfeits in round 3: it predicted NaN" in output


def test_learners_of_which_every_match_failed_are_named():
    failed = [Failed("k", "dies", "y", GAME, seed, "died", "exit code 3", 2) for seed in range(3)]
    assert "dies is not ranked: 3 matches failed." in printed(noisy("a", "b"), failures=failed)


def test_forfeits_cost_nothing_and_beat_no_learner():
    matches = [
        *league({"a": lambda *_: 1.0}),
        *(summary("b", each, 0, forfeit="learner", seconds=0.0) for each in "xyz"),
    ]
    table = rows(printed([each for each in matches if each.seed == 0]), "Cost against regret")
    assert [row[:2] for row in table[1:3]] == [["a", "0.1"], ["b", "-"]]
    assert [row[-1] for row in table[1:3]] == ["none", "none"]


def test_what_the_ranking_leaves_out_is_said():
    matches = [*noisy("a", "b"), summary("c", "x", 0), summary("a", "w", 0, regret=None),
               summary("b", "w", 0, regret=None), summary("a", "w", 1, forfeit="adversary")]  # fmt: skip
    output = printed(matches)
    assert "c is not ranked: it shares too few of its matches (1) with the others." in output
    assert "A regret is unknown in 1 setting (w): ranked by the loss there." in output
    assert "1 match left out: interrupted, or forfeited by the adversary." in output
    fewer = printed([each for each in noisy("a", "b") if (each.learner, each.adversary) != ("a", "z")])
    assert "Only 10 of 15 combinations of adversary, game and seed were played by all of these learners: a 10." in fewer


def test_few_seeds_are_said():
    assert "one seed each: the spread over seeds is unknown, and places" in printed(noisy("a", "b", seeds=1))
    assert "very few seeds" in printed(league({"a": lambda _, seed: seed, "b": lambda *_: 1}, adversaries="x", seeds=3))


def test_too_few_matches_for_any_place_are_said():
    ordered = {"a": lambda *_: 1.0, "b": lambda *_: 2.0, "c": lambda *_: 3.0}
    few, enough = (league(ordered, adversaries="x", seeds=seeds) for seeds in (5, 7))
    output = " ".join(printed(few).split())
    assert "All learners share all places, since 5 common matches cannot show a difference: the smallest" in output
    assert "is 0.19 for all pairs together. From 7 matches of each learner on, a difference can be" in output
    assert "All learners share all places" not in printed(enough)
    assert standings_as_json(Scores.of(few))["smallest_p"] == 3 / 16


def test_intervals_of_the_regret_are_printed():
    matches = [summary(each, "x", seed, ends=(1.0, 2.0)) for each in "ab" for seed in range(3)]
    output = printed(matches)
    assert "1 to 2 [1, 2]" in output
    assert "3 pairs of matches share ranks because the intervals of their regrets overlap." in output


@pytest.mark.parametrize("matches", [[], [summary()], [summary(forfeit="learner")]], ids=["none", "one", "forfeit"])
def test_hardly_anything_was_played(matches):
    output = printed(matches)
    assert ("Ranking" in output) == bool(matches)
    assert "Critical" not in output
    json.dumps(standings_as_json(Scores.of(matches)))


def test_json():
    found = standings_as_json(Scores.of(noisy("good", "bad")))
    assert [each["learner"] for each in found["ranking"]] == ["good", "bad"]
    assert found["ranking"][0]["places"] == (1, 1)
    assert found["critical_difference"]["groups"] == [["good", "bad"]]
    assert found["worst"][0]["command"].startswith("arena play")
    assert (found["common"], found["settings"], found["seeds"]) == (15, 3, [5, 5])


def test_a_tournament_ends_with_them(arena):
    words = ("tournament", "krr", "zero", "--against", "drift", "--rounds", 10, "--seeds", 2, "--workers", 0)
    output = arena(*words).output
    assert "\nRanking\nplace  learner" in output
    assert "arena play krr drift --rounds 10" in output
    standings = json.loads(arena(*words, "--json").output)["standings"]
    assert {each["learner"] for each in standings["ranking"]} == {"krr", "zero"}
