"""What theorems of several files recompute of a match, from its transcript alone."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

Answer = TypeVar("Answer")


def once_per_match(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """Decorator: keep the function's result with the match; its further arguments must be hashable.

    The match at both ends of its intervals shares the result, so the function must not use `comparator.side`.
    """

    @functools.wraps(function)
    def remembered(run: Transcript, *further: Hashable) -> Answer:
        key: Any = (function, further)
        if key not in run.remembered:
            run.remembered[key] = function(run, *further)
        answer: Answer = run.remembered[key]
        return answer

    return remembered
