"""Series: matches of one learner, adversary and game with many seeds, played as a tournament on all processors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.engine.executors import Cluster
from arena.engine.isolation import Isolation
from arena.engine.match import Hindsight, Progress
from arena.errors import ArenaError, shown
from arena.game.game import Game, require_game_and_seed
from arena.guards.machine import processors
from arena.record.repeating import split
from arena.record.series import Series
from arena.specs.parameters import is_whole
from arena.tournament.plan import Tournament
from arena.tournament.running import Report, TournamentResult, run

MOST = 10**10  # most matches of a series


def play_series(
    learner: Any,
    adversary: Any,
    *,
    seeds: int,
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
) -> Series:
    """Play the matches with the seeds `seed`, ..., `seed + seeds - 1`; return them as a series, judged as a whole.

    `workers` is the number of processes; 1 stands for this process. The default is one for each processor, or 1 if a
    player is not given as a spec. If `cluster` is given, its executor plays the matches. `bound` names the theorems by
    which the matches are judged; "auto" stands for the learner's promises. `progress` is called with the number of
    matches played. Other arguments are those of `play`.

    >>> play_series("kernel-awv", "alternating", seeds=3, rounds=10, workers=1).verdicts[0].outcome
    'holds'
    """
    if not is_whole(seeds, at_least=1) or seeds > MOST:
        raise ArenaError(f"seeds must be a whole number >= 1 and <= {MOST:g}, but it is {shown(seeds)}")
    require_game_and_seed(game, seed)
    if workers is not None and not is_whole(workers, at_least=1):
        raise ArenaError(f"workers must be a whole number >= 1, or None, but it is {workers!r}")
    how: dict[str, Any] = {"workers": workers, "cluster": cluster, "progress": progress, "strict": True}
    how |= {"bounds": bound, "hindsight": hindsight, "comparators": comparators, "isolate": isolate}
    _, found = played_here(learner, [adversary], range(seed, seed + seeds), game, fields, name, **how)
    if found.skipped:
        raise ArenaError(found.skipped[0].reason)
    rows = tuple(found.rows[number] for number in sorted(found.rows))
    return Series(found.tables, rows, tuple(sorted(failure.seed for failure in found.failures)), found.interrupted)


def played_here(
    learner: Any,
    adversaries: Sequence[Any],
    seeds: Sequence[int],
    game: Game | None,
    fields: Mapping[str, Any],
    name: str | None,
    *,
    workers: int | None,
    cluster: Cluster | None,
    progress: Progress | None,
    strict: bool = False,
    **judged: Any,
) -> tuple[Tournament, TournamentResult]:
    """Play one learner against these adversaries in one game, with these seeds and without a store.

    `fields` has fields of the game, and further arguments of `play`. A list in a spec or a field is a value here, not a
    grid. `name` is the learner's name for people. `workers`, `cluster` and `progress` are those of `play_series`. With
    `strict`, an exception in a match is raised, not recorded. `judged` has keyword arguments of `Tournament`, such as
    `bounds`.
    """
    options, fields = split(fields)
    start, names = (game or Game(), fields), () if name is None else (name,)
    plan = Tournament([learner], adversaries, [start], seeds, grids=False, try_out=False, names=names, **judged)

    def notify(report: Report) -> None:
        if progress is not None and report.done:
            progress(report.done)

    count = min(workers or (processors() if plan.all_specs else 1), len(plan.matches))
    count = 0 if count == 1 else count  # 0: this process plays
    watched = None if progress is None else notify
    return plan, run(plan, workers=count, cluster=cluster, progress=watched, strict=strict, options=options)
