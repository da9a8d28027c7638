"""A fixture that writes data files into a folder of the test."""

from __future__ import annotations

import bz2
import gzip
import lzma

import numpy as np
import pytest

PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


class Folder:
    """A folder into which a test writes data files."""

    packers = PACKERS

    def __init__(self, path):
        self.path = path

    def write(self, name, content):
        """Write a file, compressed if the suffix of its name says so; return its path."""
        suffix = next((each for each in (".gz", ".bz2", ".xz") if name.endswith(each)), "")
        path = self.path / name
        path.write_bytes(PACKERS[suffix](content.encode() if isinstance(content, str) else content))
        return path

    def saved(self, save, *arguments, **arrays):
        """Return the bytes that one of NumPy's functions for saving writes."""
        path = self.path / "saved.tmp"
        with open(path, "wb") as file:
            save(file, *arguments, **arrays)
        return path.read_bytes()

    def sparse(self, matrix):
        """Return the arrays of a sparse matrix, by the names under which SciPy saves them."""
        rows, columns = np.nonzero(matrix)
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
        return {"data": matrix[rows, columns], "indices": columns, "indptr": starts, "shape": np.array(matrix.shape)}


@pytest.fixture
def folder(tmp_path):
    """An empty folder."""
    return Folder(tmp_path)
