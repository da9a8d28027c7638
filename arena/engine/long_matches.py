"""Decisions about long matches: the time for narrowing intervals, the use of features, and the memory needed."""

from __future__ import annotations

import dataclasses
from typing import cast

import numpy as np

from arena.arrays import Array, few_different
from arena.engine.isolated_learner import Isolated
from arena.engine.isolation import Isolation
from arena.engine.learner_side import LearnerSide
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.losses import Squared
from arena.guards.machine import GIBIBYTE, exact_memory, physical_memory
from arena.hindsight.comparator import EXACT_LIMIT, HindsightMode, automatic_hindsight, insisted_hindsight
from arena.hindsight.narrowing import Effort
from arena.hindsight.watching import Watch
from arena.players.adversary import Adversary
from arena.players.learner import Learner, overrides
from arena.players.referee import ask, legal_predictions
from arena.record.error_bars import Approximation, losses_between
from arena.specs.building import build
from arena.specs.grammar import parse_spec
from arena.specs.registry import find

LONG = 2**15  # different points beyond which exact learners are played through features: 4 GiB
FIT_ANYWHERE = 2**13  # different points for which every machine has the memory: 256 MiB
HINDSIGHT_TIME = 60.0  # seconds for which an interval is narrowed, unless the user says otherwise


def mode_of(hindsight: str, game: Game, ended: str, points: Array) -> HindsightMode:
    """Return how the hindsight of a match is computed: "exact", "interval" or "none".

    `hindsight` is the user's choice:

    - "auto" gives "exact" if the match is short or has few different points, otherwise "interval". If `ended` is
      "interrupted" (Ctrl-C), the number of rounds alone decides, because counting different points takes time.
    - With the squared loss, "exact" gives "interval" in a match that is very long and has many different points.
    - Any other choice is returned.
    """
    if hindsight == "exact" and isinstance(game.loss, Squared):
        return insisted_hindsight(len(points), points)
    if hindsight != "auto":
        return cast(HindsightMode, hindsight)
    if ended == "interrupted":
        return "exact" if len(points) <= EXACT_LIMIT else "interval"
    return automatic_hindsight(game.rounds, points)


def effort_of(hindsight: str, given: Effort | None, seconds: float | None = None) -> Effort:
    """Return the limits for narrowing the interval of a match's regret.

    `given` and `seconds`, which goes before, are the user's choice, if there is one. With `hindsight` "exact" the time
    is not limited, and with "interval" or "none" nothing is narrowed.
    """
    effort = given or Effort(HINDSIGHT_TIME)
    if seconds is not None:
        effort = dataclasses.replace(effort, seconds=seconds)
    if hindsight == "auto":
        return effort
    return dataclasses.replace(effort, seconds=np.inf if hindsight == "exact" else 0.0)


def bytes_of_record(game: Game, adversary: Adversary) -> float:
    """Return the largest number of bytes that the record of the match can take."""
    known = adversary.known_moves
    return 8.0 * (game.dimension + 3) * min(game.rounds, np.inf if known is None else known)


def may_need_features(learner: object, rounds: int) -> bool:
    """Return whether the learner may have to play a match of `rounds` rounds through features.

    `learner` is a learner or a class of learners.
    """
    able = learner.has_features if isinstance(learner, Isolated) else overrides(learner, "through_features")
    return able and rounds > LONG


def needs_features(X: Array) -> bool:
    """Return whether `X` has so many different points that exact learners are played through features."""
    return not few_different(X, LONG)


def why_too_large(growth: str | None, adversary: Adversary, rounds: int, limits: Isolation | None = None) -> str:
    """Return the reason why the learner needs too much memory for the match; empty if the match may be played.

    The match is refused if all of these hold:

    - `growth`, the learner's `memory_growth`, is "quadratic".
    - The memory of the machine, or of the learner's process (`limits`), is too small for all points.
    - The adversary is not oblivious, so the learner cannot be played through features.
    - The adversary declares `fresh_points`: new points without end.
    """
    if growth != "quadratic" or adversary.oblivious or not getattr(adversary, "fresh_points", False):
        return ""
    lack = _lack_of_memory(rounds, limits)
    if not lack:
        return ""
    more = "" if _allowed_memory(limits) == physical_memory() else "; Isolation(memory=...) in GiB raises the limit"
    return (
        f"{lack}. The adversary waits for its predictions, so it cannot be played through features: "
        f"play fewer rounds{more}"
    )


def check_memory(side: LearnerSide, adversary: Adversary, rounds: int, limits: Isolation | None) -> None:
    """Raise an `ArenaError` if the learner needs too much memory for a match of `rounds` rounds."""
    growth = getattr(side.learner, "memory_growth", None)
    if why := why_too_large(growth, adversary, rounds, limits):
        raise ArenaError(f"{side.name} {why}")


def memory_note(learner: str, rounds: int, *, adversary: str = "", exact: bool = False, isolate: bool = False) -> str:
    """Return a warning if the learner may need more than half the machine's memory in `rounds` rounds; otherwise "".

    `learner` and `adversary` are specs. With `isolate`, the learner plays in a process with limited memory. With
    `exact`, it is never played through features, and an `ArenaError` is raised if the memory does not suffice.
    """
    if rounds <= FIT_ANYWHERE:
        return ""
    limits = Isolation() if isolate else None
    needed, installed = exact_memory(rounds), physical_memory()
    if needed < 0.5 * _allowed_memory(limits):
        return ""
    try:
        kind = find("learner", parse_spec(learner).name)
        growth = getattr(kind, "memory_growth", None)
        if isinstance(growth, property):  # it depends on the parameters; any other learner is not made in this process
            growth = build("learner", learner).memory_growth
        opponent = build("adversary", adversary) if adversary else None
        if not exact and may_need_features(kind, rounds) and getattr(opponent, "oblivious", False):
            return ""
        if opponent is not None and why_too_large(growth, opponent, rounds, limits):
            return ""  # the match would be refused, with this message
    except ArenaError:  # playing the match raises it again, with a fuller message
        return ""
    if growth != "quadratic":
        return ""
    if exact and (lack := _lack_of_memory(rounds, limits)):
        raise ArenaError(
            f"`exact=True`: {learner} {lack}. Without `exact=True` it is played through features, with error bars"
            + (" (but not with `isolate=True`)" if isolate else "")
        )
    if needed < 0.5 * installed:
        return ""
    return (
        f"note: the memory of {learner} grows with the square of the number of different points it keeps: up to "
        f"{needed / GIBIBYTE:,.0f} GiB in {rounds:,} rounds, and this machine has {installed / GIBIBYTE:,.0f}. Ctrl-C "
        f"ends the match and keeps what was played; fewer rounds need less, points that come again need none"
    )


def _allowed_memory(limits: Isolation | None) -> float:
    """Return how many bytes a learner may use; `limits` are those of its process, if it is isolated."""
    installed = physical_memory()
    return installed if limits is None else min(installed, limits.memory * GIBIBYTE)


def _lack_of_memory(rounds: int, limits: Isolation | None) -> str:
    """Return a clause such as "needs 6 GiB for 40,000 different points, and this machine has 4".

    The clause is empty if an exact learner has enough memory for `rounds` different points. `limits` are those of its
    process, if it is isolated.
    """
    needed, allowed = exact_memory(rounds), _allowed_memory(limits)
    if needed <= allowed:
        return ""
    whose = "this machine has" if allowed == physical_memory() else "an isolated process may use"
    return f"needs {needed / GIBIBYTE:,.0f} GiB for {rounds:,} different points, and {whose} {allowed / GIBIBYTE:,.0f}"


def through_features(learner: Learner, X: Array, y: Array, watch: Watch | None) -> Approximation:
    """Play the points `X` and labels `y` through features; return the predictions and their error bars.

    Raise a `Foul` for illegal predictions, and an `ArenaError` for an isolated learner.
    """
    if isinstance(learner, Isolated):
        raise ArenaError(
            f"{learner.name_of_learner} plays more than {LONG:,} different points through features, whose error bars "
            "an isolated process cannot vouch for. Play without isolation, or with `exact=True`, which needs "
            "memory for all points: Isolation(memory=...) in GiB raises the limit"
        )
    found: Approximation = ask("learner", learner.through_features, X, y, watch)
    predictions = legal_predictions(found.predictions, len(X), "through_features")
    return dataclasses.replace(found, predictions=predictions)


def remark_on(found: Approximation, game: Game, y: Array) -> str:
    """Return the sentence that is printed with the result of a match played through features."""
    least, largest = losses_between(game.loss, found.predictions, found.error_bars, y)
    losses = game.loss.value(found.predictions, y)
    off = float(np.maximum(largest - losses, losses - least).mean())
    bars = found.error_bars
    return (
        f"more than {LONG:,} different points: the learner was played through {found.features:,} features. Each "
        f"prediction is within {bars.max():.1g} of the exact one, on average within {bars.mean():.1g}, and the average "
        f"loss within {off:.1g}; `exact=True` plays it exactly, in up to {exact_memory(len(y)) / GIBIBYTE:,.0f} GiB"
    )
