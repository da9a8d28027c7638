"""The two tables of judged matches: one row for each match, and one row for each verdict.

A column is declared once, in `MATCH`: its name and type, how it is read off a match and its judgement, and how it is
shown and exported. All texts, pages, JSON objects and exports follow from this list. The columns of verdicts are the
fields of `Verdict`. A match takes about two kilobytes.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.errors import DamagedFile
from arena.game.game import Game
from arena.record import classes
from arena.record.both_sides import smallest_upper_bound
from arena.record.comparing import comparisons
from arena.record.forfeit import Forfeit
from arena.record.judgement import Judgement
from arena.record.remarks import data_loss
from arena.record.storage import game_as_json
from arena.record.transcript import Transcript
from arena.record.verdict import NUMBERS, STORED, Verdict
from arena.specs.spelling import Names

SAMPLES = 24  # rounds whose regret is kept: as many as the longest sparkline shows
FIVE_DIGITS = 1e-5  # relative width up to which the middle of an interval stands for the regret
GAME_FIELDS = {each.name for each in fields(Game)}
Cell = tuple[type, Callable[["Row"], Any]]  # of an export: the type of its values, and the value for a match


@dataclass(frozen=True)
class JudgedMatch:
    """What columns are read off: a match, its judgement, and facts that are known to whoever played it."""

    run: Transcript
    judgement: Judgement = field(default_factory=Judgement)
    key: str = ""
    match_seconds: float | None = None
    content: str = ""

    @functools.cached_property
    def ends(self) -> tuple[float, float] | tuple[None, None]:
        """The lower and the upper end of the final regret; two times None if it is unknown."""
        return self.run.final_regret or (None, None)


@dataclass(frozen=True)
class Column:
    """A column of the table of matches.

    - `kind` is float, int or str; or dict, tuple or list for a JSON object, for texts and for numbers.
    - `read` returns the value for a match; None if it is unknown. A column made by `_judged` follows from the judgement
      alone, by `of_judgement`.
    - `in_summary` columns are in `Transcript.summary`, and so in the JSON objects of matches.
    - Columns with a `heading` are shown wherever a match or a mean over seeds is shown: in tables under this heading,
      and in lists of numbers under the `label`, by default the heading, with a `remark` that explains the number. With
      `percent` the number is a share.
    - `cells` are the cells of an export, by heading. The default is one cell with the column's name and value.
    """

    name: str
    kind: type
    read: Callable[[JudgedMatch], Any]
    of_judgement: Callable[[Judgement], Any] | None = None
    in_summary: bool = False
    heading: str = ""
    label: str = ""
    remark: str = ""
    percent: bool = False
    cells: Mapping[str, Cell] | None = None

    @property
    def exported(self) -> Mapping[str, Cell]:
        """The cells of an export, by heading."""
        return {self.name: (self.kind, lambda row: row[self.name])} if self.cells is None else self.cells


def _final(curve: Array | None) -> float | None:
    return float(curve[-1]) if curve is not None and len(curve) else None


def _regret(match: JudgedMatch) -> float | None:
    """Return the final regret; None if it is unknown, or if the ends of its interval differ in five digits."""
    low, high = match.ends
    if low is None or high is None:
        return None
    close = low == high or high - low <= FIVE_DIGITS * max(abs(low), abs(high))  # equal if both are infinite
    return (low + high) / 2 if close else None


def _dictionary_size(match: JudgedMatch) -> int | None:
    """Return the last size of its dictionary that the learner reported; None if it reports none."""
    return int(match.run.sizes[-1, 1]) if len(match.run.sizes) else None


def _judged(name: str, kind: type, read: Callable[[Judgement], Any], cells: Mapping[str, Cell] | None = None) -> Column:
    return Column(name, kind, lambda match: read(match.judgement), read, cells=cells)


def _game(match: JudgedMatch) -> Any:
    return json.loads(json.dumps(game_as_json(match.run.game)))  # tuples become lists, as in a file


def _of_game(name: str, kind: type) -> Cell:
    return kind, lambda row: row.game[name] if kind is not dict else json.dumps(row.game[name])


def _verdicts_in_short(row: Row) -> str:
    shares = row.judgement.shares
    found = {each.theorem: [each.outcome, finite(shares.get(each.theorem))] for each in row.judgement.on_theorems}
    return json.dumps(found)


def _comparators_in_short(row: Row) -> str:
    return json.dumps({name: ends and list(map(finite, ends)) for name, ends in row.comparators.items()})


def regret_samples(run: Transcript) -> list[float]:
    """Return the regrets after up to 24 evenly spread rounds, the last one included.

    If the regret is known in an interval only, the upper ends are returned. If the regret is unknown, the result is
    empty.
    """
    ends = run.regret_interval
    if ends is None or not run.rounds:
        return []
    points = min(SAMPLES, run.rounds)
    last = [((at + 1) * run.rounds) // points - 1 for at in range(points)]
    return [float(f"{each:.6g}") for each in np.asarray(ends[1])[last]]


MATCH: tuple[Column, ...] = (
    Column("learner", str, lambda match: match.run.learner, in_summary=True),
    Column("adversary", str, lambda match: match.run.adversary, in_summary=True),
    Column(
        "game",
        dict,
        _game,
        cells={
            "rounds": _of_game("rounds", int),
            "dimension": _of_game("dimension", int),
            "box": (str, lambda row: json.dumps(row.game["box"])),
            "label_bound": _of_game("label_bound", float),
            "prediction_bound": _of_game("prediction_bound", float),
            "kernel": _of_game("kernel", str),
            "regularisation": _of_game("regularisation", float),
            "game_loss": _of_game("loss", str),
        },
    ),
    Column("seed", int, lambda match: match.run.seed),
    Column(
        "rounds",
        int,
        lambda match: match.run.rounds,
        in_summary=True,
        cells={"rounds_played": (int, lambda row: row.rounds)},
    ),
    Column("ended", str, lambda match: match.run.ended),
    Column(
        "forfeit",
        dict,
        lambda match: vars(match.judgement.forfeits[0]) if match.judgement.forfeits else None,
        cells={"forfeit": (str, lambda row: str(row.forfeit or ""))},
    ),
    Column("loss", float, lambda match: match.run.loss, in_summary=True),
    Column("data_loss", float, lambda match: data_loss(match.run), in_summary=True),
    Column(
        "error_rate",
        float,
        lambda match: match.run.error_rate,
        in_summary=True,
        heading="errors",
        label="error rate",
        remark="of the signs were wrong",
        percent=True,
    ),
    Column(
        "log_loss",
        float,
        lambda match: classes.log_loss(match.run),
        in_summary=True,
        heading="log loss",
        remark="a round, with P(+1) = 1/(1 + exp(-prediction))",
    ),
    Column(
        "f1",
        float,
        lambda match: classes.f1(match.run),
        in_summary=True,
        heading="F1",
        remark="of the positive class",
    ),
    Column("regret", float, _regret, in_summary=True),
    Column("regret_lower", float, lambda match: match.ends[0]),
    Column("regret_upper", float, lambda match: match.ends[1]),
    Column("plain_regret", float, lambda match: _final(match.run.plain_regret), in_summary=True),
    Column("dictionary_size", int, _dictionary_size),
    Column("seconds", float, lambda match: float(match.run.seconds.sum()), in_summary=True),
    Column("match_seconds", float, lambda match: match.match_seconds or float(match.run.seconds.sum())),
    _judged("violated", tuple, lambda found: found.violated, {"violated": (str, lambda row: " ".join(row.violated))}),
    _judged("tightest", str, lambda found: (found.tightest or ("", 0.0))[0]),
    _judged("tightness", float, lambda found: (found.tightest or ("", None))[1]),
    _judged("state", str, lambda found: found.state, {"verdicts": (str, _verdicts_in_short)}),
    _judged("tier", int, lambda found: found.tier, {}),
    _judged("forced", float, lambda found: found.largest_lower and found.largest_lower.allowed, {}),
    Column("allowed", float, lambda match: smallest_upper_bound(match.judgement.on_theorems, _regret(match)), cells={}),
    Column(
        "comparators",
        dict,
        lambda match: {each.comparator: each.regret for each in comparisons(match.run)},
        cells={"comparators": (str, _comparators_in_short)},
    ),
    Column("regret_samples", list, lambda match: regret_samples(match.run), cells={}),
    Column("promised", tuple, lambda match: match.run.theorems, cells={}),
    Column("hindsight", str, lambda match: match.run.hindsight_mode),
    Column("content", str, lambda match: match.content, cells={}),
    Column(
        "key",
        str,
        lambda match: match.key,
        cells={"key": (str, lambda row: row.key), "path": (str, lambda row: str(row.path))},
    ),
    Column("learner_name", str, lambda match: match.run.learner_name, in_summary=True),
    Column("adversary_name", str, lambda match: match.run.adversary_name, in_summary=True),
)
SHOWN = tuple(each for each in MATCH if each.heading)  # columns that all tables and lists of numbers show
EXPORTED = {heading: cell for column in MATCH for heading, cell in column.exported.items()}


def summary_of(run: Transcript) -> dict[str, Any]:
    """Return the last values of a match that are known without judging it."""
    match = JudgedMatch(run)
    return {each.name: each.read(match) for each in MATCH if each.in_summary}


# ---- a match as JSON


@dataclass(frozen=True)
class Entry:
    """One row of each table, as it is kept in files and sent between processes: a match's values, and its judgement."""

    values: Mapping[str, Any]
    judgement: Judgement

    @classmethod
    def of(cls, match: JudgedMatch) -> Entry:
        """Return the entry of a judged match."""
        return cls({each.name: each.read(match) for each in MATCH}, match.judgement)

    def content(self) -> bytes:
        """Return the entry as JSON text; infinity and NaN are texts such as `inf`."""
        values = {"match": dict(self.values), "judgement": self.judgement.as_json()}
        return json.dumps(_plain(values), sort_keys=True, allow_nan=False).encode()

    def claimed(self, theorems: Collection[str], claims: Sequence[str]) -> Entry:
        """Return a copy in which the match is judged by these theorems alone, which `claims` names."""
        found = self.judgement
        below = {each.theorem for each in found.unjudged} - {*self.values["promised"], *found.claims}  # lower bounds
        judgement = dataclasses.replace(
            found,
            on_theorems=tuple(each for each in found.on_theorems if each.theorem in theorems),
            unjudged=tuple(each for each in found.unjudged if each.theorem in {*theorems, *below}),
            claims=tuple(claims),
        )
        values = {each.name: each.of_judgement(judgement) for each in MATCH if each.of_judgement}
        values["allowed"] = smallest_upper_bound(judgement.on_theorems, self.values["regret"])
        return Entry({**self.values, **values}, judgement)

    def with_comparators(self, known: Entry) -> Entry:
        """Return a copy with the regrets to the comparators of another entry of the same match, too."""
        both = {**known.values["comparators"], **self.values["comparators"]}
        return Entry({**self.values, "comparators": both}, self.judgement)

    @classmethod
    def read(cls, content: bytes) -> Entry:
        """Return the entry with this content; raise `DamagedFile` if a part is missing, as in other versions."""
        try:
            values = json.loads(content)
            given = {each.name: _read(each.kind, values["match"][each.name]) for each in MATCH}
            game = given["game"]
            specs = isinstance(game["kernel"], str) and isinstance(game["loss"], str)
            if not specs or game.keys() | {"features"} != GAME_FIELDS:
                raise ValueError("its game has other fields")
            return cls(given, Judgement.from_json(values["judgement"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFile(f"its judgement lacks a part: {error!r}") from None


def _read(kind: type, value: Any) -> Any:
    if kind is float:
        return None if value is None else float(value)
    return tuple(value) if kind is tuple else value


def _plain(value: Any) -> Any:
    """Return the value as JSON values: plain numbers and lists, with texts for infinity and NaN."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, str) or value is None:
        return value
    if hasattr(value, "__index__"):
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def finite(value: Any) -> Any:
    """Return the value; None for infinity and NaN, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


# ---- the tables

_VERDICT_KINDS: dict[str, type] = {name: float if name in NUMBERS else object for name in STORED}


class _Columns:
    """Columns of equal length; in a column of numbers, unknown and NaN are distinct."""

    def __init__(self, kinds: Mapping[str, type]):
        self._numbers = {name: array("d") for name, kind in kinds.items() if kind is float}
        self._known = {name: bytearray() for name in self._numbers}
        self._others: dict[str, list[Any]] = {name: [] for name in kinds if name not in self._numbers}
        self._shared: dict[Any, Any] = {}  # equal texts and tuples are kept once

    def append(self, values: Mapping[str, Any]) -> None:
        for name, numbers in self._numbers.items():
            value = values[name]
            numbers.append(math.nan if value is None else value)
            self._known[name].append(value is not None)
        for name, others in self._others.items():
            value = values[name]
            others.append(self._shared.setdefault(value, value) if isinstance(value, (str, tuple)) else value)

    def __getitem__(self, at: tuple[str, int]) -> Any:
        name, row = at
        if name in self._numbers:
            return self._numbers[name][row] if self._known[name][row] else None
        return self._others[name][row]

    def column(self, name: str) -> Any:
        """Return a column as an array or a list; an unknown number is NaN."""
        return np.array(self._numbers[name]) if name in self._numbers else self._others[name]

    def known(self, name: str) -> NDArray[np.bool_]:
        """Return for each value of a column of numbers whether it is known."""
        return np.frombuffer(bytes(self._known[name]), dtype=bool)


class Tables:
    """The table of matches and the table of their verdicts; `tables[i]` is match i."""

    def __init__(self) -> None:
        self._matches = _Columns({each.name: each.kind for each in MATCH} | {"path": str})
        self._verdicts = _Columns(_VERDICT_KINDS)
        self._rest: list[tuple[Any, ...]] = []  # of each judgement: all but its verdicts
        self._shared: dict[Any, Any] = {}
        # of each match: its first verdict, its first one on a lower bound, and the first one of the next match
        self._starts: list[tuple[int, int, int]] = []

    @classmethod
    def of(cls, entries: Iterable[tuple[Entry, str]]) -> Tables:
        """Return the tables of these matches; each is given by its entry and the path of its file, which may be ""."""
        tables = cls()
        for entry, path in entries:
            tables.add(entry, path)
        return tables

    @classmethod
    def of_rows(cls, matches: Tables | Iterable[Row]) -> Tables:
        """Return the tables of a selection of rows; given tables are returned as they are."""
        if isinstance(matches, Tables):
            return matches
        return cls.of((row.entry, row.tables.value("path", row.at)) for row in matches)

    def add(self, entry: Entry, path: str = "") -> Row:
        """Add a match, and return its row; after Ctrl-C in between, the table has the matches before."""
        judgement = entry.judgement
        kept = {each.name: _packed(each.kind, entry.values[each.name]) for each in MATCH}
        self._matches.append(kept | {"path": path})
        first = len(self._verdicts.column("theorem"))
        for verdict in (*judgement.on_theorems, *judgement.on_lower_bounds):
            values = {name: getattr(verdict, name) for name in STORED}
            self._verdicts.append(values | {"assumptions": tuple(map(self._once, verdict.assumptions))})
        lower = first + len(judgement.on_theorems)
        self._starts.append((first, lower, lower + len(judgement.on_lower_bounds)))
        rest = (judgement.unjudged, judgement.forfeits, judgement.claims, judgement.interrupted)
        self._rest.append(self._once(rest))  # the last step: these are the complete matches
        return Row(self, len(self._rest) - 1)

    def _once(self, value: Any) -> Any:
        return self._shared.setdefault(value, value)

    def __len__(self) -> int:
        return len(self._rest)

    def __getitem__(self, at: int) -> Row:
        return Row(self, range(len(self))[at])

    def __iter__(self) -> Iterator[Row]:
        return (Row(self, at) for at in range(len(self)))

    def value(self, name: str, at: int) -> Any:
        """Return a value of the table of matches."""
        value = self._matches[name, at]
        return _unpacked(value) if name in _DICTS else list(value) if isinstance(value, array) else value

    def column(self, name: str) -> Any:
        """Return a column of the table of matches as an array or a list; an unknown number is NaN."""
        return self._matches.column(name)[: len(self)]

    @property
    def names(self) -> Names:
        """The names to show for the learners and adversaries, under their specs; no two learners have the same name."""
        return names_in(self)

    def known(self, name: str) -> NDArray[np.bool_]:
        """Return for each match whether its number in this column is known; unknown is not the same as NaN."""
        return self._matches.known(name)[: len(self)]

    def numbers(self, name: str, rows: Sequence[int]) -> Array | None:
        """Return a column of numbers for these matches; None if a number is unknown in one of them."""
        values = [self._matches[name, at] for at in rows]
        return None if any(value is None for value in values) else np.array(values, dtype=float)

    def judgement(self, at: int) -> Judgement:
        """Return the judgement of match `at`, without the curves of its verdicts."""
        first, lower, last = self._starts[at]
        found = [Verdict(**{name: self._verdicts[name, each] for name in STORED}) for each in range(first, last)]
        return Judgement(tuple(found[: lower - first]), tuple(found[lower - first :]), *self._rest[at])


def names_in(*tables: Tables) -> Names:
    """Return the names to show for the learners and adversaries of these tables, under their specs."""
    both = [
        Names(pair for each in tables for pair in zip(each.column(kind), each.column(f"{kind}_name"), strict=True))
        for kind in ("learner", "adversary")
    ]
    both[0].update(both[1])
    return both[0]


_DICTS = {each.name for each in MATCH if each.kind is dict}


def _packed(kind: type, value: Any) -> Any:
    if kind is dict:
        return json.dumps(_plain(value), sort_keys=True)
    return array("d", value) if kind is list else value


@functools.lru_cache(maxsize=1000)
def _unpacked(text: str) -> Any:
    return json.loads(text)


class Row:
    """One match of the tables; the columns are attributes, such as `row.learner` and `row.regret`."""

    __slots__ = ("_judgement", "at", "tables")

    def __init__(self, tables: Tables, at: int):
        self.tables, self.at = tables, at
        self._judgement: Judgement | None = None

    def __getitem__(self, name: str) -> Any:
        return self.tables.value(name, self.at)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in NAMES:
            raise AttributeError(f"a match has no column {name!r}")
        return self.tables.value(name, self.at)

    @property
    def judgement(self) -> Judgement:
        """The judgement of the match, without curves."""
        if self._judgement is None:
            self._judgement = self.tables.judgement(self.at)
        return self._judgement

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts on theorems, also on those that leave room for chance."""
        return self.judgement.on_theorems

    @property
    def lower(self) -> tuple[Verdict, ...]:
        """The verdicts on the adversary's lower bounds, also on those that leave room for chance."""
        return self.judgement.on_lower_bounds

    def verdict(self, theorem: str) -> Verdict | None:
        """Return the verdict on the theorem with this spec or name; None if the match has no verdict on it."""
        return next((each for each in self.verdicts if theorem in (each.theorem, each.name)), None)

    @property
    def entry(self) -> Entry:
        """The match as it is kept in files."""
        return Entry({name: self[name] for name in NAMES}, self.judgement)

    @property
    def path(self) -> Path:
        """The file of the match; empty if it is not kept."""
        return Path(self.tables.value("path", self.at))

    @property
    def forfeit(self) -> Forfeit | None:
        """The forfeit that ended the match; None if there is none."""
        return self.judgement.forfeits[0] if self.judgement.forfeits else None

    @property
    def comparators(self) -> dict[str, tuple[float, float] | None]:
        """The final regret to each named comparator, as (lower end, upper end); None if it is unknown."""
        found = self.tables.value("comparators", self.at).items()
        return {name: None if ends is None else (float(ends[0]), float(ends[1])) for name, ends in found}

    @property
    def regret_ends(self) -> tuple[float, float] | None:
        """The lower and the upper end of the final regret; None if it is unknown."""
        low, high = self["regret_lower"], self["regret_upper"]
        return None if low is None else (low, high)

    @property
    def setting(self) -> tuple[str, str]:
        """The adversary, and the game as JSON with sorted keys."""
        return self["adversary"], self.tables._matches["game", self.at]

    @property
    def badness(self) -> tuple[int, float]:
        """A key for sorting, largest for the worst match: its tier, then the upper end of its regret.

        The loss stands in place of an unknown regret.
        """
        size = self["loss"] if self["regret_upper"] is None else self["regret_upper"]
        return self["tier"], math.inf if math.isnan(size) else float(size)

    @property
    def versions(self) -> dict[str, str]:
        """The version of each theorem by which the match was judged, under the theorem's spec."""
        return {each.theorem: each.version for each in self.verdicts}

    def summary(self) -> dict[str, Any]:
        """Return the values that `Transcript.summary` has, too."""
        return {each.name: self[each.name] for each in MATCH if each.in_summary}

    def as_json(self) -> dict[str, Any]:
        """Return all values of the match, and its verdicts, as JSON values."""
        return {
            **{name: _plain(self[name]) for name in NAMES if name != "regret_samples"},
            "course": _plain(self["regret_samples"]),
            "regret_ends": _plain(self.regret_ends),
            "verdicts": _plain([each.as_json() for each in self.verdicts]),
            "lower": _plain([each.as_json() for each in self.lower]),
            "unjudged": [vars(each) for each in self.judgement.unjudged],
            "versions": self.versions,
        }


NAMES = tuple(each.name for each in MATCH)
