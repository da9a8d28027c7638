"""The reaper: a process between the arena and a learner's process that ends all processes that the learner has started.

On Linux a process can ask to become the parent of all orphans among its descendants. When the learner's process ends,
the processes that it has started become children of the reaper, even if they lead sessions of their own. Then the
reaper kills them.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path

from arena.engine.workers import PR_SET_PDEATHSIG

PR_SET_CHILD_SUBREAPER = 36
CLEARING = 3.0  # seconds within which the descendants must have ended
PROCESSES = Path("/proc")


def fork_reaper(parent: int) -> None:
    """Fork, and return in the child only; the process that forks becomes the reaper.

    The reaper waits for the child's end, kills all processes that the child has started, and ends with the child's exit
    code or signal. At SIGTERM, or when the process `parent` ends, it kills the child, too. On systems other than Linux
    this function does nothing.
    """
    if sys.platform != "linux" or not (PROCESSES / "self" / "stat").is_file():
        return
    system = ctypes.CDLL(None)
    if system.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        return
    signal.set_wakeup_fd(-1)  # inherited; it would report this process's signals to the arena
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    system.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        return
    os.closerange(3, 65536)  # the pipe among them: its end shows the arena that the learner's process ended
    code = _outcome_of(child)
    _clear()
    if code < 0:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(max(code, 0))


def _outcome_of(child: int) -> int:
    """Wait for the end of the child; return its exit code, or minus the number of the signal that ended it.

    Orphans that end in the meantime are reaped.
    """
    while True:
        ended, status = os.wait()
        if ended == child:
            return os.waitstatus_to_exitcode(status)


def _end(*_: object) -> None:
    _clear()
    os._exit(1)


def _clear() -> None:
    """Kill the children of this process until there are none, for at most three seconds.

    When a child ends, its own children become children of this process.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    stop = time.monotonic() + CLEARING
    while time.monotonic() < stop:
        for process in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def _children() -> list[int]:
    found, own = [], os.getpid()
    for name in os.listdir(PROCESSES):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if name.isdigit() and int((PROCESSES / name / "stat").read_text().rpartition(")")[2].split()[1]) == own:
                found.append(int(name))
    return found
