"""Models of other libraries as learners, recognised by their methods: no library is imported to find out."""

from __future__ import annotations

from typing import Any

from arena.adapters.base import Adapter
from arena.adapters.river import RiverAdapter
from arena.adapters.scikit_learn import ScikitLearnAdapter

ADAPTERS: tuple[type[Adapter], ...] = (ScikitLearnAdapter, RiverAdapter)  # the first that fits plays


def is_adaptable(thing: Any) -> bool:
    """Whether there is an adapter for this model."""
    return any(adapter.fits(thing) for adapter in ADAPTERS)


def adapted(thing: Any) -> Adapter | None:
    """A learner that plays for this model, if there is an adapter for it."""
    return next((adapter(thing) for adapter in ADAPTERS if adapter.fits(thing)), None)


def why_not_adaptable(thing: Any) -> str:
    """What keeps a model from playing, as a clause to append to an error; empty if it does not look like a model."""
    return next((f"; {reason}" for adapter in ADAPTERS if (reason := adapter.why_not(thing))), "")
