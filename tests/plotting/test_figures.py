"""Figures have the same bytes in every run, contain their fonts, and write hostile names as plain text."""

import itertools
import re
import subprocess
import sys

import matplotlib
import numpy as np
import pytest

from arena import ArenaError
from arena.plotting.curves import Curve, CurvePanel, Mark, curve_figure
from arena.plotting.scatter import Point, scatter_figure
from arena.plotting.sheet import FORMATS
from arena.plotting.style import WIDTHS, looks
from arena.plotting.tables import Cell, Interval, interval_figure, matrix_figure

HOSTILE = "$\\frac{1}{0}$ <b>\n\x1b[31m 漢字 \U0001f3b2 " + 300 * "x"
X = np.arange(1.0, 51.0)
LOOKS = looks(["a", "b", HOSTILE])


def curves(*, log="", name="$x$"):
    names = zip(["a", "b", name], LOOKS.values(), strict=True)
    drawn = [Curve(each, X, X ** (0.3 + place / 5), look) for place, (each, look) in enumerate(names)]
    bound = Curve("bound of all", X, 5 * X, LOOKS["a"], "bound")
    return curve_figure(CurvePanel("A title", name, "regret", [*drawn, bound], log, [Mark(30, 3.0, name)]))


def every_kind(columns="one"):
    """Yield one figure of each kind; their names include a hostile one."""
    yield curve_figure(CurvePanel(HOSTILE, "", "regret", [Curve(HOSTILE, X, X, LOOKS["b"])]), columns=columns)
    names = list(LOOKS)
    cells = [[Cell("99", 0.99), Cell("101", 1.0, broken=True)] for _ in names]
    yield matrix_figure("Title", "subtitle", names, names[1:], cells, columns=columns, key="key")
    rows = [Interval(name, 1.0 + at, LOOKS[name], (0.5 + at, 1.2 + at), "1 forfeit") for at, name in enumerate(names)]
    yield interval_figure("Title", "subtitle", "rank", rows, columns=columns)
    points = [Point(name, 10.0**at, 3.0 - at, LOOKS[name], None, at == 1) for at, name in enumerate(names)]
    yield scatter_figure("Title", "subtitle", "time", "regret", points, columns=columns)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_figure_gives_the_same_bytes_without_a_date(kind):
    first, second = curves().content(kind), curves().content(kind)
    assert first == second
    assert not re.search(rb"CreationDate|ModDate|<dc:date>|tIME|tEXtDate", first)
    assert b"regret-arena" in first


def test_the_settings_of_the_user_change_no_byte():
    before = curves().content("svg")
    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "none", "axes.facecolor": "red"}):
        assert curves().content("svg") == before


def test_letters_are_part_of_the_file():
    pdf = curves().content("pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    svg = curves().content("svg")
    assert b"<text" not in svg
    assert b"font-family" not in svg


def test_saving_by_hand_is_as_good(tmp_path):
    drawn = curves()
    drawn.savefig(tmp_path / "one.pdf")
    assert (tmp_path / "one.pdf").read_bytes() == drawn.content("pdf")
    assert drawn._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ArenaError, match="pdf, svg, png"):
        drawn.content("gif")


@pytest.mark.parametrize("columns", WIDTHS)
def test_every_text_lies_on_the_sheet_and_none_is_mathematics(columns):
    for drawn in every_kind(columns):
        assert drawn.get_figwidth() == WIDTHS[columns]
        drawn.draw_without_rendering()
        whole = drawn.bbox
        texts = [*drawn.texts]
        for axes in drawn.axes:
            texts += [*axes.texts, axes.xaxis.label, axes.yaxis.label]
        texts = [each for each in texts if each.get_text()]
        assert texts
        for each in texts:
            assert "\n\x1b" not in each.get_text()
            if "frac" in each.get_text():
                assert not each.get_parse_math()
            box = each.get_window_extent()
            assert box.x0 >= whole.x0 - 2, each.get_text()
            assert box.x1 <= whole.x1 + 2, each.get_text()
            assert box.y0 >= whole.y0 - 2, each.get_text()


def test_names_at_the_ends_of_curves_do_not_cover_one_another():
    for log in ("", "y", "xy"):
        drawn = curves(log=log)
        (axes,) = drawn.axes
        drawn.draw_without_rendering()
        right = axes.get_window_extent().x1
        labels = [each.get_window_extent() for each in axes.texts if each.get_window_extent().x0 > right]
        assert len(labels) == 4
        spans = sorted((each.y0 + 2, each.y1 - 2) for each in labels)
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))


def test_points_that_another_beats_are_hollow():
    *_, drawn = every_kind()
    marks = {line.get_marker(): line for line in drawn.axes[0].lines if line.get_marker() not in ("None", "")}
    assert marks["s"].get_markerfacecolor() == "white"
    assert marks["o"].get_markerfacecolor() == LOOKS["a"].colour


def test_broken_cells_have_a_frame():
    _, drawn, *_ = every_kind()
    frames = [each for each in drawn.axes[0].patches if each.get_linewidth() > 1.2 and each.get_edgecolor()[0] > 0.6]
    assert len(frames) == 3


def test_the_package_starts_without_matplotlib():
    program = (
        "import arena, arena.record.transcript, arena.tournament.running, arena.hunt.findings, sys; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert "matplotlib" not in done.stdout.split()
