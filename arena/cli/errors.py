"""A user's mistake on the command line: one clear message, exit code 2, no stack trace."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import click

from arena.errors import ArenaError


class Mistake(click.ClickException):
    """What the user should mend."""

    exit_code = 2


@contextlib.contextmanager
def told_to_the_user() -> Iterator[None]:
    """Inside, every `ArenaError` becomes a message for the person at the terminal."""
    try:
        yield
    except ArenaError as error:
        raise Mistake(str(error)) from None
