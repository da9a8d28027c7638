"""What a hunt comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from arena.engine.series_verdicts import SeriesVerdict
from arena.game.game import Game
from arena.record.storage import game_as_json
from arena.record.theorem import Verdict
from arena.record.transcript import Transcript

Kind = Literal["bound", "premise", "forfeit", "hang", "death"]


@dataclass(frozen=True)
class Violation:
    """Why the hunt stopped: a broken bound, premise (of the learner) or rule, a hanging learner, a dead process.

    `transcript` is the match, as far as it is known; `verdict` the theorem's, and `series` what many seeds say of it
    where it leaves room for chance.
    """

    kind: Kind
    reason: str
    adversary: str
    transcript: Transcript | None = None
    verdict: Verdict | None = None
    series: SeriesVerdict | None = None

    @property
    def single(self) -> bool:
        """Whether one match that was played to its end fails, so that it can be played again and shrunk."""
        return self.transcript is not None and self.series is None and self.kind in ("bound", "forfeit")

    @property
    def theorem(self) -> str | None:
        """The theorem that is violated, as a spec."""
        return self.verdict.theorem if self.verdict else None

    @property
    def command(self) -> str | None:
        """The command that plays the match again, if an adversary that has a name played it."""
        return command_of(self.transcript, self.theorem)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "kind": self.kind,
            "reason": self.reason,
            "adversary": self.adversary,
            "verdict": self.verdict.as_json() if self.verdict else None,
            "series": self.series.as_json() if self.series else None,
            "command": self.command,
            **_match_as_json(self.transcript),
        }


@dataclass(frozen=True)
class Closest:
    """The match that came closest to one theorem's bound; no transcript if the theorem applied to none."""

    theorem: str
    exact: bool = False
    matches: int = 0
    tightness: float | None = None
    adversary: str = ""
    transcript: Transcript | None = None
    reason: str = ""

    @property
    def command(self) -> str | None:
        """The command that plays the match again, if an adversary that has a name played it."""
        return command_of(self.transcript, self.theorem)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = ("theorem", "exact", "matches", "tightness", "adversary", "reason", "command")
        return {**{key: getattr(self, key) for key in plain}, **_match_as_json(self.transcript)}


@dataclass(frozen=True)
class Hunt:
    """What was found: a violation or none, and for each theorem the match that came closest to its bound."""

    learner: str
    game: Game
    seed: int
    violation: Violation | None
    closest: Sequence[Closest] = ()
    matches: int = 0
    rounds: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    varied: Sequence[str] = ()

    @property
    def applied(self) -> bool:
        """Whether some theorem applied to some match: otherwise nothing was tested."""
        return any(each.matches for each in self.closest)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "learner": self.learner,
            "game": game_as_json(self.game),
            "seed": self.seed,
            "violation": self.violation.as_json() if self.violation else None,
            "closest": [each.as_json() for each in self.closest],
            "matches": self.matches,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "varied": list(self.varied),
        }


def command_of(run: Transcript | None, theorem: str | None) -> str | None:
    """`arena play ...` with the theorem; None where a side has no spec."""
    import shlex

    if run is None or run.command is None:
        return None
    promised = theorem is None or theorem in run.theorems
    return run.command if promised else f"{run.command} --bound {shlex.quote(theorem or '')}"


def _match_as_json(run: Transcript | None) -> dict[str, Any]:
    if run is None:
        return {"match": None}
    return {"match": {"game": game_as_json(run.game), "rounds": run.rounds, "seed": run.seed}}
