"""`@parametrize_with_checks`: every check of every subject as a pytest test of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arena.errors import ArenaError
from arena.game.game import Game
from arena.testing.checks.check import CheckFailed
from arena.testing.checks.examination import Examination
from arena.testing.checks.front import NONE, examine_adversary, examine_learner
from arena.testing.checks.result import CheckResult

Declared = Mapping[str, str] | Callable[[Any], Mapping[str, str]]


class NamedCheck:
    """One check of one subject: call it in a test. It fails, is skipped, or counts as an expected failure."""

    def __init__(self, examination: Examination, name: str):
        self.examination, self.name = examination, name

    def result(self) -> CheckResult:
        """What came of it, as a plain value."""
        return self.examination.result(self.name)

    def __call__(self) -> None:
        """Make the check."""
        __tracebackhide__ = True
        import pytest  # the checks need no pytest, this way of making them does

        result = self.result()
        if result.bad:
            raise CheckFailed(f"{result.subject}: {result}")
        if result.outcome == "skipped":
            pytest.skip(result.message)
        if result.outcome == "expected failure":
            pytest.xfail(result.message)

    def __repr__(self) -> str:
        return f"{self.examination.subject.name}-{self.name}"


class Unmade:
    """A subject that cannot even be made fails when its test runs, not when tests are collected."""

    def __init__(self, given: Any, error: ArenaError):
        self.given, self.error = given, error

    def __call__(self) -> None:
        """Fail."""
        __tracebackhide__ = True
        raise CheckFailed(str(self.error))

    def __repr__(self) -> str:
        return f"{self.given}-can-be-made"


def parametrize_with_checks(
    learners: Iterable[Any] = (),
    *,
    adversaries: Iterable[Any] = (),
    expected_failures: Declared = NONE,
    game: Game | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Parametrise a test with one argument, `check`, by every check that these subjects offer something to.

    `expected_failures` holds for all subjects, or is a function that gives what holds for one of them.

        @parametrize_with_checks(["fgd", MyLearner])
        def test_contract(check):
            check()
    """
    import pytest

    checks: list[NamedCheck | Unmade] = []
    for examine, subjects in ((examine_learner, learners), (examine_adversary, adversaries)):
        for given in subjects:
            declared = expected_failures(given) if callable(expected_failures) else expected_failures
            try:
                examination = examine(given, expected_failures=declared, game=game)
            except ArenaError as error:
                checks.append(Unmade(given, error))
            else:
                checks += [NamedCheck(examination, name) for name in examination.applicable]
    return pytest.mark.parametrize("check", checks, ids=str)
