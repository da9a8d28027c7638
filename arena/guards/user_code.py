"""Guards around users' code: players, models, theorems and the modules that define them.

Such code may raise any exception: SystemExit by exit(), exceptions outside `Exception`, exceptions that cannot be
printed. A guard replaces all of them, except Ctrl-C, by one exception with a message.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeGuard, TypeVar

from arena.errors import ArenaError

T = TypeVar("T")


def derives(given: Any, *classes: type[T]) -> TypeGuard[T]:
    """Return whether the object's type derives from one of the classes."""
    # `isinstance` would also read the object's `__class__`, which may run users' code and raise any exception.
    return issubclass(type(given), classes)


@dataclass
class guarded(AbstractContextManager[Any]):  # noqa: N801, a context manager that reads like a function
    """Context manager: replaces an exception `error` of users' code in the block by the exception `complaint(error)`.

    Ctrl-C and exceptions of the types `passing` are raised unchanged.

    >>> with guarded(lambda error: ArenaError(f"it raised {type(error).__name__}")):
    ...     raise SystemExit(0)
    Traceback (most recent call last):
    arena.errors.ArenaError: it raised SystemExit
    """

    complaint: Callable[[BaseException], Exception]
    passing: tuple[type[Exception], ...] = field(default=(ArenaError,), kw_only=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, self.passing) and not is_ctrl_c(error):
            raise self.complaint(error) from error


class tolerated(AbstractContextManager[Any]):  # noqa: N801
    """Context manager: ignores an exception of users' code in the block, but not Ctrl-C.

    >>> with tolerated():
    ...     raise SystemExit(0)
    """

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return error is not None and not is_ctrl_c(error)


class CtrlC:
    """A handler of Ctrl-C that raises KeyboardInterrupt, and records that Ctrl-C was pressed."""

    pressed = False

    def __call__(self, *_: object) -> None:
        self.pressed = True
        raise KeyboardInterrupt


def is_ctrl_c(error: BaseException) -> bool:
    """Return whether the exception is Ctrl-C or the end of a time limit (`OutOfTime`), which no guard may replace.

    Users' code may raise a KeyboardInterrupt although Ctrl-C was not pressed. This counts as Ctrl-C, too, except in two
    cases: the handler `CtrlC` is set, and was not called; or the process ignores Ctrl-C.
    """
    if type(error) is KeyboardInterrupt:
        handler = signal.getsignal(signal.SIGINT)
        return handler.pressed if isinstance(handler, CtrlC) else handler is not signal.SIG_IGN
    return isinstance(error, KeyboardInterrupt)
