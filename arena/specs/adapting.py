"""Adapters: classes that let a model of another library play. Each registers itself with `adapter`."""

from __future__ import annotations

import functools
import importlib.metadata
from typing import Any, Protocol, TypeVar

from arena.specs.registry import modules_below

HOME = "arena.adapters"  # the built-in adapters' package, and the group of entry points for other packages' adapters


class Adapts(Protocol):
    """What an adapter class offers: whether it fits a model, why not, and a learner made of the model."""

    @staticmethod
    def fits(thing: Any) -> bool:
        """Whether this adapter can play for the thing."""

    @staticmethod
    def why_not(thing: Any) -> str:
        """Why a model of this library cannot play; empty for everything else."""

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
    """What keeps a model from playing, as a clause to append to an error; empty if it does not look like a model."""
    return next((f"; {reason}" for each in _adapters() if (reason := each.why_not(thing))), "")


@functools.cache
def _adapters() -> tuple[type[Adapts], ...]:
    """All registered adapters, after every module that may define one has been imported."""
    modules_below(HOME)
    for point in importlib.metadata.entry_points(group=HOME):
        point.load()
    return tuple(_registered)
