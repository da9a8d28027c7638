"""A time limit for a block of code."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

AGAIN = 0.1  # seconds until code that has caught and ignored `OutOfTime` is interrupted again


class OutOfTime(KeyboardInterrupt):
    """Raised at the end of a time limit; a KeyboardInterrupt, so that `except Exception` does not catch it."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Context manager: raises `OutOfTime` inside the block after `seconds` seconds.

    If code in the block catches and ignores the exception, it is raised again after 0.1 seconds. There is no limit
    outside the main thread, or on systems without timer signals. A long call of compiled code is interrupted only when
    it returns.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    before, left, started = signal.signal(signal.SIGALRM, _end), signal.getitimer(signal.ITIMER_REAL), time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if left[0]:  # start the timer again that was set before the block
            signal.setitimer(signal.ITIMER_REAL, max(left[0] - (time.monotonic() - started), 1e-3), left[1])


def _end(_: int, __: FrameType | None) -> None:
    raise OutOfTime
