"""Each command imports only the modules that it needs, which is tested by their names instead of by time."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from arena.cli import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""


COMPLETION = """
import sys
from arena.cli.completion import specs
specs("learner")(None, None, sys.argv[1])
print(*sys.modules, file=sys.stderr)
"""


def imported(folder, *words, program=PROGRAM):
    """Return the names of the modules that `arena WORDS`, or another program, imports.

    Those of Cython are left out, since it may not be installed.
    """
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=120)
    return {name for name in done.stderr.splitlines()[-1].split() if not name.startswith(("Cython", "cython"))}


@pytest.mark.parametrize("words", [("--help",), ("--version",), ()])
def test_the_help_imports_no_command(tmp_path, words):
    modules = imported(tmp_path, *words)
    assert {name for name in modules if name.startswith("arena.")} == {
        "arena.cli", "arena.cli.command_line", "arena.cli.ending", "arena.errors", "arena.version",
        "arena.guards", "arena.guards.guests", "arena.guards.streams",
    }  # fmt: skip
    assert not modules & {"numpy", "rich"}


@pytest.mark.parametrize("words", [("list",), ("show", "krr"), ("show", "greedy")])
def test_the_catalogue_imports_neither_the_engine_nor_any_part_of_scipy(tmp_path, words):
    modules = imported(tmp_path, *words)
    unwanted = ("scipy.linalg", "scipy.special", "scipy.spatial", "scipy.sparse", "scipy.stats", "matplotlib")
    rooms = ("engine", "hunt", "counterexamples", "testing", "papers", "tournament", "reports")
    assert not modules & {*unwanted, *(f"arena.{room}" for room in rooms)}


@pytest.mark.parametrize(("name", "file"), [("krr", "arena.learners.ridge"), ("greedy", "arena.adversaries.greedy")])
def test_one_name_is_shown_without_importing_the_others(tmp_path, name, file):
    modules = imported(tmp_path, "show", name)
    players = {each for each in modules if each.startswith(("arena.learners.", "arena.adversaries."))}
    assert file in players
    assert len({each for each in players if "_shared" not in each}) <= 3


@pytest.mark.parametrize("spec", ["pkawv(", "pkawv(embedding=taylor(", "pkawv(embedding=no-such("])
def test_a_parameter_is_completed_without_importing_other_learners(tmp_path, spec):
    modules = imported(tmp_path, spec, program=COMPLETION)
    assert {name for name in modules if name.startswith("arena.learners.")} == {"arena.learners.pkawv"}


def test_a_match_imports_no_hunt_no_checks_and_no_pictures(tmp_path):
    modules = imported(tmp_path, "play", "kernel-awv", "alternating", "--rounds", "10")
    assert not modules & {"scipy.stats", "scipy.optimize", "matplotlib", "hypothesis"}
    assert not modules & {f"arena.{room}" for room in ("hunt", "testing", "papers", "reports")}
    assert {name for name in modules if name.startswith("arena.learners.")} == {"arena.learners.awv"}


def test_the_page_of_a_match_is_drawn_without_matplotlib(tmp_path):
    modules = imported(tmp_path, "play", "kernel-awv", "alternating", "--rounds", "10", "--report", "match.html")
    assert (tmp_path / "match.html").exists()
    assert "arena.reports.page" in modules
    assert "matplotlib" not in modules
