"""Tournaments: the time of 2 workers over that of 1, here and on a cluster; overhead; 20,000 tiny matches.

`--small` runs a tenth of everything. On a machine that does other work, too, the ratio of workers says little.
"""

from __future__ import annotations

import argparse
import importlib
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from arena import Store, Tournament, play
from arena.cli.standings import print_standings
from arena.tournament.export import export
from arena.tournament.outcomes import outcomes_of
from arena.tournament.scores import Scores

SECONDS = 0.2  # of one of the equal matches
LEARNER, ADVERSARY = "kernel-awv", "greedy"


def rounds_for(seconds: float) -> int:
    """The number of rounds with which a match takes so long."""
    rounds = 10
    match = partial(play, LEARNER, ADVERSARY)
    while min(timed(partial(match, rounds=rounds)) for _ in range(3)) < seconds:
        rounds = int(1.2 * rounds) + 1
    return rounds


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def equal_matches(folder: Path, count: int) -> None:
    rounds = rounds_for(SECONDS)
    plan = Tournament([LEARNER], [ADVERSARY], [{"rounds": rounds}], count)
    start = timed(partial(plan.run, store=folder / "first", workers=1, only="seed=0"))
    start -= sum(summary.match_seconds for summary in Store(folder / "first").summaries())
    used = time.process_time()
    one, two = (timed(partial(plan.run, store=folder / f"{workers}", workers=workers)) for workers in (1, 2))
    used = time.process_time() - used
    print(f"{count} matches of {rounds} rounds: 1 worker {one:.1f} s, 2 workers {two:.1f} s, ratio {two / one:.2f}")
    each = [summary.match_seconds for summary in Store(folder / "1").summaries()]
    print(
        f"overhead of a match: {1000 * (one - start - sum(each)) / count:.1f} ms beside {sum(each) / count:.3f} s of "
        f"playing; this process computes for {500 * used / count:.1f} ms at the same time; start {start:.2f} s"
    )


def on_a_cluster(folder: Path, count: int) -> None:
    distributed: Any = importlib.import_module("distributed")
    plan = Tournament([LEARNER], [ADVERSARY], [{"rounds": rounds_for(SECONDS)}], count)
    taken = []
    for workers in (1, 2):
        with (
            distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            executor = client.get_executor(pure=False)
            plan.run(store=folder / f"warm-{workers}", executor=executor, only="seed=0")
            taken.append(timed(partial(plan.run, store=folder / f"far-{workers}", executor=executor)))
    one, two = taken
    print(f"{count} matches on a cluster: 1 worker {one:.1f} s, 2 workers {two:.1f} s, ratio {two / one:.2f}")


def tiny_matches(folder: Path, count: int) -> None:
    plan = Tournament(["zero", "krr"], ["alternating", "drift"], [{"rounds": 5}], count // 4)
    before = memory()
    played = timed(lambda: plan.run(store=folder / "tiny", workers=2))
    resumed = timed(lambda: plan.run(store=folder / "tiny", workers=2))
    scores = Scores()
    reported = timed(lambda: outcomes_of(scores.taking_in(Store(folder / "tiny").summaries())))
    ranked = timed(lambda: print_standings(Console(quiet=True), scores))
    exported = timed(lambda: export(Store(folder / "tiny").summaries(), folder / "tiny.csv"))
    print(
        f"{count:,} matches of 5 rounds: played in {played:.1f} s ({1000 * played / count:.2f} ms each), "
        f"looked through and nothing played in {resumed:.1f} s, reported in {reported:.1f} s, "
        f"ranked in {ranked:.1f} s, exported in {exported:.1f} s, {memory() - before:.0f} MB more memory"
    )


def memory() -> float:
    """The largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    share = 10 if parser.parse_args().small else 1
    with tempfile.TemporaryDirectory() as name:
        tiny_matches(Path(name), 20_000 // share)
        equal_matches(Path(name), 200 // share)
        on_a_cluster(Path(name), 200 // share)
