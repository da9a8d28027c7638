"""The pytest plugin: fixtures, options, and the summary and report of a test run's assertions.

pytest imports this module in every run where the package is installed, so the module must not import anything heavy.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arena.errors import ArenaError, number_of
from arena.testing.session import Notes, RunSettings, observers, run_settings

if TYPE_CHECKING:
    from arena.counterexamples.failures import Failures
    from arena.hunt import Hunt
    from arena.record.transcript import Transcript
    from arena.testing import GrowthFit

# kinds of what a test attaches to its report; PROPERTY is also the name of the report's short texts for --junitxml
PROPERTY = "arena_match"
SECTION = "arena_section"
MISTAKE = "arena_mistake"
FAILED = ("failed", "error")
NOWHERE = "none"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options to pytest's command line, and entries of the same names to its configuration file."""
    group = parser.getgroup("arena", "regret-arena")
    group.addoption(
        "--arena-report", metavar="FILE.html", help="Write one HTML page about the matches of all arena assertions."
    )
    group.addoption("--arena-seeds", metavar="N", help="Seeds of each assert_regret without the argument seeds.")
    group.addoption(
        "--arena-budget",
        metavar="SECONDS",
        help="Seconds of each assert_no_violation without the argument budget.",
    )
    group.addoption(
        "--arena-shrinking", metavar="SECONDS", help="Seconds for shrinking a failure; 0 switches shrinking off."
    )
    group.addoption(
        "--arena-failures",
        metavar="FOLDER",
        help="Keep failures in this folder and play them first in the next run; 'none' keeps nothing.",
    )
    parser.addini("arena_report", "where the HTML page is written (default: nowhere)", default="")
    parser.addini("arena_seeds", "seeds of each assert_regret (default: one)", default="")
    parser.addini("arena_budget", "seconds of each hunt (default: 10)", default="")
    parser.addini("arena_shrinking", "seconds for shrinking a failure (default: 10)", default="")
    parser.addini("arena_failures", "where failures are kept (default: .arena)", default=".arena")


def pytest_configure(config: pytest.Config) -> None:
    """Read the options into `config.stash[SETTINGS]`; raise a `pytest.UsageError` if a value is wrong."""
    failures = _given(config, "arena_failures")
    _check_failures(failures)
    _check_report(_given(config, "arena_report"))
    config.stash[SETTINGS] = RunSettings(
        seeds=_number(config, "arena_seeds", int),
        budget=_number(config, "arena_budget", float) or RunSettings.budget,
        shrinking=_shrinking(config),
        failures=None if failures in ("", NOWHERE) else str(config.rootpath / failures),
    )


SETTINGS = pytest.StashKey[RunSettings]()
ATTACHED = pytest.StashKey[list[tuple[str, dict[str, Any]]]]()


def _given(config: pytest.Config, name: str) -> str:
    option = config.getoption(name)
    return str(config.getini(name) if option is None else option)


def _number(config: pytest.Config, name: str, kind: type[int] | type[float]) -> Any:
    text = _given(config, name)
    if not text:
        return None
    try:
        value = kind(text)
    except ValueError:
        value = kind(0)
    if not 0 < value < float("inf"):
        what = "a whole number >= 1" if kind is int else "a number of seconds > 0"
        raise pytest.UsageError(f"--{name.replace('_', '-')} must be {what}, but it is {text!r}")
    return value


def _shrinking(config: pytest.Config) -> float:
    seconds = 0.0 if _given(config, "arena_shrinking") == "0" else _number(config, "arena_shrinking", float)
    return RunSettings.shrinking if seconds is None else float(seconds)


def _check_failures(folder: str) -> None:
    """Raise a `pytest.UsageError` if the folder of failures is a URL."""
    from arena.guards.whole_files import refuse_address

    try:
        refuse_address(folder)
    except ArenaError as error:
        raise pytest.UsageError(f"--arena-failures: {error}") from None


def _check_report(report: str) -> None:
    """Raise a `pytest.UsageError` if a file that the arena did not write, or a folder, is in the report's place."""
    if not report:
        return
    from arena.guards.whole_files import check_replaceable
    from arena.reports.page import is_page

    try:
        check_replaceable(Path(report), is_page)
    except ArenaError as error:
        raise pytest.UsageError(f"--arena-report: {error}") from None


@pytest.fixture
def assert_regret() -> Callable[..., Transcript]:
    """Return `arena.testing.assert_regret`, so that tests need not import it."""
    from arena import testing

    return testing.assert_regret


@pytest.fixture
def assert_no_violation() -> Callable[..., Hunt]:
    """Return `arena.testing.assert_no_violation`, so that tests need not import it."""
    from arena import testing

    return testing.assert_no_violation


@pytest.fixture
def assert_growth() -> Callable[..., GrowthFit]:
    """Return `arena.testing.assert_growth`, so that tests need not import it."""
    from arena import testing

    return testing.assert_growth


@pytest.fixture
def arena_failures(request: pytest.FixtureRequest) -> Failures:
    """Return the folder in which this test run keeps failures of assertions; tests may add failures of their own.

    If the run keeps no failures, a temporary folder is returned.
    """
    from arena.counterexamples.failures import Failures

    folder = request.config.stash[SETTINGS].failures
    return Failures(folder or request.getfixturevalue("tmp_path"), trust=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run a test with the plugin's options, and keep notes on the test's assertions for the test's report."""
    settings = dataclasses.replace(item.config.stash[SETTINGS], test=item.nodeid)
    notes = Notes()
    watching = observers.set((*observers.get(), notes.add))
    usual = run_settings.set(settings)
    try:
        return (yield)
    finally:
        run_settings.reset(usual)
        observers.reset(watching)
        item.stash[ATTACHED] = found = _attached_by(item, notes)
        item.user_properties += [(PROPERTY, _in_short(match)) for kind, match in found if kind == PROPERTY]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Attach the notes to the test's report; pytest-xdist sends attributes of plain values to the controller.

    They are no user properties, since --junitxml would write them, and a page's sections take many kilobytes.
    """
    report = yield
    if call.when == "call":
        report.arena = item.stash.get(ATTACHED, [])
    return report


def _in_short(match: dict[str, Any]) -> str:
    """Return one line on the calls of one assertion with one learner and one adversary."""
    outcome = f"{match['failed']} of {number_of(match['assertions'], 'assertion')} failed"
    return f"{match['learner']} against {match['adversary']}: {outcome}"


def _attached_by(item: pytest.Item, notes: Notes) -> list[tuple[str, dict[str, Any]]]:
    """Return what the test attaches to its report: pairs of a kind, such as `PROPERTY`, and plain values."""
    found: list[tuple[str, dict[str, Any]]] = []
    for name, worst, match in notes.entries(item.nodeid):
        found.append((PROPERTY, match))
        if _given(item.config, "arena_report"):
            from arena.reports.assertions import section

            found.append((SECTION, section(name, item.nodeid, worst, match)))
    found += [(MISTAKE, {"test": item.nodeid, **dataclasses.asdict(mistake)}) for mistake in notes.mistakes]
    return found


def _attached(terminalreporter: Any, name: str) -> list[dict[str, Any]]:
    """Return the values that tests have attached to their reports under this name, sorted by the tests' names."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    calls = {report.nodeid: report for report in reports if getattr(report, "when", "") == "call"}
    return [value for test in sorted(calls) for kind, value in getattr(calls[test], "arena", ()) if kind == name]


def _outcomes(terminalreporter: Any) -> dict[str, tuple[str, str]]:
    """Return the pair (outcome, reason for a failure) of each test, by the test's id.

    The outcome is a category of pytest, such as "passed", "failed" or "xfailed". An error in the set-up or tear-down of
    a test replaces the outcome of the test itself.
    """
    found: dict[str, tuple[str, str]] = {}
    for category, reports in terminalreporter.stats.items():
        for report in reports:
            phase, test = getattr(report, "when", ""), getattr(report, "nodeid", "")
            if category == "error" or (phase == "call" and found.get(test, ("",))[0] != "error"):
                crash = getattr(report.longrepr, "reprcrash", None)
                why = str(getattr(crash, "message", "") or report.longrepr or "")
                found[test] = category, why if category in FAILED else ""
    return found


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the numbers of assertions, matches and failures, and the match that came closest to a bound.

    Write the HTML report if the user has requested it.
    """
    matches, mistakes = (_attached(terminalreporter, name) for name in (PROPERTY, MISTAKE))
    report = "" if config.option.collectonly else _given(config, "arena_report")
    if not matches and not mistakes and not report:
        return
    terminalreporter.section("regret arena")
    for line in summary(matches):
        terminalreporter.write_line(line)
    if report:  # written even if nothing was asserted, since CI may upload it
        from arena.reports.assertions import write_page

        sections = _attached(terminalreporter, SECTION)
        try:
            path = write_page(sections, Path(report), mistakes=mistakes, outcomes=_outcomes(terminalreporter))
        except (ArenaError, OSError) as error:  # pytest would end without its list of failures
            terminalreporter.write_line(f"no report: {error}", red=True)
        else:
            terminalreporter.write_line(f"report: {path}")


def summary(matches: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the summary at the end of a test run.

    `matches` has a dictionary for each assertion, learner and adversary in each test. `Notes.entries` lists its keys,
    such as "assertions", "failed" and "rounds".
    """
    played, rounds = (sum(match[what] for match in matches) for what in ("matches", "rounds"))
    hunts = sum(match["assertions"] for match in matches if match["assertion"] == "assert_no_violation")
    failed = sum(match["failed"] for match in matches)
    of_them = [f"{number_of(hunts, 'hunt')} among them"] * bool(hunts) + [f"{failed} failed"] * bool(failed)
    made = ", ".join([number_of(sum(match["assertions"] for match in matches), "assertion"), *of_them])
    lines = [f"{made}: {number_of(played, 'match', 'matches')}, {number_of(rounds, 'round')}"]
    judged = [match for match in matches if match["tightness"] is not None]
    if judged:
        from arena.record.verdict import share_text

        worst = max(judged, key=lambda match: match["tightness"])
        match, share = f"{worst['learner']} against {worst['adversary']}", worst["tightness"]
        closest = f"closest to its bound: {match}, {share_text(share, digits=1)} of {worst['theorem']}"
        beyond = f"farthest beyond its bound: {match}, {share:.4g} times {worst['theorem']}"
        lines.append(beyond if share > 1.0 else closest)
    return lines
