"""Checks of paths that users give."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from arena.errors import ArenaError, bounded

KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


def check_ordinary(path: str | Path) -> None:
    """Raise an `ArenaError` if the path is invalid, or names a pipe, a device or a socket.

    Files, folders and paths that do not exist are accepted.
    """
    try:
        kind = KINDS.get(stat.S_IFMT(os.stat(path).st_mode))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    except (OSError, ValueError) as error:  # too long, zero bytes, ...
        reason = error.strerror if isinstance(error, OSError) else error
        raise ArenaError(f"{bounded(str(path), 80)} cannot be the name of a file: {reason}") from None
    if kind:  # reading it may never end
        raise ArenaError(f"{path} is {kind}, not a regular file: write the content into a file, and name that")


def absolute(path: str | Path) -> Path:
    """Return the absolute path, in which `~` and links are resolved.

    Raise an `ArenaError` if the path is invalid, or if it is relative and the working folder was removed.
    """
    try:
        return Path(path).expanduser().resolve()
    except (FileNotFoundError, RuntimeError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        if isinstance(error, FileNotFoundError):
            reason = "it is relative to the working folder, which was removed; change to another"
        raise ArenaError(f"{bounded(str(path), 80)} cannot be the name of a file: {reason}") from None
