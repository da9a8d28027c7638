"""Settings of the process that users' code may change, and that the arena's own code depends on."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from arena.guards.streams import PlainStream, plain_stream

# Returns the object that holds NumPy's treatment of errors. To look whether it is still the same object takes a tenth
# of the time of `np.geterr`, which would otherwise be a large part of a round. Where this version of NumPy has no such
# object, a new one is returned each time.
_contextvar: Any = getattr(getattr(getattr(np, "_core", None), "umath", None), "_extobj_contextvar", None)
_error_object: Callable[[], Any] = getattr(_contextvar, "get", object)


class ProcessSettings:
    """Settings of the process that users' code may change, as they are when this object is made.

    The methods restore them.

    >>> settings = ProcessSettings()
    >>> _ = np.seterr(all="raise")
    >>> settings.restore()
    >>> np.geterr()["under"]
    'ignore'
    """

    def __init__(self) -> None:
        self.errors, self.filters = np.geterr(), list(warnings.filters)
        self._error_object = _error_object()
        self.recursion, self.trace = sys.getrecursionlimit(), sys.gettrace()
        self.streams = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr}
        self.on_ctrl_c = signal.getsignal(signal.SIGINT)

    def restore(self) -> None:
        """Restore the settings on which results depend, as they were when this object was made.

        These are NumPy's treatment of errors, the filters of warnings and the limit of recursion.
        """
        if _error_object() is not self._error_object:
            if np.geterr() != self.errors:
                np.seterr(**self.errors)
            self._error_object = _error_object()
        if warnings.filters != self.filters:
            warnings.resetwarnings()  # also forgets which filters applied to which module
            filters: Any = warnings.filters
            filters[:] = self.filters
        if sys.getrecursionlimit() != self.recursion:
            sys.setrecursionlimit(self.recursion)

    def restore_all(self) -> None:
        """Restore all settings that this object holds, as they were when it was made.

        These are the settings that `restore` restores, the standard streams, the trace function and the handler of
        Ctrl-C. A standard stream that was closed is opened again.
        """
        self.restore()
        if sys.gettrace() is not self.trace:
            sys.settrace(self.trace)
        for number, (name, stream) in enumerate(self.streams.items()):
            if getattr(stream, "closed", False) and stream is getattr(sys, f"__{name}__"):
                with contextlib.suppress(OSError):
                    opened = open(number, "w" if number else "r", closefd=False, errors="replace")  # noqa: SIM115
                    setattr(sys, name, plain_stream(opened) if isinstance(stream, PlainStream) else opened)
            elif getattr(sys, name) is not stream:
                setattr(sys, name, stream)
        if threading.current_thread() is threading.main_thread() and self.on_ctrl_c is not None:
            signal.signal(signal.SIGINT, self.on_ctrl_c)
