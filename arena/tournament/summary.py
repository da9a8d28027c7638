"""Summaries of matches, which can be written as JSON: last values and verdicts, without curves."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.engine.series import Result
from arena.errors import DamagedFile
from arena.game.game import Game
from arena.record.forfeit import Forfeit
from arena.record.verdict import Assumption, Verdict

_NUMBERS = ("loss", "data_loss", "error_rate", "log_loss", "f1", "regret", "plain_regret", "seconds", "match_seconds")
_WRITTEN = (  # all fields except the path, in their order in JSON
    "key",
    "learner",
    "adversary",
    "game",
    "seed",
    "hindsight",
    "rounds",
    "ended",
    "forfeit",
    "loss",
    "data_loss",
    "error_rate",
    "regret",
    "regret_ends",
    "plain_regret",
    "dictionary_size",
    "seconds",
    "match_seconds",
    "verdicts",
    "versions",
    "promised",
    "content",
    "lower",
    "log_loss",
    "f1",
    "comparators",
    "regret_samples",
)
_ADDED = ("log_loss", "f1", "comparators", "regret_samples")  # parts that summaries of earlier versions lack
GAME_FIELDS = {each.name for each in dataclasses.fields(Game)}
_CURVES = ("measured_curve", "allowed_curve", "tolerance_curve")


@dataclass(frozen=True, kw_only=True)
class Summary(Result):
    """The result of a match: its last values and verdicts, and facts about the match, without curves.

    - `game` has the fields of the game as plain values; `arena.record.fields.game_from_json` makes a `Game` of them.
    - `dictionary_size` is the last size that the learner reported; None if it reports no sizes.
    - `match_seconds` is the time of both players, the hindsight and the judging.
    - `versions` maps the spec of each theorem to the theorem's version.
    - `promised` has the specs of the theorems that the learner promises.
    - `content` is the digest of the transcript; the digest does not depend on the times in the transcript.
    """

    key: str
    path: Path
    game: dict[str, Any]
    hindsight: str
    dictionary_size: int | None
    match_seconds: float
    versions: dict[str, str] = field(default_factory=dict)
    promised: tuple[str, ...] = ()
    content: str = ""

    def verdict(self, theorem: str) -> Verdict | None:
        """Return the verdict on the theorem with this spec or name; None if the summary has no verdict on it."""
        return next((each for each in self.verdicts if theorem in (each.theorem, each.name)), None)

    def as_json(self) -> dict[str, Any]:
        """Return the summary as JSON values, without its path; infinity and NaN become texts such as `inf`."""
        values: dict[str, Any] = {name: getattr(self, name) for name in _WRITTEN}
        values["forfeit"] = dataclasses.asdict(self.forfeit) if self.forfeit else None
        for name in ("verdicts", "lower"):
            values[name] = [_verdict_as_json(each) for each in getattr(self, name)]
        plain: dict[str, Any] = _plain(values)
        return plain

    @staticmethod
    def is_current(values: Mapping[str, Any]) -> bool:
        """Return whether these values, made by `as_json`, have all fields; earlier versions of the arena had fewer."""
        return all(name in values for name in _ADDED)

    @classmethod
    def from_json(cls, values: Mapping[str, Any], path: Path) -> Summary:
        """Return the summary with these values, made by `as_json`; raise `DamagedFile` if they are incomplete."""
        try:
            found = cls._read(values, path)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFile(f"the summary of {path} lacks a part: {error!r}") from None
        if found.game.keys() | {"features"} != GAME_FIELDS or not all(
            isinstance(found.game[each], str) for each in ("kernel", "loss")
        ):
            raise DamagedFile(f"the summary of {path} is about a game that has other fields")
        return found

    @classmethod
    def _read(cls, values: Mapping[str, Any], path: Path) -> Summary:
        fields = dict(values)
        for name in _NUMBERS:
            fields[name] = _number(fields.get(name) if name in _ADDED else fields[name])
        ends = fields.get("comparators", {}).items()
        fields["comparators"] = {
            name: None if pair is None else (float(pair[0]), float(pair[1])) for name, pair in ends
        }
        if fields["regret_ends"] is not None:
            low, high = fields["regret_ends"]
            fields["regret_ends"] = (float(low), float(high))
        fields["forfeit"] = Forfeit(**fields["forfeit"]) if fields["forfeit"] else None
        for name in ("verdicts", "lower"):
            fields[name] = tuple(map(_verdict_from_json, fields.get(name, ())))
        fields["promised"] = tuple(fields["promised"])
        fields["regret_samples"] = tuple(float(each) for each in fields.get("regret_samples", ()))
        return cls(path=path, **fields)


def _verdict_as_json(verdict: Verdict) -> dict[str, Any]:
    values = {each.name: getattr(verdict, each.name) for each in dataclasses.fields(verdict)}
    for name in _CURVES:
        del values[name]
    values["assumptions"] = [{**vars(each), "holds": bool(each.holds)} for each in verdict.assumptions]
    return values


def _verdict_from_json(values: Mapping[str, Any]) -> Verdict:
    fields = dict(values)
    for name in ("measured", "allowed", "margin", "confidence", "least_excess", "most"):
        fields[name] = _number(fields.get(name))
    if fields["other_end"] is not None:
        measured, allowed = fields["other_end"]
        fields["other_end"] = (float(measured), float(allowed))
    fields["assumptions"] = tuple(Assumption(**each) for each in fields["assumptions"])
    return Verdict(**fields)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _plain(value: Any) -> Any:
    """Return the value as JSON values: plain numbers and lists, with texts for infinity and NaN."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (bool, str)) or value is None:
        return value
    number = float(value)
    if number in (float("inf"), float("-inf")) or number != number:
        return repr(number)
    return int(value) if isinstance(value, int) or hasattr(value, "__index__") else number


@dataclass(frozen=True)
class Failed:
    """Record of a match that could not be played to its end.

    `kind` is "died" (its process ended), "late" (it took too long) or "error" (an exception outside the players ended
    it); `tries` is the number of attempts.
    """

    key: str
    learner: str
    adversary: str
    game: dict[str, Any]
    seed: int
    kind: str
    reason: str
    tries: int

    def __str__(self) -> str:
        return f"{self.learner} against {self.adversary}, seed {self.seed}: {self.reason}"
