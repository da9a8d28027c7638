"""Tournaments as TOML files.

An example:

    learners = ["krr", "pkawv(embedding=taylor(degree=[2, 3]))"]
    adversaries = ["alternating", "greedy"]
    seeds = 5

    [game]
    rounds = [100, 200]

All entries are checked before the first match; the error names every bad entry with its key, such as
`learners[2]` or `game.rounds`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from arena.engine.code_transfer import names_in
from arena.engine.isolation import Isolation, is_outside
from arena.engine.match import HINDSIGHTS
from arena.errors import ArenaError, an, nearest
from arena.game.game import Game
from arena.specs.building import build
from arena.specs.grammar import Spec, parse_spec
from arena.specs.parameters import is_whole
from arena.tournament.entrants import described
from arena.tournament.grids import expanded, expanded_fields
from arena.tournament.plan import Tournament

KEYS = ("learners", "names", "adversaries", "seeds", "bounds", "comparators", "hindsight", "only", "game")

TOGETHER = ("box", "features", "dimension")  # fields that fit together or not, which `_check_games` checks


def read_league(path: str | Path, *, trust: bool = False, **changes: Any) -> Tournament:
    """Return the tournament that a TOML file describes; raise an `ArenaError` that names every bad entry.

    A spec that names a file or a module would run users' code; it is refused if `trust` is false. `changes` are
    arguments of `Tournament` that replace the arguments in the file. `changes["fields"]` replaces single fields of the
    games in the file.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8") from None
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ArenaError(f"{path} is not TOML: {error}") from None
    return _League(path, content, trust=trust, isolate=changes.get("isolate", False)).tournament(changes)


class _League:
    def __init__(self, path: Path, content: dict[str, Any], *, trust: bool, isolate: bool | Isolation):
        self.path, self.content, self.trust, self.isolate = path, content, trust, isolate
        self.problems: list[str] = []

    def tournament(self, changes: Mapping[str, Any]) -> Tournament:
        """Return the tournament that the TOML file describes; raise an `ArenaError` if any entry is bad.

        `changes` are arguments of `Tournament` that replace those of the file.
        """
        for key in self.content:
            if key not in KEYS:
                meant = "It is called 'bounds' here." if key in ("theorem", "theorems") else nearest(key, KEYS)
                self._note("", f"there is no setting {key!r}. {meant}")
        fields = changes.get("fields", {})
        given = {
            "learners": self._specs("learner", "learners"),
            "adversaries": self._specs("adversary", "adversaries"),
            "names": self.content.get("names", []),
            "games": self._games(fields),
            "seeds": self._seeds(),
            "bounds": self._texts("bounds", "theorems", "theorem", ["auto"]),
            "comparators": self._texts("comparators", "comparators", "comparator", []),
            "hindsight": self._word("hindsight", HINDSIGHTS) or "auto",
            "only": self._word("only") or "",
        }
        if self.problems:
            raise ArenaError("\n".join(self.problems))
        given |= {name: value for name, value in changes.items() if name != "fields"}
        learners, adversaries = given.pop("learners"), given.pop("adversaries")
        return Tournament(learners, adversaries, given.pop("games"), given.pop("seeds"), **given)

    def _specs(self, kind: str, key: str) -> list[str]:
        value = self.content.get(key)
        if value is None:
            self._note("", f"{key} are missing: write {key} = [{'...'!r}]")
            return []
        if not isinstance(value, (str, list)) or not value:
            self._note("", f"{key} must be a list of specs, but it is {value!r}")
            return []
        found = []
        for place, entry in _items(key, value):
            if not isinstance(entry, str):
                self._note(place, f"{an(kind)} is a text such as 'name(parameter=1)', but this is {entry!r}")
            elif self._good(place, partial(self._check_spec, kind, entry)):
                found.append(entry)
        return found

    def _check_spec(self, kind: str, text: str) -> None:
        spec = parse_spec(text)
        self._check_trust(spec)
        limits = Isolation.of(self.isolate) if kind == "learner" and is_outside(spec) else None
        if limits is not None:
            described(spec, limits, grids=True)
            return
        for each in expanded(kind, spec):
            build(kind, str(each))

    def _check_trust(self, spec: Spec) -> None:
        outside = next((name for name in names_in(spec) if ":" in name), None)
        if outside and not self.trust:
            raise ArenaError(f"{outside} is code outside the arena, which is run only with `trust=True`")

    def _games(self, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
        games = []
        for place, table in _items("game", self.content.get("game", {})):
            if not isinstance(table, dict):
                self._note("", f"game must be a table, [game], but it is {table!r}")
                continue
            good = {name: each for name, each in table.items()
                    if self._good(f"{place}.{name}", partial(self._check_field, name, each))}  # fmt: skip
            if self._good(place, partial(_check_games, {**good, **fields})) and len(good) == len(table):
                games.append({**table, **fields})
        return games

    def _check_field(self, name: str, value: Any) -> None:
        known = Game.__dataclass_fields__
        if name not in known:
            raise ArenaError(f"game: no field {name!r}. {nearest(name, known)}")
        if name in ("kernel", "loss"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, str):
                    self._check_trust(parse_spec(each))
        for fields in expanded_fields({name: value}):
            if name not in TOGETHER:
                Game().replace(**fields)

    def _seeds(self) -> Any:
        value = self.content.get("seeds", 1)
        for place, each in _items("seeds", value):
            if not is_whole(each, at_least=0 if isinstance(value, list) else 1):
                self._note(place, f"seeds must be a whole number >= 1, or a list of seeds, but here is {each!r}")
        if value == []:
            self._note("", "seeds must be a whole number >= 1, or a list of seeds, but the list is empty")
        return value

    def _texts(self, key: str, many: str, kind: str, default: list[str]) -> list[str]:
        """Return the file's specs under `key`, or `default` if it has no such key; record an error for each bad spec.

        Grids are not allowed. `kind` is "theorem" or "comparator", and `many` its plural. Theorems may also be given by
        the words `auto` and `none`.
        """
        value = self.content.get(key, default)
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            self._note("", f"{key} must be a list of {many}, but it is {value!r}")
            return default
        for place, name in _items(key, value):
            if kind != "theorem" or name not in ("auto", "none"):
                self._good(place, partial(self._check_text, kind, name))
        return names

    def _check_text(self, kind: str, name: str) -> None:
        self._check_trust(parse_spec(name))
        build(kind, name)

    def _word(self, key: str, allowed: Sequence[str] = ()) -> Any:
        value = self.content.get(key)
        if value is not None and (not isinstance(value, str) or (allowed and value not in allowed)):
            self._note("", f"{key} must be {', '.join(allowed) or 'a text'}, but it is {value!r}")
        return value

    def _good(self, place: str, action: Callable[[], Any]) -> bool:
        """Call `action` and return True; if it raises an `ArenaError`, record the message and return False.

        The message is recorded with `place`, which is the entry's key, such as `game.rounds`.
        """
        try:
            action()
        except ArenaError as error:
            self._note(place, str(error))
            return False
        return True

    def _note(self, place: str, problem: str) -> None:
        self.problems.append(f"{self.path}{place and f', {place}'}: {problem}")


def _items(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each item of a list with its place, such as `key[2]`; a value that is no list has the place `key`."""
    if isinstance(value, list):
        yield from ((f"{key}[{number}]", each) for number, each in enumerate(value))
    else:
        yield key, value


def _check_games(fields: Mapping[str, Any]) -> None:
    for each in expanded_fields(fields):
        Game().replace(**each)
