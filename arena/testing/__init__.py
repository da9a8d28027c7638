"""Assertions and checks for tests of online learners.

May call `papers` and the rooms below it.

`arena.testing.strategies` and `arena.testing.stateful` need hypothesis. They must be imported by their full names.

>>> from arena.testing import assert_regret
>>> run = assert_regret("kernel-awv", "greedy", rounds=30)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.testing.checks import (
        CheckFailed,
        CheckResult,
        ChecksFailed,
        check_adversary,
        check_learner,
        parametrize_with_checks,
        raise_on_failure,
    )
    from arena.testing.failure import RegretTooLarge
    from arena.testing.growth import assert_growth
    from arena.testing.growth_fit import GrowthFit
    from arena.testing.handmade import transcript
    from arena.testing.moves import Moves, OneByOne
    from arena.testing.no_violation import assert_no_violation
    from arena.testing.regret import assert_regret

_HOME_OF = {
    "CheckFailed": "arena.testing.checks",
    "CheckResult": "arena.testing.checks",
    "ChecksFailed": "arena.testing.checks",
    "check_adversary": "arena.testing.checks",
    "check_learner": "arena.testing.checks",
    "parametrize_with_checks": "arena.testing.checks",
    "raise_on_failure": "arena.testing.checks",
    "transcript": "arena.testing.handmade",
    "RegretTooLarge": "arena.testing.failure",
    "assert_growth": "arena.testing.growth",
    "GrowthFit": "arena.testing.growth_fit",
    "Moves": "arena.testing.moves",
    "assert_no_violation": "arena.testing.no_violation",
    "OneByOne": "arena.testing.moves",
    "assert_regret": "arena.testing.regret",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the pytest plugin can import this package quickly."""
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'arena.testing' has no attribute {name!r}")


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
