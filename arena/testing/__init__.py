"""Assertions and checks for tests of online learners.

`arena.testing.strategies` and `arena.testing.stateful` need hypothesis, and are imported by themselves.

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
from arena.testing.failure import RegretTooLarge
from arena.testing.growth import assert_growth
from arena.testing.growth_fit import GrowthFit
from arena.testing.moves import Moves
from arena.testing.no_violation import assert_no_violation
from arena.testing.one_by_one import OneByOne
from arena.testing.regret import assert_regret

__all__ = [
    "CheckFailed",
    "CheckResult",
    "ChecksFailed",
    "GrowthFit",
    "Moves",
    "OneByOne",
    "RegretTooLarge",
    "assert_growth",
    "assert_no_violation",
    "assert_regret",
    "check_adversary",
    "check_learner",
    "parametrize_with_checks",
    "raise_on_failure",
    "transcript",
]
