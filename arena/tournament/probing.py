"""Learners whose code is outside the arena, described by another process.

With these descriptions, a tournament is planned without running the learners' code in this process.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from arena.engine.isolation import Isolation, call_isolated
from arena.errors import ArenaError, shown
from arena.players.learner import Learner, as_learner, unusable
from arena.players.referee import Foul
from arena.specs import registry
from arena.specs.building import build
from arena.specs.grammar import Spec, parse_spec
from arena.specs.spelling import full_identity, identity, is_unnamed
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
    texts = [str(each) for each in expanded("learner", parse_spec(text))] if grids else [text]
    return [_description(each) for each in texts]


def _description(text: str) -> dict[str, Any]:
    built = build("learner", text)
    full = full_identity(text, built)
    learner = as_learner(built)
    with unusable("learner", learner, "foresight"):
        foresight = learner.foresight is True
    content = () if is_unnamed(full) else digests_of(full, built, registry.find("learner", parse_spec(full).name))
    return {"given": text, "name": identity(text, built), "full": full, "content": content, "foresight": foresight}


def _read(values: Any) -> Entrant:
    for name in ("given", "full"):
        parse_spec(values[name])
    content = tuple((str(what), str(digest)) for what, digest in values["content"])
    absent = Absent(foresight=values["foresight"] is True)
    return Entrant(values["given"], absent, str(values["name"]), values["full"], content)
