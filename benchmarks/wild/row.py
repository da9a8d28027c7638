"""The measurements of one model, as plain values that are kept as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Failure:
    """A failure of a model: what is broken, a message, the shrunk match, and a script that needs only the library."""

    kind: str  # check, theorem, forfeit or divergence
    name: str
    message: str
    rounds: int = 0  # rounds of the match, shrunk if possible; 0 if a check failed without a match
    command: str = ""
    script: str = ""


@dataclass
class Row:
    """The measurements of one model; `error` is the reason if it was not measured, such as a missing library."""

    library: str
    name: str
    version: str | None = None
    error: str = ""
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: int = 0
    verdicts: list[dict[str, Any]] = field(default_factory=list)  # theorem, outcome, tightness, exact, matches
    growth: dict[str, list[float | str]] = field(default_factory=dict)  # linear, kernel: regret, exponent, adversary
    diverges: list[dict[str, Any]] = field(default_factory=list)  # where, adversary, round
    microseconds: float | None = None
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the row as plain values."""
        return asdict(self)

    @classmethod
    def of_json(cls, found: dict[str, Any]) -> Row:
        """Return the row with the values that `as_json` returned."""
        return cls(**{**found, "failures": [Failure(**each) for each in found["failures"]]})
