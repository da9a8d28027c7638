"""The registry of adapters: classes that let a model of another library play, each registered by `adapter`.

The modules that define adapters are imported at the first lookup of an adapter.
"""

from __future__ import annotations

import functools
from typing import Any, Protocol, TypeVar

from arena.specs.registry import entry_points, modules_below

HOME = "arena.adapters"  # the built-in adapters' package, and the group of entry points for other packages' adapters


class Adapts(Protocol):
    """The interface of adapter classes; an instance of an adapter class is a learner."""

    @staticmethod
    def fits(thing: Any, /) -> bool:
        """Return whether this adapter can play for the object `thing`."""

    @staticmethod
    def why_not(thing: Any, /) -> str:
        """Return why `thing`, a model of this adapter's library, cannot play; empty for every other object."""

    def __init__(self, guest: Any) -> None: ...


Adapter = TypeVar("Adapter", bound=type[Adapts])
_registered: list[type[Adapts]] = []


def adapter(cls: Adapter) -> Adapter:
    """Class decorator: register an adapter class. The first registered adapter that fits a model plays for it."""
    _registered.append(cls)
    return cls


def adapter_for(thing: Any) -> type[Adapts] | None:
    """Return the adapter class that can play for the model `thing`, or None."""
    return next((each for each in _adapters() if each.fits(thing)), None)


def why_not_adaptable(thing: Any) -> str:
    """Return why the model `thing` cannot play, as a clause; empty if it is no model."""
    return next((reason for each in _adapters() if (reason := each.why_not(thing))), "")


@functools.cache
def _adapters() -> tuple[type[Adapts], ...]:
    """Return all registered adapters, after importing every module that may define one."""
    modules_below(HOME)
    for point in entry_points().select(group=HOME):
        point.load()
    return tuple(_registered)
