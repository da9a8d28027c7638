"""Who wants to know of each match that an assertion played; the pytest plugin does, for its summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.theorem import Verdict
    from arena.transcript import Transcript

Observer = Callable[["Transcript", Sequence["Verdict"]], None]
observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())
