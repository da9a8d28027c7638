"""Commands on a saved match whose points need more memory than the commands may use."""

import tracemalloc

import numpy as np
import pytest

from arena.engine.match import play
from arena.guards import disk
from arena.reports import point_figure
from arena_tests.on_disk import on_disk


@pytest.mark.parametrize("options", [("report", "kept.npz", "-o", "page.html"), ("replay", "kept.npz")])
def test_they_do_not_hold_its_points_in_memory(arena, options, monkeypatch):
    monkeypatch.setattr(disk, "BLOCK", 1 << 16)
    rows, columns, peaks = 10_000, 64, []
    np.save("rows.npy", np.random.default_rng(0).uniform(-2, 2, size=(rows, columns + 1)))
    play("zero", "replay(file=rows.npy)", rounds=rows, hindsight="none").save("kept.npz")
    on_disk(monkeypatch, "0.3")
    for _ in range(2):  # the first time modules are loaded
        tracemalloc.start()
        assert arena(*options).exit_code == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 0.8 * 8 * rows * columns


def test_the_sample_of_points_is_read_part_by_part(monkeypatch):
    """Pages of a mapped array count as memory in use until they are released."""
    monkeypatch.setattr(point_figure, "SAMPLE", 100)
    points = np.random.default_rng(0).uniform(size=(1003, 3))
    monkeypatch.setattr(point_figure, "blocks", lambda _: [slice(0, 400), slice(400, 405), slice(405, 1003)])
    np.testing.assert_array_equal(point_figure.sample_of(points), points[::11])
