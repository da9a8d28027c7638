"""The target of a hunt: a learner, and the theorems that a match of the learner should break."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from arena.errors import ArenaError, describe_error
from arena.game.game import Game
from arena.guards.user_code import is_ctrl_c, tolerated
from arena.players.learner import Learner, as_learner, overrides, promised_theorems
from arena.record.judging import judge, refuse_lower_bounds, theorems_named, verdict_of
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.building import build, makes_players
from arena.specs.spelling import declared_name, identity, name_of, spec_text
from arena.specs.variants import free_parameters, variant, variant_changes

Parameters = Literal["given", "varied"]


@dataclass(frozen=True)
class Target:
    """The target of a hunt: the learner and the theorems to break; `fresh` makes a new learner for each match.

    Theorems that are demands apply only in the given `game`; all other theorems apply in every game.
    """

    fresh: Callable[[], Learner]
    name: str
    theorems: Sequence[Theorem]
    game: Game
    built: Any = None  # the learner as an object, of which variants are made
    free: tuple[str, ...] = ()  # the learner's parameters that may be varied
    changes: Mapping[str, Any] = field(default_factory=dict)  # a variant's parameters that differ
    called: str = ""  # the learner's name for people

    @property
    def demands(self) -> list[Theorem]:
        """The theorems that are demands: limits set by the user."""
        return [theorem for theorem in self.theorems if theorem.demanded]

    @property
    def proved(self) -> list[Theorem]:
        """The theorems that are not demands."""
        return [theorem for theorem in self.theorems if not theorem.demanded]

    def judge(self, run: Transcript) -> list[Verdict]:
        """Return the verdict of each theorem on this match.

        A demand is "not applicable" in games other than the given one.
        """
        return [
            verdict_of(theorem, "a demand is about the given game alone")
            if theorem.demanded and run.game != self.game
            else verdict_on(theorem, run)
            for theorem in self.theorems
        ]

    @cached_property
    def adaptive(self) -> bool:
        """True if the learner can play against adversaries that look at predictions.

        A learner that needs all moves before round 1 cannot.
        """
        return not self.fresh().foresight

    @cached_property
    def stepwise(self) -> tuple[bool, ...]:
        """The values of `Candidate.stepwise` with which the hunt plays a sequence against the learner.

        With True the learner plays round by round, by `predict` and `update`; with False by `replay`. The only value is
        False if the learner needs all moves before round 1, or if it has no `replay` of its own: the default `replay`
        plays round by round, too.
        """
        return (True, False) if self.adaptive and overrides(self.fresh(), "replay") else (False,)

    def variant(self, rng: np.random.Generator, number: int) -> Target | None:
        """Return a target with a variant of the learner, and with the theorems that the variant promises.

        `number` determines one parameter that certainly varies; the parameters take turns. The result is None if the
        variant promises no theorem, or if the values of its parameters do not fit together.
        """
        changes = variant_changes(self.built, self.free, rng, number)
        try:
            built = variant(self.built, changes)
            theorems = promised_theorems(as_learner(built).theorems)
        except ArenaError:
            return None
        if not theorems:
            return None
        spec = spec_text(built)
        called = name_of(spec, declared_name(built, spec))
        return Target(lambda: as_learner(built), spec, theorems, self.game, changes=changes, called=called)


def target_of(
    learner: Any, theorems: Any, game: Game, parameters: Parameters = "given", called: str | None = None
) -> Target:
    """Return the target for this learner and these theorems.

    If `theorems` is None or "auto", the theorems are the learner's promises. With `parameters="varied"`, the hunt may
    vary the learner's parameters if the theorems are exactly the learner's promises. `called` is a name that the user
    gave the learner. An `ArenaError` is raised if there is no theorem to break, or if one of the theorems is a lower
    bound.
    """
    built = build("learner", learner)
    name = identity(learner, built)
    shown = name_of(name, called, declared_name(built, name))
    promised = promised_theorems(as_learner(built).theorems)
    if not promised and (theorems is None or theorems == "auto"):
        raise ArenaError(
            f"{shown} promises no theorem, so there is nothing to break: name one that it should obey "
            "(`entries('theorem')` shows all), or demand a regret, such as `theorems='at-most(regret=50)'`"
        )
    claims = theorems_named("auto" if theorems is None else theorems, promised)
    if not claims:
        raise ArenaError(
            "a hunt needs a theorem to break, but none is named: name one (`entries('theorem')` shows all)"
        )
    refuse_lower_bounds(claims, "a hunt plays adversaries of its own")
    # Theorems that the learner does not promise might not hold for other values of its parameters.
    varies = parameters == "varied" and {spec_text(each) for each in claims} == {spec_text(each) for each in promised}
    free = free_parameters(learner, built) if varies else ()
    return Target(_factory(learner, built), name, claims, game, built, free, called=shown)


def _factory(learner: Any, built: Any) -> Callable[[], Learner]:
    """Return a function that makes a learner for each match; `built` is `learner` as an object.

    Raise an `ArenaError` if this is impossible: `built` has no `begin` and cannot be copied, and `learner` is neither a
    class nor a spec.
    """
    if isinstance(built, Learner) or hasattr(built, "begin"):
        return lambda: as_learner(built)
    with tolerated():
        copy.deepcopy(built)
        return lambda: as_learner(built)
    if makes_players(learner):
        return lambda: as_learner(build("learner", learner))
    raise ArenaError(
        f"{type(built).__name__} cannot be copied, and has no method that begins a match: give it a method "
        "begin(game, rng), or pass its class or its spec"
    )


def verdict_on(theorem: Theorem, run: Transcript) -> Verdict:
    """Return the theorem's verdict on the match; it is "not applicable" if the theorem raises an error.

    A theorem that leaves room for chance is judged as if it had to hold in every match.
    """
    try:
        with np.errstate(all="ignore"):
            return judge(run, theorem)
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        # Theorems may raise errors in extreme games, or if the learner's evidence is wrong.
        return verdict_of(theorem, f"it could not be judged: {describe_error(error, ours=True)}")
