"""Stores keep regrets to named comparators, log loss, error rate and F1; tables and exports show them."""

import csv
import json

import pytest

from arena import ArenaError, Store, Tournament
from arena.tournament.export import export
from arena.tournament.league import read_league

NAMES = ("constant", "shifts(k=2)")


def league(*comparators, loss="logistic"):
    game = {"rounds": 12, "loss": loss}
    return Tournament(["krr", "zero"], ["alternating"], [game], 2, comparators=comparators)


def test_the_numbers_are_those_of_the_transcript(tmp_path):
    league(*NAMES).run(store=tmp_path / "s", workers=0)
    store = Store(tmp_path / "s")
    for summary in store.summaries():
        run = store.transcript(summary.key)
        numbers = run.summary()
        assert (summary.error_rate, summary.log_loss, summary.f1) == tuple(
            numbers[name] for name in ("error_rate", "log_loss", "f1")
        )
        assert summary.log_loss > 0.0
        for name in NAMES:
            assert summary.comparators[name] == pytest.approx(run.regret_to(name).regret, rel=1e-12)


def test_another_comparator_is_computed_from_what_is_kept(tmp_path):
    league(NAMES[0]).run(store=tmp_path / "s", workers=0)
    result = league(NAMES[1]).run(store=tmp_path / "s", workers=0)
    assert (result.played, result.kept) == (0, 4)
    assert all(set(summary.comparators) == set(NAMES) for summary in result.summaries())
    alone = {each.key: each.comparators[NAMES[0]] for each in result.summaries()}
    league(*NAMES).run(store=tmp_path / "both", workers=0)
    assert alone == {each.key: each.comparators[NAMES[0]] for each in Store(tmp_path / "both").summaries()}


def test_tables_and_exports_show_them(tmp_path):
    result = league(*NAMES).run(workers=0)
    zero = next(each for each in result.series() if each.learner == "zero")
    matches = [each for each in result.summaries() if each.learner == "zero"]
    assert zero.means["log_loss"] == pytest.approx(sum(each.log_loss for each in matches) / 2)
    lower = sum(each.comparators["constant"][0] for each in matches) / 2
    assert zero.mean_regrets_to["constant"][0] == pytest.approx(lower)
    export(matches, tmp_path / "m.csv")
    with open(tmp_path / "m.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["log_loss"]) for row in rows] == [each.log_loss for each in matches]
    assert json.loads(rows[0]["comparators"])["constant"] == list(matches[0].comparators["constant"])
    plain = league(loss="squared").run(workers=0).series()
    assert all(each.means == {} for each in plain)


def test_a_file_names_comparators(tmp_path):
    path = tmp_path / "league.toml"
    start = 'learners = "zero"\nadversaries = "drift"\n'
    path.write_text(start + 'comparators = ["constant", "shifts(k=2)"]\n')
    assert [each.name for each in read_league(path).comparators] == ["constant", "shifts"]
    path.write_text(start + 'comparators = ["konstant",\n "./mine.py:C"]\n')
    with pytest.raises(ArenaError, match=r"comparators\[0\]: there is no comparator named 'konstant'") as raised:
        read_league(path)
    assert "comparators[1]: ./mine.py:C is code outside the arena" in str(raised.value)


def test_a_comparator_that_some_seeds_lack_has_no_mean(tmp_path):
    plan = {"learners": ["zero"], "adversaries": ["drift"], "games": [{"rounds": 10}]}
    Tournament(**plan, seeds=1, comparators=["constant"]).run(store=tmp_path, workers=0)
    result = Tournament(**plan, seeds=3).run(store=tmp_path, workers=0)
    assert sorted(len(each.comparators) for each in result.summaries()) == [0, 0, 1]
    (series,) = result.series()
    assert series.mean_regrets_to == {"constant": None}
