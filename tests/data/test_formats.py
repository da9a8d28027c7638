"""Every format and compression gives the same arrays, and clean text is read in bulk."""

from __future__ import annotations

import numpy as np
import pytest

from arena.data import files, libsvm, read_data, tables
from arena.errors import ArenaError

RNG = np.random.default_rng(7)
X = np.round(RNG.normal(size=(40, 5)), 6) * 10.0 ** RNG.integers(-3, 4, size=(40, 5))
X[RNG.random(X.shape) < 0.3] = 0.0
X[0, 0], X[-1, -1] = 1.5, -2.5  # so that LIBSVM's indices show the width
Y = np.round(RNG.normal(size=40), 6)


def table(delimiter=",", header=None, end="\n"):
    lines = [delimiter.join(map(repr, [*row, label])) for row, label in zip(X.tolist(), Y.tolist(), strict=True)]
    return end.join(([header] if header else []) + lines) + end


def libsvm_text(first=1):
    return "".join(
        f"{label!r} " + " ".join(f"{i + first}:{v!r}" for i, v in enumerate(row) if v) + "\n"
        for row, label in zip(X.tolist(), Y.tolist(), strict=True)
    )


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
    "dense.npz": lambda folder: folder.saved(np.savez, X=X, y=Y, other=np.arange(3)),
    "packed.npz": lambda folder: folder.saved(np.savez_compressed, X=X, y=Y.reshape(-1, 1)),
    "sparse.npz": lambda folder: folder.saved(np.savez, y=Y, **folder.sparse(X)),
    "table.npy": lambda folder: folder.saved(np.save, np.column_stack([X, Y])),
    "fortran.npy": lambda folder: folder.saved(np.save, np.asfortranarray(np.column_stack([X, Y]))),
    "dense-nameless": lambda folder: folder.saved(np.savez, X=X, y=Y),
}


@pytest.mark.parametrize("packing", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("name", CONTENTS)
def test_every_format_gives_the_same_arrays(folder, name, packing):
    data = read_data(folder.write(name + packing, CONTENTS[name](folder)))
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


def test_a_file_of_many_chunks_is_the_same_as_one_of_a_single_chunk(folder, monkeypatch):
    monkeypatch.setattr(files, "CHUNK", 100)
    for name in CONTENTS:
        data = read_data(folder.write(name, CONTENTS[name](folder)))
        np.testing.assert_array_equal(data.X, X, err_msg=name)
        np.testing.assert_array_equal(data.y, Y, err_msg=name)


def test_compression_is_recognised_without_its_suffix(folder):
    for pack in folder.packers.values():
        path = folder.path / "data.csv"
        path.write_bytes(pack(table().encode()))
        np.testing.assert_array_equal(read_data(path).X, X)


NOT_IN_BULK = ("comments.txt", "quoted-numbers.csv")  # blank lines between rows, quotation marks
CLEAN = [name for name in CONTENTS if name not in NOT_IN_BULK and not name.endswith((".npz", ".npy", "dense-nameless"))]


@pytest.mark.parametrize("name", CLEAN)
def test_clean_text_is_read_in_bulk(folder, monkeypatch, name):
    """The slow reading line by line is never used."""

    def slow(*_):
        raise AssertionError("read line by line")

    monkeypatch.setattr(tables, "careful_rows", slow)
    monkeypatch.setattr(libsvm, "careful_part", slow)
    np.testing.assert_array_equal(read_data(folder.write(name, CONTENTS[name](folder))).X, X)


def test_float32_and_whole_numbers_become_float64(folder):
    content = folder.saved(np.savez, X=X.astype(np.float32), y=np.arange(40) % 2 == 0)
    data = read_data(folder.write("small.npz", content))
    assert data.X.dtype == data.y.dtype == np.float64
    np.testing.assert_array_equal(data.X, X.astype(np.float32).astype(float))
    np.testing.assert_array_equal(data.y[:3], [1.0, 0.0, 1.0])


def test_names_of_an_archive(folder):
    content = folder.saved(np.savez, X=X, y=Y, feature_names=np.array(list("abcde")))
    assert read_data(folder.write("named.npz", content)).names == tuple("abcde")


@pytest.mark.parametrize(
    ("label", "which"), [(None, 5), (0, 0), (2, 2), (-1, 5), (-2, 4), ("a", 0), ("d", 3), ("target", 5)]
)
def test_the_label_column(folder, label, which):
    path = folder.write("header.csv", table(header="a,b,c,d,e,target"))
    whole = np.column_stack([X, Y])
    data = read_data(path, label_column=label)
    np.testing.assert_array_equal(data.y, whole[:, which])
    np.testing.assert_array_equal(data.X, np.delete(whole, which, axis=1))
    assert data.names == tuple(np.delete(["a", "b", "c", "d", "e", "target"], which))


def test_the_label_array_of_an_archive(folder):
    path = folder.write("two.npz", folder.saved(np.savez, X=X, y=Y, delay=2 * Y))
    np.testing.assert_array_equal(read_data(path, label_column="delay").y, 2 * Y)
    with pytest.raises(ArenaError, match=r"has no array 'dalay'\. Did you mean 'delay'\?"):
        read_data(path, label_column="dalay")
    with pytest.raises(ArenaError, match="give the name of the array of labels, not the index 2"):
        read_data(path, label_column=2)


@pytest.mark.parametrize(
    ("text", "width"),
    [("1 1:5 3:7\n-1 2:4\n", 3), ("1 0:5 3:7\n-1 2:4\n", 4), ("1 3:7 1:5\n-1\n", 3), ("-1\n\n1 1:5 2:1e-3\n", 2)],
)
def test_libsvm_indices_and_empty_rows(folder, text, width):
    data = read_data(folder.write("rows.txt", text))
    first = 0 if "0:" in text else 1
    expected = np.zeros((2, width))
    for row, line in enumerate(filter(None, text.split("\n"))):
        for pair in line.split()[1:]:
            index, value = pair.split(":")
            expected[row, int(index) - first] = float(value)
    np.testing.assert_array_equal(data.X, expected)
    assert sorted(data.y) == [-1.0, 1.0]


@pytest.mark.parametrize("digits", range(1, 13))
def test_a_first_line_longer_than_the_head_is_recognised(folder, digits):
    """The head may end anywhere in a pair, such as behind its colon."""
    row = f"1:{0.123456789012:.{digits}f} " + " ".join(f"{index}:0.12345" for index in range(2, 8000))
    assert read_data(folder.write("wide", f"1 {row}\n-1 {row}\n")).X.shape == (2, 7999)
