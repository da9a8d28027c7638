"""What holds for every command: Ctrl-C, an output that cannot be written, letters that a terminal does not have."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any

import click

from arena.cli.errors import Mistake

INTERRUPTED = 130
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class CommandLine(click.Group):
    """The commands, and how each of them ends.

    Most keep what they have when they are interrupted; whoever does not ends here, and not with click's exit code 1,
    which would mean that a bound is violated.
    """

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper) and stream.errors != "backslashreplace":  # as stderr has it
                stream.reconfigure(errors="replace")  # a name with an accent must not end the command
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            context.exit(INTERRUPTED)
        except OSError as error:
            if error.errno not in FULL or error.filename is not None:
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries once more at its end
            raise Mistake(f"the output cannot be written: {error.strerror}") from None
