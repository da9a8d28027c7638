"""Packages that are not needed for most matches: each comes with an extra of the same name."""

from __future__ import annotations

import importlib
from types import ModuleType

from arena.errors import ArenaError

EXTRAS = {"hypothesis": "hypothesis", "river": "river", "sklearn": "scikit-learn"}  # what is imported, and its name


def missing(module: str, wanted: str) -> ArenaError:
    """The error for a module that is not installed, and how to get it."""
    package = module.partition(".")[0]
    if package in EXTRAS:
        return ArenaError(f"{wanted} needs {EXTRAS[package]}: pip install 'regret-arena[{package}]'")
    return ArenaError(f"there is no module {module!r} to find {wanted!r} in; is it installed?")


def import_extra(module: str, wanted_by: str) -> ModuleType:
    """A module of an extra's package."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise missing(error.name or module, wanted_by) from error
