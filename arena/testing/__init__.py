"""Assertions and checks for tests of online learners.

>>> from arena.testing import assert_regret
>>> run = assert_regret("kernel-awv", "greedy", rounds=30)
"""

from arena.testing.checks import (
    CheckFailed,
    CheckResult,
    ChecksFailed,
    check_adversary,
    check_learner,
    parametrize_with_checks,
    raise_on_failure,
)
from arena.testing.doctored import transcript
from arena.testing.regret import RegretTooLarge, assert_regret

__all__ = [
    "CheckFailed",
    "CheckResult",
    "ChecksFailed",
    "RegretTooLarge",
    "assert_regret",
    "check_adversary",
    "check_learner",
    "parametrize_with_checks",
    "raise_on_failure",
    "transcript",
]
