"""Plays one learner against many adversaries; the result has each match's regret and the tightness of the theorems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.counterexamples.case import fresh
from arena.engine.executors import Cluster
from arena.engine.isolation import Isolation, is_outside, limits_for
from arena.engine.match import Hindsight, Progress
from arena.errors import ArenaError
from arena.game.game import Game
from arena.specs import registry
from arena.specs.building import build
from arena.tournament.plan import short
from arena.tournament.playing import Played
from arena.tournament.running import TournamentResult
from arena.tournament.series import plan_of, played_here
from arena.tournament.summary import Summary


@dataclass(frozen=True, kw_only=True)
class Row(Summary):
    """The summary of the match against one adversary; `command` plays it again, and is None if a player has no spec."""

    command: str | None

    @property
    def broken(self) -> list[str]:
        """The theorems and lower bounds that this match refutes."""
        return [each.theorem for each in (*self.verdicts, *self.lower) if each.refuted]

    @property
    def forces(self) -> bool:
        """True if a lower bound above zero holds in the match."""
        return (self.forced or 0.0) > 0

    @property
    def negative(self) -> bool:
        """True if the regret or the measured value of a theorem is negative; identities are left out."""
        measured = [each.measured for each in self.verdicts if each.measured is not None and not each.is_deviation]
        return min((*measured, self.regret or 0.0)) < 0

    def vacuous(self, theorem: str) -> bool:
        """Return whether the theorem allows at least the largest value that is possible in this match."""
        return any(each.theorem == theorem and each.vacuous for each in self.verdicts)

    def tightness(self, theorem: str) -> float | None:
        """Return measured / allowed of this theorem; None if the theorem did not apply or is an identity."""
        found = next((each for each in self.verdicts if each.theorem == theorem and not each.is_deviation), None)
        return found.tightness if found and found.applicable else None


@dataclass(frozen=True)
class Leaderboard:
    """The matches of a learner against many adversaries, the worst for the learner first.

    `cannot` has the adversaries that cannot play this game or against this learner, with the reasons. `missing` names
    the adversaries whose match was not played to its end. `interrupted` is true if the user stopped the program before
    all matches were played.
    """

    rows: tuple[Row, ...]
    cannot: dict[str, str]
    missing: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def theorems(self) -> list[str]:
        """The theorems whose tightness is known in at least one match."""
        applied = [
            each.theorem for row in self.rows for each in row.verdicts if row.tightness(each.theorem) is not None
        ]
        return list(dict.fromkeys(applied))

    @property
    def failed(self) -> bool:
        """True if at least one match ended by forfeit, or refuted a theorem or a lower bound."""
        return any(row.forfeit or row.broken for row in self.rows)


def leaderboard(
    learner: Any,
    *,
    adversaries: Sequence[str] | None = None,
    seed: int = 0,
    bound: Any = "auto",
    workers: int | None = None,
    cluster: Cluster | None = None,
    progress: Progress | None = None,
    game: Game | None = None,
    hindsight: Hindsight = "auto",
    comparators: Sequence[Any] = (),
    isolate: bool | Isolation = False,
    **fields: Any,
) -> Leaderboard:
    """Return the matches of the learner against these adversaries, by default against all that are registered.

    The matches are judged by the theorems `bound`, by default by the learner's promises. `fields` are fields of the
    game. `workers` is the number of processes; with 1 the matches are played in this process. By default it is the
    number of processors if the learner is given as a spec, and otherwise 1. `cluster` is an executor, such as a
    cluster, that plays the matches instead of this machine. An `ArenaError` is raised if no adversary can play.

    >>> table = leaderboard("kernel-awv", adversaries=["drift", "alternating", "replay"], rounds=20, workers=1)
    >>> [row.adversary for row in table.rows], list(table.cannot)
    (['drift', 'alternating'], ['replay'])
    """
    if limits_for(isolate, learner) is None or not is_outside(learner):
        build("learner", fresh(learner))  # raises an `ArenaError` here, instead of once for each adversary
    named = sorted(registry.entries("adversary")) if adversaries is None else list(adversaries)
    cannot = {name: reason for name in named if (reason := _why_not_built(name))}
    playing = [name for name in named if name not in cannot]
    found = TournamentResult((), None)
    if playing:
        judged = {"bounds": bound, "hindsight": hindsight, "comparators": comparators, "isolate": isolate}
        plan = plan_of(learner, playing, [seed], game, fields, **judged)
        called = {each.name: each.given for each in plan.adversaries}
        found = played_here(plan, workers, cluster, progress, isolate=isolate)
        cannot |= {called[skipped.adversary]: skipped.reason for skipped in found.skipped}
    rows = [_row(found.over[number]) for number in sorted(found.over)]
    if cannot and not rows and not found.failures and not found.interrupted:
        raise ArenaError(f"no adversary can play: {next(iter(cannot))}: {next(iter(cannot.values()))}")
    worst_first = tuple(sorted(rows, key=lambda row: row.badness, reverse=True))
    missing = tuple(short(failure.adversary) for failure in found.failures)
    return Leaderboard(
        worst_first, {name: cannot[name] for name in named if name in cannot}, missing, found.interrupted
    )


def _why_not_built(adversary: str) -> str:
    try:
        build("adversary", adversary)
    except ArenaError as error:
        return str(error)
    return ""


def _row(played: Played) -> Row:
    return Row(**vars(played.summary), command=played.command)
