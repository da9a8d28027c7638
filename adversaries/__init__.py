"""The adversaries, one file each: every class with a `name` in a file here is found by that name.

May call `data` and the rooms from `players` down, and no learner.

Classes can be imported from their files or, by their class names, from here.
"""

from typing import Any

from arena.specs.registry import exported


def __getattr__(name: str) -> Any:
    return exported("adversary", name)
