"""The exceptions for users' mistakes, and functions that word their messages."""

from __future__ import annotations

import difflib
import re
import traceback
from collections.abc import Iterable
from pathlib import Path

# Control characters but tab and line feed; marks that turn the direction of text; further line ends; lone surrogates.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class ArenaError(ValueError):
    """A user's mistake: what was given, what is allowed, what to do.

    The command line prints the message alone and exits with code 2.
    """


class NoHindsight(ArenaError):
    """The best predictor in hindsight is not known for this match; the message says why."""


class DamagedFile(ArenaError):
    """A file that is torn, tampered with or not ours; it is never trusted."""


def nearest(given: str, allowed: Iterable[str]) -> str:
    """A sentence that offers the allowed words closest to what was given.

    >>> nearest("kernel-avw", ["kernel-awv", "krr"])
    "Did you mean 'kernel-awv'?"
    """
    known = sorted(allowed)
    close = difflib.get_close_matches(given, known, n=3, cutoff=0.5)
    if close:
        return "Did you mean " + " or ".join(repr(word) for word in close) + "?"
    return "There are: " + ", ".join(known) + "." if known else "There are none."


def printable(text: str, most: int = 2000) -> str:
    r"""The text without anything that a terminal obeys, and without its middle if it has more than `most` characters.

    >>> printable("\x1b[2Jgone"), printable("a" * 60 + "b" * 60, most=40)
    ('\\x1b[2Jgone', 'aaaaaaaaaaaaaaa [...] bbbbbbbbbbbbbbb')
    """
    if len(text) > most:
        half = most // 2 - 5
        text = f"{text[:half]} [...] {text[-half:]}"
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def an(noun: str) -> str:
    """The noun with its article.

    >>> an("adversary"), an("learner")
    ('an adversary', 'a learner')
    """
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def number_of(number: int, noun: str, plural: str = "") -> str:
    """The number with its noun.

    >>> number_of(1, "round"), number_of(2000, "round"), number_of(2, "match", "matches")
    ('1 round', '2,000 rounds', '2 matches')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def describe_error(error: BaseException, *, ours: bool = False) -> str:
    """An exception in one line, with the place in the user's code that raised it; with `ours`, in the arena's own."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if ours or not is_ours(frame.filename)]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    frozen = isinstance(error, ValueError) and ("read-only" in str(error) or "WRITEABLE" in str(error))  # NumPy's words
    return f"{type(error).__name__}: {error}{where}{': what is given may not be changed, work on a copy' * frozen}"


def is_ours(filename: str) -> bool:
    """Whether a file of source code belongs to the arena, or to the import machinery."""
    return filename.startswith("<frozen") or Path(filename).resolve().is_relative_to(Path(__file__).resolve().parent)
