"""Helpers that take transcripts' files apart and seal them again, and compare folders."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import numpy as np

from arena.record.storage import JUDGEMENT, _digest

SEAL = 64  # the last bytes of a file: SHA-256 in hexadecimal


def sealed(content):
    """Return the bytes followed by their seal."""
    return content + hashlib.sha256(content).hexdigest().encode()


def parts(content):
    """Return the header and the arrays of a transcript's file, given as bytes; without digest and judgement."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files if name != JUDGEMENT}
    header = json.loads(arrays.pop("header").tobytes())
    del header["digest"]
    return header, arrays


def resealed(header, arrays):
    """Return the bytes of a transcript's file with this header and these arrays, with the right digest and seal."""
    header = {**header, "digest": _digest(header, arrays)}
    text = np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, header=text, **arrays)
    # an archive's last two bytes are the length of its comment, which is the seal
    return sealed(buffer.getvalue()[:-2] + SEAL.to_bytes(2, "little"))


def snapshot(folder):
    """Return a dictionary from each path below a folder to the file's bytes, or to None for a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(Path(folder).rglob("*"))
    }
