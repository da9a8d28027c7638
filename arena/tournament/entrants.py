"""The players of a tournament, made from the specs, classes or objects that the user gave.

Learners whose code is outside the arena may be described by another process, so that a tournament is planned without
running their code in this process.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.counterexamples.case import fresh
from arena.engine.isolation import Isolation, call_isolated, is_outside
from arena.errors import ArenaError, number_of, shown
from arena.game.game import Game
from arena.players.learner import Learner, as_learner, unusable
from arena.players.referee import Foul
from arena.specs import registry
from arena.specs.addresses import is_built_in
from arena.specs.building import build
from arena.specs.grammar import Spec, parse_spec
from arena.specs.parameters import Configured
from arena.specs.spelling import full_identity, identity, is_unnamed, require_name
from arena.tournament.grids import expanded
from arena.tournament.provenance import Digests, digests_of


class Absent(Learner):
    """Stand-in for a learner that is never made in this process."""

    def __init__(self, *, foresight: bool = False):
        self.known_foresight = foresight

    @property
    def foresight(self) -> bool:
        return self.known_foresight

    def predict(self, x: Any) -> float:
        raise NotImplementedError("the learner lives in a process of its own")

    def update(self, x: Any, y: float) -> None:
        raise NotImplementedError("the learner lives in a process of its own")


@dataclass(frozen=True)
class Entrant:
    """A learner or an adversary of a tournament.

    - `given` is the spec, class or object that the user gave.
    - `built` is the player made from `given`; an `Absent` if the player is built in another process only.
    - `name` is the player's spec without default values, and `full` is the spec with all values.
    - `content` has the digests of the code and data outside the arena on which the player depends.
    - `broken` is the reason why the learner could not be built in another process; it is empty in all other cases.
    - `called` is the name that the user gave; None without one.
    """

    given: Any
    built: Any
    name: str
    full: str
    content: Digests = ()
    broken: str = ""
    called: str | None = None


def entrants(
    kind: str,
    given: Sequence[Any],
    problems: list[str],
    *,
    grids: bool,
    isolate: bool | Isolation = False,
    names: Sequence[str] = (),
) -> list[Entrant]:
    """Return the learners or adversaries (`kind`) that `given` describes, without duplicates.

    With `grids`, a spec that contains a list describes several players. With `isolate`, learners whose specs name code
    outside the arena are built in another process. `names` are empty, or the user's names for all players that are
    `given`. Messages of errors are appended to `problems`.
    """
    if isinstance(given, (str, Spec)):
        given = [given]
    if names and (not isinstance(names, (list, tuple)) or len(names) != len(given)):
        raise ArenaError(
            f"give one name for each of the {number_of(len(given), kind)}, in their order, not {shown(names, 60)}"
        )
    specs: list[Any] = []
    called: list[str | None] = []
    for each, name in itertools.zip_longest(given, names):
        require_name(name)
        if (limits := Isolation.of(isolate)) is not None and is_outside(each):
            specs += noting(problems, functools.partial(described, each, limits, grids=grids)) or []
        elif grids and isinstance(each, (str, Spec)):
            specs += noting(problems, functools.partial(_expanded, kind, each)) or []
        else:
            specs.append(each)
        called += [name] * (len(specs) - len(called))
    found = [
        each if isinstance(each, Entrant) else noting(problems, functools.partial(_entrant, kind, each))
        for each in specs
    ]
    if not found and not problems:
        problems.append(f"a tournament needs at least one {kind}")
    named = zip(found, called, strict=True)
    return list({each.full: dataclasses.replace(each, called=name) for each, name in named if each}.values())


def _expanded(kind: str, given: str | Spec) -> list[str]:
    return list(map(str, expanded(kind, parse_spec(given) if isinstance(given, str) else given)))


def _entrant(kind: str, given: Any) -> Entrant:
    built = build(kind, fresh(given) if kind == "learner" else given)
    name, full = identity(given, built), full_identity(given, built)
    if is_unnamed(full):
        return Entrant(given, built, name, full, ())
    made_by = registry.find(kind, parse_spec(full).name) if isinstance(given, (str, Spec)) else type(built)
    return Entrant(given, built, name, full, digests_of(full, built, made_by))


def described(given: str | Spec, limits: Isolation, *, grids: bool) -> list[Entrant]:
    """Return the learners that a spec describes; a separate process with these limits builds them.

    With `grids`, a spec that contains a list describes several learners. An `ArenaError` is raised if the spec is
    wrong. If the process ends, hangs or needs too much memory, the result is one `Entrant`, whose `broken` is the
    reason.
    """
    text = str(parse_spec(given) if isinstance(given, str) else given)
    try:
        found = call_isolated(functools.partial(_describe, text, grids=grids), limits)
    except Foul as foul:
        return [_broken(text, foul.reason)]
    try:
        return [_read(values) for values in found]
    except (TypeError, ValueError, KeyError, ArenaError):
        return [_broken(text, f"its process answered {shown(found)}")]


def _broken(text: str, reason: str) -> Entrant:
    return Entrant(text, Absent(), text, text, broken=f"it cannot be made: {reason}")


def _describe(text: str, *, grids: bool) -> list[dict[str, Any]]:
    """Return a dictionary of JSON values for each learner that the spec `text` describes; several only with `grids`.

    The keys are `foresight`, and `given`, `name`, `full` and `content` as in `Entrant`.
    """
    found = []
    for each in _expanded("learner", text) if grids else [text]:
        made = _entrant("learner", each)
        learner = as_learner(made.built)
        with unusable("learner", learner, "foresight"):
            foresight = learner.foresight is True
        found.append({name: getattr(made, name) for name in ("given", "name", "full", "content")})
        found[-1]["foresight"] = foresight
    return found


def _read(values: Any) -> Entrant:
    for name in ("given", "full"):
        parse_spec(values[name])
    content = tuple((str(what), str(digest)) for what, digest in values["content"])
    absent = Absent(foresight=values["foresight"] is True)
    return Entrant(values["given"], absent, str(values["name"]), values["full"], content)


def noting(problems: list[str], action: Callable[[], Any]) -> Any:
    """Return `action()`; if `action` raises an `ArenaError`, append the message to `problems` and return None."""
    try:
        return action()
    except ArenaError as error:
        problems.append(str(error))
        return None


class Trials:
    """Finds the games that built-in players refuse, by calls of the players' `begin` before any match is played.

    `begin` is called once for each player and game; the result is kept.
    """

    def __init__(self) -> None:
        self._refused: dict[tuple[str, str, Game], str] = {}

    def begin(self, kind: str, entrant: Entrant, game: Game) -> None:
        """Raise an `ArenaError` if the player is built in and refuses the game."""
        at = (kind, entrant.full, game)
        if at not in self._refused:
            self._refused[at] = self._refusal(kind, entrant, game)
        if self._refused[at]:
            raise ArenaError(self._refused[at])

    def _refusal(self, kind: str, entrant: Entrant, game: Game) -> str:
        built = entrant.built
        # `begin` of a user's player is not called here, since it may hang or end the process.
        if not isinstance(built, Configured) or not is_built_in(type(built)):
            return ""
        try:
            dataclasses.replace(built).begin(game, np.random.default_rng(0))  # type: ignore[attr-defined, type-var]
        except ArenaError as error:
            return str(error)
        except Exception:  # the match reports it as a foul
            return ""
        return ""
