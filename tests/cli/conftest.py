"""Fixtures that run the command line, in this process (fast) or as a process of its own."""

import subprocess
from collections.abc import Callable
from functools import partial

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.cli.command_line import SHOW_TRACE


@pytest.fixture
def arena(tmp_path, monkeypatch) -> Callable[..., Result]:
    """Run `arena` with these words in an empty folder; after an internal error the output has the stack trace."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(SHOW_TRACE, "1")

    def run(*words: object) -> Result:
        result = CliRunner().invoke(main, [str(word) for word in words], prog_name="arena")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def arena_process(tmp_path, python) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `arena` as a process of its own, without a terminal."""
    return partial(python, "-m", "arena", cwd=tmp_path)


@pytest.fixture
def output_of(tmp_path, python) -> Callable[..., str]:
    """Run `python` with these words in the folder in which `arena` runs, and return the output.

    The test fails if the program fails.
    """

    def run(*words: object) -> str:
        done = python(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def write(tmp_path) -> Callable[[str, str], str]:
    """Write a file into the folder in which `arena` runs; return its path as a spec needs it."""

    def into(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return f"./{name}"

    return into
