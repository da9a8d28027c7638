"""Specs: texts that describe a configured object, the same in Python, on the command line and in files.

    kernel-awv      greedy(starts=16)      ./mine.py:MyLearner(rate=0.1)      pkawv(embedding=taylor(degree=3))

A value is a number, true, false, none, a word, a 'quoted text', a [list] or another spec. Printing is the inverse of
parsing:

>>> spec = parse_spec("fgd(rate = 1e-1, steps=[1,2])")
>>> spec
Spec(name='fgd', parameters=(('rate', 0.1), ('steps', (1, 2))))
>>> str(spec)
'fgd(rate=0.1, steps=[1, 2])'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from arena.errors import ArenaError

_WORD = re.compile(r"[^\s()\[\],='\"]+")
_PARAMETER = re.compile(r"[^\W\d]\w*")
_CONSTANTS = {"none": None, "true": True, "false": False, "None": None, "True": True, "False": False}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf)")


@dataclass(frozen=True)
class Spec:
    """A parsed spec: a name with parameters."""

    name: str
    parameters: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        plain = self.name and self.name == self.name.strip() and "(" not in self.name and self.name[0] not in "'\""
        return (self.name if plain else _quoted(self.name)) + (self._arguments() if self.parameters else "")

    def _called(self) -> str:
        """Return the text of this spec as the value of a parameter.

        Without parameters the text is `name()`, since a bare `name` would be parsed as a word.
        """
        return (self.name if _WORD.fullmatch(self.name) else _quoted(self.name)) + self._arguments()

    def _arguments(self) -> str:
        return "(" + ", ".join(f"{key}={format_value(value)}" for key, value in self.parameters) + ")"


def parse_spec(text: str | Spec) -> Spec:
    """Return the spec that the text means; a `Spec` is returned unchanged.

    If the text is no spec, raise an `ArenaError` that points at the mistake.
    """
    if isinstance(text, Spec):
        return text
    if _WORD.fullmatch(text):
        return Spec(text)
    try:
        return _Parser(text).whole()
    except RecursionError:
        raise ArenaError(f"cannot read the spec {text[:40]!r}...: it is nested too deeply") from None


def format_value(value: Any) -> str:
    """Return a parameter's value as text that `parse_spec` reads back."""
    for word, constant in _CONSTANTS.items():
        if value is constant:
            return word
    if isinstance(value, Spec):
        return value._called()
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(format_value, value)) + "]"
    if isinstance(value, str):
        plain = _WORD.fullmatch(value) and not _NUMBER.fullmatch(value) and value not in _CONSTANTS
        return value if plain else _quoted(value)
    return repr(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


class _Parser:
    """Recursive-descent parser of one spec's text."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0

    def whole(self) -> Spec:
        if not self.text.strip():
            self.fail("it is empty")
        name = self.name()
        if not name:
            self.fail("a name must come first")
        spec = Spec(name, self.parameters() if self.peek() == "(" else ())
        if self.peek():
            self.fail("nothing may follow the closing parenthesis")
        return spec

    def name(self) -> str:
        if self.peek() in ("'", '"'):
            return self.quotation()
        start, self.at = self.at, self.text.find("(") if "(" in self.text else len(self.text)
        return self.text[start : self.at].strip()  # a path may hold spaces

    def parameters(self) -> tuple[tuple[str, Any], ...]:
        self.expect("(")
        found: dict[str, Any] = {}
        while self.peek() != ")":
            key = self.match(_PARAMETER, "a parameter's name")
            if key in found:
                self.fail(f"{key} is given twice")
            if self.peek() != "=":
                self.fail(f"write parameters by name, such as ({key}=...)" if found else "write name=value")
            self.expect("=")
            found[key] = self.value()
            self.separate(")")
        self.expect(")")
        return tuple(found.items())

    def value(self) -> Any:
        if self.peek() == "[":
            return self.items()
        quoted = self.peek() in ("'", '"')
        word = self.quotation() if quoted else self.match(_WORD, "a value")
        if self.text[self.at : self.at + 1] == "(":
            return Spec(word, self.parameters())
        if quoted:
            return word
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if _NUMBER.fullmatch(word):
            return self.number(word)
        return word

    def number(self, word: str) -> int | float:
        try:
            return int(word) if re.fullmatch(r"[+-]?\d+", word) else float(word)
        except ValueError:  # Python reads no whole number of more than 4300 digits
            self.fail(f"the number {word[:10]}... has too many digits")

    def items(self) -> tuple[Any, ...]:
        self.expect("[")
        found = []
        while self.peek() != "]":
            found.append(self.value())
            self.separate("]")
        self.expect("]")
        return tuple(found)

    def quotation(self) -> str:
        quote = self.peek()
        body = re.compile(rf"{quote}((?:[^\\{quote}]|\\.)*){quote}", re.DOTALL)
        quoted = self.match(body, f"a text that ends with {quote}")
        return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], quoted[1:-1], flags=re.DOTALL)

    def peek(self) -> str:
        """Skip spaces, and return the next character; "" at the end of the text."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def separate(self, closing: str) -> None:
        """Consume the comma between two items; do nothing if the bracket `closing` is next."""
        if not self.peek():
            self.fail(f"a {closing!r} is missing")
        if self.peek() != closing:
            self.expect(",")

    def expect(self, sign: str) -> None:
        if self.peek() != sign:
            self.fail(f"a {sign!r} is missing")
        self.at += 1

    def match(self, pattern: re.Pattern[str], what: str) -> str:
        self.peek()  # skips spaces
        found = pattern.match(self.text, self.at)
        if not found:
            self.fail(f"{what} is missing")
        self.at = found.end()
        return found[0]

    def fail(self, why: str) -> NoReturn:
        marker = f"{self.text[: self.at]}<here>{self.text[self.at :]}" if self.at else self.text
        raise ArenaError(f"cannot read the spec {self.text!r}: {why}, at {marker!r}. It looks like name(key=value).")
