"""One-token mutants of the learners and of the components that they use: all of them, and a seeded sample."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from .sources import FOLDERS, ROOT, module_of, used_by_learners

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.Pow: ("**", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "//"),
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip
KINDS = ("constant", "operator", "comparison", "name", "statement")


@dataclass(frozen=True)
class Mutant:
    """A change of a source file: `text` replaces the bytes from `start` to `stop`."""

    file: str
    kind: str
    start: int
    stop: int
    text: str

    @property
    def module(self) -> str:
        """The name under which the file is imported."""
        folder = next(each for each in FOLDERS if self.file.startswith(f"{each}/"))
        return f"{FOLDERS[folder]}.{self.file[len(folder) + 1 : -3].replace('/', '.')}"

    @property
    def source(self) -> str:
        """The text of the whole mutated file."""
        raw = (ROOT / self.file).read_bytes()
        return (raw[: self.start] + self.text.encode() + raw[self.stop :]).decode()

    @property
    def place(self) -> str:
        """A text that identifies the mutant: the original line, the position in it, and the change.

        The text stays the same if other lines of the file change.
        """
        raw = (ROOT / self.file).read_bytes()
        begin, end = raw.rfind(b"\n", 0, self.start) + 1, raw.find(b"\n", self.start)
        line = raw[begin:end].decode()
        offset = self.start - begin - (len(line) - len(line.lstrip()))
        return f"{self.file}: {line.strip()} @ {offset}: {self.stop - self.start} -> {self.text}"

    @property
    def line(self) -> int:
        """The number of the changed line."""
        return (ROOT / self.file).read_bytes()[: self.start].count(b"\n") + 1

    @property
    def lines(self) -> tuple[str, str]:
        """The original and the mutated line, without indentation."""
        before = (ROOT / self.file).read_text(encoding="utf-8").splitlines()
        changes = [each for each in difflib.ndiff(before, self.source.splitlines()) if each[:2] in ("- ", "+ ")]
        sides = (" ".join(each[2:].strip() for each in changes if each[0] == sign) for sign in "-+")
        first, second = sides
        return first, second

    @property
    def title(self) -> str:
        """The file, the line number, the original line and the mutated one, as one text."""
        return f"{self.file}:{self.line}: {self.lines[0]}  ->  {self.lines[1]}"


class _Mutations(ast.NodeVisitor):
    """Visitor that collects the mutants of one file."""

    def __init__(self, file: str, raw: bytes):
        self.file, self.raw = file, raw
        self.found: list[Mutant] = []
        self.starts = [0]
        for line in raw.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.locals: list[list[str]] = []

    def at(self, node: Any, *, end: bool = False) -> int:
        line, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        return int(self.starts[line - 1] + column)

    def add(self, kind: str, start: int, stop: int, text: str) -> None:
        self.found.append(Mutant(self.file, kind, start, stop, text))

    def replace(self, kind: str, node: Any, text: str) -> None:
        self.add(kind, self.at(node), self.at(node, end=True), text)

    def operator(self, kind: str, left: Any, right: Any, operator: ast.AST) -> None:
        """Add the mutant in which the operator between two nodes is replaced."""
        if type(operator) not in OPERATORS:
            return
        old, new = OPERATORS[type(operator)]
        start, stop = self.at(left, end=True), self.at(right)
        pattern = rb"(?<![*/<>=!])" + re.escape(old.encode()) + rb"(?![*/=])"
        match = re.search(pattern, self.raw[start:stop])
        if match:
            self.add(kind, start + match.start(), start + match.end(), new)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Add no mutant: error messages stay as they are."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Add no mutant: formatted texts stay as they are."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Add the mutants of the declared value, but none for a call of `parameter(...)`."""
        call = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "parameter"
        if node.value is not None and not call:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        names = [each.arg for each in node.args.args + node.args.kwonlyargs if each.arg not in ("self", "cls")]
        names += [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
        self.locals.append(list(dict.fromkeys(names)))
        for default in (*node.args.defaults, *(each for each in node.args.kw_defaults if each)):
            self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self.locals.pop()

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.replace("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self.replace("constant", node, str(node.value + 1))
        elif isinstance(node.value, float):
            self.replace("constant", node, f"{1.125 * node.value if node.value else 1.0:g}")

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.operator("operator", node.left, node.right, node.op)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.operator("comparison", node.values[0], node.values[1], node.op)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.operator("comparison", node.left, node.comparators[0], node.ops[0])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.USub, ast.Not)):
            self.add("operator", self.at(node), self.at(node.operand), "")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        old, new = OPERATORS.get(type(node.op), ("", ""))
        between = self.raw[self.at(node.target, end=True) : self.at(node.value)]
        at = between.find(f"{old}=".encode())
        if old and at >= 0:
            start = self.at(node.target, end=True) + at
            self.add("operator", start, start + len(old), new)
        self.replace("statement", node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        # without the assignment of a local name the next line fails; that of an attribute may go unnoticed
        if all(isinstance(each, (ast.Attribute, ast.Subscript)) for each in node.targets):
            self.replace("statement", node, "pass")
        self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.replace("statement", node, "pass")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if getattr(node.func, "id", "") in ("parameter", "import_extra"):
            return
        if len(node.args) > 1 and not any(isinstance(each, ast.Starred) for each in node.args[:2]):
            first, second = node.args[:2]
            texts = [self.raw[self.at(each) : self.at(each, end=True)] for each in (first, second)]
            if texts[0] != texts[1]:
                between = self.raw[self.at(first, end=True) : self.at(second)]
                swapped = (texts[1] + between + texts[0]).decode()
                self.add("name", self.at(first), self.at(second, end=True), swapped)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        names = self.locals[-1] if self.locals else []
        if isinstance(node.ctx, ast.Load) and node.id in names and len(names) > 1:
            self.replace("name", node, names[(names.index(node.id) + 1) % len(names)])


@cache
def mutants() -> tuple[Mutant, ...]:
    """Return all mutants of the learners and of the components that they use, in a fixed order."""
    found = []
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name != "__init__.py" and module_of(folder, package, path) in used_by_learners():
                raw = path.read_bytes()
                visitor = _Mutations(str(path.relative_to(ROOT)), raw)
                visitor.visit(ast.parse(raw))
                found += visitor.found
    return tuple(found)


def sample(size: int, seed: int) -> list[Mutant]:
    """Return a seeded sample with equally many mutants of each kind.

    Without this balance more than half of the sample would be changed names, which are easily caught.
    """
    drawn: dict[str, list[tuple[bytes, Mutant]]] = {kind: [] for kind in KINDS}
    met: Counter[str] = Counter()
    for each in mutants():
        place = each.place
        met[place] += 1
        # by a digest, not shuffled: a change of one file leaves the sample of the others as it is
        drawn[each.kind].append((hashlib.sha256(f"{seed} {place} {met[place]}".encode()).digest(), each))
    for some in drawn.values():
        some.sort(key=lambda pair: pair[0])
    return [drawn[kind][at][1] for at in range(-(-size // len(KINDS))) for kind in KINDS][:size]
