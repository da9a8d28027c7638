"""Standard streams that replace control characters by visible text, so that users' code cannot control the terminal."""

from __future__ import annotations

import io
import re
import sys
from typing import Any, TextIO

from arena.errors import printable

STYLES = re.compile(r"\x1b\[[0-9;]*m")  # the allowed escapes: colours and weights of letters
MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")  # also moves of the cursor and deleted lines, for bars of progress


class PlainStream(io.TextIOWrapper):
    r"""A text stream that replaces control characters by visible text, such as a bell by the four characters `\x07`.

    Line ends, tabulators and the control sequences for the colours of letters are kept.

    >>> stream = PlainStream(io.BytesIO(), encoding="utf-8")
    >>> stream.write("\x1b[31mred\x1b[0m, \x1b]0;title\x07\n"), stream.flush()
    (25, None)
    >>> stream.buffer.getvalue()
    b'\x1b[31mred\x1b[0m, \\x1b]0;title\\x07\n'
    """

    def write(self, text: str) -> int:
        super().write(_written_out(text, STYLES) if "\x1b" in text else printable(text, len(text)))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)


class _Moving:
    """A stream that writes to a `PlainStream` but keeps control sequences that move the cursor, as progress bars do.

    Control sequences for colours are kept, too. Other control characters become visible text.
    """

    def __init__(self, stream: PlainStream):
        self._stream = stream

    def write(self, text: str) -> int:
        io.TextIOWrapper.write(self._stream, _written_out(text, MOVES))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def write_plainly(*names: str) -> None:
    """Make standard streams, by default "stdout" and "stderr", replace control characters by visible text.

    Streams that other code has already replaced, as in tests, are left as they are.
    """
    for name in names or ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper and stream is getattr(sys, f"__{name}__"):
            plain = plain_stream(stream)
            setattr(sys, name, plain)
            setattr(sys, f"__{name}__", plain)


def plain_stream(stream: io.TextIOWrapper) -> PlainStream:
    """Return a stream that writes to the buffer of `stream`, with control characters as visible text.

    `stream` itself cannot be used afterwards.
    """
    plain = PlainStream(
        stream.buffer,
        stream.encoding,
        stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    stream.detach()
    return plain


def moving(stream: TextIO) -> Any:
    """Return a stream that writes to `stream` and can move the cursor.

    It can do so even if `stream` replaces control characters by visible text (`PlainStream`).
    """
    return _Moving(stream) if isinstance(stream, PlainStream) else stream


def _written_out(text: str, allowed: re.Pattern[str]) -> str:
    """Return the text with control characters replaced by visible text, except where the pattern `allowed` matches."""
    pieces, at = [], 0
    for found in allowed.finditer(text):
        pieces += [printable(text[at : found.start()], len(text)), found.group()]
        at = found.end()
    return "".join([*pieces, printable(text[at:], len(text))])
