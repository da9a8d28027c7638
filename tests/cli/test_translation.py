"""Lower rooms speak of arguments as Python spells them; the command line translates them to its options."""

import ast
import json
import re
from pathlib import Path

import click
import pytest

from arena.cli import main
from arena.cli.translation import CALLS, OPTIONS, in_options

ROOT = Path(__file__).resolve().parents[2]
SPEAKS_OF_COMMANDS = (  # writes commands to be copied, pages of the documentation, or options of another program
    "arena/adapters/vowpal_wabbit.py",
    "arena/record/commands.py",
    "arena/record/repeating.py",
    "arena/record/setting.py",
    "arena/counterexamples/failures.py",
    "arena/testing/failure.py",
    "arena/testing/regret.py",
    "arena/tournament/worst.py",
    "reports/overview.py",
    "reports/publication.py",
    "reports/match_section.py",
    "arena/papers/markdown.py",
    "arena/papers/reproduction/page.py",
)


def commands(command, context):
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), context)


@pytest.fixture(scope="module")
def options():
    found = commands(main, click.Context(main))
    return {name for each in found for option in each.params for name in option.opts if name.startswith("--")}


def texts():
    """Yield the place and the value of each text in the rooms below the command line, docstrings left out."""
    for folder in ("arena", "learners", "adversaries", "reports"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if place.startswith(("arena/cli/", "arena/pytest_plugin.py")):
                continue
            tree = ast.parse(path.read_text())
            alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
                    yield f"{place}:{node.lineno}", node.value


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("narrow it with `hindsight='exact'`.", "narrow it with --hindsight exact."),
        ("`theorems='at-most(regret=50)'`", "--bound 'at-most(regret=50)'"),
        (
            "`comparators=['linear']` or `kernel='linear(offset=1)'`",
            "--comparator linear or --kernel 'linear(offset=1)'",
        ),
        ("`trust=True` runs it, `wait=SECONDS` waits", "--trust runs it, --cluster-wait SECONDS waits"),
        (
            "raise `regularisation=...`, write n=3 or `dimension=3`",
            "raise --regularisation, write n=3 or --dimension 3",
        ),
        ("`fetch('casp', 'my data')`", "`arena data fetch casp --data 'my data'`"),
        ("(`registered_sets()`)", "(arena data list)"),
        ("`pkawv(degree=3)`, replay(file=x.csv), rounds=3", "`pkawv(degree=3)`, replay(file=x.csv), rounds=3"),
        ("`rounds`, `alpha=0.1`, `a seeds=3`, a ` alone", "`rounds`, `alpha=0.1`, `a seeds=3`, a ` alone"),
    ],
)
def test_arguments_become_options_and_specs_stay(said, printed):
    assert in_options(said) == printed


def test_every_option_of_the_table_exists(options):
    assert set(OPTIONS.values()) <= options
    words = {line.strip("`") for line in CALLS.values() if line.lstrip("`").startswith("arena ")}
    for line in words:
        command = main
        for name in line.split()[1:]:
            if isinstance(command, click.Group):
                command = command.get_command(click.Context(command), name)
                assert command is not None, line


def test_lower_rooms_speak_of_arguments(options):
    """A text below the command line names no option; an argument in backticks is one that has an option."""
    named = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
    found = [f"{at}: {text!r}" for at, text in texts() if set(named.findall(text)) & options]
    assert not [each for each in found if not each.startswith(SPEAKS_OF_COMMANDS)]


def test_errors_results_and_json_name_options(arena):
    refused = arena("hunt", "zero", "--matches", 1)
    assert refused.exit_code == 2
    assert "such as --bound 'at-most(regret=50)'" in refused.output
    words = "play", "rls", "drift", "--rounds", 20, "--dimension", 2
    note = "--kernel linear compares with linear functions, and --comparator linear does so beside"
    assert note in arena(*words).output
    assert note in json.loads(arena(*words, "--json").stdout)["remark"]
