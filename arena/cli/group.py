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
NOBODY_READS = 141  # as the shell counts a process that `head` has left
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class CommandLine(click.Group):
    """The commands, and how each of them ends.

    Most keep what they have when they are interrupted; whoever does not ends here, and so does what nobody reads. Both
    would have click's exit code 1, which means that a bound is violated.
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
        except BrokenPipeError:
            _write_no_more()
            context.exit(NOBODY_READS)
        except OSError as error:
            if error.errno not in FULL or error.filename is not None:
                raise
            _write_no_more()
            raise Mistake(f"the output cannot be written: {error.strerror}") from None
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # rich ends with 1 where nobody reads any more
                end.code = NOBODY_READS
            raise


def _write_no_more() -> None:
    """Python would try once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
