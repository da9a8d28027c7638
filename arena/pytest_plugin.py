"""The pytest plugin: a fixture, and a summary of the matches that a test run played.

It is imported at the start of every pytest run of whoever installed us, so it imports nothing heavy by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from arena.observers import observers

if TYPE_CHECKING:
    from arena.theorem import Verdict
    from arena.transcript import Transcript

PROPERTY = "arena_match"  # user properties travel with a test's report, from the workers of pytest-xdist too


@pytest.fixture
def assert_regret() -> Callable[..., Transcript]:
    """`arena.testing.assert_regret`, without an import."""
    from arena import testing

    return testing.assert_regret


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note each match that the test plays."""
    token = observers.set((*observers.get(), lambda run, verdicts: _note(item, run, verdicts)))
    try:
        return (yield)
    finally:
        observers.reset(token)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many matches were played, and how close any came to its bound."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    calls = [report for report in reports if getattr(report, "when", "") == "call"]
    matches = [value for report in calls for key, value in report.user_properties if key == PROPERTY]
    if not matches:
        return
    judged = [match for match in matches if match["tightness"] is not None]
    terminalreporter.section("regret arena")
    terminalreporter.write_line(f"{len(matches)} matches, {sum(match['rounds'] for match in matches):,} rounds")
    if judged:
        worst = max(judged, key=lambda match: match["tightness"])
        terminalreporter.write_line(
            f"closest to its bound: {worst['learner']} against {worst['adversary']}, "
            f"{worst['tightness']:.1%} of {worst['theorem']}"
        )


def _note(item: pytest.Item, run: Transcript, verdicts: Sequence[Verdict]) -> None:
    tightness = [(verdict.tightness, verdict.theorem) for verdict in verdicts if verdict.tightness is not None]
    worst = max(tightness, default=(None, None))
    match = {
        "learner": run.learner,
        "adversary": run.adversary,
        "rounds": run.rounds,
        "tightness": worst[0],
        "theorem": worst[1],
    }
    item.user_properties.append((PROPERTY, match))
