"""The learner's side of a match: the learner, in this process or in one of its own, and the learner's name."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from arena.engine.isolated_learner import Isolated
from arena.engine.isolation import Isolation
from arena.players.learner import Learner, UserLearner, as_learner
from arena.specs.building import build
from arena.specs.spelling import declared_name, identity, is_unnamed, why_no_spec


@dataclass(frozen=True)
class LearnerSide:
    """The learner of a match, its spec, the reason why it has none (empty if it has one), and the name it declares."""

    learner: Learner
    name: str
    unnamed: str
    declared: Any


def learner_side(given: Any, limits: Isolation | None, stack: ExitStack) -> LearnerSide:
    """Return the side of the learner `given`, which is an object, class or spec.

    With `limits` the learner plays in a new process, which ends with `stack`. An `Isolated` has a process already,
    which does not end.
    """
    if issubclass(type(given), Isolated):  # not by `isinstance`, which may run code of the object
        return LearnerSide(given, given.name_of_learner, given.unnamed, given.known.get("declared"))
    if limits is not None:
        isolated = stack.enter_context(Isolated(given, limits))
        return LearnerSide(isolated, isolated.name_of_learner, isolated.unnamed, isolated.known.get("declared"))
    built = build("learner", given)
    name, learner = identity(given, built), as_learner(built)
    if built is not given and isinstance(learner, UserLearner):
        learner.itself = False  # it was made for this match
    return LearnerSide(learner, name, why_no_spec(built) if is_unnamed(name) else "", declared_name(built, name))
