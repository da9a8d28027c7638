"""Files read in parts give the rows that `read_data` gives, in every format, and need a fixed amount of memory."""

import tracemalloc

import numpy as np
import pytest

from arena import Gaussian
from arena.data import files, read_data, streams
from arena.data.streams import DataStream
from arena.errors import ArenaError
from arena.hindsight.streaming import interval_of_stream
from arena_tests.on_disk import write


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(streams, "ROWS", 64)
    monkeypatch.setattr(files, "CHUNK", 4096)


def table(rows=500, seed=0):
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(rows, 3)) * [1.0, 10.0, 0.1], 6), np.round(3 * rng.normal(size=rows), 6)


def whole(stream):
    parts = list(stream())
    assert all(len(y) <= 600 for _, y in parts)
    return (np.concatenate(each) for each in zip(*parts, strict=True)), len(parts)


NAMES = ["data.csv", "data.csv.gz", "data.npz", "packed.npz", "data.npy", "data.svm", "data.parquet"]


@pytest.mark.parametrize("name", NAMES)
def test_all_rows_in_their_order(name, tmp_path):
    X, y = table()
    stream = DataStream(write(tmp_path / name, X, y))
    for _ in range(2):
        (points, labels), parts = whole(stream)
        np.testing.assert_allclose(points, X, rtol=1e-15)
        np.testing.assert_allclose(labels, y, rtol=1e-15)
        assert parts > 3
    if name != "data.parquet":
        np.testing.assert_array_equal(points, read_data(tmp_path / name).X)


@pytest.mark.parametrize("name", ["data.csv", "data.npz", "data.parquet"])
def test_the_first_pass_is_kept_beside_the_digest(name, tmp_path):
    X, y = table()
    path, cache = write(tmp_path / name, X, y), tmp_path / "cache"
    stream = DataStream(path, box=(-1.0, 1.0), cache=cache)
    (points, labels), _ = whole(stream)
    np.testing.assert_allclose(points, 2 * (X - X.min(0)) / (X.max(0) - X.min(0)) - 1, atol=1e-12)
    np.testing.assert_allclose([labels.min(), labels.max()], [-1.0, 1.0])
    [kept] = cache.iterdir()
    kept.write_text(kept.read_text().replace('"rows": 500', '"rows": 499'))
    assert stream.ranges().rows == 499  # read from the cache
    write(path, *table(seed=1))
    assert stream.ranges().rows == 500  # another content has another digest
    kept.write_text("torn")
    assert DataStream(write(path, X, y), box=(0.0, 1.0), cache=cache).ranges().rows == 500


def test_a_column_called_1_and_column_1_are_kept_apart(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path, cache = tmp_path / "data.parquet", tmp_path / "cache"
    parquet.write_table(arrow.table({"1": [10.0, 11.0], "b": [20.0, 22.0], "c": [30.0, 33.0]}), path)
    by_index, by_name = (DataStream(path, label, box=(-1.0, 1.0), cache=cache).ranges() for label in (1, "1"))
    assert by_index.labels == (20.0, 22.0)
    assert by_name.labels == (10.0, 11.0)


def test_a_stream_is_certified_without_being_held(tmp_path):
    X, y = table(2000)
    stream = DataStream(write(tmp_path / "data.csv", X, y), box=(-1.0, 1.0))
    [end] = interval_of_stream(Gaussian(), 1.0, stream)
    assert end.rounds == 2000
    assert end.relative_width < 1e-3


@pytest.mark.parametrize("name", ["data.csv", "data.npz", "data.npy", "data.svm"])
def test_memory_does_not_grow_with_the_file(name, tmp_path):
    def peak(rows):
        path = write(tmp_path / name, *table(rows))
        tracemalloc.start()
        for _ in DataStream(path, box=(0.0, 1.0))():
            pass
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(500)  # loads code
    assert peak(16_000) < 1.2 * peak(4000) + 50_000


def test_labels_by_name_and_progress(tmp_path):
    X, y = table()
    path, seen = write(tmp_path / "data.csv", X, y), []
    (points, labels), _ = whole(DataStream(path, label_column="a", progress=seen.append))
    np.testing.assert_array_equal(labels, X[:, 0])
    assert points.shape == (500, 3)
    assert seen[-1] == 500


def test_mistakes(tmp_path):
    X, y = table(10)
    np.savez(tmp_path / "other.npz", points=X, y=y)
    with pytest.raises(ArenaError, match="has no array X; it has points, y"):
        list(DataStream(tmp_path / "other.npz")())
    np.savez(tmp_path / "columns.npz", X=np.asfortranarray(X), y=y)
    with pytest.raises(ArenaError, match="row after row"):
        list(DataStream(tmp_path / "columns.npz")())
    X[3, 1] = np.nan
    with pytest.raises(ArenaError, match="column 2 is nan in row 4"):
        list(DataStream(write(tmp_path / "nan.npz", X, y))())
    (tmp_path / "bad.csv").write_text("1,2\n3,x\n")
    with pytest.raises(ArenaError, match="line 2"):
        list(DataStream(tmp_path / "bad.csv")())
