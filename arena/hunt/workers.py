"""Worker processes that may be killed: what they had found by then is known, because they tell it at once.

Workers are forked, so that any learner will do, also one that no other process could build. Where there is no fork, or
a single worker is enough, the hunt takes place here, and a learner that never answers is beyond help.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from arena.errors import ArenaError

GRACE = 1.5  # seconds after the deadline, or after its patience, before a worker is killed
EVERY = 0.1  # seconds after which the hunt looks up, whether or not somebody has told something
LONGEST = 300  # characters of what is said of the match under way

LAST = ("done", "refused", "failed")  # what a worker tells at the end

Tell = Callable[[str, Any], None]
Job = Callable[[int, Tell, Callable[[int], None]], None]  # seat, tell, sign of life with the rounds played


class Sign(ctypes.Structure):
    """A worker's sign of life, in memory that the parent reads: when, and how many rounds of the match are over."""

    _fields_ = [("when", ctypes.c_double), ("rounds", ctypes.c_longlong), ("what", ctypes.c_char * LONGEST)]


class Worker:
    """One forked process."""

    def __init__(self, job: Job, seat: int):
        context = multiprocessing.get_context("fork")
        self.seat = seat
        self.ear, mouth = context.Pipe(duplex=False)
        self.sign: Any = context.RawValue(Sign)
        self.sign.when = time.monotonic()
        self.process = context.Process(target=_work, args=(job, seat, mouth, self.sign), daemon=True)
        with warnings.catch_warnings():  # of threads in this process, which the worker does without
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        mouth.close()
        self.done = False

    @property
    def playing(self) -> str:
        """The match under way."""
        return str(self.sign.what.decode("utf-8", "replace"))

    @property
    def silence(self) -> float:
        """Seconds since the last sign of life."""
        return time.monotonic() - float(self.sign.when)

    def kill(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.join(5.0)
        self.ear.close()


def can_fork() -> bool:
    """Whether workers are to be had."""
    return "fork" in multiprocessing.get_all_start_methods()


def _work(job: Job, seat: int, mouth: Connection, sign: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, who ends the workers
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a learner prints, thousands of times, helps nobody

    def alive(rounds: int) -> None:
        sign.when, sign.rounds = time.monotonic(), rounds

    def tell(kind: str, content: Any) -> None:
        sign.when = time.monotonic()
        if kind == "playing":
            sign.rounds, sign.what = 0, content.encode()[: LONGEST - 1]
            return
        with contextlib.suppress(BrokenPipeError):
            mouth.send((kind, content))

    try:
        job(seat, tell, alive)
    except ArenaError as error:
        tell("refused", str(error))
    except Exception:  # ours, not the learner's: fouls are caught where they are committed
        tell("failed", traceback.format_exc())
    mouth.close()


class Pack:
    """The workers of one hunt."""

    def __init__(self, job: Job, workers: int, *, deadline: float, patience: float):
        self.deadline, self.patience = deadline, patience
        self.workers = [Worker(job, seat) for seat in range(workers)]

    def messages(self) -> Generator[tuple[str, Any] | None, None, None]:
        """What the workers tell, and None now and then; `hung` and `died` are told of them.

        It ends when all are done, or when time is up; whoever still works is killed then, or when the caller stops.
        """
        working = list(self.workers)
        try:
            while working and time.monotonic() < self.deadline + GRACE:
                heard = wait([worker.ear for worker in working], EVERY)
                for worker in list(working):
                    if worker.ear in heard:
                        yield from self._heard(worker)
                    elif worker.silence > self.patience + GRACE:
                        worker.done = True
                        yield "hung", (worker.playing, int(worker.sign.rounds), worker.silence)
                working = [worker for worker in working if not worker.done]
                yield None
        finally:
            for worker in self.workers:
                worker.kill()

    def _heard(self, worker: Worker) -> Iterator[tuple[str, Any]]:
        try:
            message = worker.ear.recv()
        except EOFError:
            worker.done = True
            worker.process.join(1.0)
            yield "died", (worker.playing, int(worker.sign.rounds), worker.process.exitcode)
            return
        if message[0] in LAST:
            worker.done = True
        yield message
