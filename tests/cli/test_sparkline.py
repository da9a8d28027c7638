"""Sparklines have the curve's heights, in blocks or in plain characters, and fit into the terminal."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

from arena import Tournament, play
from arena.cli.files import Output
from arena.cli.overview_tables import print_regrets
from arena.cli.result import print_result
from arena.cli.sparkline import BLOCKS, PLAIN, sparkline
from arena.cli.text_tables import print_columns
from arena.record.judgement import Judgement
from arena.record.tables import regret_samples
from arena.reports.pairings import Overview
from arena.reports.sources import Matches


def printed(run, *, width=100, encoding="utf-8", terminal=True):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(
        file=file, width=width, force_terminal=terminal, highlight=False, soft_wrap=True, color_system=None
    )
    print_result(console, run, Judgement(claims=("none",)), output=Output())
    file.flush()
    return file.buffer.getvalue().decode(encoding)


@pytest.fixture(scope="module")
def run():
    return play("krr", "greedy", rounds=60)


def test_each_character_is_the_height_of_the_regret_after_its_rounds(run):
    line = re.search(r"over rounds +(\S+)   regret from 0 to (\S+)", printed(run))
    heights = [BLOCKS.index(each) for each in line[1]]
    expected = np.rint(run.regret[np.arange(1, 25) * 60 // 24 - 1] / run.regret.max() * 7)
    assert heights == expected.tolist()
    assert float(line[2]) == pytest.approx(run.regret.max(), rel=1e-3)


def test_plain_characters_stand_in_where_the_encoding_has_no_blocks(run):
    text = printed(run, encoding="ascii")
    line = re.search(r"over rounds +(\S+)", text)[1]
    assert set(line) <= set(PLAIN)
    assert len(line) == 24


@pytest.mark.parametrize(("width", "drawn"), [(100, 24), (60, 12), (50, 0)])
def test_narrow_terminals_get_shorter_lines_or_none(run, width, drawn):
    text = printed(run, width=width)
    line = re.search(r"over rounds +(\S+).*", text)
    assert (len(line[1]) if line else 0) == drawn
    assert line is None or len(line[0]) < width


def test_nothing_is_drawn_where_the_regret_is_unknown_or_zero():
    assert "over rounds" not in printed(play("zero", "realisable", rounds=20, hindsight="none"))
    assert "over rounds" not in printed(play("krr", "greedy", rounds=5))


def test_overflow_and_gaps_are_drawn_at_the_edge():
    assert sparkline(np.array([-np.inf, 0.0, 1e308, np.inf, np.nan]), width=5, low=-1e308, high=1e308) == "▁▅██ "


def test_the_report_has_a_line_for_each_pairing_with_one_scale_for_a_column(tmp_path):
    plan = Tournament(["krr", "zero"], ["alternating", "greedy"], [{"rounds": 30}])
    plan.run(store=tmp_path / "store", workers=0)
    matches = Matches([tmp_path / "store"])
    found = Overview.of(matches.tables())
    file = io.StringIO()
    print_regrets(Console(file=file, width=200, force_terminal=False), found)
    lines = {line.split()[0]: line.split()[1:] for line in file.getvalue().splitlines() if line}
    assert {len(lines[each]) for each in ("krr", "zero")} == {2}
    runs = {each.learner: matches.transcript(each) for each in found.shown if each.adversary == "greedy"}
    top = max(run.regret.max() for run in runs.values())
    for learner, run in runs.items():
        assert lines[learner][1][-1] == BLOCKS[round(run.regret[-1] / top * 7)]
    assert lines["zero"][1][-1] == "█"


@pytest.mark.parametrize(("width", "drawn"), [(200, 16), (50, 11), (43, 0)])
def test_a_column_of_sparklines_appears_where_there_is_room(width, drawn):
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None, highlight=False, soft_wrap=True)
    columns = {"learner": ["a-learner", "another-one"], "regret": ["12.5", "1000"], "seconds": ["0.1", "0.25"]}
    curves = [tuple(np.arange(24.0)), ()]
    assert print_columns(console, columns, curves=curves, last=["", "forfeit"]) == bool(drawn)
    first = file.getvalue().splitlines()[1]
    assert sum(first.count(each) for each in BLOCKS) == drawn
    assert max(map(len, file.getvalue().splitlines())) <= width


def test_a_regret_that_is_rounding_alone_is_zero():
    run = play("zero", "alternating", rounds=200)
    assert (run.regret[1::2] == 0.0).all()
    assert (run.regret[::2] > 1e-3).all()
    assert (run.plain_regret[1::2] == 0.0).all()
    assert regret_samples(run)[-1] == 0.0
