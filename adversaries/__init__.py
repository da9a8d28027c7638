"""The adversaries, in one file each; a spec can name every class here that has a `name`.

May call `theorems` and the rooms below it, and no learner.

Classes can be imported from their files or, by their class names, from this package.
"""

from typing import Any

from arena.specs.registry import exported


def __getattr__(name: str) -> Any:
    return exported("adversary", name)
