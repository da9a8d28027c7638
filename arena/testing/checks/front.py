"""`check_learner` and `check_adversary`: every check, as a plain function."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from arena.game.game import Game
from arena.testing.checks.catalogue import ADVERSARY_CHECKS, LEARNER_CHECKS
from arena.testing.checks.examination import Examination
from arena.testing.checks.opponent import Opponent
from arena.testing.checks.result import CheckResult
from arena.testing.checks.subject import Subject

NONE: Mapping[str, str] = MappingProxyType({})


def check_learner(
    learner: Any, *, expected_failures: Mapping[str, str] = NONE, game: Game | None = None, seed: int = 0
) -> list[CheckResult]:
    """What came of every check of a learner: a spec, a class, a function that makes it, or an object to be copied.

    `expected_failures` names checks that are known to fail, each with the reason; if one passes, that is an
    "unexpected pass", as bad as a failure. `game` is the field to play on where the usual one does not suit.

    >>> from arena.testing import check_learner, raise_on_failure
    >>> raise_on_failure(check_learner("zero"))
    """
    return examine_learner(learner, expected_failures=expected_failures, game=game, seed=seed).results()


def check_adversary(
    adversary: Any, *, expected_failures: Mapping[str, str] = NONE, game: Game | None = None, seed: int = 0
) -> list[CheckResult]:
    """What came of every check of an adversary; the arguments are those of `check_learner`."""
    return examine_adversary(adversary, expected_failures=expected_failures, game=game, seed=seed).results()


def examine_learner(
    learner: Any, *, expected_failures: Mapping[str, str] = NONE, game: Game | None = None, seed: int = 0
) -> Examination:
    """The checks of a learner, to be made one by one."""
    return Examination(Subject(learner, game, seed), LEARNER_CHECKS, expected_failures)


def examine_adversary(
    adversary: Any, *, expected_failures: Mapping[str, str] = NONE, game: Game | None = None, seed: int = 0
) -> Examination:
    """The checks of an adversary, to be made one by one."""
    return Examination(Opponent(adversary, game, seed), ADVERSARY_CHECKS, expected_failures)
