"""A limit on the time that a block of code may take."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

AGAIN = 0.1  # seconds between attempts to interrupt code that swallows the first one


class OutOfTime(KeyboardInterrupt):
    """Raised when the time is over; like any KeyboardInterrupt it passes through code that catches `Exception`."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Context manager: raises `OutOfTime` inside the block after so many seconds.

    Outside the main thread, or without signals, nothing is interrupted; nor is a single long call of compiled code.
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
        if left[0]:  # somebody else's timer goes on
            signal.setitimer(signal.ITIMER_REAL, max(left[0] - (time.monotonic() - started), 1e-3), left[1])


def _end(_: int, __: FrameType | None) -> None:
    raise OutOfTime
