"""Transcripts as files: an .npz of plain arrays with a JSON header.

A file is written whole or not at all. Two hashes guard it: the digest in the header covers the content, and the seal,
which is the archive's comment, covers every byte. Nothing is unpickled.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, DamagedFile
from arena.game.game import Game
from arena.hindsight.exact import RidgeHindsight
from arena.hindsight.interval import IntervalHindsight
from arena.record.forfeit import Forfeit
from arena.record.transcript import Transcript
from arena.specs.building import build, registered_names_only
from arena.specs.parameters import Configured
from arena.specs.spelling import spec_of

FORMAT = 1
_ARRAYS = ("points", "labels", "predictions", "seconds", "sizes")
_UNANSWERED = ("unanswered/points", "unanswered/labels")
_SEAL_SIZE = 64  # the hexadecimal digits of SHA-256
_HINDSIGHT = ("mean", "variance", "residuals")
_INTERVAL = ("mean", "variance", "residual", "lower_increments")
_INTERVAL_NUMBERS = ("regularisation", "rounding", "rounding_of_one", "features", "final")


@contextlib.contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Context manager: a file that gets its name only after it is complete."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise ArenaError(
            f"cannot write {path}: {error.strerror}. Choose a folder that exists and may be written."
        ) from None
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ArenaError(f"cannot write {path}: {error.strerror or error}") from None
        raise


def save_transcript(transcript: Transcript, path: Path, *, compressed: bool = False) -> Path:
    """Write the transcript; equal content gives equal bytes."""
    arrays = _arrays_of(transcript)
    header = _header_of(transcript)
    header["digest"] = _digest(header, arrays)
    text = np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8)
    with writing(path) as file:
        (np.savez_compressed if compressed else np.savez)(file, allow_pickle=False, header=text, **arrays)
        _seal(file)
    return path


def load_transcript(path: Path, *, trust: bool = False) -> Transcript:
    """Read a transcript; a torn, changed or foreign file raises `DamagedFile`."""
    header, arrays = _read(path)
    given = header.pop("digest", None)
    if header.get("format") != FORMAT:
        raise DamagedFile(f"{path} has format {header.get('format')!r}; this version reads format {FORMAT}")
    if given != _digest(header, arrays):
        raise DamagedFile(f"{path} was changed after it was written: its digest does not match its content")
    try:
        return _transcript_of(header, arrays, trust=trust)
    except (KeyError, TypeError) as error:
        raise DamagedFile(f"{path} lacks a part of a transcript: {error}") from None


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    try:
        with open(path, "rb") as whole:
            _check_seal(whole)
            with np.load(whole, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        header = json.loads(arrays.pop("header").tobytes())
    except FileNotFoundError:
        raise ArenaError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise ArenaError(f"{path} is a folder: name a file in it") from None
    except PermissionError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from None
    except Exception as error:  # a damaged zip or .npy header can raise nearly any exception, even MemoryError
        raise DamagedFile(f"{path} is not a whole transcript: it is torn or of another kind ({error})") from None
    if not isinstance(header, dict):
        raise DamagedFile(f"{path} is not a transcript: its header is not an object")
    return header, arrays


def _seal(file: IO[bytes]) -> None:
    """Append the hash of the whole archive as its comment."""
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
    """Return the hash of the first `size` bytes, and leave the file's position behind them."""
    file.seek(0)
    content = hashlib.sha256()
    while size and (chunk := file.read(min(size, 1 << 20))):
        content.update(chunk)
        size -= len(chunk)
    return content.hexdigest().encode()


def _header_of(transcript: Transcript) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "learner": transcript.learner,
        "adversary": transcript.adversary,
        "game": game_as_json(transcript.game),
        "seed": transcript.seed,
        "ended": transcript.ended,
        "forfeit": dataclasses.asdict(transcript.forfeit) if transcript.forfeit else None,
        "theorems": list(transcript.theorems),
        **({"lower_bounds": list(transcript.lower_bounds)} if transcript.lower_bounds else {}),
        "hindsight": transcript.hindsight_mode,
        "hindsights": sorted(transcript.comparator.exact),
        "intervals": [
            {name: getattr(known, name) for name in _INTERVAL_NUMBERS}
            for _, known in sorted(transcript.comparator.intervals.items())
        ],
        "circumstances": transcript.header,
    }


def _arrays_of(transcript: Transcript) -> dict[str, Array]:
    arrays = {name: getattr(transcript, name) for name in _ARRAYS}
    arrays |= {f"evidence/{name}": value for name, value in sorted(transcript.evidence.items())}
    if transcript.unanswered is not None:
        arrays |= dict(zip(_UNANSWERED, transcript.unanswered, strict=True))
    for number, (_, exact) in enumerate(sorted(transcript.comparator.exact.items())):
        arrays |= {f"hindsight/{number}/{part}": getattr(exact, part) for part in _HINDSIGHT}
    for number, (_, interval) in enumerate(sorted(transcript.comparator.intervals.items())):
        arrays |= {f"interval/{number}/{part}": getattr(interval, part) for part in _INTERVAL}
    return arrays


def _transcript_of(header: Mapping[str, Any], arrays: Mapping[str, Array], *, trust: bool) -> Transcript:
    hindsights = {
        at: RidgeHindsight(at, arrays["labels"], *(arrays[f"hindsight/{number}/{part}"] for part in _HINDSIGHT))
        for number, at in enumerate(header["hindsights"])
    }
    intervals = {
        numbers["regularisation"]: IntervalHindsight(
            labels=arrays["labels"],
            mean=arrays[f"interval/{number}/mean"],
            variance=arrays[f"interval/{number}/variance"],
            residual=arrays[f"interval/{number}/residual"],
            lower_increments=arrays[f"interval/{number}/lower_increments"],
            **{**numbers, "final": tuple(numbers["final"])},
        )
        for number, numbers in enumerate(header.get("intervals", []))
    }
    transcript = Transcript(
        learner=header["learner"],
        adversary=header["adversary"],
        game=game_from_json(header["game"], trust=trust),
        seed=header["seed"],
        points=arrays["points"],
        labels=arrays["labels"],
        predictions=arrays["predictions"],
        seconds=arrays["seconds"],
        sizes=arrays["sizes"],
        ended=header["ended"],
        forfeit=Forfeit(**header["forfeit"]) if header["forfeit"] else None,
        theorems=tuple(header["theorems"]),
        lower_bounds=tuple(header.get("lower_bounds", ())),
        hindsight_mode=header["hindsight"],
        evidence={name.removeprefix("evidence/"): arrays[name] for name in arrays if name.startswith("evidence/")},
        header=header["circumstances"],
        unanswered=(arrays[_UNANSWERED[0]], arrays[_UNANSWERED[1]]) if _UNANSWERED[0] in arrays else None,
        trusted=trust,
    )
    transcript.comparator.exact.update(hindsights)
    transcript.comparator.intervals.update(intervals)
    return transcript


def game_as_json(game: Game) -> dict[str, Any]:
    """Return the game as plain values."""
    values = {each.name: getattr(game, each.name) for each in dataclasses.fields(game)}
    return {key: str(spec_of(value)) if isinstance(value, Configured) else value for key, value in values.items()}


def game_from_json(values: Mapping[str, Any], *, trust: bool = False) -> Game:
    """Return the game that `game_as_json` made these values of."""
    fields = dict(values)
    for kind in ("kernel", "loss"):
        fields[kind] = build(kind, fields[kind] if trust else registered_names_only(fields[kind]))
    return Game(**fields)


def _digest(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    content = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        content.update(f"{name} {array.dtype.str} {array.shape}".encode())
        content.update(array.tobytes())
    return content.hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
