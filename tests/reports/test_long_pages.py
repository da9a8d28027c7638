"""Pages of long matches have the same drawings, made from the extremes of curves and from points read in blocks."""

import numpy as np
import pytest

from arena import play
from arena.reports import point_figure, round_figures
from arena.reports.page import report


@pytest.fixture(scope="module")
def run():
    return play("fogd(frequencies=20)", "drift", rounds=3000, dimension=3, hindsight="interval")


def test_a_page_is_the_same_from_the_extremes_of_its_curves(run, monkeypatch):
    whole = report(run)
    monkeypatch.setattr(round_figures, "LONG", 500)
    monkeypatch.setattr(round_figures, "MANY", 20)
    copied = []
    drawable = round_figures.drawable
    monkeypatch.setattr(round_figures, "drawable", lambda values: copied.append(len(values)) or drawable(values))
    assert report(run) == whole
    assert max(copied) < 3000


def test_points_in_cells_do_not_depend_on_the_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(3000, 2)), rng.normal(size=3000)
    whole = point_figure.gathered(points, labels)
    assert not whole.exact
    assert whole.counts.sum() == 3000
    monkeypatch.setattr(point_figure, "ROWS", 70)
    parts = point_figure.gathered(points, labels)
    np.testing.assert_array_equal(parts.counts, whole.counts)
    for name in ("points", "labels", "rounds"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(whole.rounds @ whole.counts, 3000 * 3001 / 2)
