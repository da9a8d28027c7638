"""A mistake in an assertion's arguments is told by its message: pytest need not show the arena's own code for it."""

from __future__ import annotations

import dataclasses
import functools
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from arena.errors import ArenaError, is_ours

MADE_FOR_US = {dataclasses.__file__, "<string>"}  # the constructors of games and theorems

P = ParamSpec("P")
Answer = TypeVar("Answer")


def told_where_it_is_made(assertion: Callable[P, Answer]) -> Callable[P, Answer]:
    """The assertion, whose `ArenaError` seems to be raised by whoever calls it, unless code of theirs is in between."""

    @functools.wraps(assertion)
    def asserted(*arguments: P.args, **options: P.kwargs) -> Answer:
        __tracebackhide__ = True
        try:
            return assertion(*arguments, **options)
        except ArenaError as mistake:
            files = {frame.filename for frame in traceback.extract_tb(mistake.__traceback__)}
            if all(map(is_ours, files - MADE_FOR_US)):
                mistake.__traceback__ = None
            raise mistake

    return asserted
