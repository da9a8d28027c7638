"""Texts that `arena list` and `arena show` print about classes: docstrings, and which promises can fail."""

from __future__ import annotations

import functools
import importlib.resources
import inspect
import json
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import Any

import click

from arena.errors import bounded
from arena.specs.extras import EXTRAS

MOST_CHARACTERS = 20_000  # most characters that are printed of a text of a class, such as its docstring
PROMISES = "promises.json"  # output of `arena reproduce promises`, shipped because playing takes minutes


@functools.cache
def shipped_statuses() -> dict[str, dict[str, str]]:
    """Return {learner: {theorem: status}} for all promised theorems, with statuses such as "never applies".

    A status says whether the theorem applies to the learner with default parameters, and whether it can then fail.
    """
    text = importlib.resources.files("arena.cli").joinpath(PROMISES).read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def print_lines(lines: Iterable[str]) -> None:
    """Print lines of text, in colours on a terminal."""
    # sys.stdout replaces letters that the terminal lacks (see `CommandLine.invoke`); click's own stream does not
    click.echo("\n".join(lines), file=sys.stdout)


def wrapped(text: str, *, indent: int) -> str:
    """Return the text wrapped to the width of the terminal, each line indented by `indent` spaces."""
    return textwrap.fill(
        text,
        shutil.get_terminal_size().columns,
        initial_indent=" " * indent,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def prose(cls: Any) -> str:
    """Return a class's docstring without its examples; for a class of another library, only the first paragraph."""
    text = inspect.getdoc(cls) or ""
    if str(getattr(cls, "__module__", "")).partition(".")[0] in EXTRAS:
        return text.strip().partition("\n\n")[0]
    lines = []
    for line in text.splitlines():
        if line.startswith(">>>"):
            break
        lines.append(line)
    return "\n".join(lines).strip()


def plain(value: Any) -> Any:
    """Return a copy of JSON values in which the control characters of texts are escaped, and long texts are cut.

    Line ends and tabs are not escaped.
    """
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(plain, value))
    return bounded(value, MOST_CHARACTERS) if isinstance(value, str) else value
