"""The tables of matches keep what was added, also after Ctrl-C in the middle of an addition."""

import pytest

from arena.record.series import series_of
from arena.record.tables import Tables
from arena.record.verdict import Verdict
from arena.tournament.scores import Scores
from arena_tests.summaries import summary


def rows(count):
    for seed in range(count):
        verdicts = [Verdict(f"t{each}", "t", "holds", measured=1.0, allowed=2.0) for each in range(seed + 1)]
        lower = [Verdict("below", "below", "holds", measured=3.0, allowed=float(seed), lower=True)]
        yield summary("a", "x", seed, regret=float(seed), verdicts=verdicts, lower=lower)


def test_rows_and_judgements_come_back():
    tables = Tables.of_rows(rows(4))
    assert [row.seed for row in tables] == [0, 1, 2, 3]
    assert [len(row.verdicts) for row in tables] == [1, 2, 3, 4]
    assert [row.lower[0].allowed for row in tables] == [0.0, 1.0, 2.0, 3.0]
    assert [row.entry for row in tables] == [row.entry for row in rows(4)]


@pytest.mark.parametrize("step", range(1, 12))
def test_an_addition_that_ctrl_c_ends_leaves_the_matches_before(monkeypatch, step):
    """Ctrl-C arrives at the `step`-th value that is added."""
    tables = Tables.of_rows(rows(2))
    entry, calls = next(rows(1)).entry, iter(range(1, 100))
    once = Tables._once

    def interrupted(self, value):
        if next(calls) == step:
            raise KeyboardInterrupt
        return once(self, value)

    monkeypatch.setattr(Tables, "_once", interrupted)
    monkeypatch.setattr("arena.record.tables._packed", lambda _, value: interrupted(tables, str(value)) and value)
    try:
        tables.add(entry)
    except KeyboardInterrupt:
        monkeypatch.undo()
        assert len(tables) == len(tables.column("seed")) == len(tables.known("regret")) == 2
        assert [len(row.verdicts) for row in tables] == [1, 2]
        (found,) = series_of(tables)
        assert found.state == "holds"
        assert len(Scores.of(tables).rows) == 2
    else:
        pytest.fail("nothing interrupted the addition")
