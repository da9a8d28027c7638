"""Files of transcripts taken apart, changed, and sealed again, with digests that are right; the data in pages."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path

import numpy as np

from arena.record.storage import _digest

SEAL = 64  # the last bytes of a file: SHA-256 in hexadecimal


def data_of(page):
    """The numbers that a page of several matches, given as HTML, holds for its script."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def sealed(content):
    """The bytes with their seal behind them."""
    return content + hashlib.sha256(content).hexdigest().encode()


def parts(content):
    """The header, without its digest, and the arrays of a transcript's bytes."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    del header["digest"]
    return header, arrays


def resealed(header, arrays):
    """The bytes of a file with this header and these arrays, as if the arena had written it."""
    header = {**header, "digest": _digest(header, arrays)}
    text = np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, header=text, **arrays)
    # an archive's last two bytes are the length of its comment, which is the seal
    return sealed(buffer.getvalue()[:-2] + SEAL.to_bytes(2, "little"))


def snapshot(folder):
    """Every path below a folder with its content, so that two snapshots differ if anything was lost or changed."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(Path(folder).rglob("*"))
    }
