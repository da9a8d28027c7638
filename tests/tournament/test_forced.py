"""The table of lower bounds: its means, the learner closest to the bound, and matches that are left out."""

import io

import pytest
from rich.console import Console

from arena.cli.standings import print_standings, standings_as_json
from arena.record.verdict import Verdict
from arena.tournament.forced import forced_regrets
from arena.tournament.scores import Scores
from arena_tests.summaries import summary


def match(learner, seed, regret, forced, allowed=None, adversary="x", **others):
    lower = (Verdict("least", "least", "holds", measured=regret, allowed=forced, lower=True),) if forced else ()
    upper = (Verdict("most", "most", "holds", measured=regret, allowed=allowed),) if allowed else ()
    return summary(learner, adversary, seed, regret=regret, lower=lower, verdicts=upper, **others)


def test_the_closest_learner_with_its_means():
    matches = [
        match("near", 0, 4.0, 3.0, 6.0), match("near", 1, 6.0, 5.0, 8.0),
        match("far", 0, 9.0, 3.0), match("far", 1, 9.0, 3.0),
    ]  # fmt: skip
    (found,) = forced_regrets(Scores.of(matches))
    assert (found.learner, found.forced, found.regret, found.allowed) == ("near", 4.0, 5.0, 7.0)
    assert found.share == pytest.approx(0.8)
    (as_json,) = standings_as_json(Scores.of(matches))["forced"]
    assert as_json["adversary"] == "x"
    assert as_json["forced"] == 4.0


def test_settings_without_a_bound_in_each_match_are_left_out():
    matches = [match("a", 0, 4.0, 3.0), match("a", 1, 4.0, None), match("a", 0, 4.0, None, adversary="y")]
    assert forced_regrets(Scores.of(matches)) == []
    forfeited = match("a", 0, 4.0, 3.0, forfeit="learner")
    assert forced_regrets(Scores.of([forfeited])) == []


@pytest.mark.parametrize("known", [True, False])
def test_the_table_is_printed_where_there_is_a_bound(known):
    console = Console(width=200, record=True, file=io.StringIO())
    print_standings(console, Scores.of([match("a", 0, 4.0, 3.25 if known else None, 6.5)]))
    text = console.export_text()
    assert ("Lower bounds" in text) is known
    assert ("3.25" in text and "6.5" in text) is known
