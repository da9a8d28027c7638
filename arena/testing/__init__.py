"""Assertions and checks for tests of online learners.

May call `papers` and the rooms below it.

`arena.testing.strategies` and `arena.testing.stateful` need hypothesis. They must be imported by their full names.

>>> from arena.testing import assert_regret
>>> run = assert_regret("kernel-awv", "greedy", rounds=30)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `as` marks names that others may import, for mypy and editors
    from arena.testing.checks import CheckFailed as CheckFailed
    from arena.testing.checks import CheckResult as CheckResult
    from arena.testing.checks import ChecksFailed as ChecksFailed
    from arena.testing.checks import check_adversary as check_adversary
    from arena.testing.checks import check_learner as check_learner
    from arena.testing.checks import parametrize_with_checks as parametrize_with_checks
    from arena.testing.checks import raise_on_failure as raise_on_failure
    from arena.testing.failure import RegretTooLarge as RegretTooLarge
    from arena.testing.growth import assert_growth as assert_growth
    from arena.testing.growth_fit import GrowthFit as GrowthFit
    from arena.testing.handmade import transcript as transcript
    from arena.testing.moves import Moves as Moves
    from arena.testing.moves import OneByOne as OneByOne
    from arena.testing.no_violation import assert_no_violation as assert_no_violation
    from arena.testing.regret import assert_regret as assert_regret

_HOMES = {  # for each module: its public names
    "arena.testing.checks": "CheckFailed CheckResult ChecksFailed check_adversary check_learner "
    "parametrize_with_checks raise_on_failure",
    "arena.testing.failure": "RegretTooLarge",
    "arena.testing.growth": "assert_growth",
    "arena.testing.growth_fit": "GrowthFit",
    "arena.testing.handmade": "transcript",
    "arena.testing.moves": "Moves OneByOne",
    "arena.testing.no_violation": "assert_no_violation",
    "arena.testing.regret": "assert_regret",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
if not TYPE_CHECKING:  # mypy reads lists of names only if they are written out
    __all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the pytest plugin can import this package quickly."""
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'arena.testing' has no attribute {name!r}")
