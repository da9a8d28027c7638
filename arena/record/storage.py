"""Transcripts as files: an .npz of plain arrays with a JSON header.

A file contains two hashes. The digest in the header covers the rest of the header and all arrays. The seal, which is
the archive's comment, covers all bytes before it. The member `judgement.json` has the match's row and judgement
(`arena.record.tables.Entry`); it can be replaced, and the digest does not cover it. Nothing is unpickled.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.lib.format import header_data_from_array_1_0, write_array, write_array_header_1_0

from arena.arrays import Array
from arena.data.npz import Archive, check_bytes
from arena.errors import ArenaError, DamagedFile
from arena.game.game import Game
from arena.guards.disk import blocks, is_mapped
from arena.guards.whole_files import reason, writing
from arena.hindsight.exact import RidgeHindsight
from arena.hindsight.interval import IntervalHindsight
from arena.record.fields import (
    ARRAYS,
    EVIDENCE,
    HINDSIGHT,
    INTERVAL,
    INTERVAL_NUMBERS,
    UNANSWERED,
    WrongField,
    transcript_of,
)
from arena.record.remarks import REMARKS
from arena.record.repeating import options_in
from arena.record.transcript import Transcript
from arena.specs.parameters import Configured
from arena.specs.spelling import is_unnamed, spec_of, spec_text
from arena.version import __version__

Known = TypeVar("Known", RidgeHindsight, IntervalHindsight)
FORMAT = 1
JUDGEMENT = "judgement.json"
_BEGINNING = 1 << 10  # number of characters of a header that are searched for its first key
_BEFORE_TEXT = 142  # number of bytes of the .npy header and the first key
_SEAL_SIZE = 64  # number of hexadecimal digits of SHA-256
AGAIN = "Play the match again, or fetch the file again from where it was whole."


def is_transcript(head: bytes) -> bool:
    """Return whether a file with these first bytes is a transcript, possibly a torn one."""
    if head[:4] != b"PK\x03\x04" or head[30:40] != b"header.npy":
        return False
    content = head[30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little") :]
    if head[8] == zipfile.ZIP_DEFLATED:
        with contextlib.suppress(zlib.error):
            content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, _BEGINNING)
    # A file that is torn before the text of its header is no whole file of any program, and may be replaced.
    return b'{"adversary": ' in content[:_BEGINNING] or len(content) < _BEFORE_TEXT


def save_transcript(transcript: Transcript, path: Path, *, compressed: bool = False) -> Path:
    """Write the transcript and return the path; transcripts with equal fields give files with equal bytes."""
    from arena.record.tables import Entry, JudgedMatch  # they read what this module writes

    judgement = None
    if transcript.judged is not None:
        match = JudgedMatch(transcript, transcript.judged, content=content_digest(transcript))
        judgement = Entry.of(match).content()
    with writing(path, is_transcript) as file:
        _write(transcript, file, compressed=compressed, judgement=judgement)
        _seal(file)
    return path


def transcript_bytes(transcript: Transcript) -> bytes:
    """Return the content of a file without judgement and seal; `with_judgement` adds both."""
    file = io.BytesIO()
    _write(transcript, file)
    return file.getvalue()


def with_judgement(content: bytes, judgement: bytes) -> bytes:
    """Return the content of a transcript's file, with this text as its member `judgement.json`."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for info in source.infolist():
            if info.filename != JUDGEMENT:
                archive.writestr(info, source.read(info))
        archive.writestr(_member(JUDGEMENT), judgement)
    _seal(file)
    return file.getvalue()


def read_judgement(path: Path) -> bytes | None:
    """Return the member `judgement.json` of a transcript's file; None if there is none.

    Raise `DamagedFile` if the member is damaged; the rest of the file is not read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _judgement_in(archive)
    except (OSError, ValueError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DamagedFile(f"{path} is not a whole transcript: {error}") from None


def _judgement_in(archive: zipfile.ZipFile) -> bytes | None:
    if JUDGEMENT not in archive.NameToInfo:
        return None
    check_bytes(archive.filename or JUDGEMENT, archive.NameToInfo[JUDGEMENT].file_size)
    return archive.read(JUDGEMENT)


def content_digest(transcript: Transcript) -> str:
    """Return a hash that is the same for every repetition of the match, also on another kind of processor.

    The hash covers the players, the game, the seed, the moves, the sizes of dictionaries and how the match ended. It
    leaves out predictions and evidence, whose last digits depend on the processor, and times, versions, the machine,
    and the traceback of a foul.
    """
    return digest_of_content(_header_of(transcript), _arrays_of(transcript))


def digest_of_content(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """Return the hash that `content_digest` returns for the transcript with this header and these arrays."""
    forfeit = dict(header["forfeit"] or {})
    forfeit.pop("details", None)
    kept = header["circumstances"]
    remarks = {key: kept.get(key) for key in REMARKS} | options_in(kept)
    content = {**header, "forfeit": forfeit, "circumstances": remarks}
    for key in ("lower_bounds", "hindsights", "intervals"):  # they follow from the specs and the moves
        content.pop(key, None)
    moves = ("points", "labels", "sizes", *UNANSWERED)
    return _digest(content, {name: array for name, array in arrays.items() if name in moves})


def check_seal(path: Path) -> None:
    """Read a transcript's file once; raise `DamagedFile` if it is torn or was changed."""
    try:
        with open(path, "rb") as file:
            _check_seal(file)
    except ValueError as error:
        raise DamagedFile(f"{path} is not a whole transcript: {error}") from None
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from None


def _write(
    transcript: Transcript, file: IO[bytes], *, compressed: bool = False, judgement: bytes | None = None
) -> None:
    arrays = _arrays_of(transcript)
    header = _header_of(transcript)
    header["digest"] = _digest(header, arrays)
    text = np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8)
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", compression=kind, allowZip64=True) as archive:
        members: dict[str, Any] = {"header": text, **arrays}
        for name, array in members.items():
            with archive.open(_member(f"{name}.npy", kind), "w", force_zip64=True) as member:
                _write_array(member, array)
        if judgement is not None:
            archive.writestr(_member(JUDGEMENT, kind), judgement)


def _member(name: str, kind: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    """Return the description of an archive's member, with the same date in every file."""
    info = zipfile.ZipInfo(name)
    info.compress_type = kind
    return info


def _write_array(file: IO[bytes], array: Array) -> None:
    """Write an array as `np.savez` does; an array that lies in a file is copied part by part and never read whole."""
    if not is_mapped(array):
        write_array(file, array, allow_pickle=False)
        return
    write_array_header_1_0(file, header_data_from_array_1_0(array))
    for rows in blocks(array):
        file.write(np.ascontiguousarray(array[rows]).tobytes())


def load_transcript(path: Path, *, trust: bool | Callable[[dict[str, Any]], bool] = False) -> Transcript:
    """Return the transcript in a file; a torn, changed or foreign file raises `DamagedFile`.

    Users' own code that the file names is run only with `trust`, which may be a function of the file's header. Without
    `trust`, a user's kernel or loss raises an `ArenaError`.
    """
    from arena.record.tables import Entry

    header, arrays, judgement = read_whole(path)
    try:
        trusted = trust(header) if callable(trust) else trust
        transcript = transcript_of(header, arrays, trust=trusted)
        if judgement is not None:
            with contextlib.suppress(DamagedFile):  # of another version: the match is judged again
                transcript.judged = Entry.read(judgement).judgement
        return transcript
    except WrongField as error:
        raise DamagedFile(f"{path} is sealed, but no match can have left it: {error}. {AGAIN}") from None


def read_whole(path: Path) -> tuple[dict[str, Any], dict[str, Array], bytes | None]:
    """Return header, arrays and judgement of a file; raise `DamagedFile` if it is damaged or of another format.

    The file need not be trusted: no code that it names is run.
    """
    header, arrays, judgement = _read(path)
    given = header.pop("digest", None)
    if header.get("format") != FORMAT:
        circumstances = header.get("circumstances")
        writer = circumstances.get("arena") if isinstance(circumstances, dict) else None
        raise DamagedFile(
            f"{path} has format {header.get('format')!r:.40}, and regret-arena {__version__} reads format {FORMAT}. "
            f"Read it with the version that wrote it{f' ({writer!r:.40})' if writer else ''}, or play the match again."
        )
    if given != _digest(header, arrays):
        raise DamagedFile(f"{path} was changed after it was written: its digest does not match its content. {AGAIN}")
    return header, arrays, judgement


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Array], bytes | None]:
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ArenaError(f"{path} is not a regular file: copy the transcript into one")
        with open(path, "rb") as whole:
            _check_seal(whole)
            archive = Archive(whole, path, maps=True)
            arrays = {name: archive.read(name) for name in archive.names}
            judgement = _judgement_in(zipfile.ZipFile(whole))
        header = json.loads(arrays.pop("header").tobytes())
    except FileNotFoundError:
        raise ArenaError(f"there is no file {path}: `Transcript.save(...)` writes one") from None
    except IsADirectoryError:
        raise ArenaError(f"{path} is a folder: name a file in it") from None
    except ArenaError:
        raise
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {reason(error)}. Check its name and permissions.") from None
    except Exception as error:  # a damaged zip or .npy header can raise nearly any exception, even MemoryError
        raise DamagedFile(
            f"{path} is not a whole transcript: it is torn or of another kind ({error}). {AGAIN}"
        ) from None
    if not isinstance(header, dict):
        raise DamagedFile(f"{path} is not a transcript: its header is not an object. {AGAIN}")
    return header, arrays, judgement


def _seal(file: IO[bytes]) -> None:
    """Append the hash of an archive's bytes to the archive, as the archive's comment."""
    file.seek(-2, os.SEEK_END)
    file.write(_SEAL_SIZE.to_bytes(2, "little"))  # an archive's last two bytes are the length of its comment
    file.write(_hash(file, file.seek(0, os.SEEK_END)))


def _check_seal(file: IO[bytes]) -> None:
    size = file.seek(0, os.SEEK_END) - _SEAL_SIZE
    if size < 0:
        raise ValueError("it is too short")
    if _hash(file, size) != file.read():
        raise ValueError("its seal is broken")
    file.seek(0)


def _hash(file: IO[bytes], size: int) -> bytes:
    """Return the hash of the first `size` bytes, and leave the file's position after these bytes."""
    file.seek(0)
    content = hashlib.sha256()
    while size and (chunk := file.read(min(size, 1 << 20))):
        content.update(chunk)
        size -= len(chunk)
    return content.hexdigest().encode()


def _header_of(transcript: Transcript) -> dict[str, Any]:
    named = [name for name in map(_comparator_text, transcript.comparators) if not is_unnamed(name)]
    return {
        "format": FORMAT,
        **({"comparators": named} if named else {}),
        "learner": transcript.learner,
        "adversary": transcript.adversary,
        "game": game_as_json(transcript.game),
        "seed": transcript.seed,
        "ended": transcript.ended,
        "forfeit": dataclasses.asdict(transcript.forfeit) if transcript.forfeit else None,
        "theorems": list(transcript.theorems),
        **({"lower_bounds": list(transcript.lower_bounds)} if transcript.lower_bounds else {}),
        "hindsight": transcript.hindsight_mode,
        "hindsights": [at for at, _ in _sound(transcript.comparator.exact, HINDSIGHT)],
        "intervals": [
            {name: getattr(known, name) for name in INTERVAL_NUMBERS}
            | ({"checkpoints": known.prefixes} if known.prefixes else {})
            | ({"norm": known.norm} if known.excess is not None else {})
            for _, known in _sound(transcript.comparator.intervals, INTERVAL)
        ],
        "circumstances": transcript.header,
    }


def _comparator_text(comparator: Any) -> str:
    return comparator if isinstance(comparator, str) else spec_text(comparator)


def _arrays_of(transcript: Transcript) -> dict[str, Array]:
    arrays = {name: getattr(transcript, name) for name in ARRAYS}
    arrays |= {EVIDENCE + name: value for name, value in sorted(transcript.evidence.items())}
    if transcript.unanswered is not None:
        arrays |= dict(zip(UNANSWERED, transcript.unanswered, strict=True))
    for number, (_, exact) in enumerate(_sound(transcript.comparator.exact, HINDSIGHT)):
        arrays |= {f"hindsight/{number}/{part}": getattr(exact, part) for part in HINDSIGHT}
    for number, (_, interval) in enumerate(_sound(transcript.comparator.intervals, INTERVAL)):
        arrays |= {f"interval/{number}/{part}": getattr(interval, part) for part in INTERVAL}
        if interval.excess is not None:
            arrays[f"interval/{number}/excess"] = interval.excess
    return arrays


def _sound(known: Mapping[float, Known], parts: Iterable[str]) -> list[tuple[float, Known]]:
    """Return the pairs (lambda, hindsight) of the mapping `known` that can be written to a file, sorted by lambda.

    A hindsight is left out if an attribute named in `parts` has NaN or infinity, or if some `variance` is below 0.
    """
    # a file with such numbers would be refused as damaged; a missing hindsight is computed again
    return [
        (at, each)
        for at, each in sorted(known.items())
        if all(np.isfinite(getattr(each, part)).all() for part in parts) and bool((each.variance >= 0.0).all())
    ]


def game_as_json(game: Game) -> dict[str, Any]:
    """Return the game as plain values; the key "features" is left out if the features have no names."""
    values = {each.name: getattr(game, each.name) for each in dataclasses.fields(game)}
    if not game.features:  # files and keys stay equal to those of versions without names of features
        del values["features"]
    return {key: str(spec_of(value)) if isinstance(value, Configured) else value for key, value in values.items()}


def _digest(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    content = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        content.update(f"{name} {array.dtype.str} {array.shape}".encode())
        for rows in blocks(array):
            content.update(np.ascontiguousarray(array[rows] if array.ndim else array).tobytes())
    return content.hexdigest()
