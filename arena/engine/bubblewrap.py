"""Processes inside the sandbox bubblewrap (the program `bwrap`), which gives them namespaces of their own.

Such a process is a new interpreter, connected to the arena by a pipe alone. It has no network and cannot see other
processes. It can read the file system, but write only to a temporary folder of its own in memory. When it ends, all
processes that it has started end, too.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path

TEMPORARY = "/dev/shm"
SOCKETS = "/run"  # the folder of the machine's services, whose sockets are hidden
SWITCH = "REGRET_ARENA_BUBBLEWRAP"  # environment variable: 0 switches bubblewrap off
STARTING = 20.0  # seconds in which a process must start for bubblewrap to be in use
SERVE = "import sys; sys.path[:] = {path!r}; from arena.engine.isolated_process import serve_alone; serve_alone({pipe})"


def why_not() -> str:
    """Return in a few words why bubblewrap is not in use on this machine; an empty text if bubblewrap is in use."""
    return f"bubblewrap is switched off ({SWITCH}=0)" if os.environ.get(SWITCH) == "0" else _tried()


@functools.cache
def _tried() -> str:
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    if (program := shutil.which("bwrap")) is None:
        return "bubblewrap (bwrap) is not installed"
    trial = [*_command(program, 1 << 20), sys.executable, "-S", "-E", "-c", ""]
    try:
        done = subprocess.run(trial, stdin=subprocess.DEVNULL, capture_output=True, timeout=STARTING, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap does not start here ({type(error).__name__})"
    said = done.stderr.decode(errors="replace").strip().partition("\n")[0][:100]
    return f"bubblewrap does not work here ({said or f'exit code {done.returncode}'})" if done.returncode else ""


def _command(program: str, memory: int) -> list[str]:
    """Return the beginning of a command line; a command that is appended to it runs inside bubblewrap.

    `program` is the path of `bwrap`. Files in the command's temporary folder take at most `memory` bytes.
    """
    words = [program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev"]
    words += ["--proc", "/proc", "--perms", "1777", "--size", str(memory), "--tmpfs", TEMPORARY, "--remount-ro", "/dev"]
    # the arena starts inside bubblewrap only if these paths are readable there
    needed = [sys.executable, sys.prefix, sys.base_prefix, *filter(None, sys.path), os.getcwd()]
    sockets = Path(SOCKETS).resolve()
    if sockets.is_dir() and not any(Path(path).resolve().is_relative_to(sockets) for path in needed):
        words += ["--tmpfs", SOCKETS]
    return [*words, "--setenv", "TMPDIR", TEMPORARY, "--"]


class Confined:
    """A new interpreter inside bubblewrap that runs a learner, with some methods of `multiprocessing.Process`."""

    def __init__(self, pipe: Connection, memory: int):
        program = shutil.which("bwrap") or "bwrap"
        code = SERVE.format(path=sys.path, pipe=pipe.fileno())
        words = [*_command(program, memory), sys.executable, "-P", "-c", code]
        self.started = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(pipe.fileno(),),
            start_new_session=True,  # Ctrl-C reaches the arena only
        )
        self.pid = self.started.pid

    @property
    def exitcode(self) -> int | None:
        """The exit code, or minus the number of the signal that ended the learner's process; None while it runs."""
        code = self.started.poll()
        if code is None or code <= 128:
            return code
        return 128 - code if code - 128 in set(signal.Signals) else code  # bubblewrap reports a signal as shells do

    def join(self, seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.started.wait(seconds)

    def kill(self) -> None:
        """End the process and all processes that it has started."""
        self.started.kill()
