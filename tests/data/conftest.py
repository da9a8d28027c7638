"""Files of data, written into a folder of the test."""

from __future__ import annotations

import bz2
import gzip
import lzma

import numpy as np
import pytest

PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


class Folder:
    """A folder, and what is to be written into it."""

    packers = PACKERS

    def __init__(self, path):
        self.path = path

    def write(self, name, content):
        """A file, compressed as its name says."""
        suffix = next((each for each in (".gz", ".bz2", ".xz") if name.endswith(each)), "")
        path = self.path / name
        path.write_bytes(PACKERS[suffix](content.encode() if isinstance(content, str) else content))
        return path

    def saved(self, save, *arguments, **arrays):
        """What one of NumPy's functions writes."""
        path = self.path / "saved.tmp"
        with open(path, "wb") as file:
            save(file, *arguments, **arrays)
        return path.read_bytes()

    def sparse(self, matrix):
        """The arrays of a sparse matrix, by the names under which SciPy saves them."""
        rows, columns = np.nonzero(matrix)
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
        return {"data": matrix[rows, columns], "indices": columns, "indptr": starts, "shape": np.array(matrix.shape)}


@pytest.fixture
def folder(tmp_path):
    """An empty folder."""
    return Folder(tmp_path)
