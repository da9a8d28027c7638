"""The decorator `@parametrize_with_checks`, which makes a pytest test of each check of each learner and adversary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arena.errors import ArenaError
from arena.game.game import Game
from arena.testing.checks.check import CheckFailed, CheckResult
from arena.testing.checks.examination import NO_FAILURES, Examination, examine_adversary, examine_learner

Declared = Mapping[str, str] | Callable[[Any], Mapping[str, str]]


class NamedCheck:
    """One check of one learner or adversary; calling it makes the running test pass, fail, skip or xfail."""

    def __init__(self, examination: Examination, name: str):
        self.examination, self.name = examination, name

    def result(self) -> CheckResult:
        """Return the result of the check; the check is made if it was not made before."""
        return self.examination.result(self.name)

    def __call__(self) -> None:
        __tracebackhide__ = True
        # imported here, since the checks themselves work without pytest
        import pytest

        result = self.result()
        if result.bad:
            raise CheckFailed(f"{result.subject}: {result}")
        if result.outcome == "skipped":
            pytest.skip(result.message)
        if result.outcome == "expected failure":
            pytest.xfail(result.message)

    def __repr__(self) -> str:
        return f"{self.examination.subject.name}-{self.name}"


class CannotBeMade:
    """A stand-in for the checks of a learner or adversary that cannot be created; calling it raises `CheckFailed`."""

    # an error raised earlier would stop pytest while it collects tests; so a single test fails

    def __init__(self, given: Any, error: ArenaError):
        self.given, self.error = given, error

    def __call__(self) -> None:
        __tracebackhide__ = True
        raise CheckFailed(str(self.error))

    def __repr__(self) -> str:
        return f"{self.given}-can-be-made"


def parametrize_with_checks(
    learners: Iterable[Any] = (),
    *,
    adversaries: Iterable[Any] = (),
    expected_failures: Declared = NO_FAILURES,
    game: Game | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Parametrise a test by every applicable check of these learners and adversaries.

    The test has one argument, `check`. `expected_failures` has the names of checks that are known to fail, each with
    the reason; it may also be a function that returns such a mapping for each learner or adversary.

        @parametrize_with_checks(["fgd", MyLearner])
        def test_contract(check):
            check()
    """
    import pytest

    checks: list[NamedCheck | CannotBeMade] = []
    for examine, subjects in ((examine_learner, learners), (examine_adversary, adversaries)):
        for given in subjects:
            declared = expected_failures(given) if callable(expected_failures) else expected_failures
            try:
                examination = examine(given, expected_failures=declared, game=game)
            except ArenaError as error:
                checks.append(CannotBeMade(given, error))
            else:
                checks += [NamedCheck(examination, name) for name in examination.applicable]
    return pytest.mark.parametrize("check", checks, ids=str)
