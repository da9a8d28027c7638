"""Finds data files, opens and decompresses them, and reads them in chunks of whole lines."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from arena.data.npz import LIMIT, check_bytes, most_bytes, unpacked
from arena.errors import ArenaError, DamagedFile, nearest, number_of

TABLES = (".csv", ".tsv")  # endings of files that are read as tables whatever their first lines are
LIBSVM = (".libsvm", ".svm", ".svmlight")
# Endings of names that messages offer as data; files of all other names are read, too, if their content is data.
OFFERED = (*TABLES, *LIBSVM, ".npz", ".npy", ".parquet", ".txt", ".dat", ".data", ".t", ".tr", ".scale")
HEAD = 1 << 16  # bytes at the start of a file by which its format is recognised
CHUNK = 1 << 23  # bytes of text that are parsed together
MOST_LINE_BYTES = 1 << 26  # bytes, enough for a point with a million coordinates
COMPRESSIONS: dict[str, tuple[bytes, Callable[[IO[bytes]], Any]]] = {
    ".gz": (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    ".bz2": (b"BZh", bz2.BZ2File),
    ".xz": (b"\xfd7zXZ\x00", lzma.LZMAFile),
}


def column_in_words(index: int, names: Sequence[str] = ()) -> str:
    """Return a text for messages, such as "column 3 ('price')"; if `names` is empty, "column 3".

    `index` counts from 0, and the text counts from 1.
    """
    return f"column {index + 1}" + (f" ({names[index]!r})" if names else "")


@dataclass
class DataFile:
    """An open data file, decompressed as it is read; `head` has its first bytes."""

    name: str
    suffix: str
    file: IO[bytes]
    head: bytes
    compressed: bool = False
    raw: IO[bytes] | None = None  # the file itself, if it is compressed

    def share(self) -> float:
        """Return the share of the file that was read so far, from 0 to 1."""
        raw = self.raw or self.file
        return raw.tell() / max(os.fstat(raw.fileno()).st_size, 1)

    def seekable(self) -> IO[bytes]:
        """Return the file in a form that can be read from any position; a compressed file is unpacked into memory."""
        return unpacked(self.file, self.name, io.BytesIO()) if self.compressed else self.file

    def holds(self, *marks: bytes) -> bool:
        """Return whether the file's first bytes contain one of the given byte strings."""
        return any(mark in self.head for mark in marks)

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        """Yield pieces of whole lines, each with the line number (from 1) of its first line."""
        number, rest, done = 1, b"", 0
        while block := self.file.read(CHUNK):
            done += len(block)
            if self.compressed:
                check_bytes(self.name, done)
            if len(rest) > MOST_LINE_BYTES and b"\n" not in block:
                self.fail(number, "", f"it is longer than {MOST_LINE_BYTES >> 20} MiB: end each row by a line break")
            if number == 1 and not rest:
                block = block.removeprefix(b"\xef\xbb\xbf")
            if b"\n" not in block:
                block = block.replace(b"\r", b"\n")  # line ends of old Macintosh files
            block = rest + block
            stop = block.rfind(b"\n") + 1
            rest = block[stop:]
            if stop:
                yield number, block[:stop]
                number += block.count(b"\n", 0, stop)
        if rest:
            yield number, rest + b"\n"

    def fail(self, line: int, column: str, problem: str) -> NoReturn:
        """Raise an `ArenaError` that names the file, the line, the column (unless it is empty) and the problem."""
        raise ArenaError(f"{self.name}, line {line}{', ' if column else ''}{column}: {problem}")

    def decoded(self, line: bytes, number: int) -> str:
        """Return a line as text, without its line break; raise an `ArenaError` if the line is not UTF-8."""
        try:
            return line.decode().strip("\r\n")
        except UnicodeDecodeError as error:
            self.fail(number, "", f"byte 0x{line[error.start]:02x} is not UTF-8 text; save the file as UTF-8")

    def check_size(self, rows: int, columns: int) -> None:
        """Raise an `ArenaError` if a dense matrix of this size takes more than `arena.data.npz.most_bytes()` bytes."""
        if 8 * rows * columns > most_bytes():
            size = f"{rows} rows and {columns} columns, {rows * columns / 2**27:.0f} GiB as a dense matrix"
            raise ArenaError(
                f"{self.name} has {size}: keep fewer rows or columns, or raise the bound with {LIMIT}, a number of GiB"
            )


@contextlib.contextmanager
def opened(path: Path) -> Iterator[DataFile]:
    """Context manager: yields the file as a `DataFile`, open for reading; errors become `ArenaError`s with advice."""
    _check_path(path)
    try:
        with open(path, "rb") as raw:
            start = raw.read(8)
            raw.seek(0)
            if not start:
                raise ArenaError(f"{path} is empty: it needs rows of numbers")
            packed = [suffix for suffix, (magic, _) in COMPRESSIONS.items() if start.startswith(magic)]
            last = path.suffix.lower()
            if last in COMPRESSIONS and packed != [last]:
                raise DamagedFile(
                    f"{path} is not compressed by {last[1:]}, whatever its name says: rename or replace it"
                )
            file = COMPRESSIONS[packed[0]][1](raw) if packed else raw
            yield DataFile(str(path), _ending(path), file, _head(file, path), bool(packed), raw)
    except ArenaError:
        raise
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise DamagedFile(f"{path} is torn or damaged ({error}): fetch it again") from None
    except OSError as error:
        if error.errno is None:  # bz2 raises an OSError without number for damaged content
            raise DamagedFile(f"{path} is torn or damaged ({error}): fetch it again") from None
        raise ArenaError(f"cannot read {path}: {error.strerror}. Check its permissions.") from None


def _head(file: IO[bytes], path: Path) -> bytes:
    head = file.read(HEAD)
    file.seek(0)
    if not head.strip():
        raise ArenaError(f"{path} is empty: it needs rows of numbers")
    return head


def _check_path(path: Path) -> None:
    try:
        if path.is_dir():
            raise ArenaError(f"{path} is a folder: name a file in it. {_neighbours(path, '')}")
        if not path.exists():
            if not path.parent.is_dir():
                raise ArenaError(f"there is no file {path}, for there is no folder {path.parent}")
            raise ArenaError(f"there is no file {path}. {_neighbours(path.parent, path.name)}")
        if not path.is_file():
            raise ArenaError(f"{path} is not a regular file: write the data into one")
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}. Check its name and permissions.") from None


def _neighbours(folder: Path, name: str) -> str:
    """Return a sentence that lists the names in the folder that are similar to `name`.

    Without similar names, it lists all data files and folders in the folder. A long list is replaced by the number of
    files, the number of folders, and five examples.
    """
    there = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    known = [each.name for each in there if each.is_file() and _ending(each) in OFFERED]
    bare = [each.name for each in there if each.is_file() and not _ending(each)]
    folders = [f"{each.name}/" for each in there if each.is_dir() and not each.name.startswith("__")]
    none = f"No name there ends as data do, in {', '.join(OFFERED[:-1])} or {OFFERED[-1]}."
    offer = nearest(name, known + bare + folders, otherwise=nearest("", known + folders) if known + folders else none)
    if len(offer) < 500:
        return offer
    some = ", ".join((known + folders)[:5])
    return f"There are {number_of(len(known), 'file')} and {number_of(len(folders), 'folder')}, such as {some}."


def _ending(path: Path) -> str:
    """Return the ending of a file's name, such as ".csv" for both `data.csv` and `data.csv.gz`."""
    return (path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path).suffix.lower()


Report = Callable[[str, float, int], None]  # called with the file's name, the share that is read, and the rows
_REPORT: ContextVar[Report | None] = ContextVar("report", default=None)


@contextlib.contextmanager
def reporting(report: Report) -> Iterator[None]:
    """Context manager: inside the block, `report` is called with the progress of reading a large file."""
    token = _REPORT.set(report)
    try:
        yield
    finally:
        _REPORT.reset(token)


def tell(path: Path, share: float, rows: int) -> None:
    """Call the function that was given to `reporting`; do nothing outside a block of `reporting`.

    The function gets the file's name, the share of the file that has been read, and the number of rows read.
    """
    report = _REPORT.get()
    if report is not None:
        report(path.name, share, rows)
