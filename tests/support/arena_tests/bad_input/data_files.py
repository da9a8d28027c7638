"""Generated data files that are damaged, have the wrong format, or contain wrong values."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import zipfile
from random import Random

import numpy as np

from arena_tests.bad_input.playground import Case, as_npz

CSV = b"a,b,y\n" + b"".join(b"%d,%.2f,%d\n" % (i, i / 7, (-1) ** i) for i in range(9))
SEMICOLONS = CSV.replace(b",", b";")
SPACES = CSV.replace(b",", b"  ").removeprefix(b"a  b  y\n")
LIBSVM = b"".join(b"%d 1:%.2f 3:%d # row\n" % ((-1) ** i, i / 7, i) for i in range(9))
POINTS, LABELS = np.arange(18.0).reshape(9, 2), (-1.0) ** np.arange(9)
TEXTS = {
    "csv": CSV,
    "tsv": CSV.replace(b",", b"\t"),
    "txt": SPACES,
    "libsvm": LIBSVM,
    "svm": LIBSVM,
    "data": SEMICOLONS,
}
TOKENS = [
    *(
        b"nan",
        b"inf",
        b"-inf",
        b"1e999",
        b"x",
        b"",
        b"1,2",
        b"1:2",
        b":",
        b"2:",
        b":2",
        b"1:1:1",
        b"-1:2",
        b"99999999999999999999:1",
    ),
    *(
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b'"',
        b'"1',
        b"'",
        b"#",
        b"\r",
        b"\r\n",
        b"\t",
        b";",
        b"  ",
        b"0x1p3",
        b"1_000",
        b"1" * 400,
    ),
    *(
        b"1.0\n2.0",
        b"\n\n\n",
        b"qid:3",
        b"?",
        b"NA",
        b"1e308",
        b"5e-324",
        b"\x1b[31m",
        "ü".encode(),
        b"=cmd()",
        b"1/2",
        b"True",
    ),
]
COLUMNS = ["-1", "0", "1", "9", "-9", "b", "nope", "''", "'\x1b'", "1.5", "[1]", "none", "y", "krr()"]
PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


class Trap:
    """An object that writes a file named `unpickled` if it is ever unpickled."""

    def __reduce__(self):
        return (exec, ("open('unpickled', 'w').close()",))


def data_file(number: int) -> Case:
    """Return a command that plays data file `number` with the adversary `replay`."""
    random = Random(f"data file {number}")
    kind, content = _archive(random) if random.random() < 0.45 else _text(random)
    packing = random.choice(["", "", "", ".gz", ".bz2", ".xz"])
    content = PACKERS[packing](content)
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        content = _damaged(content, random)
    if random.random() < 0.15:
        kind, packing = random.choice(["csv", "npz", "npy", "xlsx", "gz", "", "libsvm"]), random.choice([*PACKERS])
    name = f"bad.{kind}{packing}"
    column = f", label_column={random.choice(COLUMNS)}" if random.random() < 0.25 else ""
    words = ["play", "zero", f"replay(path={name}{column})", "--rounds", "4", "--bound", "none"]
    words += random.choice(
        [[], ["--json"], ["--loss", "hinge"], ["--save", name if name.endswith(".npz") else "out.npz"]]
    )
    return Case(words, (0, 2), {name: content})


def _text(random: Random) -> tuple[str, bytes]:
    kind = random.choice([*TEXTS])
    lines = TEXTS[kind].split(b"\n")
    for _ in range(random.choice([1, 1, 2, 4])):
        at = random.randrange(len(lines))
        line, token = lines[at], random.choice(TOKENS)
        place = random.randrange(len(line) + 1)
        lines[at] = random.choice(
            [line[:place] + token + line[place:], token, line[:place], line + b"," + token, line * 2]
        )
    return kind, random.choice([b"\n", b"\n", b"\r\n", b"\r"]).join(lines)


def _archive(random: Random) -> tuple[str, bytes]:
    arrays = {"X": POINTS, "y": LABELS}
    for _ in range(random.choice([1, 1, 2])):
        name = random.choice(["X", "y"])
        arrays[name] = random.choice(ARRAYS)({"X": POINTS, "y": LABELS}[name], random)
    arrays = {random.choice([name, name, name, "data", "X", "y", "a/b", ""]): each for name, each in arrays.items()}
    if random.random() < 0.3:
        return "npy", _header_spoilt(arrays.get("X", next(iter(arrays.values()))), random)
    if random.random() < 0.2:
        return "npz", _sparse(random)
    if random.random() < 0.2:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
            for name, each in arrays.items():
                archive.writestr(name + ".npy", _header_spoilt(each, random))
        return "npz", file.getvalue()
    return "npz", as_npz(**{name: each for name, each in arrays.items() if name})


ARRAYS = [
    lambda a, r: np.where(np.arange(a.size).reshape(a.shape) == r.randrange(max(a.size, 1)), np.nan, a.astype(float)),
    lambda a, r: a.astype(float) + np.inf,
    lambda a, r: a.astype(str),
    lambda a, r: a.astype(complex),
    lambda a, r: np.array([Trap()] * len(a.ravel()), dtype=object),
    lambda a, r: a.reshape(-1),
    lambda a, r: a[..., np.newaxis],
    lambda a, r: a[: r.randrange(4)] if a.ndim else a,
    lambda a, r: np.zeros((0, 2)),
    lambda a, r: np.zeros((2, 0)),
    lambda a, r: np.float64(3.0),
    lambda a, r: a > 0,
    lambda a, r: a.astype(np.float16) if a.dtype.kind == "f" else a,
    lambda a, r: a.astype(">f8") if a.dtype.kind in "fiu" else a,
    lambda a, r: np.zeros(3, dtype=[("a", float), ("b", int)]),
    lambda a, r: np.array(["2020-01-01"], dtype="datetime64[D]"),
    lambda a, r: a.astype("S4"),
]


def _header_spoilt(array, random: Random) -> bytes:
    """Return an .npy file whose header has a wrong shape, order or data type."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    content = file.getvalue()
    old = str(array.shape).encode()
    shapes = [
        b"(1000000000, 1000000000)",
        b"(-1, 2)",
        b"(99,)",
        b"()",
        b"(2.5, 1)",
        b"('a',)",
        b"(1e9,)",
        b"(" * 50,
        b"[9, 2]",
    ]
    content = content.replace(old, random.choice([old, *shapes]))
    content = content.replace(b"<f8", random.choice([b"<f8", b"|O8", b"<f3", b">i8", b"<U9", b"|V8", b"'''", b"m8[Y]"]))
    return content.replace(b"False", random.choice([b"False", b"True", b"None", b"quit()"]))


def _sparse(random: Random) -> bytes:
    parts = {
        "data": np.ones(3),
        "indices": np.array([0, 1, 0]),
        "indptr": np.array([0, 1, 2, 3]),
        "shape": np.array([3, 2]),
        "y": np.ones(3),
    }
    name = random.choice([*parts])
    wrong = [
        np.array([9, 9, 9]),
        np.array([-1, 0, 1]),
        np.array([10**12, 10**12]),
        np.array([1.5, 2.0]),
        np.array(["a"]),
        np.zeros(0),
    ]
    parts[name] = random.choice(wrong)
    return as_npz(**parts)


def _damaged(content: bytes, random: Random) -> bytes:
    at = random.randrange(len(content) + 1)
    return random.choice(
        [
            content[:at],
            content[at:],
            content[:at] + bytes(random.randrange(256) for _ in range(random.randint(1, 9))) + content[at + 3 :],
            content + content,
            content + b"\x00" * 9,
            b"",
            pickle.dumps(Trap()),
        ]
    )
