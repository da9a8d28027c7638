"""Paths that cannot be read, damaged compressed files, and archives without data."""

from __future__ import annotations

import io
import os
import zipfile

import numpy as np
import pytest

from arena.data import read_data
from arena.errors import ArenaError, DamagedFile

RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=(40, 5)), RNG.normal(size=40)


def test_paths_that_cannot_be_read(folder, monkeypatch):
    folder.write("housing.csv", "1,2,3\n")
    os.mkfifo(folder.path / "pipe")
    with pytest.raises(ArenaError, match=r"pipe is not a regular file: write the data into one"):
        read_data(folder.path / "pipe")
    with pytest.raises(ArenaError, match=r"there is no file .*houses\.csv\. Did you mean 'housing\.csv'\?"):
        read_data(folder.path / "houses.csv")
    with pytest.raises(ArenaError, match=r"there is no file .*, for there is no folder .*nowhere"):
        read_data(folder.path / "nowhere" / "houses.csv")
    with pytest.raises(ArenaError, match=r"is a folder: name a file in it\. There are: housing\.csv"):
        read_data(folder.path)
    with pytest.raises(ArenaError, match=r"cannot read .*File name too long|there is no file"):
        read_data(folder.path / ("x" * 5000))

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(ArenaError, match=r"cannot read .*housing\.csv: Permission denied\. Check its permissions"):
        read_data(folder.path / "housing.csv")


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
def test_damaged_compression(folder, packing):
    path = folder.write(f"data.csv{packing}", RNG.bytes(100_000).hex())
    whole = path.read_bytes()
    for damaged in (whole[:-20], whole[: len(whole) // 2], whole[:5000] + bytes(200) + whole[5200:]):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFile, match=r"is torn or damaged \(.*\): fetch it again"):
            read_data(path)
    path.write_bytes(b"1,2\n3,4\n")
    with pytest.raises(DamagedFile, match=f"is not compressed by {packing[1:]}, whatever its name says"):
        read_data(path)


ARCHIVES = {
    "has no array 'X'. It has: 'a', 'b'.": lambda _: {"a": X, "b": Y},
    "has no array 'y'. It has: 'X', 'target'.": lambda _: {"X": X, "target": Y},
    "X has shape (40,) and y (40,), but (rows, columns) and (rows,) are needed": lambda _: {"X": Y, "y": Y},
    "X has shape (40, 5) and y (39,)": lambda _: {"X": X, "y": Y[1:]},
    "y holds <U1 instead of numbers": lambda _: {"X": X, "y": np.array(["a"] * 40)},
    "X is nan in row 3, column 2: fill the value in or leave the row out": lambda _: {
        "X": np.where(np.arange(200).reshape(40, 5) == 11, np.nan, X),
        "y": Y,
    },
    "y is inf in row 2, column 1": lambda _: {"X": X, "y": np.where(np.arange(40) == 1, np.inf, Y)},
    "holds pickled objects, which are not read because they could run code": lambda _: {
        "X": X.astype(object),
        "y": Y,
    },
    "has no rows": lambda _: {"X": X[:0], "y": Y[:0]},
    "has labels but no coordinates": lambda _: {"X": X[:, :0], "y": Y},
    "data, indices, indptr and shape are no sparse matrix": lambda sparse: {
        **sparse,
        "indices": sparse["indices"] + 3,
        "y": Y,
    },
    "has 40 rows and 1000000000000 columns": lambda sparse: {
        **sparse,
        "shape": np.array([40, 10**12]),
        "y": Y,
    },
    "shape is [40], but [rows, columns] is needed": lambda sparse: {
        **sparse,
        "shape": np.array([40]),
        "y": Y,
    },
    "indices holds float64 instead of whole numbers": lambda sparse: {
        **sparse,
        "indices": sparse["indices"] + 0.5,
        "y": Y,
    },
}


@pytest.mark.parametrize("message", ARCHIVES)
def test_a_mistake_in_an_archive_is_named(folder, message):
    path = folder.write("data.npz", folder.saved(np.savez, **ARCHIVES[message](folder.sparse(X))))
    with pytest.raises(ArenaError) as caught:
        read_data(path)
    assert message in str(caught.value)
    assert "data.npz" in str(caught.value)


def test_damaged_archives(folder):
    for save in (np.savez, np.savez_compressed):
        whole = folder.saved(save, X=X, y=Y)
        middle = len(whole) // 4
        for damaged in (whole[:-30], whole[:100], whole[:middle] + bytes(100) + whole[middle + 100 :], b"hello\n"):
            with pytest.raises(
                DamagedFile, match=r"data\.npz is not a whole NumPy file: it is torn or of another kind"
            ):
                read_data(folder.write("data.npz", damaged))
    with pytest.raises(DamagedFile, match=r"is not an \.npz archive, but a single array"):
        read_data(folder.write("data.npz", folder.saved(np.save, X)))
    table = folder.saved(np.save, X)
    for damaged in (table[:-9], table.replace(b"), }", b"  , "), table.replace(b"), }", b"((({")):
        with pytest.raises(DamagedFile, match="is not a whole NumPy file"):
            read_data(folder.write("data.npy", damaged))
    with pytest.raises(ArenaError, match=r"has shape \(40,\), but \(rows, columns\) is needed"):
        read_data(folder.write("data.npy", folder.saved(np.save, Y)))


def bomb(shape=(10**9, 2)):
    """Return an .npy file whose header announces a huge array, and which has no data."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


def test_headers_that_promise_more_than_there_is(folder):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("X.npy", bomb((10**8, 2)))
        file.writestr("y.npy", bomb((10**8,)))
    for name, content in (("data.npy", bomb((10**8, 2))), ("data.npz", archive.getvalue())):
        with pytest.raises(DamagedFile, match="is not a whole NumPy file"):
            read_data(folder.write(name, content))


def test_files_that_unpack_to_more_than_the_bound(folder, monkeypatch):
    with pytest.raises(ArenaError, match=r"unpacks to 14\.9 GiB, and 8 are read at most: .*MAX_GIB=15 if you"):
        read_data(folder.write("data.npy", bomb()))
    table = "0,0\n" * 50_000
    zeros = {"X": np.zeros((10_000, 2)), "y": np.zeros(10_000)}
    files = [
        folder.write("data.csv.gz", table),
        folder.write("data.csv.xz", table),
        folder.write("data.npz", folder.saved(np.savez_compressed, **zeros)),
        folder.write("more.npz.bz2", folder.saved(np.savez, **zeros)),
    ]
    assert [len(read_data(path).X) for path in files] == [50_000, 50_000, 10_000, 10_000]
    monkeypatch.setenv("REGRET_ARENA_MAX_GIB", "0.0001")
    for path in files:
        with pytest.raises(ArenaError, match=r"unpacks to 0\.0 GiB, and .* are read at most"):
            read_data(path)
    monkeypatch.setenv("REGRET_ARENA_MAX_GIB", "much")
    with pytest.raises(ArenaError, match="REGRET_ARENA_MAX_GIB must be a number of GiB, such as 16, but it is 'much'"):
        read_data(files[0])


def test_a_line_without_an_end(folder, monkeypatch):
    monkeypatch.setattr("arena.data.files.CHUNK", 1000)
    monkeypatch.setattr("arena.data.files.MOST_LINE_BYTES", 5000)
    with pytest.raises(ArenaError, match="line 2: it is longer than 0 MiB: end each row by a line break"):
        read_data(folder.write("data.csv", "1,2\n" + "3," * 10_000))


def test_a_spreadsheet_is_no_archive_of_arrays(folder):
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as file:
        file.writestr("[Content_Types].xml", "<Types/>")
    with pytest.raises(ArenaError, match=r"data\.xlsx is a spreadsheet or another document: save its table as CSV"):
        read_data(folder.write("data.xlsx", book.getvalue()))


def test_an_array_that_no_memory_holds(folder, monkeypatch):
    path = folder.write("data.npy", folder.saved(np.save, X))

    def refuse(*_, **__):
        raise MemoryError

    monkeypatch.setattr("arena.data.npz.read_magic", refuse)
    with pytest.raises(ArenaError, match=r"data\.npy does not fit into the memory: keep fewer rows or columns"):
        read_data(path)
