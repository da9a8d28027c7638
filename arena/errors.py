"""The exceptions for users' mistakes, and functions that word their messages."""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

MOST_CHARACTERS = 500  # most characters of a message of users' code
MOST_TRACE_CHARACTERS = 20_000  # most characters of a stack trace


class ArenaError(ValueError):
    """Raised for a user's mistake; the message gives the wrong value, the allowed values and a remedy.

    The command line prints the message, without a stack trace, and exits with code 2.
    """


class NoHindsight(ArenaError):
    """Raised if a match's best predictor in hindsight is not known; the message gives the reason."""


class DamagedFile(ArenaError):
    """Raised for a file that is incomplete, changed or not written by the arena; its content is not used."""


def require_positive(name: str, value: float) -> None:
    """Raise an `ArenaError` if `value` is not a number > 0; `name` is the word for it in the message."""
    if not value > 0.0:
        raise ArenaError(f"{name} must be a number > 0, but it is {value!r}")


def nearest(given: str, allowed: Iterable[str], *, otherwise: str = "") -> str:
    """Return a sentence that suggests the allowed words closest to `given`; upper and lower case do not matter.

    If no word is close, return `otherwise`; if that is empty, return a sentence with all allowed words.

    >>> nearest("kernel-avw", ["kernel-awv", "krr"]), nearest("RLS", ["rls", "rls-identity"])
    ("Did you mean 'kernel-awv'?", "Did you mean 'rls'?")
    >>> nearest("no-such-thing", ["kernel-awv", "krr"], otherwise="All names: arena list")
    'All names: arena list'
    """
    known = sorted(set(allowed))
    lower = {word.lower(): word for word in known}
    wanted = given.lower()
    close = [wanted] if wanted in lower else difflib.get_close_matches(wanted, lower, n=3, cutoff=0.55)
    if close:
        return "Did you mean " + " or ".join(repr(lower[word]) for word in close) + "?"
    if otherwise:
        return otherwise
    return "There are: " + ", ".join(known) + "." if known else "There are none."


def an(noun: str) -> str:
    """Return the noun with its article.

    >>> an("adversary"), an("learner")
    ('an adversary', 'a learner')
    """
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def number_of(number: int, noun: str, plural: str = "") -> str:
    """Return the number with its noun, in the singular or plural.

    >>> number_of(1, "round"), number_of(2000, "round"), number_of(2, "match", "matches")
    ('1 round', '2,000 rounds', '2 matches')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def describe_error(error: BaseException, *, ours: bool = False) -> str:
    """Return the type and the message of an exception, and where it came from, such as "mine.py, line 3".

    This place is the last one in the stack trace that lies outside the arena; with `ours`, the last one of all. The
    message is cut after 500 characters, and may have several lines.
    """
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if ours or not is_ours(frame.filename)]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    message = bounded(_attempt(str, error))
    frozen = isinstance(error, ValueError) and ("read-only" in message or "WRITEABLE" in message)  # NumPy's words
    said = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return said + where + (": what is given may not be changed, work on a copy" if frozen else "")


def shown(value: Any, most: int = 80) -> str:
    """Return the `repr` of a value in one line, cut after `most` characters; if `repr` raises, a note in its place.

    >>> shown([1, 2]), shown("x" * 1000, 5)
    ('[1, 2]', "'xxxx...")
    """
    return bounded(" ".join(_attempt(repr, value)[: 100 * most].split()), most)


def told_apart(some: float, other: float) -> tuple[str, str]:
    """Return two different numbers as texts: with six digits, or with all digits if six are the same.

    >>> told_apart(9.0, 1.0), told_apart(1.0000000001, 1.0)
    (('9', '1'), ('1.0000000001', '1.0'))
    """
    texts = f"{some:g}", f"{other:g}"
    return texts if texts[0] != texts[1] else (repr(float(some)), repr(float(other)))


def bounded(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""Return the text, cut after `most` characters, with control characters written as escapes.

    Line ends and tabs are kept.

    >>> bounded("\x1b[31mred"), bounded("abc", 2)
    ('\\x1b[31mred', 'ab...')
    """
    cut = text[:most] + "..." if len(text) > most else text
    return printable(cut, len(cut))


def printable(text: str, most: int = 2000) -> str:
    r"""Return the text with control characters as escapes; a text of more than `most` characters loses its middle.

    Line ends and tabs are kept.

    >>> printable("\x1b[2Jgone"), printable("a" * 60 + "b" * 60, most=40)
    ('\\x1b[2Jgone', 'aaaaaaaaaaaaaaa [...] bbbbbbbbbbbbbbb')
    """
    if len(text) > most:  # the end of a message often gives a remedy
        half = most // 2 - 5
        text = f"{text[:half]} [...] {text[-half:]}"
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def trace_of(error: BaseException) -> str:
    """Return the stack trace of an exception, without its middle if it is very long."""
    text = _attempt(lambda raised: "".join(traceback.format_exception(raised)), error)
    half = MOST_TRACE_CHARACTERS // 2
    return text if len(text) <= MOST_TRACE_CHARACTERS else f"{text[:half]}\n[...]\n{text[-half:]}"


def _attempt(text_of: Callable[[Any], str], value: Any) -> str:
    try:
        return text_of(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the class of the exception may lie outside `Exception`
        return f"<{type(value).__name__}, whose {text_of.__name__}() raises {type(error).__name__}>"


def is_ours(filename: str) -> bool:
    """Return whether a source file belongs to the arena or to Python's import machinery."""
    if filename.startswith("<frozen"):
        return True
    path = Path(filename)
    # To make a relative name such as "<string>" absolute takes the working folder, which may be gone.
    return path.is_absolute() and path.resolve().is_relative_to(Path(__file__).resolve().parent)
