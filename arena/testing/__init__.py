"""Assertions and checks for tests of online learners.

May call `papers` and the rooms below it.

`arena.testing.strategies` and `arena.testing.stateful` need hypothesis. They must be imported by their full names.

>>> from arena.testing import assert_regret
>>> run = assert_regret("kernel-awv", "greedy", rounds=30)
"""

from __future__ import annotations

from arena.specs.public_names import attach

# `__init__.pyi` lists the public names; the pytest plugin imports this package, and must start quickly
__getattr__, __dir__, __all__ = attach(__name__, __file__)
