"""The learner that is hunted, and the theorems that it should break."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.errors import ArenaError
from arena.players.learner import Learner, as_learner, overrides
from arena.record.theorem import Theorem
from arena.specs.building import build
from arena.specs.spelling import identity


@dataclass(frozen=True)
class Target:
    """A function that makes the learner afresh for each match, its name, and the theorems."""

    fresh: Callable[[], Learner]
    name: str
    theorems: Sequence[Theorem]

    @cached_property
    def adaptive(self) -> bool:
        """Whether adversaries may watch the learner, which then need not know all points beforehand."""
        return not self.fresh().foresight

    @cached_property
    def stepwise(self) -> tuple[bool, ...]:
        """The ways to play a given sequence: by predict and update (True), by the learner's own `replay` (False)."""
        return (True, False) if self.adaptive and overrides(self.fresh(), "replay") else (False,)


def target_of(learner: Any, theorems: Any) -> Target:
    """The learner with these theorems, or with its own where `theorems` is None or "auto"."""
    built = build("learner", learner)
    name = identity(learner, built)
    promised = tuple(build("theorem", each) for each in as_learner(built).theorems)
    if theorems is None or theorems == "auto":
        claims = promised
        if not claims:
            raise ArenaError(
                f"{name} promises no theorem, so there is nothing to break: name one that it should obey, "
                "such as --bound awv-logdet (arena list theorems shows all)"
            )
    else:
        named = list(theorems) if isinstance(theorems, (list, tuple)) else [theorems]
        claims = tuple(_claimed(each, promised) for each in named)
    return Target(_source(learner, built), name, claims)


def _claimed(claim: Any, promised: Sequence[Theorem]) -> Theorem:
    """The theorem as the learner promises it, if it does."""
    found: Theorem = next((each for each in promised if each.name == claim), None) or build("theorem", claim)
    return found


def _source(learner: Any, built: Any) -> Callable[[], Learner]:
    if isinstance(built, Learner) or hasattr(built, "begin"):
        return lambda: as_learner(built)
    try:
        copy.deepcopy(built)
    except Exception as error:
        if isinstance(learner, (str, type)):
            return lambda: as_learner(build("learner", learner))
        raise ArenaError(
            f"{type(built).__name__} can neither be copied nor told that a match begins: give it a method "
            "begin(game, rng), or pass its class or its spec"
        ) from error
    return lambda: as_learner(built)
