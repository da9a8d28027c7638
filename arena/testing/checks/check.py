"""What a check is: a name, a question to a subject, and when it can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class CheckFailed(AssertionError):
    """The subject does not keep this part of the contract; the message says what was seen."""


class NotApplicable(Exception):
    """The check cannot be made here; the message says why."""


@dataclass(frozen=True)
class Check:
    """A named check. `needs` are checks without which this one would blame the subject for the wrong thing.

    `why_not` says, before anything is played, why the subject offers nothing to check; None if it does.
    """

    name: str
    about: str
    ask: Callable[[Any], None]
    needs: tuple[str, ...] = ()
    why_not: Callable[[Any], str | None] = lambda _: None


def check(
    *needs: str, why_not: Callable[[Any], str | None] = lambda _: None
) -> Callable[[Callable[[Any], None]], Check]:
    """Make a check of a function; its name and its first line become the check's."""

    def make(function: Callable[[Any], None]) -> Check:
        about = (function.__doc__ or "").partition("\n")[0].strip()  # python -OO leaves none
        return Check(function.__name__.replace("_", "-"), about, function, needs, why_not)

    return make
