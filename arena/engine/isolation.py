"""Learners in separate processes, where a crash, a hang or a lack of memory is a forfeit and does not end the arena.

A learner's process inherits only a pipe and standard error from the arena. Its memory, its open files and its number of
processes are limited. When it ends, all processes that it has started end, too. There are two ways to start it:

- A learner that is given as a spec runs inside bubblewrap, on machines where bubblewrap works
  (`arena.engine.bubblewrap`). It has no network and can write only to a temporary folder of its own.
- Every other learner runs in a process that is forked from the arena's process and can use the network and the file
  system. This protects against mistakes and excessive use of resources, not against malicious code.
"""

from __future__ import annotations

import contextlib
import functools
import json
import multiprocessing
import os
import pickle
import signal
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from arena.arrays import Array
from arena.engine.bubblewrap import Confined, why_not
from arena.engine.isolated_process import GivenWithCheck, processes_of_user, serve
from arena.engine.reaper import CLEARING
from arena.engine.workers import can_fork
from arena.errors import ArenaError, bounded, describe_error, shown
from arena.guards.user_code import guarded
from arena.players.referee import Foul
from arena.record.fields import NUMBERS
from arena.specs.addresses import is_built_in, loaded_instead, names_code
from arena.specs.grammar import Spec, parse_spec
from arena.specs.registry import entries

LARGEST_ANSWER = 1 << 30  # bytes of one message
MANY = 100  # for every so many rounds of a block, its time limit grows by the limit of one answer
MAKING = 30.0  # least time limit in seconds for making a learner, imports included
GIBIBYTE = 1 << 30


@dataclass(frozen=True)
class Isolation:
    """The limits of an isolated learner: seconds for one answer, GiB of memory, open files, processes.

    - An answer on a block of rounds may take `seconds` longer for every hundred rounds. While the learner plays a block
      round by round, the time limit starts anew about every half second, at the end of a round.
    - Making the learner may take 30 seconds even if `seconds` is smaller.
    - `processes` limits processes and threads together. The system does not limit the superuser.
    - With `bubblewrap`, a learner that is given as a spec runs inside bubblewrap on machines where bubblewrap works.
    """

    seconds: float = 60.0
    memory: float = 4.0
    files: int = 64
    processes: int = 64
    bubblewrap: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.bubblewrap, bool):
            raise ArenaError(f"isolation: bubblewrap must be True or False, but it is {shown(self.bubblewrap)}")
        for name in ("seconds", "memory", "files", "processes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
                raise ArenaError(f"isolation: {name} must be a number > 0, but it is {shown(value)}")

    @classmethod
    def of(cls, given: bool | Isolation | None) -> Isolation | None:
        """Return the limits that `given`, the argument `isolate` of `play`, stands for.

        True stands for the default limits, and False and None stand for None: no isolation.
        """
        if isinstance(given, Isolation):
            return given
        if given is None or isinstance(given, bool):
            return cls() if given else None
        raise ArenaError(f"isolate must be True, False or an Isolation, but it is {shown(given)}")


def is_outside(given: Any) -> bool:
    """Return whether the learner is a spec of code outside the arena, or has such a spec in a parameter.

    >>> is_outside("krr"), is_outside("./mine.py:Mine(rate=0.1)"), is_outside("sklearn:linear_model.SGDRegressor")
    (False, True, True)
    """
    if not isinstance(given, (str, Spec)):
        return False
    try:
        spec = parse_spec(given)
    except ArenaError:  # a wrong spec is reported when the learner is built
        return False
    if names_code(str(spec)):  # also in a parameter
        return True
    return any(not entry.origin.startswith("arena.") for entry in entries("learner").get(spec.name, ()))


def layer() -> str:
    """Return a phrase that says how learners that are given as specs are isolated on this machine."""
    if not can_fork():
        return "nothing: isolation needs a system on which processes can be forked, such as Linux or macOS"
    if reason := why_not():
        return f"resource limits alone: {reason}"
    return "bubblewrap and resource limits: no network, a file system that is read-only, processes of its own"


class Dialogue:
    """A separate process with limits, and the pipe to it.

    If `given` is a learner, the process makes the learner and answers requests about it. If `given` is a function, the
    process calls the function.
    """

    def __init__(self, given: Any, limits: Isolation):
        if not can_fork():
            raise ArenaError("isolation needs a system on which processes can be forked, such as Linux or macOS")
        self.limits = limits
        self.broken: Foul | None = None
        self.died = False  # whether the process ended by itself, not at a time limit
        self._start(given)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, given: Any) -> None:
        entries("learner")  # imports the built-in learners, so that forked processes need not
        context = multiprocessing.get_context("fork")
        self.process: Any
        self.pipe, theirs = context.Pipe()
        self.confined = self.limits.bubblewrap and _is_sendable(given) and not why_not()
        if self.confined:
            self.process = Confined(theirs, int(self.limits.memory * GIBIBYTE))
            with contextlib.suppress(
                BrokenPipeError, ConnectionResetError
            ):  # found when it is asked to make the learner
                self.pipe.send((given, self._resources(), loaded_instead()))
        else:
            self.process = context.Process(target=serve, args=(theirs, given, os.getpid(), self._resources()))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of forks in a process with threads
                self.process.start()
        theirs.close()

    def _resources(self) -> dict[str, int]:
        limits = self.limits
        return {
            "memory": int(limits.memory * GIBIBYTE),
            "files": int(limits.files),
            "processes": int(limits.processes),
            "running": processes_of_user() if os.geteuid() else 0,
        }

    def close(self) -> None:
        """Kill the process and all processes that it started."""
        with contextlib.suppress(OSError):
            self.pipe.close()
        if not self.confined and self.process.exitcode is None:  # the reaper kills what the learner has started
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.process.pid, signal.SIGTERM)
            self._wait(CLEARING + 1.0)
        for _ in range(2):  # twice: it may not lead its own group yet
            if self.process.exitcode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid or 0, signal.SIGKILL)
                self.process.kill()
                self._wait(5.0)

    def _wait(self, seconds: float) -> None:
        stop, pause = time.monotonic() + seconds, 1e-4
        while self.process.exitcode is None and time.monotonic() < stop:
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    def _ask(
        self, action: str, *arguments: Any, raises: bool = True, **options: Any
    ) -> tuple[dict[str, Any], list[Array]]:
        """Send a request to the separate process and return the answer.

        `action` names the request, such as "predict". A `Foul` is raised for a foul, a timeout or the end of the
        process. With raises=False, a foul that the process reports is not raised, but is in the answer. An `ArenaError`
        is raised if the request cannot be sent, or if the process reports an `ArenaError`.
        """
        if self.broken:
            raise self.broken
        with guarded(
            lambda error: ArenaError(f"isolation: {action} cannot be sent: {describe_error(error)}"), passing=()
        ):
            request = pickle.dumps((action, arguments, options))
        try:
            self.pipe.send_bytes(request)
        except (BrokenPipeError, ConnectionResetError):
            raise self._death() from None
        rounds = len(arguments[0]) if action == "block" else 1
        seconds = self.limits.seconds * (1.0 + rounds // MANY)
        content, arrays = self._receive(max(seconds, MAKING) if action in ("make", "call") else seconds)
        if "error" in content:
            raise ArenaError(bounded(str(content["error"]), 2000))
        if "foul" in content and raises:
            raise foul_of(content)
        return content, arrays

    def _receive(self, seconds: float) -> tuple[dict[str, Any], list[Array]]:
        deadline = time.monotonic() + seconds
        try:
            while True:
                content = json.loads(self._bytes(deadline))
                arrays = [self._array(dtype, shape, deadline) for dtype, shape in content["arrays"]]
                if "alive" not in content:
                    return content, arrays
                deadline = time.monotonic() + seconds
        except (EOFError, ConnectionResetError):
            raise self._death() from None
        except TimeoutError:
            raise self._end(f"it did not answer within {seconds:g} s, and was ended") from None
        except (ValueError, KeyError, TypeError, OSError):
            raise self._end("its process answered what no learner answers") from None

    def _bytes(self, deadline: float) -> bytes:
        if not self.pipe.poll(max(deadline - time.monotonic(), 0.0)):
            raise TimeoutError
        return self.pipe.recv_bytes(LARGEST_ANSWER)

    def _array(self, dtype: str, shape: Sequence[int], deadline: float) -> Array:
        kind = np.dtype(dtype)
        if kind.kind not in NUMBERS:
            raise ValueError(dtype)
        content = self._bytes(deadline)
        return (np.frombuffer(content, dtype=kind) if content else np.empty(0, kind)).reshape(shape)

    def _death(self) -> Foul:
        self.died = True
        self._wait(5.0)
        code = self.process.exitcode
        how = f"exit code {code}"
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                how = f"signal {signal.Signals(-code).name}"
        return self._end(f"its process ended ({how})")

    def _end(self, reason: str) -> Foul:
        self.broken = Foul("learner", reason)
        self.close()
        return self.broken


def call_isolated(function: Callable[[], Any], limits: Isolation) -> Any:
    """Call the function in a separate process, and return its value, which must be JSON.

    An `ArenaError` in the function is raised again here. A crash, a hang or a lack of memory raises a `Foul`.
    """
    with Dialogue(function, limits) as dialogue:
        return dialogue._ask("call")[0].get("value")


def _is_sendable(given: Any) -> bool:
    """Return whether `given` can be sent to a new interpreter.

    This is true of specs of learners, and of `functools.partial` objects of the arena's own functions.
    """
    if isinstance(given, GivenWithCheck):
        return _is_sendable(given.given) and isinstance(given.check, functools.partial)
    return isinstance(given, (str, Spec)) or (isinstance(given, functools.partial) and is_built_in(given.func))


def foul_of(content: Mapping[str, Any]) -> Foul:
    """Return the foul that `content`, an answer of an isolated learner's process, reports."""
    return Foul("learner", bounded(str(content["foul"]), 2000), str(content.get("details", ""))[:40_000])
