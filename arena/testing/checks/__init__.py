"""Named checks of the contract that learners and adversaries keep, chosen by what the object offers."""

from arena.testing.checks.catalogue import ADVERSARY_CHECKS, LEARNER_CHECKS
from arena.testing.checks.check import CheckFailed
from arena.testing.checks.front import check_adversary, check_learner
from arena.testing.checks.parametrise import parametrize_with_checks
from arena.testing.checks.result import CheckResult, ChecksFailed, raise_on_failure

__all__ = [
    "ADVERSARY_CHECKS",
    "LEARNER_CHECKS",
    "CheckFailed",
    "CheckResult",
    "ChecksFailed",
    "check_adversary",
    "check_learner",
    "parametrize_with_checks",
    "raise_on_failure",
]
