"""The adversaries, in one file each; every class in this folder that has a `name` is found by that name.

May call `theorems` and the rooms below it, and no learner.

Classes can be imported from their files or, by their class names, from this package.
"""

from typing import Any

from arena.specs.registry import exported


def __getattr__(name: str) -> Any:
    return exported("adversary", name)
