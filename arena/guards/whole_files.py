"""Files that are written whole or not at all, and never in place of a file that the arena did not write."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from arena.errors import ArenaError

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # `Path` has made one slash of two; C:/ is a drive
HEAD = 1 << 12  # number of first bytes by which the arena recognises its own files


@contextlib.contextmanager
def writing(path: Path, ours: Callable[[bytes], bool], *, durable: bool = True) -> Iterator[IO[bytes]]:
    """Context manager that yields a binary file to write; the file appears at `path` after the block, complete.

    An existing file is replaced only if it is empty, or if `ours` returns True for its first bytes, which means that
    the arena wrote it; otherwise an `ArenaError` is raised. After an exception in the block, nothing has changed at
    `path`; an `OSError` becomes an `ArenaError`. With durable=False writing is much faster, but a power failure soon
    afterwards may leave a torn file.
    """
    check_replaceable(path, ours)
    target = Path(os.path.realpath(path))  # the target of a link is written, so that the link stays
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".part")
    except (OSError, ValueError) as error:
        raise ArenaError(
            f"cannot write {path}: {reason(error)}. Choose a folder that exists and may be written."
        ) from None
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.chmod(temporary, _mode_of(target))
        os.replace(temporary, target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ArenaError(f"cannot write {path}: {reason(error)}. Choose another place.") from None
        raise


def check_replaceable(path: Path, ours: Callable[[bytes], bool]) -> None:
    """Raise an `ArenaError` if the path must not be overwritten.

    A path at which nothing exists is accepted, unless it is a URL. So is a regular file that is empty, or for whose
    first bytes `ours` returns True, which means that the arena wrote it.
    """
    refuse_address(path)
    try:
        if not path.exists() and not path.is_symlink():
            return
        if not path.is_file():
            raise ArenaError(f"cannot write {path}: it is no regular file. Choose another name.")
        head = head_of(path)
    except (OSError, ValueError) as error:
        if isinstance(error, ArenaError):
            raise
        raise ArenaError(f"cannot write {path}: {reason(error)}. Choose another name.") from None
    if head and not ours(head):
        raise ArenaError(
            f"{path} exists already and was not written by the arena: choose another name, or delete it first"
        )


def refuse_address(path: str | Path) -> None:
    """Raise an `ArenaError` if the path is a URL, such as s3://bucket/folder, of which a folder s3: would be made."""
    if ADDRESS.match(str(path)):
        raise ArenaError(
            f"{path} is a URL, but only local files are written: name a local path and copy the result there "
            "afterwards, or mount the remote folder"
        )


def make_folder(folder: Path) -> None:
    """Make the folder and its parents, unless they exist; raise an `ArenaError` if that fails, or for a URL."""
    refuse_address(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ArenaError(f"cannot make {folder}: {reason(error)}. Choose another folder.") from None


def head_of(path: Path) -> bytes:
    """Return the first 4,096 bytes of a file, by which the arena recognises its own files."""
    with open(path, "rb") as file:
        return file.read(HEAD)


def is_new(_: bytes) -> bool:
    """Return False, so that `writing(path, is_new)` replaces no file that has any content."""
    return False


def reason(error: Exception) -> str:
    """Return the message of an error in reading or writing, without the name of the file."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def working_folder() -> Path:
    """Return the absolute path of the current folder; `.` if the folder was removed."""
    try:
        return Path.cwd()
    except OSError:
        return Path()


def _mode_of(path: Path) -> int:
    """Return the permissions of the file; if it does not exist, the permissions that a new file would get."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        return 0o666 & ~_umask()


def hide_from_git(folder: Path) -> None:
    """Make git ignore the content of a folder; do nothing if the folder has a .gitignore already."""
    ignore = folder / ".gitignore"
    if not ignore.exists():
        with writing(ignore, is_new) as file:
            file.write(b"*\n")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
