r"""Line numbers of the values in a TOML file, for error messages; `tomllib` does not return them.

>>> lines = lines_of('learners = [\n  "krr",\n  "zero", # a comment\n]\n[game]\nrounds = 5\n')
>>> lines["learners", 1], lines["game", "rounds"]
(3, 6)
"""

from __future__ import annotations

import re
import tomllib

Path = tuple[str | int, ...]
_TOKEN = re.compile(
    r'''(?P<text>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')'''
    r"""|(?P<comment>\#[^\n]*)|(?P<newline>\n)|(?P<sign>\[\[|\]\]|[\[\]{}=,.])|(?P<space>[^\S\n]+)"""
    r"""|(?P<word>[^\s\[\]{}=,.#"']+(?:\.\d[^\s\[\]{}=,#"']*)?)""",
    re.DOTALL,
)


def lines_of(text: str) -> dict[Path, int]:
    """Return a dictionary from the path of each value in a TOML text to the line, from 1, on which the value begins.

    A path is a tuple of keys, the outermost first. The key of an item of a list is its position, from 0.
    """
    return _Reader(text).lines


class _Reader:
    def __init__(self, text: str):
        self.tokens = [(found.lastgroup, found[0]) for found in _TOKEN.finditer(text)]
        self.at, self.line = 0, 1
        self.lines: dict[Path, int] = {}
        self.tables: dict[Path, int] = {}
        self._read()

    def _peek(self) -> tuple[str | None, str]:
        """Skip spaces, comments and newlines; return kind and text of the next token without taking it."""
        while self.at < len(self.tokens) and self.tokens[self.at][0] in ("space", "comment", "newline"):
            self.line += self.tokens[self.at][1].count("\n")
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else (None, "")

    def _take(self) -> str:
        _, text = self._peek()
        self.line += text.count("\n")
        self.at += 1
        return text

    def _read(self) -> None:
        table: Path = ()
        while self._peek()[0] is not None:
            _, text = self._peek()
            if text in ("[", "[["):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        line, opening = self.line, self._take()
        path: Path = self._key()
        self._take()
        if opening == "[[":
            self.tables[path] = self.tables.get(path, -1) + 1
            path = (*path, self.tables[path])
        self.lines[path] = line
        return path

    def _key(self) -> Path:
        parts: list[str] = []
        while True:
            kind, _ = self._peek()
            text = self._take()
            parts += [_unquoted(text)] if kind == "text" else text.split(".")
            if self._peek()[1] != ".":
                return tuple(parts)
            self._take()

    def _pair(self, table: Path) -> None:
        path = (*table, *self._key())
        self._take()  # the sign =
        self._value(path)

    def _value(self, path: Path) -> None:
        kind, text = self._peek()
        self.lines[path] = self.line
        if kind == "sign" and text in ("[", "[["):
            self._list(path)
        elif text == "{":
            self._take()
            while self._peek()[1] != "}":
                self._pair(path)
                if self._peek()[1] == ",":
                    self._take()
            self._take()
        else:
            self._take()
            while self.at < len(self.tokens) and self.tokens[self.at][0] in ("word", "space"):  # a date and a time
                self.at += 1

    def _list(self, path: Path) -> None:
        self._split_brackets()
        self._take()
        number = 0
        while True:
            self._split_brackets()
            text = self._peek()[1]
            if text in ("]", ""):
                self._take()
                return
            if text == ",":
                self._take()
                continue
            self._value((*path, number))
            number += 1

    def _split_brackets(self) -> None:
        """If the next token is [[ or ]], replace it by two single brackets; lists have no double brackets."""
        kind, text = self._peek()
        if text in ("[[", "]]"):
            self.tokens[self.at : self.at + 1] = [(kind, text[0])] * 2


def _unquoted(text: str) -> str:
    return next(iter(tomllib.loads(f"{text} = 0")))
