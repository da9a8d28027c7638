"""The pytest plugin: summaries, options, reports and kept failures, in test runs of users."""

import html
import re
from xml.etree import ElementTree

import pytest

SUITE = """
from arena.testing import assert_regret

class LastLabel:
    def __init__(self): self.last = 0.0
    def predict(self, x): return self.last
    def update(self, x, y): self.last = y

def test_good(assert_regret):
    assert_regret("kernel-awv", "alternating", rounds=30)

def test_bad():
    assert_regret(LastLabel(), "alternating", theorem="awv-logdet", rounds=30)

def test_no_match():
    pass
"""


OFF = ("-p", "no:cacheprovider", "--arena-failures", "none")

MISTAKES = """
import pytest

from arena.testing import assert_growth, assert_no_violation, assert_regret

@pytest.mark.parametrize("assertion", [assert_regret, assert_no_violation, assert_growth])
@pytest.mark.parametrize("what", [{"theorem": "awv-logdett"}, {"round": 5}, {"kernel": "gausian"}])
def test_mistaken(assertion, what):
    more = {"at_most": "log", "rounds": 512} if assertion is assert_growth else {}
    first = ["kernel-awv"] if assertion is assert_no_violation else ["kernel-awv", "alternating"]
    assertion(*first, **more, **what)

def test_no_learner():
    assert_regret(object(), at_most=3)
"""


@pytest.fixture
def run_pytest(pytester, python):
    """Run pytest in the folder of `pytester`, in a process of its own in which the arena is imported already.

    Runs of pytester in this process would load the arena's modules twice.
    """

    def run(*words):
        done = python("-m", "pytest", "-p", "no:cacheprovider", *words, cwd=pytester.path)
        return pytest.RunResult(done.returncode, done.stdout.splitlines(), done.stderr.splitlines(), duration=0.0)

    return run


def test_pytest_shows_wrong_arguments_of_an_assertion_without_our_code(pytester, run_pytest):
    pytester.makepyfile(MISTAKES)
    result = run_pytest(*OFF)
    text = result.stdout.str()
    result.assert_outcomes(failed=10)
    assert "Did you mean 'awv-logdet'" in text
    assert "has no argument 'round'" in text
    shown = re.findall(r"^(\S+\.py):\d+:", text, re.MULTILINE)
    assert {name for name in shown if not name.startswith("test_")} == set()


def test_a_failure_is_short_and_the_summary_counts_each_match_once(pytester, run_pytest):
    pytester.makepyfile(SUITE)
    result = run_pytest(*OFF)
    result.assert_outcomes(passed=2, failed=1)
    text = result.stdout.str()
    assert "2 assertions, 1 failed: 2 matches, 60 rounds" in text
    assert re.search(r"farthest beyond its bound: \S*LastLabel against alternating, [\d.]+ times awv-logdet", text)
    assert re.search(r"again: arena play \S*test_a_failure\S*\.py:LastLabel alternating --rounds 30", text)
    assert "testing/" not in text  # our own frames are hidden
    assert not (pytester.path / ".arena").exists()


def test_summary_and_report_are_the_same_with_xdist(pytester, run_pytest):
    pytester.makepyfile(SUITE)
    pages = []
    for processes in ("0", "2"):
        result = run_pytest(*OFF, "--numprocesses", processes, "--arena-report", "out/page.html")
        result.assert_outcomes(passed=2, failed=1)
        assert "2 assertions, 1 failed: 2 matches, 60 rounds" in result.stdout.str()
        assert "report: out/page.html" in result.stdout.str()
        pages.append((pytester.path / "out" / "page.html").read_text())
    page = pages[0]
    assert page == pages[1]
    assert "<title>2 assertions in 2 tests, 1 test failed</title>" in page
    assert page.index("::test_bad<") < page.index("::test_good<")
    assert page.count("<svg") > 4
    assert "awv-logdet is violated in round 2" in page
    assert "arena play kernel-awv alternating --rounds 30" in page
    assert "<script" not in page
    assert "http" not in re.sub(r'http-equiv|xmlns(:\w+)?="http[^"]*"', "", page)
    identifiers = re.findall(r' id="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))


def test_the_report_shows_the_worst_of_many_similar_assertions(pytester, run_pytest):
    pytester.makepyfile("""
        from arena.testing import Moves, assert_regret

        def test_many():
            for rounds in (3, 30, 5):
                moves = Moves(X=[[0.0]] * rounds, y=[(-1.0) ** t for t in range(rounds)])
                assert_regret("kernel-awv", moves, dimension=1, theorem="awv-logdet")
            assert_regret("kernel-awv", "repeated", rounds=10)
    """)
    result = run_pytest(*OFF, "--arena-report", "page.html")
    assert "4 assertions: 4 matches, 48 rounds" in result.stdout.str()
    page = (pytester.path / "page.html").read_text()
    assert "<title>4 assertions in 1 test, 0 tests failed</title>" in page
    assert page.count('<h2 id="match-') == 2
    assert "3 assertions, 3 matches, 38 rounds" in page
    assert "a sequence of 30 rounds" in page


RED = """
import pytest

from arena.testing import RegretTooLarge, assert_regret

def test_good():
    assert_regret("zero", "alternating", rounds=7, at_most=1.0)

def test_misspelt():
    assert_regret("zero", "alternatin", rounds=7, at_most=1.0)

def test_fails_later():
    assert_regret("zero", "alternating", rounds=8, at_most=1.0)
    assert "weights" == "other"

def test_expects_the_failure():
    with pytest.raises(RegretTooLarge):
        assert_regret("zero", "far-point", rounds=9, at_most=-1.0)

@pytest.fixture
def fragile():
    yield
    raise OSError("the model could not be put away")

def test_torn_down(fragile):
    assert_regret("zero", "alternating", rounds=10, at_most=1.0)

def test_without_an_assertion():
    assert False
"""


@pytest.mark.parametrize("processes", ["0", "2"])
def test_the_report_has_the_outcomes_of_pytest(pytester, run_pytest, processes):
    pytester.makepyfile(RED)
    words = ("--arena-shrinking", "0", "--arena-report", "page.html", "--numprocesses", processes)
    result = run_pytest(*OFF, *words)
    result.assert_outcomes(passed=3, failed=3, errors=1)
    page = (pytester.path / "page.html").read_text()
    assert "<title>5 assertions in 5 tests, 3 tests failed</title>" in page
    assert "1 other test without an assertion of the arena failed, too." in page
    assert "All passed" not in page
    rows = re.findall(r"::(test_\w+)</a>.*?aria-hidden=\"true\">.</span> (\w+)</span>", page, re.DOTALL)
    outcomes = dict(rows)
    assert outcomes == {
        "test_good": "passed",
        "test_misspelt": "failed",
        "test_fails_later": "failed",
        "test_expects_the_failure": "passed",
        "test_torn_down": "error",
    }
    assert {name for name, _ in rows[:3]} == {"test_misspelt", "test_fails_later", "test_torn_down"}
    text = html.unescape(page)
    assert "Did you mean 'alternating'" in text
    assert "The test failed elsewhere: AssertionError: assert 'weights' == 'other'" in text
    assert "The test failed elsewhere: OSError: the model could not be put away" in text
    assert "arena play zero alternating --rounds 7 --bound 'at-most(regret=1.0)'" in text


def test_a_hunt_that_finds_no_deviation_is_counted_and_reported(pytester, run_pytest):
    pytester.makepyfile(
        "def test_it(assert_no_violation): assert_no_violation('rls', theorem='rls-identity', matches=5, workers=0)"
    )
    done = run_pytest("--arena-report=hunt.html")
    done.stdout.fnmatch_lines(["1 assertion, 1 hunt among them: 5 matches, *", "report: hunt.html"])
    assert "All passed" in (pytester.path / "hunt.html").read_text()


def test_a_run_without_assertions_has_the_report_that_was_asked_for(pytester, run_pytest):
    pytester.makepyfile("def test_it(): pass")
    done = run_pytest("--arena-report=none.html")
    done.stdout.fnmatch_lines(["0 assertions: 0 matches, 0 rounds", "report: none.html"])
    assert "0 assertions" in (pytester.path / "none.html").read_text()


def test_a_run_in_which_nothing_could_be_checked_has_a_report(pytester, run_pytest):
    pytester.makepyfile("def test_one(assert_regret): assert_regret('zerro', 'alternating', at_most=1.0)")
    run_pytest(*OFF, "--arena-report", "page.html").assert_outcomes(failed=1)
    page = (pytester.path / "page.html").read_text()
    assert "Nothing was checked" in page
    assert "Did you mean &#39;zero&#39;" in page


@pytest.mark.parametrize(
    ("option", "value"),
    [("--arena-seeds", "0"), ("--arena-seeds", "x"), ("--arena-budget", "-1"), ("--arena-shrinking", "soon")],
)
def test_wrong_option_values_are_refused_before_any_test(pytester, run_pytest, option, value):
    pytester.makepyfile("def test(): pass")
    result = run_pytest(*OFF, option, value)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{option} must be a * but it is '{value}'"])


@pytest.mark.parametrize(("place", "reason"), [("mine.html", "was not written by the arena"), (".", "no regular file")])
def test_a_report_that_cannot_be_written_is_refused_before_any_test(pytester, run_pytest, place, reason):
    pytester.makefile(".html", mine="<p>mine</p>")
    pytester.makepyfile("def test(): pass")
    result = run_pytest(*OFF, "--arena-report", place)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--arena-report: *{reason}*"])


@pytest.mark.parametrize("option", ["--arena-report", "--arena-failures"])
def test_a_url_is_refused_before_any_test(pytester, run_pytest, option):
    pytester.makepyfile("def test(): pass")
    result = run_pytest("-p", "no:cacheprovider", option, "s3://bucket/x.html")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{option}: s3:/*is a URL*"])
    assert not (pytester.path / "s3:").exists()


def test_properties_of_a_test_are_short_texts(pytester, run_pytest):
    """The sections of the page go to the page, and not into the XML of a test, where they took 19 kB."""
    pytester.makepyfile(SUITE)
    for processes in ("0", "2"):
        words = ("--numprocesses", processes, "--arena-report", "page.html", "--junitxml", "tests.xml")
        run_pytest(*OFF, *words).assert_outcomes(passed=2, failed=1)
        properties = [each.attrib for each in ElementTree.parse(pytester.path / "tests.xml").iter("property")]
        assert [each["name"] for each in properties] == ["arena_match"] * 2
        bad, good = sorted(each["value"] for each in properties)  # with two processes in either order
        assert bad.endswith("LastLabel against alternating: 1 of 1 assertion failed")
        assert good == "kernel-awv against alternating: 0 of 1 assertion failed"
        assert "awv-logdet is violated in round 2" in (pytester.path / "page.html").read_text()


def test_a_report_that_cannot_be_written_at_the_end_hides_no_failure(pytester, run_pytest):
    pytester.makepyfile("def test_one(): open('out', 'w').close(); assert False")
    result = run_pytest(*OFF, "--arena-report", "out/page.html")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["no report: *out*", "FAILED *::test_one*"])


@pytest.mark.parametrize(("seconds", "small"), [("0", False), ("1000", True)])
def test_the_option_for_the_seconds_of_shrinking(pytester, run_pytest, seconds, small):
    pytester.makepyfile("def test(assert_regret): assert_regret('krr', 'alternating', theorem='awv-logdet', rounds=20)")
    text = run_pytest(*OFF, "--arena-shrinking", seconds).stdout.str()
    assert "awv-logdet is violated in round 2" in text
    assert ("smallest sequence, 2 rounds" in text) == small


def test_arguments_take_precedence_over_options_and_options_over_the_ini_file(pytester, run_pytest):
    pytester.makeini("[pytest]\narena_seeds = 3\narena_budget = 0.5\n")
    pytester.makepyfile(
        test_usual="""
        from arena.testing.session import run_settings

        def test_seeds(assert_regret):
            assert_regret("kernel-awv", "repeated", rounds=10)
            assert run_settings.get().seeds in (3, 5)
            assert run_settings.get().budget == 0.5

        def test_one_seed(assert_regret):
            assert_regret("kernel-awv", "repeated", rounds=10, seeds=1)

        def test_budget(assert_no_violation):
            assert assert_no_violation("kernel-awv", theorem="awv-logdet", workers=0).matches
    """
    )
    result = run_pytest(*OFF)
    result.assert_outcomes(passed=3)
    assert "3 assertions, 1 hunt among them" in result.stdout.str()
    text = run_pytest(*OFF, "-k", "seed", "--arena-seeds", "5").stdout.str()
    assert "2 assertions: 6 matches, 60 rounds" in text


BREAKABLE = """
import json, pathlib
from arena.players.learner import Learner
from arena.learners import KernelAWV
from arena.testing import assert_regret, assert_no_violation

class Steep(KernelAWV):
    theorems = ()
    replay = Learner.replay
    def peek(self, X): return FACTOR * super().peek(X)

FACTOR = json.loads(pathlib.Path(__file__).with_name("factor.json").read_text())

def test_regret():
    assert_regret(Steep, "alternating", theorem="awv-logdet", rounds=20)

def test_hunt():
    assert_no_violation(Steep, theorem="awv-logdet", matches=20, workers=0, rounds=30)

def test_kept(arena_failures):
    print("KEPT", sorted(failure.rounds for failure in arena_failures.kept()))
"""


def test_a_failure_is_kept_played_first_and_removed_when_it_passes(pytester, run_pytest):
    """When the learner is corrected, its failures are deleted."""
    pytester.makepyfile(test_breakable=BREAKABLE)
    factor = pytester.path / "factor.json"
    run = lambda: run_pytest("-p", "no:cacheprovider", "-s", "--numprocesses", "0")
    factor.write_text("3.0")
    first = run()
    first.assert_outcomes(failed=2, passed=1)
    assert "known since" not in first.stdout.str()
    kept = re.findall(r"kept: arena failures show (\w+); arena failures promote \1", first.stdout.str())
    assert len(kept) >= 2
    second = run()
    second.assert_outcomes(failed=2, passed=1)
    assert second.stdout.str().count("E         known since 20") == 2
    assert "smallest sequence" not in second.stdout.str()  # the kept sequence alone was played
    assert "2 assertions, 1 hunt among them, 2 failed: 2 matches, 4 rounds" in second.stdout.str()
    factor.write_text("1.0")
    third = run()
    third.assert_outcomes(passed=3)
    assert "KEPT []" in third.stdout.str()
    assert not list((pytester.path / ".arena").rglob("*-*"))


def test_a_failure_is_reported_where_nothing_can_be_written(pytester, run_pytest):
    (pytester.path / ".arena").write_text("in the way")
    pytester.makepyfile("def test(assert_regret): assert_regret('krr', 'alternating', theorem='awv-logdet', rounds=20)")
    text = run_pytest("-p", "no:cacheprovider").stdout.str()
    assert "krr against alternating: awv-logdet is violated in round 2" in text
    assert "smallest sequence, 2 rounds" in text
    assert "kept:" not in text


def test_a_kept_failure_belongs_to_its_own_test(pytester, run_pytest):
    """A failure against one adversary does not fail the test against another."""
    pytester.makepyfile("""
        import pytest
        from arena.testing import RegretTooLarge

        def test_both(assert_regret):
            for known in (False, True):
                with pytest.raises(RegretTooLarge) as failure:
                    assert_regret("krr", "alternating", theorem="awv-logdet", rounds=20)
                assert ("known since" in str(failure.value)) == known
                assert_regret("krr", "repeated", theorem="awv-logdet", rounds=20)

        def test_another(assert_regret):
            with pytest.raises(RegretTooLarge) as failure:
                assert_regret("krr", "alternating", theorem="awv-logdet", rounds=20)
            assert "known since" not in str(failure.value)
    """)
    run_pytest("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_a_run_without_matches_does_not_load_the_engine(pytester):
    pytester.makepyfile(
        "import sys\ndef test(): assert 'arena.engine.match' not in sys.modules and 'numpy' not in sys.modules\n"
    )
    result = pytester.runpytest_subprocess(*OFF, "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    assert "regret arena" not in result.stdout.str()
