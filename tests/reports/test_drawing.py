"""Drawings of figures: downsampled curves, marks of points, axes and gaps."""

import itertools
import re

import numpy as np
import pytest

from arena import play
from arena.players.moves import GivenMoves
from arena.reports.drawing import Axis, Drawing, Panel, Scale
from arena.reports.point_figure import gathered, plane_of
from arena.reports.round_figures import envelope, kept_rounds


@pytest.mark.parametrize("columns", [1, 7, 400])
def test_downsampling_keeps_first_last_and_extremes(columns):
    generator = np.random.default_rng(1)
    values = generator.standard_cauchy(20_000)
    values[[5, 7000]] = np.nan
    kept = kept_rounds(values, columns)
    assert len(kept) <= 4 * columns + 2
    assert {0, len(values) - 1, int(np.nanargmin(values)), int(np.nanargmax(values))} <= set(kept.tolist())
    assert (np.diff(kept) > 0).all()


def test_envelopes_agree_with_a_loop_over_the_groups_of_rounds():
    values = np.random.default_rng(2).normal(size=1003)
    middle, lowest, means, highest = envelope(values, 50)
    edges = np.linspace(0, 1003, 51).astype(int)
    pieces = [values[start:stop] for start, stop in itertools.pairwise(edges)]
    assert np.array_equal(lowest, [piece.min() for piece in pieces])
    assert np.array_equal(highest, [piece.max() for piece in pieces])
    assert np.allclose(means, [piece.mean() for piece in pieces], rtol=0, atol=1e-12)
    assert middle[0] > 1
    assert middle[-1] < 1003


@pytest.mark.parametrize("value", [0.0, -3.0, 1e16, -5e28, 1e150])
def test_an_axis_of_equal_values_has_them_in_the_middle_whatever_their_size(value):
    for high in (value, np.nextafter(value, np.inf)):
        axis = Axis(value, high, 0.0, 100.0, margin=0.05)
        assert axis([value])[0] == pytest.approx(50.0, abs=1.0)
        assert np.isfinite(axis.levels(6)).all()


def test_repeated_points_share_a_mark_and_are_counted():
    points = np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 0.0], [0.0, 0.0]])
    marks = gathered(points, np.array([1.0, -1.0, -1.0, 0.6]))
    assert marks.exact
    assert marks.counts.tolist() == [3, 1]
    assert np.allclose(marks.labels, [0.2, -1.0])
    assert np.allclose(marks.points, [[0, 0], [1, 0.5]])


def test_many_points_are_gathered_in_cells_and_none_is_lost():
    points = np.random.default_rng(3).normal(size=(30_000, 2))
    marks = gathered(points, np.ones(30_000))
    assert not marks.exact
    assert len(marks.counts) <= 700
    assert marks.counts.sum() == 30_000


def test_principal_components_find_the_plane_that_the_points_lie_in():
    generator = np.random.default_rng(4)
    basis = np.linalg.qr(generator.normal(size=(5, 2)))[0].T
    flat = generator.uniform(-0.5, 0.5, (200, 2)) @ np.diag([1.0, 0.3]) @ basis
    plane = plane_of(play("zero", GivenMoves(flat, np.zeros(200)), rounds=200, dimension=5))
    assert "100 %" in plane.note
    before, after = (np.linalg.norm(each[:, None] - each[None], axis=2) for each in (flat, plane.points))
    assert np.allclose(before, after, atol=1e-12)


def test_a_logarithmic_axis_prints_powers_of_ten_at_a_distance():
    decades = Axis(2.0, 5e4, 300, 0, scale=Scale("log"))
    assert decades.levels(8).tolist() == [10, 100, 1000, 10000]
    assert np.allclose(np.diff(decades([10, 100, 1000])), -300 / np.log10(2.5e4))
    both_signs = Axis(-1e4, 1e100, 300, 0, scale=Scale("symlog", 0.1))
    levels = both_signs.levels(8)
    assert 0.0 in levels
    assert (np.diff(both_signs(levels)) <= -24).all()
    assert (np.diff(both_signs([-1e4, -1.0, 0.0, 1e-3, 1.0, 1e100])) < 0).all()


def test_an_axis_with_one_value_puts_it_in_the_middle():
    for value in (0.0, 5.0, -1e12):
        assert Axis(value, value, 0, 100)([value]).tolist() == [50.0]


def test_nan_leaves_a_gap_in_its_line():
    drawing = Drawing(200, 150)
    line = np.array([1.0, 2.0, np.nan, 2.0, 1.0])
    Panel(drawing, (0, 4), (1, 2)).line(np.arange(5.0), line, "learner")
    assert re.findall("[ML]", str(drawing.elements[0])) == ["M", "L", "M", "L"]
