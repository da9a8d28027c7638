"""Data and arrays on the disk give the same match as in memory, in every format, with a fixed amount of memory."""

import os
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import arena
from arena.adversaries.replay import Replay
from arena.data import files, mapped
from arena.data.mapped import open_data
from arena.engine import unfinished
from arena.errors import ArenaError
from arena.guards import disk
from arena.guards.disk import is_mapped
from arena.record.storage import content_digest
from arena_tests.on_disk import FIELDS, ROWS, on_disk, write

NAMES = ["rows.csv", "rows.csv.gz", "rows.npz", "packed.npz", "rows.npy", "rows.svm", "rows.parquet"]


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_match_that_memory_gives(name, table, monkeypatch):
    spec = f"replay(file={write(name, *table)})"
    run = arena.play("zero", spec, rounds=ROWS, hindsight="none")
    assert not is_mapped(run.points)
    on_disk(monkeypatch)
    again = arena.play("zero", spec, rounds=ROWS, hindsight="none")
    assert is_mapped(again.points)
    assert is_mapped(again.losses)
    assert content_digest(again) == content_digest(run)
    assert again.header["remark"] == run.header["remark"]
    in_place = name in ("rows.npz", "rows.npy")
    assert len(list((mapped.own_cache("streams")).glob("*.X"))) == (not in_place)


@pytest.mark.parametrize(
    "learner", ["fogd(frequencies=10)", "nogd(budget=5)", "pkawv(embedding=taylor(degree=1))", "rls"]
)
def test_verdicts_are_those_of_memory(learner, table, monkeypatch):
    spec = f"replay(file={write('rows.csv', *table)})"
    bounds = ["auto", "awv-logdet"]
    run = arena.play(learner, spec, **FIELDS)
    said = [str(verdict) for verdict in run.verdicts(bounds)]
    on_disk(monkeypatch)
    again = arena.play(learner, spec, **FIELDS)
    assert [str(verdict) for verdict in again.verdicts(bounds)] == said
    assert again.summary() | {"seconds": 0} == run.summary() | {"seconds": 0}


OPTIONS = [
    "order=shuffled", "order=by-label", "order=by-coordinate, coordinate=1", "order=blocks", "rows=[100, 1000]",
    "loop=true, rows=[0, 700]", "noise=0.1, flips=0.1", "label_column=0", "scale_x=box, scale_y=bound",
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_gives_the_match_that_memory_gives(options, table, monkeypatch):
    spec = f"replay(file={write('rows.csv', *table)}, {options})"
    fields = {"rounds": ROWS, "hindsight": "none"}
    run = arena.play("zero", spec, **fields)
    on_disk(monkeypatch)
    again = arena.play("zero", spec, **fields)
    assert is_mapped(again.points)
    assert content_digest(again) == content_digest(run)


@pytest.mark.parametrize("options", ["scale_x=standardise", "order=drift"])
def test_means_over_parts_differ_in_the_last_digits_alone(options, table, monkeypatch):
    spec = f"replay(file={write('rows.csv', *table)}, {options})"
    run = arena.play("zero", spec, rounds=ROWS, hindsight="none")
    on_disk(monkeypatch)
    again = arena.play("zero", spec, rounds=ROWS, hindsight="none")
    np.testing.assert_allclose(again.points, run.points, atol=1e-12)


def test_a_file_is_prepared_once_whatever_its_name(table, monkeypatch):
    on_disk(monkeypatch)
    write("rows.csv", *table)
    read = []
    parts = mapped.parts_of
    monkeypatch.setattr(mapped, "parts_of", lambda *a: read.append(a) or parts(*a))
    shares = []
    with files.reporting(lambda name, share, rows: shares.append((name, share, rows))):
        open_data("rows.csv")
    assert shares[-1] == ("rows.csv", 1.0, ROWS)
    assert len(shares) > 5
    os.rename("rows.csv", "other.csv")
    np.testing.assert_array_equal(open_data("other.csv").X, table[0])
    assert len(read) == 1
    write("other.csv", table[0] + 1.0, table[1])
    np.testing.assert_array_equal(open_data("other.csv").X[5], table[0][5] + 1.0)
    assert len(read) == 2


@pytest.mark.parametrize("damage", ["", "{", '{"format": 1, "rows": 2, "low": [0], "high": [1], "names": []}'])
def test_a_damaged_preparation_is_made_again(damage, table, monkeypatch):
    on_disk(monkeypatch)
    open_data(write("rows.csv", *table))
    [text] = mapped.own_cache("streams").glob("*.json")
    text.write_text(damage)
    np.testing.assert_array_equal(open_data("rows.csv").X, table[0])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.csv", "1,2,3\n" * 5000 + "1,2\n", "line 5001, column 3: it has 2 values, but the first row has 3"),
        ("rows.csv", "a,b,c\n" + "1,2,3\n" * 5000 + "1,nan,3\n", r"line 5002, column 2 \('b'\): the value is missing"),
        ("rows.csv", "1,2,3\n" * 5000 + "1,x,3\n", "'x' is not a number"),
        ("rows.svm", "1 1:2\n" * 9000 + "1 2\n", "line 9001, column 2: '2' is not index:value"),
        ("rows.csv", "a,b\n" + "\n" * 40000, "there is nothing to play|is empty"),
    ],
)
def test_mistakes_name_the_line(name, content, message, monkeypatch):
    on_disk(monkeypatch)
    with open(name, "w") as file:
        file.write(content)
    with pytest.raises(ArenaError, match=message):
        open_data(name)
    assert not list(mapped.own_cache("streams").glob("*"))


def test_a_missing_value_in_parquet_and_a_column_of_words(monkeypatch):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"a": [1.0, None], "label": [1.0, 2.0]}), "rows.parquet")
    with pytest.raises(ArenaError, match="'a' is missing in row 2"):
        open_data("rows.parquet")
    parquet.write_table(arrow.table({"a": ["x", "y"], "label": [1.0, 2.0]}), "rows.parquet")
    with pytest.raises(ArenaError, match="'a' holds string, not numbers"):
        open_data("rows.parquet")
    with open("rows.parquet", "wb") as file:
        file.write(b"PAR1 and no more")
    with pytest.raises(ArenaError, match="is not a whole Parquet file"):
        open_data("rows.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ArenaError, match=r"pip install 'regret-arena\[data\]'"):
        open_data("rows.parquet")


def test_a_damaged_archive_is_a_message(table, monkeypatch):
    on_disk(monkeypatch)
    write("packed.npz", *table)
    content = bytearray(Path("packed.npz").read_bytes())
    content[len(content) // 3] ^= 255
    Path("packed.npz").write_bytes(content)
    with pytest.raises(ArenaError, match=r"packed\.npz is (not a whole \.npz archive|torn or damaged)"):
        open_data("packed.npz")


def test_memory_does_not_grow_with_the_columns(monkeypatch):
    """The memory for a round does not depend on the number of coordinates of its point."""
    on_disk(monkeypatch, "0.3")
    monkeypatch.setattr(disk, "BLOCK", 1 << 16)
    peaks = []
    for columns in (8, 64):
        rows = 10_000
        table = np.random.default_rng(0).uniform(-2, 2, size=(rows, columns + 1))
        np.save("rows.npy", table)
        del table
        tracemalloc.start()
        run = arena.play("zero", "replay(file=rows.npy)", rounds=rows, hindsight="none")
        run.verdicts([])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert run.points.nbytes == 8 * rows * columns
    assert peaks[1] < 8 * 10_000 * 64 / 4  # a quarter of the points
    assert peaks[1] - peaks[0] < 8 * 10_000 * 56 / 8


def test_a_saved_match_is_opened_mapped(table, monkeypatch, tmp_path):
    spec = f"replay(file={write('rows.csv', *table)})"
    run = arena.play("rls", spec, **FIELDS)
    on_disk(monkeypatch)
    again = arena.play("rls", spec, **FIELDS)
    loaded = arena.Transcript.load(again.save("disk.npz"))
    assert is_mapped(loaded.points)
    assert content_digest(loaded) == content_digest(run)
    assert [str(each) for each in loaded.verdicts()] == [str(each) for each in run.verdicts()]
    content = bytearray((tmp_path / "disk.npz").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "disk.npz").write_bytes(content)
    with pytest.raises(ArenaError, match="seal is broken"):
        arena.Transcript.load("disk.npz")


def test_a_record_that_does_not_fit_is_refused_before_anything_is_played(table, monkeypatch):
    spec = f"replay(file={write('rows.csv', *table)})"
    on_disk(monkeypatch)
    monkeypatch.setattr(unfinished.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(ArenaError, match=r"takes 0\.0 GiB on the disk, and 0\.0 are free"):
        arena.play("rls", spec, rounds=ROWS)


def test_the_limit_must_be_a_number(monkeypatch):
    on_disk(monkeypatch, "much")
    with pytest.raises(ArenaError, match="REGRET_ARENA_IN_MEMORY must be a number of MiB"):
        arena.play("rls", Replay(X=np.zeros((2, 1)), y=np.zeros(2)), rounds=2)


def test_products_that_take_too_long_copy_no_points(table, monkeypatch):
    """The time is estimated from a sample of the rows, since the products would need all points in memory."""
    from arena.hindsight import narrowing

    spec = f"replay(file={write('rows.csv', *table)})"
    on_disk(monkeypatch)
    monkeypatch.setattr(narrowing, "SAMPLE", 100)
    rows = []
    products = narrowing.KernelProducts
    monkeypatch.setattr(
        narrowing, "KernelProducts", lambda kernel, X, **k: rows.append(len(X)) or products(kernel, X, **k)
    )
    said = []
    run = arena.play("zero", spec, rounds=ROWS, hindsight="interval", kernel="gaussian(bandwidth=0.1)")
    effort = narrowing.Effort(seconds=1e-12, notice=said.append)
    narrowing.narrowed(run.comparator.interval(features=2), run.game.kernel, run.points, effort)
    assert set(rows) == {100}
    assert "take about" in said[-1]
    assert "or more, and `Effort(...)` allows" in said[-1]
