"""The data sets of the papers: what they are, where they come from, and how their files are recognised.

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

FOLDER = Path(".arena") / "data"  # default folder of `arena data fetch`
SUFFIXES = (".npz", ".csv", ".tsv", ".libsvm", ".svm", ".svmlight", ".npy", ".txt")
PACKED = ("", ".gz", ".bz2", ".xz")


@dataclass(frozen=True)
class Original:
    """A file at its original address; if the file is an archive, `member` is the name of the table in it."""

    address: str
    sha256: str | None = None
    member: str = ""


@dataclass(frozen=True)
class DataSet:
    """A data set of a paper: its task, size, licence and source, and the hashes by which its file is recognised.

    - `sha256` is the hash of the file, and `numbers` the hash of the numbers in it.
    - `files` are the original files, in the format `format`; if there are none, only a mirror has the set.
    - `label` is the column of the labels in the original files. The default is the last column, in LIBSVM's format the
      first.
    - `positive`: if it is given, this label becomes 1, and all others become -1.
    - `without` are columns that are left out, and `order` is the order of the others.
    - `training_rows` is the number of rows before those of the test part, if the source has one.
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
        """The name that the set's file has in a folder and on a mirror."""
        return f"{self.name}.npz"


@dataclass(frozen=True)
class Found:
    """The file of a data set in a folder; `registered` is true if it has the numbers of the registry."""

    path: Path
    registered: bool


@functools.cache
def registered_sets() -> dict[str, DataSet]:
    """Return all data sets of the registry, by name.

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
    """Return a data set of the registry; raise an `ArenaError` that suggests similar names if there is none."""
    known = registered_sets()
    if name not in known:
        raise ArenaError(f"there is no data set {name!r}. {nearest(name, known)} (arena data list)")
    return known[name]


def find(name: str, folder: Path) -> Path | None:
    """Return the path of a data set's file in a folder; None if there is none.

    `NAME.npz` is preferred. Files of the user's own, such as `NAME.csv` or `NAME.libsvm`, are found, too, packed or
    not.
    """
    names = (f"{name}{suffix}{packing}" for suffix in SUFFIXES for packing in PACKED)
    return next((folder / each for each in names if (folder / each).is_file()), None)


def read_set(name: str, folder: Path) -> tuple[Data, Found]:
    """Return the rows of a data set in a folder, and the file that they come from.

    The file must have as many columns as the registry says. If its numbers are others, `registered` is false.
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
    """Raise `DamagedFile` unless the file has the hash of the registry, or the numbers of the registry."""
    if digest_of_file(path) == wanted.sha256:
        return
    data = read_data(path)
    if digest_of_numbers(data.X, data.y) != wanted.numbers:
        raise DamagedFile(f"{path} does not hold the numbers of {wanted.name}: remove it and fetch it again")
