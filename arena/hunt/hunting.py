"""The function `hunt`, which looks for a match that breaks a theorem, in several processes."""

from __future__ import annotations

import contextlib
import functools
import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.counterexamples.failures import Failures, Replayed
from arena.engine.code_transfer import Sources, sources_of, unpack
from arena.engine.executors import Cluster, work_off_on, workers_of
from arena.engine.workers import Channel, Event, Unanswered, attempt_in_own_process, can_fork, work_off
from arena.errors import ArenaError
from arena.game.game import Game, require_game_and_seed
from arena.guards.clock import OutOfTime, time_limit
from arena.guards.machine import processors
from arena.hunt.findings import Hunt, Violation, portable
from arena.hunt.hunter import Hunter, HuntPlan
from arena.hunt.target import Parameters, Target, target_of
from arena.record.judging import judge
from arena.specs.spelling import changed_fields, require_name, spec_text

MOST_ROUNDS = 2100  # rounds of the longest match, unless `rounds` is given
WORKERS = 2
MAKING = 10.0  # seconds that making the learner may take, imports included, even if the budget is smaller
SILENT = 1.0  # least seconds without a single round that count as a hang: a process needs time to begin
Progress = Callable[[Hunt], None]
Events = Generator[Event | None, None, None]


def hunt(
    learner: Any,
    theorems: Any = None,
    *,
    rounds: int | None = None,
    budget: float = 60.0,
    dimension: int | None = None,
    game: Game | None = None,
    seed: int = 0,
    matches: int | None = None,
    workers: int | None = None,
    parameters: Parameters = "varied",
    kept: str | Path | None = None,
    on_progress: Progress | None = None,
    cluster: Cluster | None = None,
    name: str | None = None,
    **fields: Any,
) -> Hunt:
    """Return the result of a search for a match that breaks one of the theorems.

    - `learner` is an object, a class or a spec.
    - `theorems` are the theorems to break; None stands for the learner's promises.
    - `game` is the given game, and `fields` replace fields of it. The fields in `fields`, and the fields of `game` that
      differ from the defaults, keep their values, except the horizon. Other fields are varied as far as the theorems
      allow. A demand, such as `at-most`, is judged only in the given game.
    - `rounds` is the number of rounds of the longest match.
    - `parameters`: with "given", the hunt tries no variants of the learner (other values of parameters that the user
      left open). With "varied", it tries variants if the theorems are exactly the learner's promises.
    - `budget` is the number of seconds after which the hunt ends. The result depends on the speed of the machine.
    - `matches`, if given, ends each process after this number of matches, in place of `budget`. With one process the
      result then depends only on the seed.
    - `workers` is the number of processes; with 0 the hunt runs in this process. The default is 2, or 1 with `matches`.
    - `cluster` is an executor, all of whose workers run the hunt. In this case the learner must be given as a spec,
      each worker reports only when it ends, and a match that takes too long is not cut short.
    - `kept` is a folder of failures, which are played first.
    - `name` is the learner's name for people, in place of a short form of its spec.
    - `on_progress` is called with the result so far, several times a second; never if the hunt runs in this process.

    >>> found = hunt("krr", "awv-logdet", matches=50, workers=0)
    >>> found.violation.kind, found.violation.verdict.violated
    ('bound', True)
    """
    _check_limits(budget, matches, parameters)
    require_game_and_seed(game, seed)
    require_name(name)
    given = {**fields, **({} if dimension is None else {"dimension": dimension})}
    started, count = time.monotonic(), _number_of_processes(workers, matches, cluster)
    order = functools.partial(
        _plan, learner, theorems, game or Game(), given, rounds, parameters, name,
        seed=seed, budget=budget, matches=matches, processes=max(count, 1),
    )  # fmt: skip
    made_in = max(budget, MAKING)
    try:
        with time_limit(made_in):
            plan = order()
    except OutOfTime:
        return _not_made(learner, game or Game(), seed, name, made_in)
    reports = Reports(plan, started, on_progress)
    try:
        if kept is not None and (violation := _kept_violation(learner, plan.target, Path(kept), budget)):
            reports.last[0] = replace(plan.nothing_yet(), violation=violation)
        elif cluster is not None:
            _gather(_hunters_at(cluster, plan, order, learner), reports)
        elif count:
            _gather(_hunters_in_own_processes(plan), reports)
        else:
            Hunter(plan, 0, Channel(functools.partial(reports.last.__setitem__, 0))).run()
    except KeyboardInterrupt:
        reports.interrupted = True
    return _unless_silent(reports.merged(), budget)


@dataclass
class Reports:
    """What the processes of a hunt have found so far: `last` has the last report of each process, by its number."""

    plan: HuntPlan
    started: float
    on_progress: Progress | None
    last: dict[int, Hunt] = field(default_factory=dict)
    interrupted: bool = False

    def merged(self) -> Hunt:
        """Return the result of the whole hunt so far."""
        reports = (self.last[number] for number in sorted(self.last))
        whole = functools.reduce(Hunt.merged, reports, self.plan.nothing_yet())
        return replace(whole, seconds=time.monotonic() - self.started, interrupted=self.interrupted)

    def show(self) -> None:
        """Call `on_progress`, if there is one, with the result so far."""
        if self.on_progress is not None:
            self.on_progress(self.merged())


def _check_limits(budget: float, matches: int | None, parameters: str) -> None:
    if not 0 < budget < math.inf or (matches is not None and matches < 1):
        raise ArenaError(f"a hunt needs a budget > 0 and matches >= 1, but they are {budget!r} and {matches!r}")
    if parameters not in ("given", "varied"):
        raise ArenaError(f"parameters must be given or varied, but it is {parameters!r}")


def _number_of_processes(workers: int | None, matches: int | None, cluster: Cluster | None) -> int:
    """Return the number of worker processes of the hunt; 0 if the hunt runs in this process."""
    if cluster is not None:
        return workers_of(cluster.executor)
    default = WORKERS if matches is None else 1
    return min(default if workers is None else workers, processors()) if can_fork() else 0


def _not_made(learner: Any, game: Game, seed: int, name: str | None, seconds: float) -> Hunt:
    """Return the result of a hunt whose learner was not made within `seconds`; its violation is a hang."""
    spec = learner if isinstance(learner, str) else getattr(learner, "__name__", type(learner).__name__)
    hang = Violation("hang", f"it was not made within {seconds:.1f} s", "no adversary")
    return Hunt(spec, game, seed, violation=hang, seconds=seconds, learner_name=name or "")


def _unless_silent(found: Hunt, budget: float) -> Hunt:
    """Return `found`; if the learner finished no round in the whole budget, return it with a hang as the violation."""
    if found.rounds or found.violation or found.interrupted or found.seconds < max(budget, SILENT):
        return found
    reason = f"it did not finish one round within {found.seconds:.1f} s"
    return replace(found, violation=Violation("hang", reason, "every adversary"))


def _plan(
    learner: Any,
    theorems: Any,
    game: Game,
    given: dict[str, Any],
    rounds: int | None,
    parameters: Parameters,
    name: str | None,
    *,
    seed: int,
    budget: float,
    matches: int | None,
    processes: int,
) -> HuntPlan:
    """Return the plan of a hunt that begins now.

    The deadline is `budget` seconds from now. If `matches` is given, the number of matches ends the hunt, and the
    deadline is at least a day from now.
    """
    base = game.replace(**given, **({} if rounds is None else {"rounds": rounds}))
    fixed = set(changed_fields(base)) - {"rounds"} | set(given)
    return HuntPlan(
        target=target_of(learner, theorems, base, parameters, name),
        game=base,
        fixed=sorted(fixed | ({"dimension"} if base.features else set())),
        longest=rounds or MOST_ROUNDS,
        seed=seed,
        budget=budget,
        deadline=time.monotonic() + (budget if matches is None else max(budget, 86400.0)),
        matches=matches,
        processes=processes,
    )


def _hunters_at(cluster: Cluster, plan: HuntPlan, order: Callable[[], HuntPlan], learner: Any) -> Events:
    """Play the hunt on a cluster, with one hunter for each worker, and yield the hunters' reports as events.

    Each worker calls `order()`, which makes a plan whose deadline counts from the worker's start.
    """
    if not isinstance(learner, str):
        raise ArenaError("a hunt on a cluster needs a learner that every worker can build: give it as a spec")
    sources = sources_of([learner])
    return work_off_on(
        cluster, lambda number: functools.partial(_part, order, number, sources), range(plan.processes),
        at_once=plan.processes,
    )  # fmt: skip


def _part(order: Callable[[], HuntPlan], number: int, sources: Sources) -> Hunt:
    """Hunt as worker `number` of a cluster, by the plan that `order()` returns; return what is found.

    `sources` has the files with the user's code.
    """
    unpack(sources)
    reports: list[Hunt] = []
    Hunter(order(), number, Channel(reports.append)).run()
    return reports[-1]


def _hunters_in_own_processes(plan: HuntPlan) -> Events:
    """Play the hunt in worker processes of this machine, and yield the hunters' reports as events."""
    return work_off(
        lambda number, channel: Hunter(plan, number, channel).run(),
        range(plan.processes),
        workers=plan.processes,
        forked=True,
        deadline=plan.deadline,
        patience=plan.patience,
    )


def _gather(events: Events, reports: Reports) -> None:
    """Keep in `reports` what each worker has found, until all workers end or one finds a violation.

    `events` are the workers' messages. A worker whose process hangs or dies has found a violation. The progress is
    shown several times a second.
    """
    with contextlib.closing(events):
        for event in events:
            if event is None:
                reports.show()
                if any(found.violation for found in reports.last.values()):
                    return
            elif event.kind in ("hung", "died"):
                found = reports.last.setdefault(event.number, reports.plan.nothing_yet())
                found.violation = found.violation or _violation_of(event, reports.plan.target.name)
            elif event.content is not None:  # None: the hunter has ended, and its last report came before
                reports.last[event.number] = event.content


def _violation_of(event: Event, learner: str) -> Violation:
    if not event.playing:  # on a cluster, where a hunter reports only at its end
        return Violation("death", f"its process ended: {event.content}", learner)
    where = f"in or after round {event.rounds + 1} against {event.playing}"
    if event.kind == "hung":
        reason = f"it did not answer within {event.content:.1f} s {where}, and was killed"
        return Violation("hang", reason, event.playing)
    return Violation("death", f"its process ended (exit code {event.content}) {where}", event.playing)


def _kept_violation(learner: Any, target: Target, folder: Path, budget: float) -> Violation | None:
    """Play the failures in the folder again, and return a violation for the first one on which the learner still fails.

    Only fouls count, and violations of the target's theorems. Failures on which the learner no longer fails are
    deleted, if the learner has a spec. The result is None if no failure counts, or if the learner hangs, ends its
    process or cannot be made.
    """
    demands, proved = (set(map(spec_text, each)) for each in (target.demands, target.proved))

    def counts(replayed: Replayed) -> bool:
        theorem, run = replayed.failure.theorem, replayed.run
        return (
            theorem is None or theorem in proved or (theorem in demands and run is not None and run.game == target.game)
        )

    def attempt() -> Violation | None:
        replayed = Failures(folder).replay_first(learner)
        still = next((each for each in replayed if each.fails and counts(each)), None)
        if still is None or still.run is None:
            return None
        who, run = f"failure {still.failure.id}, kept in {folder}", portable(still.run)
        if still.failure.theorem is None:
            return Violation("forfeit", still.reason, who, run)
        verdict = judge(run, still.failure.theorem)
        return Violation("bound", str(verdict), who, run, verdict.without_curves())

    violation: Violation | None = None
    # If the learner hangs, ends its process or cannot be made, the hunt itself will find that.
    with contextlib.suppress(Unanswered, ArenaError):
        violation = attempt_in_own_process(attempt, budget)
    return violation
