"""The classes of checks and of their results, and a comparison of numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from arena.arrays import Array

Outcome = Literal["passed", "failed", "expected failure", "unexpected pass", "skipped"]


class CheckFailed(AssertionError):
    """Raised by a check that a learner or adversary does not pass; the message says what was measured."""


class NotApplicable(Exception):
    """Raised if a check is impossible for a learner or adversary; the message gives the reason."""


@dataclass(frozen=True)
class Check:
    """A named check of a learner or adversary (the subject of the check).

    - `run(subject)` returns if the subject passes; otherwise it raises `CheckFailed` or `NotApplicable`.
    - `needs` names checks that are made first. If one of them fails, this check is skipped.
    - `why_not(subject)` returns the reason to skip the check, or None. It must not play a match.
    - `varied` is true if the check is repeated on copies of the learner with other parameters.
    """

    name: str
    run: Callable[[Any], None]
    needs: tuple[str, ...] = ()
    why_not: Callable[[Any], str | None] = lambda _: None
    varied: bool = False


def check(
    *needs: str, why_not: Callable[[Any], str | None] = lambda _: None, varied: bool = False
) -> Callable[[Callable[[Any], None]], Check]:
    """Decorator: turn a function into a `Check`, whose name has hyphens in place of the function's underscores.

    - `needs` names checks that are made first. If one of them fails, this check is skipped.
    - `why_not(subject)` returns the reason to skip the check, or None. It must not play a match.
    - `varied` is true if the check is repeated on copies of the learner with other parameters.
    """
    return lambda function: Check(function.__name__.replace("_", "-"), function, needs, why_not, varied)


@dataclass(frozen=True)
class CheckResult:
    """Outcome of one check of one learner or adversary.

    `message` gives the measured values, the reason why the check was skipped, or the reason why it was expected to
    fail.
    """

    subject: str
    name: str
    outcome: Outcome
    message: str = ""

    @property
    def bad(self) -> bool:
        """True if the check failed, or passed although it was expected to fail."""
        return self.outcome in ("failed", "unexpected pass")

    def __str__(self) -> str:
        return f"{self.name}: {self.outcome}" + (f": {self.message}" if self.message else "")

    def as_json(self) -> dict[str, Any]:
        """Return the result as a dictionary of plain values."""
        return dataclasses.asdict(self)


class ChecksFailed(AssertionError):
    """Raised if at least one check failed, or passed although it was expected to fail.

    `results` has the results of these bad checks.
    """

    def __init__(self, message: str, results: Sequence[CheckResult]):
        super().__init__(message)
        self.results = tuple(results)


def raise_on_failure(results: Sequence[CheckResult]) -> None:
    """Raise `ChecksFailed` if at least one result is bad; the message names every bad result.

    >>> raise_on_failure([CheckResult("mine", "predict-is-pure", "passed")])
    """
    __tracebackhide__ = True
    bad = [result for result in results if result.bad]
    if bad:
        lines = [
            f"{bad[0].subject}: {len(bad)} of {len(results)} checks need attention",
            *(f"  {each}" for each in bad),
        ]
        raise ChecksFailed("\n".join(lines), bad)


def require_same(first: Array, second: Array, what: str, *, tolerance: float = 0.0) -> None:
    """Raise `CheckFailed` if the two arrays differ in some entry; the message begins with `what`.

    A difference of at most `tolerance` * (1 + |a|) is allowed, where a is the entry of `first`.
    """
    apart = ~(np.abs(first - second) <= tolerance * (1.0 + np.abs(first)))
    if apart.any():
        t = int(apart.argmax())
        raise CheckFailed(f"{what}: {first[t]:.9g}, then {second[t]:.9g} (number {t + 1} of {len(first)})")


def point_text(x: Array) -> str:
    """Return the first four coordinates of a point as text.

    >>> point_text(np.arange(5.0))
    '(0, 1, 2, 3, ...)'
    """
    return "(" + ", ".join(f"{value:.4g}" for value in x[:4]) + (", ...)" if len(x) > 4 else ")")
