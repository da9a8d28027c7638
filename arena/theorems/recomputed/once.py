"""Work that several theorems need of one match, done once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

Answer = TypeVar("Answer")


def once_per_match(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """Remember what the function says of a match, as long as the match exists; further arguments must be hashable.

    The function is asked about the whole match, whichever end of its hindsight's interval is looked at.
    """
    known: WeakKeyDictionary[Transcript, dict[tuple[Hashable, ...], Any]] = WeakKeyDictionary()

    @functools.wraps(function)
    def remembered(run: Transcript, *further: Hashable) -> Answer:
        answers = known.setdefault(run.whole, {})
        if further not in answers:
            answers[further] = function(run.whole, *further)
        answer: Answer = answers[further]
        return answer

    return remembered
