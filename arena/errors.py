"""What can go wrong, told to the person who can mend it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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
