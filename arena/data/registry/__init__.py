"""The data sets of the papers: their properties, their sources, and the hashes by which their files are recognised.

The file `sets.toml` lists the sets; it is called the registry. `arena data` lists and fetches them, and `arena
reproduce` plays them.
"""

from __future__ import annotations

import functools
import importlib.resources
import tomllib
from dataclasses import dataclass
from pathlib import Path

from arena.data import Data, read_data
from arena.data.files import COMPRESSIONS
from arena.data.registry.digests import digest_of_file, digest_of_numbers
from arena.errors import ArenaError, DamagedFile, nearest

FOLDER = Path(".arena") / "data"  # default folder of `arena data fetch`
SUFFIXES = (".npz", ".csv", ".tsv", ".libsvm", ".svm", ".svmlight", ".npy", ".txt")
PACKED = ("", *COMPRESSIONS)


@dataclass(frozen=True)
class Original:
    """A file from which a data set is made; `address` is where the file was published.

    If the file is an archive, `member` is the name of the table in it; otherwise `member` is empty. `sha256` is the
    hash of the file; None if the hash is not known.
    """

    address: str
    sha256: str | None = None
    member: str = ""


@dataclass(frozen=True)
class DataSet:
    """A data set of a paper: its task, size, licence and source, and the hashes by which its file is recognised.

    - `sha256` is the hash of the set's file, and `numbers` is the hash of the numbers in the file.
    - `files` are the original files, in the format `format`. If there are none, only mirrors have the set.
    - `label` is the column of the labels in the original files; None stands for the last column, and in LIBSVM's format
      for the first.
    - `positive` is the label that becomes 1, while all other labels become -1. If it is None, labels stay as they are.
    - `without` are columns that are left out. `order` is the order of the other columns; None leaves them as they are.
    - `training_rows` is the number of rows that come before the test part; None if the source has no test part.
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
        """The name of the set's file, in a folder and on a mirror."""
        return f"{self.name}.npz"


@dataclass(frozen=True)
class Found:
    """The file of a data set that was found in a folder.

    `registered` is true if the hash of the file's numbers is the hash of the set's numbers in the registry.
    """

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
    """Return the data set of the registry with this name; raise an `ArenaError` if there is none."""
    known = registered_sets()
    if name not in known:
        raise ArenaError(f"there is no data set {name!r}. {nearest(name, known)} (`registered_sets()`)")
    return known[name]


def find(name: str, folder: Path) -> Path | None:
    """Return the path of a data set's file in a folder; None if the folder has no such file.

    `NAME.npz` is preferred to files that the user may have made, such as `NAME.csv` or `NAME.libsvm.gz`.
    """
    names = (f"{name}{suffix}{packing}" for suffix in SUFFIXES for packing in PACKED)
    return next((folder / each for each in names if (folder / each).is_file()), None)


def read_set(name: str, folder: Path) -> tuple[Data, Found]:
    """Return the rows of a data set in a folder, and the file from which they were read.

    The file must have as many columns as the set in the registry. If the file has other numbers than the set,
    `Found.registered` is false.
    """
    wanted, path = data_set(name), find(name, folder)
    if path is None:
        raise ArenaError(
            f"{folder} has no data set {name} ({name}.npz, {name}.csv, {name}.libsvm, ...): fetch it by "
            f"`fetch({name!r}, {str(folder)!r})`, or name another folder"
        )
    data = read_data(path)
    if data.X.shape[1] != wanted.columns:
        raise ArenaError(f"{path} has {data.X.shape[1]} columns, but {name} has {wanted.columns}: is it another set?")
    return data, Found(path, digest_of_numbers(data.X, data.y) == wanted.numbers)


def check_file(path: Path, wanted: DataSet) -> None:
    """Raise `DamagedFile` if the file does not contain the data set `wanted`.

    The registry has two hashes of the set: of its file, and of the numbers in the file. One of them must agree.
    """
    if digest_of_file(path) == wanted.sha256:
        return
    data = read_data(path)
    if digest_of_numbers(data.X, data.y) != wanted.numbers:
        raise DamagedFile(f"{path} does not hold the numbers of {wanted.name}: remove it and fetch it again")
