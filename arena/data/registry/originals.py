"""Reads data sets from their original files: tables in archives, ARFF, CSV and LIBSVM text."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np

from arena.arrays import Array
from arena.data import read_data
from arena.data.files import COMPRESSIONS
from arena.data.registry import DataSet, Original
from arena.errors import DamagedFile


def converted(wanted: DataSet, paths: Sequence[Path]) -> tuple[Array, Array]:
    """Return the points and labels of the data set `wanted` in single precision, read from its original files.

    `paths` has one path for each of `wanted.files`, in this order.
    """
    parts = [_read(wanted, original, path) for original, path in zip(wanted.files, paths, strict=True)]
    columns = max(X.shape[1] for X, _ in parts)  # in LIBSVM's format a part may lack its last columns, which are zero
    X = np.concatenate([np.pad(X, ((0, 0), (0, columns - X.shape[1]))) for X, _ in parts])
    y = np.concatenate([y for _, y in parts])
    if wanted.order is not None:
        X = X[:, list(wanted.order)]
    if wanted.positive is not None:
        y = np.where(y == wanted.positive, 1.0, -1.0)
    return X.astype(np.float32), y.astype(np.float32)


def _read(wanted: DataSet, original: Original, path: Path) -> tuple[Array, Array]:
    name = original.member or original.address.rpartition("/")[2]
    with tempfile.TemporaryDirectory() as folder:
        # a copy with the original name, since read_data recognises formats by the file's name
        suffix = {"csv": ".csv", "arff": ".csv", "libsvm": ".libsvm"}[wanted.format]
        packing = next((end for end in COMPRESSIONS if not original.member and name.endswith(end)), "")
        table = Path(folder) / f"table{suffix}{packing}"
        with open(table, "wb") as file:
            if wanted.format == "arff":
                file.write(_rows_of_arff(path))
            elif original.member:
                _unpack(path, original.member, file)
            else:
                file.write(path.read_bytes())
        data = read_data(table, label_column=wanted.label)
    kept = [column for column, title in enumerate(data.names) if title not in wanted.without]
    return (data.X[:, kept] if wanted.without else data.X), data.y


def _unpack(path: Path, member: str, into: IO[bytes]) -> None:
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as zipped, zipped.open(member) as file:
                shutil.copyfileobj(file, into)
                return
        with tarfile.open(path) as tarred:
            packed = tarred.extractfile(member)
            assert packed is not None, "a folder"
            shutil.copyfileobj(packed, into)
    except (KeyError, AssertionError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise DamagedFile(f"{path} has no member {member} ({error}): its source has changed") from None


def _rows_of_arff(path: Path) -> bytes:
    """Return the rows of an ARFF file of numbers as text, without header and comments."""
    lines = path.read_bytes().splitlines()
    start = next((number for number, line in enumerate(lines) if line.strip().lower() == b"@data"), None)
    if start is None:
        raise DamagedFile(f"{path} is no ARFF file: it has no line @data")
    rows = io.BytesIO()
    for line in lines[start + 1 :]:
        if line.strip() and not line.startswith(b"%"):
            rows.write(line + b"\n")
    return rows.getvalue()
