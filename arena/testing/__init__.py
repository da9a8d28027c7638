"""Assertions for tests of online learners.

>>> from arena.testing import assert_regret
>>> run = assert_regret("kernel-awv", "greedy", rounds=30)
"""

from arena.testing.doctored import transcript
from arena.testing.regret import RegretTooLarge, assert_regret

__all__ = ["RegretTooLarge", "assert_regret", "transcript"]
