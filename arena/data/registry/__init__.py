"""The data sets of the papers: what they are, where they come from, how their files are recognised.

`arena data` lists and fetches them, and `arena reproduce` plays them. `registered_sets` reads the table `sets.toml`.
"""

from __future__ import annotations

import functools
import importlib.resources
import tomllib
from dataclasses import dataclass
from pathlib import Path

from arena.data import Data, read_data
from arena.data.registry.digests import digest_of_file, digest_of_numbers
from arena.errors import ArenaError, DamagedFile, nearest

FOLDER = Path(".arena") / "data"  # where `arena data fetch` keeps files unless told otherwise
SUFFIXES = (".npz", ".csv", ".tsv", ".libsvm", ".svm", ".svmlight", ".npy", ".txt")
PACKED = ("", ".gz", ".bz2", ".xz")


@dataclass(frozen=True)
class Original:
    """A file at its original address; `member` is the name of the table inside it if it is an archive."""

    address: str
    sha256: str | None = None
    member: str = ""


@dataclass(frozen=True)
class DataSet:
    """A data set: its task, size, licence and source, and the hashes by which its file is recognised.

    `sha256` is the hash of the file, `numbers` the hash of its numbers. `files` are the original files, in the format
    `format`; without them only a mirror has the set. Their labels are in the column `label`, by default in the last
    column, or the first in LIBSVM's format. The label `positive`, if given, becomes 1, and all others -1. Columns in
    `without` are left out, and `order` is the order of the others. `training_rows` is the number of rows before those
    of the test part, where the source has one.
    """

    name: str
    task: str
    about: str
    rows: int
    columns: int
    licence: str
    source: str
    sha256: str
    numbers: str
    note: str = ""
    training_rows: int | None = None
    format: str = ""
    label: str | None = None
    positive: float | None = None
    without: tuple[str, ...] = ()
    order: tuple[int, ...] | None = None
    files: tuple[Original, ...] = ()

    @property
    def file(self) -> str:
        """The name of the set's file in a folder and on a mirror."""
        return f"{self.name}.npz"


@dataclass(frozen=True)
class Found:
    """The file of a data set in a folder; `registered` is true if it holds the registry's numbers."""

    path: Path
    registered: bool


@functools.cache
def registered_sets() -> dict[str, DataSet]:
    """Return the data sets by their names.

    >>> registered_sets()["casp"].rows
    45730
    """
    text = importlib.resources.files("arena.data.registry").joinpath("sets.toml").read_text(encoding="utf-8")
    return {name: _data_set(name, fields) for name, fields in tomllib.loads(text).items()}


def _data_set(name: str, fields: dict[str, object]) -> DataSet:
    files = fields.pop("files", [])
    assert isinstance(files, list)
    lists = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    return DataSet(name=name, files=tuple(Original(**each) for each in files), **lists)  # type: ignore[arg-type]


def data_set(name: str) -> DataSet:
    """Return a data set of the registry; raise an `ArenaError` with the nearest names if there is none."""
    known = registered_sets()
    if name not in known:
        raise ArenaError(f"there is no data set {name!r}. {nearest(name, known)} (arena data list)")
    return known[name]


def find(name: str, folder: Path) -> Path | None:
    """Return the file of a data set in a folder, in any format that `read_data` reads; None if there is none.

    `NAME.npz` comes first; `NAME.csv`, `NAME.libsvm` and so on, packed or not, are files of the user's own.
    """
    names = (f"{name}{suffix}{packing}" for suffix in SUFFIXES for packing in PACKED)
    return next((folder / each for each in names if (folder / each).is_file()), None)


def read_set(name: str, folder: Path) -> tuple[Data, Found]:
    """Return the rows of a data set in a folder, and its file.

    The file must have as many columns as the registry's. It may hold other numbers; `registered` is then false.
    """
    wanted, path = data_set(name), find(name, folder)
    if path is None:
        raise ArenaError(
            f"{folder} has no data set {name} ({name}.npz, {name}.csv, {name}.libsvm, ...): fetch it by "
            f"`arena data fetch {name} --data {folder}`, or name another folder by --data"
        )
    data = read_data(path)
    if data.X.shape[1] != wanted.columns:
        raise ArenaError(f"{path} has {data.X.shape[1]} columns, but {name} has {wanted.columns}: is it another set?")
    return data, Found(path, digest_of_numbers(data.X, data.y) == wanted.numbers)


def check_file(path: Path, wanted: DataSet) -> None:
    """Raise `DamagedFile` unless the file has the registry's hash, or holds the registry's numbers."""
    if digest_of_file(path) == wanted.sha256:
        return
    data = read_data(path)
    if digest_of_numbers(data.X, data.y) != wanted.numbers:
        raise DamagedFile(f"{path} does not hold the numbers of {wanted.name}: remove it and fetch it again")
