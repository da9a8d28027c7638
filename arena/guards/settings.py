"""Settings of the process that users' code may change, and that must not stay changed after a match."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

import numpy as np


@contextlib.contextmanager
def restored_settings() -> Iterator[None]:
    """Context manager: restores NumPy's treatment of errors and the handler of Ctrl-C after the block.

    >>> with restored_settings():
    ...     _ = np.seterr(all="raise")
    >>> np.geterr()["under"]
    'ignore'
    """
    on_ctrl_c = signal.getsignal(signal.SIGINT)
    try:
        with np.errstate():
            yield
    finally:
        if threading.current_thread() is threading.main_thread() and on_ctrl_c is not None:
            signal.signal(signal.SIGINT, on_ctrl_c)
