"""What came of a check."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["passed", "failed", "expected failure", "unexpected pass", "skipped"]


@dataclass(frozen=True)
class CheckResult:
    """One check of one subject; `message` says what was seen, why it was skipped, or why it was expected to fail."""

    subject: str
    name: str
    outcome: Outcome
    message: str = ""

    @property
    def bad(self) -> bool:
        """Whether somebody must act: the contract is broken, or a declaration is out of date."""
        return self.outcome in ("failed", "unexpected pass")

    def __str__(self) -> str:
        return f"{self.name}: {self.outcome}" + (f": {self.message}" if self.message else "")

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return dataclasses.asdict(self)


class ChecksFailed(AssertionError):
    """At least one check failed, or a declared failure passed; `results` are those."""

    def __init__(self, message: str, results: Sequence[CheckResult]):
        super().__init__(message)
        self.results = tuple(results)


def raise_on_failure(results: Sequence[CheckResult]) -> None:
    """Raise `ChecksFailed`, which names every bad result, if there is one.

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
