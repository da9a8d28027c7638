"""The adversaries, one file for each family; whatever class with a `name` stands in a file here is found by it.

Classes can be imported from their files or, by their class names, from here.
"""

from typing import Any

from arena.specs.registry import exported


def __getattr__(name: str) -> Any:
    return exported("adversary", name)
