"""A timer for one match of a hunt: it interrupts the match if the learner hangs or the match takes too long."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

from arena.engine.match import Match
from arena.guards.clock import OutOfTime

TICK = 0.1  # seconds between checks of the clock


class Watchdog:
    """A timer that interrupts a match in three cases.

    - The learner hangs: it does not finish a round within `patience` seconds.
    - The match takes more than `limit` seconds, although the learner still finishes rounds.
    - `time.monotonic()` exceeds `deadline`.

    Whenever the number of rounds played has changed, the timer calls `notice` with this number. Outside the main
    thread, and on systems without timer signals, the timer does nothing.
    """

    def __init__(self, limit: float, patience: float, deadline: float, notice: Callable[[int], None]):
        self.limit, self.patience, self.deadline, self.notice = limit, patience, deadline, notice
        self.silent = self.fired = False
        self.silence = 0.0
        self.able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self._match: Match | None = None

    @contextlib.contextmanager
    def watching(self, match: Match | None) -> Iterator[None]:
        """Context manager: raises `OutOfTime` in the block in the three cases that `Watchdog` lists.

        `match` is the match that the block plays. If it is None, the exception is raised after `patience` seconds, or
        at the deadline.
        """
        self._match, self._played = match, -1
        self._started = self._changed = time.monotonic()
        self.silent, self.fired, self.silence = False, False, 0.0
        if not self.able:
            yield
            return
        before = signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)

    def _look(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        played = len(self._match.record.predictions) if self._match else 0
        if played != self._played:
            self._played, self._changed = played, now
            self.notice(played)
        self.silence = now - self._changed
        self.silent = self.silence > self.patience
        alive = self.silence < self.limit / 2  # the learner is slow but not hanging, so its match may be cut short
        if self.silent or now > self.deadline or (now - self._started > self.limit and alive and played > 0):
            self.fired = True
            raise OutOfTime
