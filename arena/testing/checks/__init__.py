"""Named checks of learners and adversaries: each tests one property that the arena expects of their methods.

A check is made only if it applies to the learner or adversary.
"""

from arena.testing.checks.check import CheckFailed, CheckResult, ChecksFailed, raise_on_failure
from arena.testing.checks.examination import (
    ADVERSARY_CHECKS,
    LEARNER_CHECKS,
    check_adversary,
    check_learner,
    examine_adversary,
    examine_learner,
    parametrize_with_checks,
)

__all__ = [
    "ADVERSARY_CHECKS",
    "LEARNER_CHECKS",
    "CheckFailed",
    "CheckResult",
    "ChecksFailed",
    "check_adversary",
    "check_learner",
    "examine_adversary",
    "examine_learner",
    "parametrize_with_checks",
    "raise_on_failure",
]
