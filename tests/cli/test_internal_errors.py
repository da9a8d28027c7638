"""An error inside the arena has its own exit code and a message of two lines.

An environment variable shows the stack trace.
"""

import click
import pytest

from arena.cli import COMMANDS, main
from arena.cli.command_line import BUG, SHOW_TRACE
from arena.errors import ArenaError

WORDS = {  # commands need their arguments before they do anything
    "compare": ["compare", ".", "."],
    "hunt": ["hunt", "krr"],
    "judge": ["judge", "match.npz"],
    "new": ["new", "learner", "mine"],
    "play": ["play", "krr", "alternating", "--json"],
    "reproduce": ["reproduce", "errata"],
    "store": ["store", "list"],
    "replay": ["replay", "match.npz"],
    "show": ["show", "krr"],
    "shrink": ["shrink", "match.npz"],
    "check": ["check", "krr"],
    "completion": ["completion", "zsh"],
    "data": ["data", "list"],
    "tournament": ["tournament", "krr", "--against", "drift"],
}


def broken(*_, **__):
    raise AssertionError("the factor\nis not finite")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends_with_two_lines(command, arena, tmp_path, monkeypatch):
    (tmp_path / "match.npz").touch()
    monkeypatch.delenv(SHOW_TRACE)
    monkeypatch.setattr(main.get_command(None, command), "invoke", broken)
    done = arena(*WORDS.get(command, [command]))
    assert done.exit_code == BUG == 70
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "Error: internal error: AssertionError: the factor is not finite (test_internal_errors.py, line "
        f"{broken.__code__.co_firstlineno + 1})",
        "This is a bug in regret-arena: please report it with the command and the output of arena --version; "
        "REGRET_ARENA_TRACEBACK=1 prints where it happened.",
    ]


@pytest.mark.parametrize("raised", [EOFError, RecursionError, KeyError, RuntimeError])
def test_other_exceptions_have_the_same_code(raised, arena, monkeypatch):
    monkeypatch.delenv(SHOW_TRACE)

    def raises(*_, **__):
        raise raised("x" * 10_000)

    monkeypatch.setattr("arena.cli.show.describe_class", raises)
    done = arena("show", "krr")
    assert done.exit_code == BUG
    assert len(done.stderr.splitlines()) == 2


def test_the_trace_is_printed_on_demand(arena, monkeypatch):
    monkeypatch.setenv(SHOW_TRACE, "1")
    monkeypatch.setattr("arena.cli.show.describe_class", broken)
    done = arena("show", "krr")
    assert done.exit_code == BUG
    assert "in broken" in done.stderr
    assert done.stderr.count("Error: internal error") == 1


def test_faults_while_arguments_are_read_count_too(arena, monkeypatch):
    def raises(*_):
        raise TypeError("no such thing")

    monkeypatch.setattr(click.Group, "parse_args", raises)
    assert arena("list").exit_code == BUG


@pytest.mark.parametrize("where", ["arena.cli.play.read_bounds", "arena.cli.play.finish"])
def test_a_mistake_of_the_user_is_a_message_wherever_it_is_noticed(where, arena, monkeypatch):
    def raises(*_, **__):
        raise ArenaError("choose another \x1b[31mname")

    monkeypatch.setattr(where, raises)
    done = arena("play", "krr", "alternating", "--rounds", "3")
    assert (done.exit_code, done.stderr) == (2, "Error: choose another \\x1b[31mname\n")
