"""Helpers for matches whose data and arrays are in files: small limits of memory, tables, and a well-timed Ctrl-C."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from arena.data import mapped

ROWS, COLUMNS = 1200, 3
FIELDS = {"rounds": ROWS, "hindsight": "interval"}


def on_disk(monkeypatch, mebibytes="0.01"):
    monkeypatch.setenv("REGRET_ARENA_IN_MEMORY", mebibytes)


def write(path, X, y):
    """Write points and labels to a file in the format that its suffix names; return the path."""
    name, both = str(path), np.column_stack([X, y])
    if name.endswith(".npz"):
        (np.savez_compressed if "packed" in name else np.savez)(name, X=X, y=y)
    elif name.endswith(".npy"):
        np.save(name, both)
    elif name.endswith(".parquet"):
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = {each: both[:, j] for j, each in enumerate(("a", "b", "c", "label"))}
        parquet.write_table(arrow.table(columns), name, row_group_size=200)
    elif name.endswith(".svm"):
        rows = (f"{b} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(a))
                for a, b in zip(X.tolist(), y.tolist(), strict=True))  # fmt: skip
        Path(name).write_text("\n".join(rows) + "\n")
    else:
        text = "a,b,c,label\n" + "\n".join(",".join(map(repr, row)) for row in both.tolist()) + "\n"
        with gzip.open(name, "wt") if name.endswith(".gz") else open(name, "w") as file:
            file.write(text)
    return path


def kept_folders():
    return [each for each in mapped.own_cache("matches").glob("*") if (each / "state").exists()]


class Kill:
    """A progress function that raises `KeyboardInterrupt`, as Ctrl-C does, after `rounds` rounds."""

    def __init__(self, rounds):
        self.rounds = rounds

    def __call__(self, done):
        if done >= self.rounds:
            raise KeyboardInterrupt
