"""All checks of one subject: each is made once, and not before those that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.errors import ArenaError, describe_error, nearest
from arena.linalg.threads import one_thread
from arena.players.referee import Foul
from arena.testing.checks.check import Check, CheckFailed, NotApplicable
from arena.testing.checks.randomness import kept_global_state
from arena.testing.checks.result import CheckResult, Outcome


class Examination:
    """The checks of a subject and what came of them so far."""

    def __init__(self, subject: Any, checks: Sequence[Check], expected_failures: Mapping[str, str]):
        self.subject = subject
        self.checks = {check.name: check for check in checks}
        self.expected = dict(expected_failures)
        self._results: dict[str, CheckResult] = {}
        for name, reason in self.expected.items():
            if name not in self.checks:
                raise ArenaError(f"expected_failures: there is no check {name!r}. {nearest(name, self.checks)}")
            if not isinstance(reason, str) or not reason.strip():
                raise ArenaError(f"expected_failures: say why {name!r} is expected to fail")

    @property
    def applicable(self) -> list[str]:
        """The names of the checks that the subject offers something to."""
        return [name for name, check in self.checks.items() if check.why_not(self.subject) is None]

    def results(self) -> list[CheckResult]:
        """All of them."""
        return [self.result(name) for name in self.checks]

    def result(self, name: str) -> CheckResult:
        """What came of one check, which is made if it was not yet."""
        if name not in self._results:
            outcome, message = self._outcome(self.checks[name])
            self._results[name] = CheckResult(self.subject.name, name, outcome, message)
        return self._results[name]

    def _outcome(self, check: Check) -> tuple[Outcome, str]:
        reason = check.why_not(self.subject) or self._missing(check)
        if reason:
            return "skipped", reason
        seen, why = self._made(check)
        declared = self.expected.get(check.name)
        if declared is None or seen == "skipped":
            return seen, why
        if seen == "failed":
            return "expected failure", f"{declared} ({why})"
        return "unexpected pass", f"declared to fail ({declared}), but it passed: remove the declaration"

    def _missing(self, check: Check) -> str | None:
        """Which failure makes this check pointless; one that was skipped does not."""
        for name in check.needs:
            if self.result(name).outcome in ("failed", "expected failure"):
                return f"needs {name}, which failed"
        for name in check.needs:
            if self.result(name).outcome == "skipped" and (deeper := self._missing(self.checks[name])):
                return deeper
        return None

    def _made(self, check: Check) -> tuple[Outcome, str]:
        try:
            with kept_global_state(), one_thread():
                check.ask(self.subject)
        except NotApplicable as error:
            return "skipped", str(error)
        except (CheckFailed, Foul) as error:
            return "failed", str(error)
        except ArenaError:
            raise  # a mistake in the question: a game in which the subject cannot play
        except Exception as error:
            return "failed", f"raised {describe_error(error)}"
        return "passed", ""
