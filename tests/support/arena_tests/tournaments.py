"""Helpers that run tournaments in processes of their own, with a learner that kills a process during a match."""

import os
import subprocess
import sys
from multiprocessing import forkserver
from pathlib import Path

from arena.tournament.store import Store

# A learner that predicts the mean, and in round 5 kills a process, so many times in all matches: its own, or the one
# whose number stands in the file `pid`, with its whole group if `group`. It waits until the store `after` holds some
# matches; the kills are marked by files in the folder `marks`.
KILLER = """
import os, signal
from pathlib import Path

import numpy as np


class Killer:
    def __init__(self, times=1, pid="self", how="KILL", always=False, after=None, marks=".", group=False):
        self.times, self.pid, self.how, self.always, self.after = times, pid, how, always, after
        self.kill_one = os.killpg if group else os.kill
        self.marks = marks
        self.mean = self.count = 0.0

    def begin(self, game, rng):
        self.mean = self.count = 0.0

    def predict(self, x):
        return self.mean

    def update(self, x, y):
        self.count += 1
        self.mean += (y - self.mean) / self.count
        if self.count == 5:
            self.kill()

    def kill(self):
        for number in range(self.times):
            if self.after and len(list(Path(self.after).rglob("*.npz"))) < 3 * number + 2:
                return
            mark = Path(self.marks) / f"killed-{number}"
            try:
                mark.touch(exist_ok=self.always)
            except FileExistsError:
                continue
            pid = os.getpid() if self.pid == "self" else int(Path(self.pid).read_text())
            self.kill_one(pid, getattr(signal, "SIG" + self.how))
            return
"""
PROGRAM = """
import os, sys
from pathlib import Path
Path("main-pid").write_text(str(os.getpid()))
from arena.cli import main
main(sys.argv[1:])
"""


def start(folder, *words, **options):
    """Start `arena WORDS` as a process in the folder, and return the process."""
    command = [sys.executable, "-c", PROGRAM, *map(str, words)]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment(), **options
    )


def environment():
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def end_fork_server():
    """End the server from which workers are forked.

    A server that an earlier test started would keep the environment of that test.
    """
    forkserver._forkserver._stop()


def digest(folder):
    """Return the digest of a store; fail if the store has damaged or foreign files."""
    found = Store(folder, trust=True).verify()
    assert not found.damaged
    assert not found.foreign
    return found.digest


def parts_left(folder):
    """Return the unfinished files below a folder."""
    return list(Path(folder).rglob("*.part"))
