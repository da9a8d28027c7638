"""Data files that are damaged, have the wrong format, or contain wrong values."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import zipfile
from functools import partial

import numpy as np
from hypothesis import strategies as st

from arena_tests.bad_input.playground import Case, as_npz

CSV = b"a,b,y\n" + b"".join(b"%d,%.2f,%d\n" % (i, i / 7, (-1) ** i) for i in range(9))
LIBSVM = b"".join(b"%d 1:%.2f 3:%d # row\n" % ((-1) ** i, i / 7, i) for i in range(9))
POINTS, LABELS = np.arange(18.0).reshape(9, 2), (-1.0) ** np.arange(9)
TEXTS = {
    "csv": CSV,
    "tsv": CSV.replace(b",", b"\t"),
    "txt": CSV.replace(b",", b"  ").removeprefix(b"a  b  y\n"),
    "libsvm": LIBSVM,
    "svm": LIBSVM,
    "data": CSV.replace(b",", b";"),
}
TOKENS = [*b"""
    nan inf -inf 1e999 x 1,2 1:2 : 2: :2 1:1:1 -1:2 99999999999999999999:1 \x00 \xff\xfe \xef\xbb\xbf " "1 ' # ; 0x1p3
    1_000 qid:3 ? NA 1e308 5e-324 \x1b[31m =cmd() 1/2 True
""".split(), b"", b"\r", b"\r\n", b"\t", b"  ", b"1" * 400, b"1.0\n2.0", b"\n\n\n", "ü".encode()]  # fmt: skip
COLUMNS = ["-1", "0", "1", "9", "-9", "b", "nope", "''", "'\x1b'", "1.5", "[1]", "none", "y", "krr()"]
PACKERS = {"": bytes, ".gz": partial(gzip.compress, mtime=0), ".bz2": bz2.compress, ".xz": lzma.compress}
SHAPES = [
    b"(1000000000, 1000000000)",
    b"(-1, 2)",
    b"(99,)",
    b"()",
    b"(2.5, 1)",
    b"('a',)",
    b"(1e9,)",
    b"[9, 2]",
    b"(" * 50,
]
TYPES = [b"|O8", b"<f3", b">i8", b"<U9", b"|V8", b"'''", b"m8[Y]"]


NAMES = [{}, {}, {}, {"X": "data"}, {"X": "y"}, {"y": "X"}, {"X": "a/b"}, {"y": ""}]  # of arrays that are renamed


class Trap:
    """An object that writes a file named `unpickled` if it is ever unpickled."""

    def __reduce__(self):
        return (exec, ("open('unpickled', 'w').close()",))


CHANGES = [  # of an array, with a number that says where
    lambda a, n: np.where(np.arange(a.size).reshape(a.shape) == n % max(a.size, 1), np.nan, a.astype(float)),
    lambda a, n: a.astype(float) + np.inf,
    lambda a, n: a.astype(str),
    lambda a, n: a.astype(complex),
    lambda a, n: np.array([Trap()] * a.size, dtype=object).reshape(a.shape),
    lambda a, n: a.reshape(-1),
    lambda a, n: a[..., np.newaxis],
    lambda a, n: a[: n % 4] if a.ndim else a,
    lambda a, n: np.zeros((0, 2)),
    lambda a, n: np.zeros((2, 0)),
    lambda a, n: np.float64(3.0),
    lambda a, n: a > 0,
    lambda a, n: a.astype(np.float16) if a.dtype.kind == "f" else a,
    lambda a, n: a.astype(">f8") if a.dtype.kind in "fiu" else a,
    lambda a, n: np.zeros(3, dtype=[("a", float), ("b", int)]),
    lambda a, n: np.array(["2020-01-01"], dtype="datetime64[D]"),
    lambda a, n: a.astype("S4"),
]


PLAYED = ["play", "zero", "replay(file=bad.npz)", "--rounds", "4", "--bound", "none"]
PICKLED = Case(PLAYED, (2,), {"bad.npz": as_npz(X=np.array([[Trap()]]), y=np.ones(1))})


@st.composite
def data_files(draw):
    """A command that plays a bad data file with the adversary `replay`."""
    kind, content = draw(st.one_of(texts(), texts(), archives(), archives(), raw_arrays(), sparse_archives()))
    packing = draw(st.sampled_from(["", "", *PACKERS]))
    content = PACKERS[packing](content)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        content = draw(damaged(content))
    if draw(st.integers(0, 6)) == 6:  # a name that does not fit
        kind = draw(st.sampled_from(["csv", "npz", "npy", "xlsx", "gz", "", "libsvm"]))
        packing = draw(st.sampled_from([*PACKERS]))
    name = f"bad.{kind}{packing}"
    column = draw(st.sampled_from(["", "", "", ", label_column={}"])).format(draw(st.sampled_from(COLUMNS)))
    saved = name if name.endswith(".npz") else "out.npz"
    options = draw(st.sampled_from([[], ["--json"], ["--loss", "hinge"], ["--save", saved]]))
    words = ["play", "zero", f"replay(file={name}{column})", "--rounds", "4", "--bound", "none", *options]
    return Case(words, (0, 2), {name: content})


@st.composite
def texts(draw):
    kind = draw(st.sampled_from([*TEXTS]))
    lines = TEXTS[kind].split(b"\n")
    for _ in range(draw(st.sampled_from([1, 1, 2, 4]))):
        at, token = draw(st.integers(0, len(lines) - 1)), draw(st.sampled_from(TOKENS))
        line = lines[at]
        place = draw(st.integers(0, len(line)))
        changed = [line[:place] + token + line[place:], token, line[:place], line + b"," + token, line * 2]
        lines[at] = draw(st.sampled_from(changed))
    return kind, draw(st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])).join(lines)


@st.composite
def changed_arrays(draw):
    """The arrays X and y, of which one or both are changed."""
    arrays = {"X": POINTS, "y": LABELS}
    for name in draw(st.sampled_from(["X", "y", "Xy"])):
        arrays[name] = draw(st.sampled_from(CHANGES))(arrays[name], draw(st.integers(0, 99)))
    return arrays


@st.composite
def archives(draw):
    arrays, names = draw(changed_arrays()), draw(st.sampled_from(NAMES))
    arrays = {names.get(name, name): each for name, each in arrays.items()}
    if draw(st.booleans()):
        return "npz", as_npz(**{name: each for name, each in arrays.items() if name})
    file = io.BytesIO()
    packing = draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    with zipfile.ZipFile(file, "w") as archive:
        for name, each in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), draw(raw_array(each)), packing)
    return "npz", file.getvalue()


@st.composite
def raw_arrays(draw):
    return "npy", draw(raw_array(draw(changed_arrays())["X"]))


@st.composite
def raw_array(draw, array):
    """An .npy file with this array whose header may have a wrong shape, order or data type."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    wrong = {str(array.shape).encode(): SHAPES, b"<f8": TYPES, b"False": [b"True", b"None", b"quit()"], b"none": [b""]}
    right = draw(st.sampled_from([*wrong]))
    return file.getvalue().replace(right, draw(st.sampled_from(wrong[right])))


@st.composite
def sparse_archives(draw):
    """A sparse matrix and labels, of which one array is wrong."""
    parts = {"data": [1.0, 1.0, 1.0], "indices": [0, 1, 0], "indptr": [0, 1, 2, 3], "shape": [3, 2], "y": [1.0] * 3}
    wrong = [[9, 9, 9], [-1, 0, 1], [10**12, 10**12], [1.5, 2.0], ["a"], []]
    parts[draw(st.sampled_from([*parts]))] = draw(st.sampled_from(wrong))
    return "npz", as_npz(**{name: np.array(each) for name, each in parts.items()})


@st.composite
def damaged(draw, content):
    at, bytes_ = draw(st.integers(0, len(content))), draw(st.binary(min_size=1, max_size=9))
    changed = [content[:at], content[at:], content[:at] + bytes_ + content[at + 3 :], content * 2, content + bytes(9)]
    return draw(st.sampled_from([*changed, b"", pickle.dumps(Trap())]))
