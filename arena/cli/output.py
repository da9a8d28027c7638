"""Functions for the output of all commands: escaped text, marks of outcomes, JSON.

Names, messages and paths may have any characters; `markup` escapes control characters, which a terminal would obey.
With --json only the JSON reaches standard output, even if players, their libraries or their child processes print.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from arena.cli.command_line import RESERVED
from arena.cli.translation import in_options
from arena.errors import printable
from arena.guards.streams import moving

# Importing rich takes a fifth of the time of `arena list`, which does without it.
if TYPE_CHECKING:
    from rich.console import Console

COMMAND = 100_000  # most characters of a command to copy; only longer ones are shortened
MARKS = {  # for each outcome of a verdict or a check: mark, mark without Unicode, style
    "holds": ("✔", "+", "green"),
    "violated": ("✘", "x", "bold red"),
    "not applicable": ("○", "o", "yellow"),
    "undecided": ("?", "?", "yellow"),
    "open": ("○", "o", "yellow"),
    "passed": ("✔", "+", "green"),
    "failed": ("✘", "x", "bold red"),
    "expected failure": ("✘", "x", "yellow"),
    "unexpected pass": ("✔", "+", "bold red"),
    "skipped": ("○", "o", "dim"),
}


def terminal(*, err: bool = False, quiet: bool = False) -> Console:
    """Return a console of the library rich for standard output, or for standard error with `err`.

    The console for standard output does not wrap lines. The console for standard error wraps them and, on a terminal,
    can move the cursor for progress bars. With `quiet`, the console prints nothing.
    """
    from rich.console import Console

    # with emoji, rich would replace ":100:" in a spec
    file = sys.stderr if err else None
    console = Console(file=file, quiet=quiet, highlight=False, soft_wrap=not err, emoji=False)
    if err and console.is_terminal:
        console.file = moving(sys.stderr)
    return console


class Markup(str):
    """A text that is markup of the library rich already."""

    __slots__ = ()


def markup(text: object, most: int = 2000) -> Markup:
    """Return a text as markup of the library rich, with escaped control characters; lines after the first are indented.

    If the text has more than `most` characters, its middle is left out. A `Markup` is returned as it is.
    """
    from rich.markup import escape

    if isinstance(text, Markup):
        return text
    return Markup(escape(printable(in_options(str(text)), most).replace("\n", "\n    ")))


def echo(text: str) -> None:
    """Print a text, with control characters other than line ends and tabs escaped."""
    shown = in_options(text)
    click.echo(printable(shown, len(shown)))


def mark(console: Console, outcome: str, name: str = "") -> Markup:
    """Return the mark of an outcome, such as a check mark for "holds", followed by `name` in the same style."""
    unicode, plain, style = MARKS[outcome]
    sign = plain if console.options.ascii_only else unicode
    return Markup(f"[{style}]{sign} {markup(name)}[/]" if name else f"[{style}]{sign}[/]")


def reserve_stdout(context: click.Context) -> None:
    """Keep standard output for `print_reserved`: whatever else the command prints goes to standard error.

    The output of C libraries and child processes is redirected as well. The redirection lasts until the process ends,
    or until the command ends if `sys.stdout` was already replaced, as in tests.
    """
    stream: Any = sys.stdout
    kept = _redirected()
    sys.stdout = sys.stderr
    # A player's threads and exit functions may print after the result, so the redirection is not undone here.
    if stream is not None and stream is sys.__stdout__ and kept is not None:
        context.meta[RESERVED] = os.fdopen(
            kept, "w", encoding=getattr(stream, "encoding", None), errors="backslashreplace"
        )
        return
    context.meta[RESERVED] = stream
    context.call_on_close(lambda: _restore(stream, kept))


def _redirected() -> int | None:
    """Redirect descriptor 1 to standard error, and return a copy of the former descriptor 1.

    If descriptor 1 is closed, nothing is redirected, and the result is None.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
        kept = os.dup(1)
    except (OSError, ValueError):
        return None
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
    return kept


def _restore(stream: Any, kept: int | None) -> None:
    """Undo a redirection of standard output: `stream` becomes `sys.stdout` again.

    `kept` is a copy of the former descriptor 1, which is restored. If `kept` is None, descriptor 1 stays as it is.
    """
    import ctypes

    sys.stdout = stream
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).fflush(None)
    if kept is not None:
        os.dup2(kept, 1)
        os.close(kept)


def print_reserved(text: str) -> None:
    """Print on the real standard output, even if `reserve_stdout` has redirected all else to standard error."""
    context = click.get_current_context(silent=True)
    click.echo(text, file=context.meta.get(RESERVED) if context else None)


def print_json(content: Any) -> None:
    """Print the `plain_values` of an object as one line of JSON."""
    print_reserved(json.dumps(plain_values(content), allow_nan=False))


def picked(thing: Any, names: str) -> dict[str, Any]:
    """Return {name: attribute} for these attributes, whose names are separated by spaces."""
    return {name: getattr(thing, name) for name in names.split()}


def plain_values(value: Any) -> Any:
    """Return an object as values of JSON; infinity and NaN become None.

    An object with a method `as_json` is what this returns, another dataclass is an object of its fields, and arrays are
    lists. In texts, arguments of Python become options of the command line.
    """
    if hasattr(value, "as_json"):
        value = value.as_json()
    elif dataclasses.is_dataclass(value):
        value = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: plain_values(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_values(each) for each in value]
    if isinstance(value, (str, os.PathLike)):
        return in_options(str(value))
    return None if isinstance(value, float) and not math.isfinite(value) else value
