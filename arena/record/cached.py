"""Results that are computed once per match and cached in its transcript."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

Answer = TypeVar("Answer")


def once_per_match(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """Decorate a function of a match so that its result is computed once per match.

    The function's first argument is the match; its other arguments must be hashable. The match and its copies from
    `Transcript.at_end` share one result, so the function must give the same result for all of them.
    """

    @functools.wraps(function)
    def remembered(run: Transcript, *further: Hashable) -> Answer:
        key: Any = (function, further)
        if key not in run.remembered:
            run.remembered[key] = function(run, *further)
        answer: Answer = run.remembered[key]
        return answer

    return remembered
