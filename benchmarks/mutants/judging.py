"""Judgement of a mutant: the learners that use the mutated module are checked and hunted in a process of their own.

No file of the checkout is changed: the process loads the mutated source in place of the original module.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

from .making import Mutant
from .sources import ROOT, users

MOST_HUNTED = 6  # of the learners that use a module; all of them are checked
GRACE = 5.0  # seconds of processor time beyond the budget of a learner, after which the mutant counts as hanging
ASLEEP = 20  # the limit by the clock is so many times that of processor time, since other work may run
FIRST = ("plays", "same-seed-same-run", "replay-equals-rounds", "peek-equals-predict", "promised-theorems-hold")


class _InPlace(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Importer that loads the mutated source in place of the original module."""

    def __init__(self, mutant: Mutant):
        self.mutant = mutant

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.mutant.module:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=str(ROOT / self.mutant.file))

    def exec_module(self, module: ModuleType) -> None:
        file = str(ROOT / self.mutant.file)
        module.__file__ = file
        exec(compile(self.mutant.source, file, "exec"), module.__dict__)


def processor_time() -> float:
    """Return the processor seconds of this process and of its child processes that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def complaint(learner: str, hunted: float | None, matches: int | None = None) -> str:
    """Return the first failure that is found in a learner; empty if there is none.

    If `hunted` is None, the learner is checked as by `arena check`. Otherwise it is hunted: for `matches` matches, or
    for `hunted` seconds if `matches` is None.
    """
    from arena.errors import ArenaError
    from arena.hunt import hunt
    from arena.testing.checks import LEARNER_CHECKS, examine_learner

    command = "check" if hunted is None else "hunt"
    try:
        if hunted is not None:
            violation = hunt(learner, budget=max(hunted, 1.0), matches=matches, workers=0).violation
            return f"{command} {learner}: {violation.reason}" if violation else ""
        examination = examine_learner(learner)
        for name in (*FIRST, *(check.name for check in LEARNER_CHECKS)):
            result = examination.result(name)
            if result.bad:
                return f"{command} {learner}: {result}"
    except ArenaError as error:
        if "promises no theorem" in str(error):
            return ""
        return f"{command} {learner}: {error}"
    except Exception as error:
        return f"{command} {learner}: {type(error).__name__}: {error}"
    return ""


Left = dict[str, float]  # seconds of the budget that the checks of each learner have left


def judge_here(mutant: Mutant, budget: float, left: Left | None, matches: int | None = None) -> tuple[str, Left]:
    """Load the mutant into this process, then check or hunt the learners that use it.

    Return the failure that catches the mutant ("" if there is none), and the seconds that are left for each learner's
    hunt. The function is called twice. Without `left` it checks the learners. With `left`, the seconds that the first
    call returned, it hunts them.
    """
    # the other process of a check would load the original
    os.environ["REGRET_ARENA_OTHER_PROCESS"] = "1"
    time.monotonic = processor_time  # the clock of a hunt
    sys.meta_path.insert(0, _InPlace(mutant))
    after: Left = {}
    try:
        for learner in users(mutant.module) if left is None else left:
            started = processor_time()
            resource.setrlimit(resource.RLIMIT_CPU, (round(started + budget + GRACE), resource.RLIM_INFINITY))
            seconds = None if left is None else left[learner]
            if found := complaint(learner, seconds, matches) if seconds is None or seconds > 0 else "":
                return found, {}
            after[learner] = round(budget - (processor_time() - started), 2)
    except Exception as error:  # the module cannot be imported
        return f"check import: {type(error).__name__}: {error}", {}
    return "", dict(list(after.items())[:MOST_HUNTED])


def judge(mutant: Mutant, budget: float, left: Left | None = None, matches: int | None = None) -> tuple[str, Left]:
    """Call `judge_here` in a separate process; a process that hangs or dies catches the mutant, too.

    If `matches` is given, each hunt plays this number of matches without a time limit, so that the result does not
    depend on the machine.
    """
    task = json.dumps({"mutant": asdict(mutant), "budget": budget, "left": left, "matches": matches})
    limit = round(ASLEEP * (budget + GRACE) * (MOST_HUNTED + 2))
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mutants", "--task", task],
            capture_output=True, text=True, timeout=limit, cwd=Path(__file__).parents[1], env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"hang: no answer within {limit} s", {}
    if done.returncode == -signal.SIGXCPU:
        return f"hang: no answer within {budget + GRACE:g} s of processor time", {}
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "{}"
    answer = json.loads(last) if last.startswith("{") else {}
    if "caught" not in answer:
        return f"death: the process ended with {done.returncode}: {done.stderr.strip()[-200:]}", {}
    return str(answer["caught"]), answer["left"]
