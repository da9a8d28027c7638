"""Output that all commands share: marks of outcomes, JSON, the paths of written files."""

from __future__ import annotations

import contextlib
import json
import math
import numbers
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

# Importing rich takes a fifth of the time of `arena list`, which does without it.
if TYPE_CHECKING:
    from rich.console import Console

MARKS = {  # of a verdict or a check: the mark, the mark for terminals without Unicode, the style
    "holds": ("✔", "+", "green"),
    "violated": ("✘", "x", "bold red"),
    "not applicable": ("○", "o", "yellow"),
    "undecided": ("?", "?", "yellow"),
    "passed": ("✔", "+", "green"),
    "failed": ("✘", "x", "bold red"),
    "expected failure": ("✘", "x", "yellow"),
    "unexpected pass": ("✔", "+", "bold red"),
    "skipped": ("○", "o", "dim"),
}


def terminal() -> Console:
    """Standard output, whose lines the terminal wraps."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True, emoji=False)  # ":100:" in a spec is no picture


def shows_unicode(console: Console) -> bool:
    """Return whether the console's encoding has braille and check marks."""
    return (console.encoding or "").lower().startswith("utf")


def mark(console: Console, outcome: str, name: str = "") -> str:
    """Return the mark of an outcome as rich markup, with a name in the same style."""
    from rich.markup import escape

    unicode, plain, style = MARKS[outcome]
    return f"[{style}]{unicode if shows_unicode(console) else plain}{f' {escape(name)}' * bool(name)}[/]"


def print_paths(console: Console, report: Path | None, save: Path | None, *, match: str = "") -> None:
    """Print where a report and a transcript were written, and of which of several matches they are."""
    from rich.markup import escape

    for label, path in (("Report", report), ("Saved", save)):
        if path is not None:
            console.print(f"{label}{match and f' ({match})'}: {escape(str(path))}")


def print_json(content: Any) -> None:
    """Print plain values as one line of JSON."""
    click.echo(json.dumps(finite(content), allow_nan=False))


def finite(value: Any) -> Any:
    """Return the value with Python's own numbers, and with null for infinity and NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if math.isfinite(value) else None


def prints_to_stderr(wanted: bool) -> AbstractContextManager[Any]:
    """Context manager: what players print goes to standard error, so that it does not stand in the JSON."""
    return contextlib.redirect_stdout(sys.stderr) if wanted else contextlib.nullcontext()
