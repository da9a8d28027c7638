"""Every format and compression gives the same arrays, and every mistake in a file is named where it stands."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.data import files, libsvm, read_data, tables
from arena.errors import ArenaError, DamagedFile

PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
RNG = np.random.default_rng(7)
X = np.round(RNG.normal(size=(40, 5)), 6) * 10.0 ** RNG.integers(-3, 4, size=(40, 5))
X[RNG.random(X.shape) < 0.3] = 0.0
X[0, 0], X[-1, -1] = 1.5, -2.5  # so that LIBSVM's indices show the width
Y = np.round(RNG.normal(size=40), 6)


def write(folder, name, content):
    """A file, compressed as its name says."""
    suffix = next((each for each in (".gz", ".bz2", ".xz") if name.endswith(each)), "")
    path = folder / name
    path.write_bytes(PACKERS[suffix](content.encode() if isinstance(content, str) else content))
    return path


def table(delimiter=",", header=None, end="\n"):
    lines = [delimiter.join(map(repr, [*row, label])) for row, label in zip(X.tolist(), Y.tolist(), strict=True)]
    return end.join(([header] if header else []) + lines) + end


def libsvm_text(first=1):
    return "".join(
        f"{label!r} " + " ".join(f"{i + first}:{v!r}" for i, v in enumerate(row) if v) + "\n"
        for row, label in zip(X.tolist(), Y.tolist(), strict=True)
    )


def saved(folder, save, *arguments, **arrays):
    path = folder / "saved.tmp"
    with open(path, "wb") as file:
        save(file, *arguments, **arrays)
    return path.read_bytes()


def sparse_arrays(matrix):
    rows, columns = np.nonzero(matrix)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
    return {"data": matrix[rows, columns], "indices": columns, "indptr": starts, "shape": np.array(matrix.shape)}


CONTENTS = {
    "commas.csv": lambda _: table(),
    "semicolons.csv": lambda _: table(";"),
    "tabs.tsv": lambda _: table("\t"),
    "spaces.txt": lambda _: table("  "),
    "spaced-commas.data": lambda _: table(" , "),
    "header.csv": lambda _: table(header="a,b,c,d,e,target"),
    "quoted.csv": lambda _: table(header='"a","b, too","c","d","e","target"'),
    "windows.csv": lambda _: table(end="\r\n", header="a,b,c,d,e,target"),
    "macintosh.csv": lambda _: table(end="\r"),
    "marked.csv": lambda _: "\ufeff" + table(header="a,b,c,d,e,target"),
    "comments.txt": lambda _: "# measured\n\n" + table(" ") + "\n\n# the end\n",
    "noted-header.csv": lambda _: "# measured\n\n" + table(";", header="a;b;c;d;e;target"),
    "quoted-numbers.csv": lambda _: '"' + table('";"').replace("\n", '"\n"').rstrip('"'),
    "no-last-end.csv": lambda _: table().rstrip("\n"),
    "nameless": lambda _: table(),
    "ones.svm": lambda _: libsvm_text(1),
    "zeros.libsvm": lambda _: libsvm_text(0),
    "ones.txt": lambda _: libsvm_text(1),
    "nameless-pairs": lambda _: "# a comment: 1:2\n" + libsvm_text(1).replace("\n", "   # note 1:2\n"),
    "ranked.txt": lambda _: "".join(
        f"{line.split()[0]} qid:{n // 4} {' '.join(line.split()[1:])}\n"
        for n, line in enumerate(libsvm_text().splitlines())
    ),
    "dense.npz": lambda folder: saved(folder, np.savez, X=X, y=Y, other=np.arange(3)),
    "packed.npz": lambda folder: saved(folder, np.savez_compressed, X=X, y=Y.reshape(-1, 1)),
    "sparse.npz": lambda folder: saved(folder, np.savez, y=Y, **sparse_arrays(X)),
    "table.npy": lambda folder: saved(folder, np.save, np.column_stack([X, Y])),
    "fortran.npy": lambda folder: saved(folder, np.save, np.asfortranarray(np.column_stack([X, Y]))),
    "dense-nameless": lambda folder: saved(folder, np.savez, X=X, y=Y),
}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("name", CONTENTS)
def test_every_format_gives_the_same_arrays(tmp_path, name, packing):
    data = read_data(write(tmp_path, name + packing, CONTENTS[name](tmp_path)))
    assert data.X.dtype == data.y.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert data.y.flags.c_contiguous
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, Y)
    names = {
        "header.csv": "abcde",
        "noted-header.csv": "abcde",
        "windows.csv": "abcde",
        "marked.csv": "abcde",
        "quoted.csv": ["a", "b, too", *"cde"],
    }
    assert data.names == tuple(names.get(name, ()))


def test_a_file_of_many_chunks_is_the_same_as_one_of_a_single_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "CHUNK", 100)
    for name in CONTENTS:
        data = read_data(write(tmp_path, name, CONTENTS[name](tmp_path)))
        np.testing.assert_array_equal(data.X, X, err_msg=name)
        np.testing.assert_array_equal(data.y, Y, err_msg=name)


def test_compression_is_recognised_without_its_suffix(tmp_path):
    for pack in PACKERS.values():
        path = tmp_path / "data.csv"
        path.write_bytes(pack(table().encode()))
        np.testing.assert_array_equal(read_data(path).X, X)


NOT_IN_BULK = ("comments.txt", "quoted-numbers.csv")  # blank lines between rows, quotation marks
CLEAN = [name for name in CONTENTS if name not in NOT_IN_BULK and not name.endswith((".npz", ".npy", "dense-nameless"))]


@pytest.mark.parametrize("name", CLEAN)
def test_clean_text_is_read_in_bulk(tmp_path, monkeypatch, name):
    """Without ever falling back on the slow twin."""

    def slow(*_):
        raise AssertionError("read line by line")

    monkeypatch.setattr(tables, "_careful_rows", slow)
    monkeypatch.setattr(libsvm, "_careful_part", slow)
    np.testing.assert_array_equal(read_data(write(tmp_path, name, CONTENTS[name](tmp_path))).X, X)


def test_float32_and_whole_numbers_become_float64(tmp_path):
    content = saved(tmp_path, np.savez, X=X.astype(np.float32), y=np.arange(40) % 2 == 0)
    data = read_data(write(tmp_path, "small.npz", content))
    assert data.X.dtype == data.y.dtype == np.float64
    np.testing.assert_array_equal(data.X, X.astype(np.float32).astype(float))
    np.testing.assert_array_equal(data.y[:3], [1.0, 0.0, 1.0])


def test_names_of_an_archive(tmp_path):
    content = saved(tmp_path, np.savez, X=X, y=Y, feature_names=np.array(list("abcde")))
    assert read_data(write(tmp_path, "named.npz", content)).names == tuple("abcde")


@pytest.mark.parametrize(
    ("label", "which"), [(None, 5), (0, 0), (2, 2), (-1, 5), (-2, 4), ("a", 0), ("d", 3), ("target", 5)]
)
def test_the_label_column(tmp_path, label, which):
    path = write(tmp_path, "header.csv", table(header="a,b,c,d,e,target"))
    whole = np.column_stack([X, Y])
    data = read_data(path, label_column=label)
    np.testing.assert_array_equal(data.y, whole[:, which])
    np.testing.assert_array_equal(data.X, np.delete(whole, which, axis=1))
    assert data.names == tuple(np.delete(["a", "b", "c", "d", "e", "target"], which))


def test_the_label_array_of_an_archive(tmp_path):
    path = write(tmp_path, "two.npz", saved(tmp_path, np.savez, X=X, y=Y, delay=2 * Y))
    np.testing.assert_array_equal(read_data(path, label_column="delay").y, 2 * Y)
    with pytest.raises(ArenaError, match=r"has no array 'dalay'\. Did you mean 'delay'\?"):
        read_data(path, label_column="dalay")
    with pytest.raises(ArenaError, match="give the name of the array of labels, not the index 2"):
        read_data(path, label_column=2)


@pytest.mark.parametrize(
    ("text", "width"),
    [("1 1:5 3:7\n-1 2:4\n", 3), ("1 0:5 3:7\n-1 2:4\n", 4), ("1 3:7 1:5\n-1\n", 3), ("-1\n\n1 1:5 2:1e-3\n", 2)],
)
def test_libsvm_indices_and_empty_rows(tmp_path, text, width):
    data = read_data(write(tmp_path, "rows.txt", text))
    first = 0 if "0:" in text else 1
    expected = np.zeros((2, width))
    for row, line in enumerate(filter(None, text.split("\n"))):
        for pair in line.split()[1:]:
            index, value = pair.split(":")
            expected[row, int(index) - first] = float(value)
    np.testing.assert_array_equal(data.X, expected)
    assert sorted(data.y) == [-1.0, 1.0]


TABLES = {  # content: what the message says
    "1,2,3\n4,5,6\n7,8\n": r"line 3, column 3: it has 2 values, but the first row has 3: give every row as many",
    "1,2,3\n4,5,6,7\n": r"line 2, column 3: it has 4 values, but the first row has 3",
    "1 2 3\n4 5\n6\n": r"line 2, column 3: it has 2 values",
    "a,b,c\n1,2,3\n4,5\n": r"line 3, column 3 \('c'\): it has 2 values, but the header names 3",
    "1,2\n3\n4,5,6\n": r"line 2, column 2: it has 1 values",
    "a,b,c\n1,2,3\n4,INLAND,6\n": r"line 3, column 2 \('b'\): 'INLAND' is not a number: write its values as",
    "a,b\n1,2\n\n\n3,4x\n": r"line 5, column 2 \('b'\): '4x' is not a number",
    "1,2\n3,1_0\n": r"line 2, column 2: '1_0' is not a number",
    "1,2\n3,0x10\n": r"line 2, column 2: '0x10' is not a number",
    "1,2 3\n4,5\n": r"line 1, column 2: '2 3' is not a number",
    "id,2019\n1,2\n": r"line 1, column 1: 'id' is not a number",
    "1;2\n3;4,5\n": r"line 2, column 2: '4,5' is not a number: write a decimal point instead of the comma",
    "1,2,3\n4,,6\n": r"line 2, column 2: the value is missing \(empty\): fill it in or leave the row out",
    "1,2,3\n4,5,\n": r"line 2, column 3: the value is missing \(empty\)",
    "1,2,3\n4,5, \n": r"line 2, column 3: the value is missing \(empty\)",
    "1,2,3\n4, ,6\n": r"line 2, column 2: the value is missing \(empty\)",
    "1,2,\n4,5,6\n": r"line 1, column 3: the value is missing \(empty\)",
    "1,2,3\n4,NA,6\n": r"line 2, column 2: the value is missing \(NA\)",
    "NA,2,3\n4,5,6\n": r"line 1, column 1: the value is missing \(NA\)",
    "1,2,3\nnan,5,6\n": r"line 2, column 1: the value is missing \(nan\)",
    "1;2;3\n4;?;6\n": r"line 2, column 2: the value is missing \(\?\)",
    "1\t2\n3\t\n": r"line 2, column 2: the value is missing \(empty\)",
    "1,2\n3,-inf\n": r"line 2, column 2: -inf is not finite: mend the value or leave the row out",
    "1,2\n3,1e999\n": r"line 2, column 2: 1e999 is not finite",
    "1\n2\n3\n": r"has only one column: a row needs at least one coordinate and a label",
    "price\n2\n3\n": r"has only one column",
    "a,b,c\n": r"has a header but no rows: there is nothing to play",
    "# nothing\n": r"has no rows: there is nothing to play",
    "": r"data.csv is empty: it needs rows of numbers",
    "\n  \n": r"data.csv is empty: it needs rows of numbers",
}


@pytest.mark.parametrize("content", TABLES)
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz"])
def test_a_mistake_in_a_table_is_named(tmp_path, content, name):
    path = write(tmp_path, name, content)
    with pytest.raises(ArenaError, match=TABLES[content].replace("data.csv", name)) as caught:
        read_data(path)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mistake_far_down_has_its_own_line_number(tmp_path, monkeypatch):
    lines = ["a,b", *(f"{i},{i}" for i in range(5000))]
    lines[4321] = "1,oops"
    for chunk in (100, 1 << 23):
        monkeypatch.setattr(files, "CHUNK", chunk)
        with pytest.raises(ArenaError, match=r"line 4322, column 2 \('b'\): 'oops' is not a number"):
            read_data(write(tmp_path, "long.csv", "\n".join(lines)))


PAIRS = {
    "1 1:2\n-1 2:x\n": r"line 2, column 2: 'x' is not a number",
    "1 1:2\n-1 2:nan\n": r"line 2, column 2: the value is missing \(nan\)",
    "1 1:2\n-1 1:1 2:inf\n": r"line 2, column 3: inf is not finite",
    "1 1:2\nx 2:1\n": r"line 2, column 1 \(the label\): 'x' is not a number",
    "1 1:2\n2,3 2:1\n": r"line 2, column 1 \(the label\): '2,3' is not a number",
    "1 1:2\n-1 2:1 2:3\n": r"line 2, column 3: index 2 comes twice in this line: keep one of them",
    "1 1:2\n-1 2 3:1\n": r"line 2, column 2: '2' is not index:value, such as 3:0.5",
    "1 1:2\n-1 2 3:1:5\n": r"line 2, column 2: '2' is not index:value",
    "1 1:2\n-1 1.5:2\n": r"line 2, column 2: '1.5:2' is not index:value",
    "1 1:2\n-1 -1:2\n": r"line 2, column 2: '-1:2' is not index:value",
    "1 1:2\n:1 2 3:4\n": r"line 2, column 1 \(the label\): ':1' is not a number",
    "1 1:2\n-1 1::2\n": r"line 2, column 2: ':2' is not a number",
    "1 1:2\n3\n:4 5:6\n": r"line 3, column 1 \(the label\): ':4' is not a number",
    "1\n-1\n": r"has labels but no coordinates",
    "1 1:2\n-1 99999999999999:1\n": r"has 2 rows and 99999999999999 columns, \d+ GiB as a dense matrix: keep fewer",
}


@pytest.mark.parametrize("content", PAIRS)
def test_a_mistake_in_libsvm_text_is_named(tmp_path, content):
    with pytest.raises(ArenaError, match=PAIRS[content]):
        read_data(write(tmp_path, "data.svm", content))
    with pytest.raises(ArenaError, match="the label stands first in each line: leave the label column out"):
        read_data(tmp_path / "data.svm", label_column=0)


def test_text_that_is_not_utf8(tmp_path):
    for content in (b"a,b\n1,2\n3,\xe9\n", b"1,2\n3,4\n\xe9,1\n"):
        with pytest.raises(ArenaError, match=r"line 3: byte 0xe9 is not UTF-8 text; save the file as UTF-8"):
            read_data(write(tmp_path, "latin.csv", content))
    with pytest.raises(ArenaError, match=r"line 1: byte 0xfc is not UTF-8 text"):
        read_data(write(tmp_path, "latin.csv", b"gr\xfcn,b\n1,2\n"))
    with pytest.raises(ArenaError, match=r"is not text \(it holds zero bytes\).*save it as CSV in UTF-8"):
        read_data(write(tmp_path, "wide.csv", "1,2\n3,4\n".encode("utf-16")))


def test_a_label_column_that_is_not_there(tmp_path):
    named = write(tmp_path, "named.csv", "price,rooms,rooms\n1,2,3\n")
    bare = write(tmp_path, "bare.csv", "1,2,3\n")
    with pytest.raises(ArenaError, match=r"has no column 'prize'\. Did you mean 'price'\?"):
        read_data(named, label_column="prize")
    with pytest.raises(ArenaError, match="several columns 'rooms': give the label column by its index"):
        read_data(named, label_column="rooms")
    with pytest.raises(ArenaError, match="has no header to find 'price' in: give the label column by its index"):
        read_data(bare, label_column="price")
    for index in (3, -4):
        with pytest.raises(ArenaError, match=f"is one of 0 to 2 .* but it is {index}"):
            read_data(bare, label_column=index)


def test_paths_that_cannot_be_read(tmp_path, monkeypatch):
    write(tmp_path, "housing.csv", table())
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArenaError, match=r"pipe is not a regular file: write the data into one"):
        read_data(tmp_path / "pipe")
    with pytest.raises(ArenaError, match=r"there is no file .*houses\.csv\. Did you mean 'housing\.csv'\?"):
        read_data(tmp_path / "houses.csv")
    with pytest.raises(ArenaError, match=r"there is no file .*, for there is no folder .*nowhere"):
        read_data(tmp_path / "nowhere" / "houses.csv")
    with pytest.raises(ArenaError, match=r"is a folder: name a file in it\. There are: housing\.csv"):
        read_data(tmp_path)
    with pytest.raises(ArenaError, match=r"cannot read .*File name too long|there is no file"):
        read_data(tmp_path / ("x" * 5000))

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(ArenaError, match=r"cannot read .*housing\.csv: Permission denied\. Check its permissions"):
        read_data(tmp_path / "housing.csv")


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
def test_damaged_compression(tmp_path, packing):
    whole = PACKERS[packing](RNG.bytes(100_000).hex().encode())
    path = tmp_path / f"data.csv{packing}"
    for damaged in (whole[:-20], whole[: len(whole) // 2], whole[:5000] + bytes(200) + whole[5200:]):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFile, match=r"is torn or damaged \(.*\): fetch it again"):
            read_data(path)
    path.write_bytes(b"1,2\n3,4\n")
    with pytest.raises(DamagedFile, match=f"is not compressed by {packing[1:]}, whatever its name says"):
        read_data(path)


ARCHIVES = {
    "has no array 'X'. It has: 'a', 'b'.": {"a": X, "b": Y},
    "has no array 'y'. It has: 'X', 'target'.": {"X": X, "target": Y},
    "X has shape (40,) and y (40,), but (rows, columns) and (rows,) are needed": {"X": Y, "y": Y},
    "X has shape (40, 5) and y (39,)": {"X": X, "y": Y[1:]},
    "y holds <U1 instead of numbers": {"X": X, "y": np.array(["a"] * 40)},
    "X is nan in row 3, column 2: fill the value in or leave the row out": {
        "X": np.where(np.arange(200).reshape(40, 5) == 11, np.nan, X),
        "y": Y,
    },
    "y is inf in row 2, column 1": {"X": X, "y": np.where(np.arange(40) == 1, np.inf, Y)},
    "holds pickled objects, which are not read because they could run code": {"X": X.astype(object), "y": Y},
    "has no rows": {"X": X[:0], "y": Y[:0]},
    "has labels but no coordinates": {"X": X[:, :0], "y": Y},
    "data, indices, indptr and shape are no sparse matrix": {
        **sparse_arrays(X),
        "indices": sparse_arrays(X)["indices"] + 3,
        "y": Y,
    },
    "has 40 rows and 1000000000000 columns": {**sparse_arrays(X), "shape": np.array([40, 10**12]), "y": Y},
    "shape is [40], but [rows, columns] is needed": {**sparse_arrays(X), "shape": np.array([40]), "y": Y},
    "indices holds float64 instead of whole numbers": {
        **sparse_arrays(X),
        "indices": sparse_arrays(X)["indices"] + 0.5,
        "y": Y,
    },
}


@pytest.mark.parametrize("message", ARCHIVES)
def test_a_mistake_in_an_archive_is_named(tmp_path, message):
    path = write(tmp_path, "data.npz", saved(tmp_path, np.savez, **ARCHIVES[message]))
    with pytest.raises(ArenaError) as caught:
        read_data(path)
    assert message in str(caught.value)
    assert "data.npz" in str(caught.value)


def test_damaged_archives(tmp_path):
    for save in (np.savez, np.savez_compressed):
        whole = saved(tmp_path, save, X=X, y=Y)
        middle = len(whole) // 4
        for damaged in (whole[:-30], whole[:100], whole[:middle] + bytes(100) + whole[middle + 100 :], b"hello\n"):
            with pytest.raises(
                DamagedFile, match=r"data\.npz is not a whole NumPy file: it is torn or of another kind"
            ):
                read_data(write(tmp_path, "data.npz", damaged))
    with pytest.raises(DamagedFile, match=r"is not an \.npz archive, but a single array"):
        read_data(write(tmp_path, "data.npz", saved(tmp_path, np.save, X)))
    table = saved(tmp_path, np.save, X)
    for damaged in (table[:-9], table.replace(b"), }", b"  , "), table.replace(b"), }", b"((({")):
        with pytest.raises(DamagedFile, match="is not a whole NumPy file"):
            read_data(write(tmp_path, "data.npy", damaged))
    with pytest.raises(ArenaError, match=r"has shape \(40,\), but \(rows, columns\) is needed"):
        read_data(write(tmp_path, "data.npy", saved(tmp_path, np.save, Y)))


def test_an_array_that_no_memory_holds(tmp_path, monkeypatch):
    path = write(tmp_path, "data.npy", saved(tmp_path, np.save, X))

    def refuse(*_, **__):
        raise MemoryError

    monkeypatch.setattr(np, "load", refuse)
    with pytest.raises(ArenaError, match=r"data\.npy does not fit into the memory: keep fewer rows or columns"):
        read_data(path)


SIGNS = st.lists(st.sampled_from([*'12,, \n\nx\t\r:;#"+-.e', "2.5", "-3e2", "nan", "NA"]), max_size=24)


@settings(max_examples=500, deadline=None)
@given(SIGNS)
def test_bulk_rows_are_those_of_the_slow_twin(signs):
    """Whatever bulk reading accepts, reading line by line accepts too, with the same numbers."""
    text = "".join(signs).encode() + b"\n"
    source = files.Source("text", "", None, text)
    for layout in (tables.Layout(delimiter, columns) for delimiter in ", ;" for columns in (1, 2, 3)):
        rows = tables._bulk_rows(layout, text)
        if rows is not None:
            np.testing.assert_array_equal(rows, tables._careful_rows(source, layout, 1, text))


TOKENS = ["1", "2", "-1", "1:2", "2:0.5", "3:1", "0:4", ":", " ", " ", " ", "\n", "x", "qid:3", "# 1:2", "1.5", "\t"]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=24))
def test_bulk_pairs_are_those_of_the_slow_twin(tokens):
    text = "".join(tokens).encode() + b"\n"
    part = libsvm._bulk_part(text)
    if part is not None:
        careful = libsvm._careful_part(files.Source("text", "", None, text), 1, text)
        for name in ("labels", "counts", "indices", "values"):
            np.testing.assert_array_equal(getattr(part, name), getattr(careful, name))
