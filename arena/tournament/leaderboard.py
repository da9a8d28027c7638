"""Plays one learner against many adversaries; the result has each match's regret and the tightness of the theorems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.counterexamples.case import fresh
from arena.engine.executors import Cluster
from arena.engine.isolation import Isolation, is_outside
from arena.engine.match import Hindsight, Progress
from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.tables import Row
from arena.specs import registry
from arena.specs.building import build
from arena.tournament.running import TournamentResult
from arena.tournament.series import played_here


@dataclass(frozen=True)
class Leaderboard:
    """The matches of a learner against many adversaries, the worst for the learner first.

    `cannot` has the adversaries that cannot play this game or against this learner, with the reasons. `missing` names
    the adversaries whose match was not played to its end. `interrupted` is true if the user stopped the program before
    all matches were played. `commands` has the command that plays each match again, under the adversary; None if a
    player has no spec.
    """

    rows: tuple[Row, ...]
    cannot: dict[str, str]
    missing: tuple[str, ...] = ()
    interrupted: bool = False
    commands: dict[str, str | None] = field(default_factory=dict)

    @property
    def theorems(self) -> list[str]:
        """The theorems whose tightness is known in at least one match."""
        return list(dict.fromkeys(theorem for row in self.rows for theorem in row.judgement.shares))


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
    name: str | None = None,
    **fields: Any,
) -> Leaderboard:
    """Return the matches of the learner against these adversaries, by default against all that are registered.

    The matches are judged by the theorems `bound`, by default by the learner's promises. `fields` are fields of the
    game. `workers` is the number of processes; with 1 the matches are played in this process. By default it is the
    number of processors if the learner is given as a spec, and otherwise 1. `cluster` is an executor, such as a
    cluster, that plays the matches instead of this machine. `name` is the learner's name for people. An `ArenaError` is
    raised if no adversary can play.

    >>> table = leaderboard("kernel-awv", adversaries=["drift", "alternating", "replay"], rounds=20, workers=1)
    >>> [row.adversary for row in table.rows], list(table.cannot)
    (['drift', 'alternating'], ['replay'])
    """
    if not (isolate and is_outside(learner)):
        build("learner", fresh(learner))  # raises an `ArenaError` here, instead of once for each adversary
    named = sorted(registry.entries("adversary")) if adversaries is None else list(adversaries)
    cannot = {name: reason for name in named if (reason := _why_not_built(name))}
    playing = [name for name in named if name not in cannot]
    found = TournamentResult((), None)
    if playing:
        how: dict[str, Any] = {"workers": workers, "cluster": cluster, "progress": progress}
        how |= {"bounds": bound, "hindsight": hindsight, "comparators": comparators, "isolate": isolate}
        plan, found = played_here(learner, playing, [seed], game, fields, name, **how)
        called = {each.name: each.given for each in plan.adversaries}
        cannot |= {called[skipped.adversary]: skipped.reason for skipped in found.skipped}
    rows = list(found.summaries())
    if cannot and not rows and not found.failures and not found.interrupted:
        raise ArenaError(f"no adversary can play: {next(iter(cannot))}: {next(iter(cannot.values()))}")
    worst_first = tuple(sorted(rows, key=lambda row: row.badness, reverse=True))
    missing = tuple(failure.adversary for failure in found.failures)
    refused = {name: cannot[name] for name in named if name in cannot}
    commands = {found.planned[number].names[1]: command for number, command in found.commands.items()}
    return Leaderboard(worst_first, refused, missing, found.interrupted, commands)


def _why_not_built(adversary: str) -> str:
    try:
        build("adversary", adversary)
    except ArenaError as error:
        return str(error)
    return ""
