"""The registry of adapters: classes that let a model of another library play, each registered by `adapter`.

The modules that hold them are imported when an object is met that is neither a learner nor an adversary.
"""

from __future__ import annotations

import functools
import importlib.metadata
from typing import Any, Protocol, TypeVar

from arena.specs.registry import modules_below

HOME = "arena.adapters"  # the built-in adapters' package, and the group of entry points for other packages' adapters


class Adapts(Protocol):
    """The interface of an adapter class; an instance of it is a learner."""

    @staticmethod
    def fits(thing: Any) -> bool:
        """Whether this adapter can play for the thing."""

    @staticmethod
    def why_not(thing: Any) -> str:
        """The reason why a model of this library cannot play; empty for everything else."""

    def __init__(self, guest: Any) -> None: ...


Adapter = TypeVar("Adapter", bound=type[Adapts])
_registered: list[type[Adapts]] = []


def adapter(cls: Adapter) -> Adapter:
    """Class decorator: register an adapter. The first registered adapter that fits a model plays for it."""
    _registered.append(cls)
    return cls


def adapter_for(thing: Any) -> type[Adapts] | None:
    """The adapter that can play for this model, if there is one."""
    return next((each for each in _adapters() if each.fits(thing)), None)


def why_not_adaptable(thing: Any) -> str:
    """The reason why a model cannot play, as a clause to append to an error; empty if it looks like no model."""
    return next((f"; {reason}" for each in _adapters() if (reason := each.why_not(thing))), "")


@functools.cache
def _adapters() -> tuple[type[Adapts], ...]:
    """All registered adapters, after every module that may define one has been imported."""
    modules_below(HOME)
    for point in importlib.metadata.entry_points(group=HOME):
        point.load()
    return tuple(_registered)
