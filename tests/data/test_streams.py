"""Files read in parts give the rows that `read_data` gives, in every format, and need a fixed amount of memory."""

import tracemalloc

import numpy as np
import pytest

from arena.data import files, read_data, streams
from arena.data.selection import Selection
from arena.data.streams import digest_of, parts_of
from arena.errors import ArenaError
from arena_tests.on_disk import write


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(streams, "ROWS", 64)
    monkeypatch.setattr(files, "CHUNK", 4096)


def table(rows=500, seed=0):
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(rows, 3)) * [1.0, 10.0, 0.1], 6), np.round(3 * rng.normal(size=rows), 6)


def whole(path, label=None):
    parts = list(parts_of(path, Selection(label)))
    assert all(len(y) <= 600 for _, y, _, _ in parts)
    assert parts[-1][3] == pytest.approx(1.0)
    return np.concatenate([X for X, _, _, _ in parts]), np.concatenate([y for _, y, _, _ in parts]), len(parts)


NAMES = ["data.csv", "data.csv.gz", "data.npz", "packed.npz", "data.npy", "data.svm", "data.parquet"]


@pytest.mark.parametrize("name", NAMES)
def test_all_rows_in_their_order(name, tmp_path):
    X, y = table()
    path = write(tmp_path / name, X, y)
    points, labels, parts = whole(path)
    np.testing.assert_allclose(points, X, rtol=1e-15)
    np.testing.assert_allclose(labels, y, rtol=1e-15)
    assert parts > 3
    if name != "data.parquet":
        np.testing.assert_array_equal(points, read_data(path).X)


def test_another_content_has_another_digest(tmp_path):
    path = write(tmp_path / "data.csv", *table())
    before = digest_of(path)
    assert digest_of(path) == before
    assert digest_of(write(path, *table(seed=1))) != before


def test_a_column_called_1_and_column_1_are_kept_apart(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "data.parquet"
    parquet.write_table(arrow.table({"1": [10.0, 11.0], "b": [20.0, 22.0], "c": [30.0, 33.0]}), path)
    by_index, by_name = (whole(path, label)[1].tolist() for label in (1, "1"))
    assert (by_index, by_name) == ([20.0, 22.0], [10.0, 11.0])


@pytest.mark.parametrize("name", ["data.csv", "data.npz", "data.npy", "data.svm"])
def test_memory_does_not_grow_with_the_file(name, tmp_path):
    def peak(rows):
        path = write(tmp_path / name, *table(rows))
        tracemalloc.start()
        for _ in parts_of(path, Selection()):
            pass
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(500)  # loads code
    assert peak(16_000) < 1.2 * peak(4000) + 50_000


def test_labels_by_name(tmp_path):
    X, y = table()
    points, labels, _ = whole(write(tmp_path / "data.csv", X, y), "a")
    np.testing.assert_array_equal(labels, X[:, 0])
    assert points.shape == (500, 3)


def test_mistakes(tmp_path):
    X, y = table(10)
    np.savez(tmp_path / "other.npz", points=X, y=y)
    with pytest.raises(ArenaError, match="has no array X; it has points, y"):
        whole(tmp_path / "other.npz")
    np.savez(tmp_path / "columns.npz", X=np.asfortranarray(X), y=y)
    with pytest.raises(ArenaError, match="row after row"):
        whole(tmp_path / "columns.npz")
    X[3, 1] = np.nan
    with pytest.raises(ArenaError, match="column 2 is nan in row 4"):
        whole(write(tmp_path / "nan.npz", X, y))
    (tmp_path / "bad.csv").write_text("1,2\n3,x\n")
    with pytest.raises(ArenaError, match="line 2"):
        whole(tmp_path / "bad.csv")
