"""The result of a hunt: `Hunt`, with the violation and, for each theorem, the match that came closest to its bound.

The results of several processes can be merged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.commands import play_command
from arena.record.notebook import html_table
from arena.record.storage import game_as_json
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict, share_text
from arena.specs.building import build
from arena.specs.spelling import name_of
from arena.specs.variants import variant

if TYPE_CHECKING:
    from arena.plotting.sheet import Sheet

Kind = Literal["bound", "premise", "forfeit", "hang", "death"]


@dataclass(frozen=True)
class Violation:
    """The failure of the learner that ended the hunt.

    `kind` is

    - "bound": a bound is broken;
    - "premise": an assumption of the theorem is about the learner, and the learner does not meet it;
    - "forfeit": the learner committed a foul;
    - "hang": the learner does not answer;
    - "death": the learner's process ended.

    The other fields are

    - `reason`: a sentence for the user;
    - `adversary`: a description of the adversary;
    - `transcript`: the rounds played, if they are known;
    - `verdict`: the verdict on the theorem that failed, if `kind` is "bound" or "premise";
    - `series`: the verdict over many seeds, if the theorem leaves room for chance;
    - `parameters`: the learner's parameters that the hunt changed, with their new values.
    """

    kind: Kind
    reason: str
    adversary: str
    transcript: Transcript | None = None
    verdict: Verdict | None = None
    series: Verdict | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def failing(self, learner: Any) -> Any:
        """Return the learner that failed: `learner`, or its variant if the hunt changed parameters."""
        return variant(build("learner", learner), self.parameters) if self.parameters else learner

    @property
    def single(self) -> bool:
        """True if one match shows the failure and can be played again and shrunk."""
        return self.transcript is not None and self.series is None and self.kind in ("bound", "forfeit")

    @property
    def theorem(self) -> str | None:
        """The spec of the theorem that `self.verdict` is about; None if there is no verdict."""
        return self.verdict.theorem if self.verdict else None

    @property
    def command(self) -> str | None:
        """The command that plays the match of the violation again.

        It is None if there is no transcript, or if a player has no spec.
        """
        return command_of(self.transcript, self.theorem)

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "reason": self.reason,
            "adversary": self.adversary,
            "learner": None if self.transcript is None else self.transcript.learner,
            "verdict": self.verdict.as_json() if self.verdict else None,
            "series": self.series.as_json() if self.series else None,
            "command": self.command,
            "match": _match_as_json(self.transcript),
        }


@dataclass(frozen=True)
class Closest:
    """The match in which the measured value of one theorem came closest to the allowed value.

    `matches` is the number of matches to which the theorem applied; if it is 0, `reason` says why. `exact` is true if
    the theorem is an identity, which has no closest match; then `tightness` and `transcript` are None.
    """

    theorem: str
    exact: bool = False
    matches: int = 0
    tightness: float | None = None
    adversary: str = ""
    transcript: Transcript | None = None
    reason: str = ""

    @property
    def command(self) -> str | None:
        """The command that plays the match again; None if there is no match, or if a player has no spec."""
        return command_of(self.transcript, self.theorem)

    def merged(self, other: Closest) -> Closest:
        """Return `self` or `other`, whichever came closer to the theorem's bound, with the sum of both `matches`."""
        closer = max(self, other, key=lambda each: -math.inf if each.tightness is None else each.tightness)
        matches = self.matches + other.matches
        reason = "" if matches else self.reason or other.reason
        return replace(closer, matches=matches, exact=self.exact or other.exact, reason=reason)

    def as_json(self) -> dict[str, Any]:
        plain = ("theorem", "exact", "matches", "tightness", "adversary", "reason", "command")
        return {**{key: getattr(self, key) for key in plain}, "match": _match_as_json(self.transcript)}


@dataclass
class Hunt:
    """Result of a hunt: the violation if it found one, and for each theorem the match that came closest to its bound.

    `varied` names the fields of the game that the hunt varied, and `parameters` the learner's parameters.
    """

    learner: str
    game: Game
    seed: int
    violation: Violation | None = None
    closest: list[Closest] = field(default_factory=list)
    matches: int = 0
    rounds: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    varied: Sequence[str] = ()
    parameters: Sequence[str] = ()
    learner_name: str = ""

    def __post_init__(self) -> None:
        self.learner_name = name_of(self.learner, self.learner_name)

    @property
    def applied(self) -> bool:
        """True if at least one theorem applied to at least one match."""
        return any(each.matches for each in self.closest)

    def merged(self, other: Hunt) -> Hunt:
        """Return the results of two processes of the same hunt as one; of two violations, that of `self` is kept."""
        return replace(
            self,
            violation=self.violation or other.violation,
            closest=[mine.merged(theirs) for mine, theirs in zip(self.closest, other.closest, strict=True)],
            matches=self.matches + other.matches,
            rounds=self.rounds + other.rounds,
            seconds=max(self.seconds, other.seconds),
            interrupted=self.interrupted or other.interrupted,
            varied=self.varied or other.varied,
            parameters=self.parameters or other.parameters,
        )

    def figure(self, **options: Any) -> Sheet:
        """Return the matplotlib figure of the violation's match or, without one, of the match of largest tightness.

        An `ArenaError` is raised if there is neither. `options` are passed to `Transcript.figure`.
        """
        broken = self.violation
        if broken is not None and broken.transcript is not None:
            return broken.transcript.figure(broken.theorem or "auto", **options)
        played = [each for each in self.closest if each.transcript is not None and not each.exact]
        if not played:
            raise ArenaError("no theorem that is a bound applied to a match of this hunt, so there is no figure")
        closest = max(played, key=lambda each: -math.inf if each.tightness is None else each.tightness)
        assert closest.transcript is not None
        return closest.transcript.figure(closest.theorem, **options)

    def _repr_html_(self) -> str:
        found = "no violation found"
        if self.violation is not None:
            found = f"{self.violation.adversary}: {self.violation.reason}"
        columns: dict[str, Sequence[object]] = {
            "theorem": [each.theorem for each in self.closest],
            "matches": [each.matches for each in self.closest],
            "largest tightness": [share_text(each.tightness, "") for each in self.closest],
            "closest adversary": [each.adversary for each in self.closest],
            "command": [each.command or each.reason for each in self.closest],
        }
        return html_table(f"{self.learner_name}, {self.matches:,} matches: {found}", columns)

    def as_json(self) -> dict[str, Any]:
        return {
            "learner": self.learner,
            "learner_name": self.learner_name,
            "game": game_as_json(self.game),
            "seed": self.seed,
            "violation": self.violation.as_json() if self.violation else None,
            "closest": [each.as_json() for each in self.closest],
            "matches": self.matches,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "varied": list(self.varied),
            "parameters": list(self.parameters),
        }


def portable(run: Transcript) -> Transcript:
    """Return the transcript without its theorems, since another process may be unable to import their code."""
    return replace(run, promised=())


def command_of(run: Transcript | None, theorem: str | None) -> str | None:
    """Return the `arena play` command that plays the match again and judges the theorem.

    The result is None if `run` is None, or if a player has no spec.
    """
    if run is None:
        return None
    return play_command(run, "auto" if theorem is None or theorem in run.theorems else theorem)


def _match_as_json(run: Transcript | None) -> dict[str, Any] | None:
    return None if run is None else {"game": game_as_json(run.game), "rounds": run.rounds, "seed": run.seed}
