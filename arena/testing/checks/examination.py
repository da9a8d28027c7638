"""The lists of all checks in their order, and the functions that make them, for a learner or adversary or as tests."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from arena.errors import ArenaError, describe_error, nearest
from arena.game.game import Game
from arena.guards.user_code import is_ctrl_c
from arena.linalg.threads import one_thread
from arena.players.referee import Foul
from arena.testing.checks import adversary_checks, declarations, predictions, repetition, state
from arena.testing.checks.check import Check, CheckFailed, CheckResult, NotApplicable, Outcome
from arena.testing.checks.subjects import CheckedAdversary, CheckedLearner, restored_global_state

LEARNER_CHECKS: tuple[Check, ...] = (
    predictions.plays,
    state.learners_share_no_state,
    repetition.same_seed_same_run,
    repetition.begin_forgets,
    repetition.global_random_state_is_untouched,
    repetition.same_run_in_another_process,
    state.predict_is_pure,
    state.update_needs_no_prediction,
    state.leaves_its_arguments_alone,
    state.keeps_no_reference,
    state.deep_copies_are_independent,
    state.pickles_are_independent,
    predictions.peek_equals_predict,
    predictions.no_label_is_used_before_it_is_seen,
    predictions.replay_equals_rounds,
    predictions.features_keep_to_their_error_bars,
    predictions.finite_after_repeated_points,
    predictions.finite_in_extreme_games,
    declarations.nonsense_is_refused,
    declarations.memory_grows_as_declared,
    declarations.promised_theorems_hold,
)

ADVERSARY_CHECKS: tuple[Check, ...] = (
    adversary_checks.oblivious_never_looks,
    adversary_checks.moves_are_legal,
    adversary_checks.same_seed_same_moves,
    adversary_checks.begin_forgets,
    adversary_checks.global_random_state_is_untouched,
    adversary_checks.same_moves_in_another_process,
    adversary_checks.blocks_equal_single_moves,
    adversary_checks.the_learner_is_let_alone,
    adversary_checks.only_the_past_is_known,
)

Parameters = Literal["given", "varied"]
Declared = Mapping[str, str] | Callable[[Any], Mapping[str, str]]
NO_FAILURES: Mapping[str, str] = MappingProxyType({})


def check_learner(
    learner: Any,
    *,
    expected_failures: Mapping[str, str] = NO_FAILURES,
    game: Game | None = None,
    seed: int = 0,
    parameters: Parameters = "varied",
) -> list[CheckResult]:
    """Make all checks of a learner and return their results.

    - `learner` is a spec, a class, a function that makes the learner, or an object, which is copied.
    - `expected_failures` maps the names of checks that are known to fail to the reasons. If one of these checks passes,
      its outcome is "unexpected pass", which counts as a failure.
    - `game` replaces the default game.
    - `parameters`: with "varied", the main checks are repeated on copies of the learner, which have other values of the
      declared parameters that `learner` does not set. With "given", they are not repeated.

    >>> from arena.testing import check_learner, raise_on_failure
    >>> raise_on_failure(check_learner("zero"))
    """
    return examine_learner(
        learner, expected_failures=expected_failures, game=game, seed=seed, parameters=parameters
    ).results()


def check_adversary(
    adversary: Any, *, expected_failures: Mapping[str, str] = NO_FAILURES, game: Game | None = None, seed: int = 0
) -> list[CheckResult]:
    """Make all checks of an adversary and return their results.

    - `adversary` is a spec, a class, a function that makes the adversary, or an object, which is copied.
    - `expected_failures` maps the names of checks that are known to fail to the reasons. If one of these checks passes,
      its outcome is "unexpected pass", which counts as a failure.
    - `game` replaces the default game.
    """
    return examine_adversary(adversary, expected_failures=expected_failures, game=game, seed=seed).results()


def examine_learner(
    learner: Any,
    *,
    expected_failures: Mapping[str, str] = NO_FAILURES,
    game: Game | None = None,
    seed: int = 0,
    parameters: Parameters = "varied",
) -> Examination:
    """Return an `Examination` of a learner; no check is made before its result is requested.

    The parameters are those of `check_learner`.
    """
    if parameters not in ("given", "varied"):
        raise ArenaError(f"parameters must be given or varied, but it is {parameters!r}")
    subject = CheckedLearner(learner, game, seed)
    return Examination(subject, LEARNER_CHECKS, expected_failures, varied=parameters == "varied")


def examine_adversary(
    adversary: Any, *, expected_failures: Mapping[str, str] = NO_FAILURES, game: Game | None = None, seed: int = 0
) -> Examination:
    """Return an `Examination` of an adversary; no check is made before its result is requested.

    The parameters are those of `check_adversary`.
    """
    return Examination(CheckedAdversary(adversary, game, seed), ADVERSARY_CHECKS, expected_failures)


class Examination:
    """The checks of one learner or adversary; each check is made when its result is requested for the first time.

    `expected_failures` has the names of checks that are known to fail, each with the reason.
    """

    def __init__(
        self,
        subject: CheckedLearner | CheckedAdversary,
        checks: Sequence[Check],
        expected_failures: Mapping[str, str],
        *,
        varied: bool = False,
    ):
        self.subject = subject
        self.varied = varied
        self.checks = {check.name: check for check in checks}
        given: Any = expected_failures
        if not isinstance(given, Mapping):
            kind = type(given).__name__
            raise ArenaError(f"expected_failures must map names of checks to reasons, but it is a {kind}")
        self.expected = dict(expected_failures)
        self._results: dict[str, CheckResult] = {}
        for name, reason in self.expected.items():
            if name not in self.checks:
                raise ArenaError(f"expected_failures: there is no check {name!r}. {nearest(name, self.checks)}")
            if not isinstance(reason, str) or not reason.strip():
                raise ArenaError(f"expected_failures: say why {name!r} is expected to fail")

    @property
    def applicable(self) -> list[str]:
        """The names of the checks for which `Check.why_not` gives no reason to skip them."""
        return [name for name, check in self.checks.items() if check.why_not(self.subject) is None]

    def results(self) -> list[CheckResult]:
        """Return the results of all checks."""
        return [self.result(name) for name in self.checks]

    def result(self, name: str) -> CheckResult:
        """Return the result of one check; the check is made if it was not made before."""
        if name not in self._results:
            outcome, message = self._outcome(self.checks[name])
            self._results[name] = CheckResult(self.subject.name, name, outcome, message)
        return self._results[name]

    def _outcome(self, check: Check) -> tuple[Outcome, str]:
        reason = check.why_not(self.subject) or self._failed_need(check)
        if reason:
            return "skipped", reason
        outcome, message = self._run(check)
        declared = self.expected.get(check.name)
        if declared is None or outcome == "skipped":
            return outcome, message
        if outcome == "failed":
            return "expected failure", f"{declared} ({message})"
        return "unexpected pass", f"declared to fail ({declared}), but it passed: remove the declaration"

    def _failed_need(self, check: Check) -> str | None:
        """Return a reason to skip `check` if a check on which it depends has failed; otherwise None."""
        for name in check.needs:
            if self.result(name).outcome in ("failed", "expected failure"):
                return f"needs {name}, which failed"
        for name in check.needs:
            if self.result(name).outcome == "skipped" and (reason := self._failed_need(self.checks[name])):
                return reason
        return None

    @cached_property
    def variants(self) -> list[CheckedLearner]:
        """The variants of the learner (copies with other parameters), on which checks marked `varied` are repeated."""
        if not self.varied or not isinstance(self.subject, CheckedLearner):
            return []
        with restored_global_state(), one_thread():
            return list(self.subject.variants())

    def _run(self, check: Check) -> tuple[Outcome, str]:
        """Run a check on the subject and, if it is marked `varied`, on its variants; return outcome and message.

        The outcome is "failed" if the check fails for any of them, and "skipped" if it applies to none of them.
        """
        outcome, message = self._run_once(check, self.subject)
        for variant in self.variants if check.varied and outcome != "failed" else ():
            if check.why_not(variant) is None:
                with contextlib.suppress(ArenaError):  # the variant refuses a game of the check
                    once, said = self._run_once(check, variant)
                    if once == "failed":
                        return "failed", f"{variant.name}: {said}"
                    outcome, message = (once, said) if outcome == "skipped" and once == "passed" else (outcome, message)
        return outcome, message

    def _run_once(self, check: Check, subject: CheckedLearner | CheckedAdversary) -> tuple[Outcome, str]:
        try:
            with restored_global_state(), one_thread():
                check.run(subject)
        except NotApplicable as error:
            return "skipped", str(error)
        except (CheckFailed, Foul) as error:
            return "failed", str(error)
        except ArenaError:
            raise  # the caller's mistake: a game in which the learner or adversary cannot play
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            return "failed", f"raised {describe_error(error)}"
        return "passed", ""


# ---- as tests of pytest


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
