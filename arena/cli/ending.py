"""Prepares the process for a command, and ends the process even if threads or child processes of players still run."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
import time
import warnings
from typing import Any

import click

from arena.cli.command_line import BUG, INTERRUPTED
from arena.cli.translation import in_options
from arena.errors import printable
from arena.guards.streams import write_plainly
from arena.guards.user_code import CtrlC

PATIENCE = 0.8  # seconds after Ctrl-C in which the command may print its results so far
AT_ONCE = 0.3  # of them: seconds that one step, such as judging a match, may take
NO_FAREWELL = 2  # exit code if the final error message cannot be written
MOST_CHARACTERS = 300  # characters of a warning
NUMERIC = re.compile("encountered in|empty slice|degrees of freedom", re.IGNORECASE)  # in NumPy's warnings
writing_lock = threading.Lock()  # held while files are written that must be complete before Ctrl-C ends the process
_warnings: dict[str, None] = {}


def prepare_process() -> None:
    """Prepare the process for a command: its standard streams, its warnings, and its end after Ctrl-C.

    Ctrl-C raises KeyboardInterrupt in the main thread. If the process still runs `PATIENCE` (0.8) seconds later, it is
    ended with exit code 130, as soon as no code holds `writing_lock`.
    """
    # The next file to be opened would otherwise get the number of a closed standard stream.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
    write_plainly()
    warnings.showwarning = _show_warning
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if a shell has it ignored
        signal.signal(signal.SIGINT, CtrlC())
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # long calls of compiled code notice Ctrl-C late, and users' code may suppress the exception
    threading.Thread(target=_end_after_ctrl_c, args=(reader,), daemon=True).start()


def _end_after_ctrl_c(reader: int) -> None:
    while signal.SIGINT not in os.read(reader, 64):
        pass
    time.sleep(PATIENCE)
    with writing_lock:
        with contextlib.suppress(OSError):
            os.write(2, b"Interrupted.\n")
        os._exit(INTERRUPTED)


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any
) -> None:
    """Print a warning in one line; keep NumPy's warnings about numbers for one note at the end of the process."""
    text = str(message)
    if issubclass(category, RuntimeWarning) and NUMERIC.search(text):
        _warnings.setdefault(text.partition("\n")[0][:100])
    elif sys.stderr is not None:
        where = f"{os.path.basename(filename)}, line {lineno}"
        with contextlib.suppress(OSError, ValueError):
            click.echo(
                f"warning: {printable(' '.join(in_options(text).split()), MOST_CHARACTERS)} ({printable(where)})",
                err=True,
            )


def _sum_up_warnings() -> None:
    which = "; ".join(list(_warnings)[:3])
    click.echo(
        f"note: some numbers were too large or too small for double precision ({printable(which)}), so "
        "parts of the result may be off; less extreme values of the game or the learner avoid it",
        err=True,
    )


def leave(code: Any) -> None:
    """End the process with this exit code, even if threads or child processes of players still run."""
    with contextlib.suppress(OSError, ValueError):  # the stream may be closed
        if _warnings:
            _sum_up_warnings()
    warnings.simplefilter("ignore")
    if not isinstance(code, int):
        code = 0 if code is None else BUG  # no command ends with a text
    processes = sys.modules.get("multiprocessing.process")
    for each in [*threading.enumerate(), *getattr(processes, "active_children", list)()]:
        if not each.daemon and each is not threading.main_thread():  # Python would wait for it
            _flush()
            os._exit(code)
    sys.exit(code)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
