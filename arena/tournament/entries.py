"""The JSON files of a store, and the checks that they pass when they are read.

For example, the record of a failure is written as

    {"arena": "failure", "digest": "...", "determined": {...}, "failure": {...}}

- `digest` is the hash of all bytes that follow it in the file.
- `determined` has the values whose hash is the match's key; the key is also the name of the file.

A file whose digest or name is wrong is damaged, and is not used.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from arena.errors import ArenaError, DamagedFile
from arena.tournament.plan import key_of

Kind = Literal["summary", "failure", "store"]
BEGINNING = b'{"arena": "'
_DIGEST = b'", "digest": "'
_SIZE = 64


def entry_bytes(kind: Kind, values: dict[str, Any]) -> bytes:
    """Return the content of a JSON file of this kind with these values."""
    rest = b", " + json.dumps(values, sort_keys=True, allow_nan=False).encode()[1:] + b"\n"
    digest = hashlib.sha256(rest).hexdigest().encode()
    return BEGINNING + kind.encode() + _DIGEST + digest + b'"' + rest


def read_entry(path: Path, kind: Kind) -> dict[str, Any]:
    """Return the values in a JSON file of this kind.

    Raise `DamagedFile` if the file is incomplete, was changed, or has the name of another match. Raise an `ArenaError`
    if the file is missing or cannot be read.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ArenaError(f"there is no file {path}") from None
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from None
    start = BEGINNING + kind.encode() + _DIGEST
    rest = content[len(start) + _SIZE + 1 :]
    digest = content[len(start) : len(start) + _SIZE]
    if not content.startswith(start) or hashlib.sha256(rest).hexdigest().encode() != digest:
        raise DamagedFile(f"{path} is torn or was changed after it was written")
    values: dict[str, Any] = json.loads(content)
    if "determined" in values and key_of(values["determined"]) != path.name.partition(".")[0]:
        raise DamagedFile(f"{path} is about another match than its name says")
    return values


def is_entry(head: bytes) -> bool:
    """Return whether a file with the first bytes `head` is a JSON file of a store, perhaps an incomplete one."""
    return BEGINNING.startswith(head) if len(head) < len(BEGINNING) else head.startswith(BEGINNING)
