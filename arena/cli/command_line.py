"""`CommandLine`, the group of all commands, which imports the chosen command and turns errors into exit codes."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click

from arena.cli.translation import in_options
from arena.errors import ArenaError, describe_error, nearest, printable, trace_of

NOTHING_DECIDED = 2  # --bound names theorems of which none was decided; wrong usage has the same code
INCOMPLETE = 3  # a match could not be played for a reason other than its players, or files were damaged
BUG = 70  # a fault of the arena; the same number as EX_SOFTWARE in sysexits.h
SHOW_TRACE = "REGRET_ARENA_TRACEBACK"  # environment variable: any value but "" and "0" prints the trace of such a fault
INTERRUPTED = 130  # the code that shells give after Ctrl-C
NO_READER = 141  # the code that shells give a process that writes to a closed pipe
RESERVED = "arena.cli.reserved"  # key in `context.meta` under which `output.reserve_stdout` keeps the standard output
ADVICE = {  # for each error of the system: what to do about it
    errno.EMFILE: "Too few files may be open at once: raise the limit (ulimit -n 256).",
    errno.ENFILE: "Too few files may be open at once on this machine.",
    errno.EAGAIN: "No further process can be started: end others, or raise the limit (ulimit -u).",
    errno.ENOMEM: "The memory is full: end other programs, or play one match at a time (no --seeds).",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.ENOENT: "Was the working folder removed? Change to another.",
}
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class UserError(click.ClickException):
    """An exception that ends the program with a message and exit code 2, without a stack trace."""

    exit_code = 2


class InternalError(click.ClickException):
    """An exception that reports a fault of the arena: it ends the program with a message and exit code 70.

    If the environment variable REGRET_ARENA_TRACEBACK is set, the stack trace is printed first.
    """

    exit_code = BUG

    def __init__(self, error: BaseException):
        what = printable(" ".join(describe_error(error, ours=True).split()))
        super().__init__(
            f"internal error: {what}\nThis is a bug in regret-arena: please report it with the command and the output "
            f"of arena --version; {SHOW_TRACE}=1 prints where it happened."
        )
        self.trace = trace_of(error)

    def show(self, file: Any = None) -> None:
        if os.environ.get(SHOW_TRACE, "0") not in ("", "0"):
            click.echo(printable(self.trace, 20_000), err=True, nl=False)
        super().show(file)


@contextlib.contextmanager
def failures_as_messages() -> Iterator[None]:
    """Context manager: turns exceptions in the block into exceptions with a message and an exit code.

    - Ctrl-C, SystemExit, and errors of standard output (a closed pipe, a full disk) are raised again, for
      `CommandLine.invoke`.
    - Exceptions of click are raised again; in their messages control characters are escaped, and long texts are cut.
    - An `ArenaError`, a lack of memory, and any other error of the operating system become a `UserError`.
    - Every other exception becomes an `InternalError`.
    """
    try:
        yield
    except click.ClickException as error:
        # the message may repeat arguments of the user
        error.message = printable(in_options(error.message))  # type: ignore[misc]
        raise
    except click.exceptions.Exit:
        raise
    except ArenaError as error:
        raise UserError(printable(in_options(str(error)))) from None
    except MemoryError as error:
        said = printable(str(error))
        raise UserError(
            f"the memory ran out{': ' if said else ''}{said}. Fewer --rounds need less; so do --hindsight interval and "
            "--hindsight none, and learners whose memory does not grow (arena list learners)"
        ) from None
    except OSError as error:
        if isinstance(error, BrokenPipeError) or (error.errno in FULL and error.filename is None):
            raise
        name = f"{printable(str(error.filename), 100)}: " if error.filename is not None else ""
        raise UserError(f"{name}{error.strerror or error}. {ADVICE.get(error.errno or 0, '')}".rstrip()) from None
    except Exception as error:  # EOFError, too, for which click would end with 1
        raise InternalError(error) from error


class CommandLine(click.Group):
    """A group of commands that imports only the command to be run.

    `addresses` maps the name of a command to a pair: the command's address `module:attribute`, and its line in the
    help. `examples` maps command lines to descriptions of a few words.
    """

    def __init__(
        self, *args: Any, addresses: Mapping[str, tuple[str, str]], examples: Mapping[str, str], **kwargs: Any
    ):
        super().__init__(*args, **kwargs)
        self.addresses, self.examples = addresses, examples

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command, then end the process with the command's exit code."""
        from arena.cli.ending import NO_FAREWELL, leave, prepare_process

        prepare_process()
        try:
            self.main(*args, **kwargs)
        except SystemExit as end:
            leave(end.code)
        except OSError:  # standard error cannot be written either
            leave(NO_FAREWELL)
        except ValueError:  # standard error is closed
            leave(BUG)

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(self.addresses)

    def get_command(self, context: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.addresses:
            if not cmd_name.startswith("-") and not context.resilient_parsing:
                context.fail(f"there is no command {cmd_name!r}. {nearest(cmd_name, self.addresses)}")
            return None
        module, _, attribute = self.addresses[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.addresses[name][1]) for name in self.list_commands(context)])

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        try:
            with failures_as_messages():
                return super().make_context(*args, **kwargs)
        except KeyboardInterrupt:  # click would end with 1
            click.echo("Interrupted.", err=True)
            raise SystemExit(INTERRUPTED) from None

    def invoke(self, context: click.Context) -> Any:
        """Run the command; exit with 130 after Ctrl-C, and with 141 if the reader of the output has closed the pipe."""
        # in both cases click would end with 1, which is the exit code of a violated bound
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper) and stream.errors != "backslashreplace":  # the default of stderr
                stream.reconfigure(errors="replace")  # a name with an accent must not end the command
        try:
            with failures_as_messages():
                return super().invoke(context)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            context.exit(INTERRUPTED)
        except BrokenPipeError:
            _discard_further_output(context)
            context.exit(NO_READER)
        except OSError as error:
            if error.errno not in FULL or error.filename is not None:
                raise InternalError(error) from error
            _discard_further_output(context)
            raise UserError(f"the output cannot be written: {error.strerror}") from None
        except SystemExit as end:
            # rich ends the program with 1 after a closed pipe
            if isinstance(end.__context__, BrokenPipeError):
                end.code = NO_READER
            raise


class CommandWithExamples(click.Command):
    """A command whose help begins with `examples`, a mapping from command lines to descriptions of a few words."""

    def __init__(self, *args: Any, examples: Mapping[str, str], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_help_text(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)
        super().format_help_text(context, formatter)


def write_examples(formatter: click.HelpFormatter, examples: Mapping[str, str]) -> None:
    """Write command lines, each with its description below; the lines are not wrapped, so that they can be copied."""
    with formatter.section("Examples"):
        for command, meaning in examples.items():
            formatter.write(f"{'':{formatter.current_indent}}{command}\n")
            formatter.write(f"{'':{formatter.current_indent + 4}}{meaning}\n")


def _discard_further_output(context: click.Context) -> None:
    # Otherwise Python would fail again when it flushes standard output at its end.
    stream = context.meta.get(RESERVED, sys.stdout)
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
