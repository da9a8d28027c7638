"""The registry of adapters: classes whose instances are learners that play with a model of another library.

The decorator `adapter` registers an adapter class. The modules that define adapters are imported when an adapter is
looked up for the first time.
"""

from __future__ import annotations

import functools
from typing import Any, Protocol, TypeVar

from arena.specs.registry import entry_points, modules_below

HOME = "arena.adapters"  # package of the built-in adapters, and group of entry points for those of other packages


class Adapts(Protocol):
    """The interface of adapter classes; an instance of an adapter class is a learner."""

    @staticmethod
    def fits(thing: Any, /) -> bool:
        """Return whether this adapter can play with the object `thing`."""

    @staticmethod
    def why_not(thing: Any, /) -> str:
        """Return the reason why an unsuitable model of the adapter's library cannot play; "" for any other object."""

    def __init__(self, given: Any) -> None: ...


Adapter = TypeVar("Adapter", bound=type[Adapts])
_registered: list[type[Adapts]] = []


def adapter(cls: Adapter) -> Adapter:
    """Class decorator: register an adapter class.

    If several adapters fit a model, the adapter that was registered first is used.
    """
    _registered.append(cls)
    return cls


def adapter_for(thing: Any) -> type[Adapts] | None:
    """Return the adapter class that can play with the model `thing`; None if there is none."""
    return next((each for each in _adapters() if each.fits(thing)), None)


def why_not_adaptable(thing: Any) -> str:
    """Return a clause that explains why the model `thing` cannot play; "" if no adapter has an explanation."""
    return next((reason for each in _adapters() if (reason := each.why_not(thing))), "")


@functools.cache
def _adapters() -> tuple[type[Adapts], ...]:
    """Return all registered adapters, after importing every module that may define one."""
    modules_below(HOME)
    for point in entry_points().select(group=HOME):
        point.load()
    return tuple(_registered)
