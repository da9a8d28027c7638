"""One-token mutants of the learners and their components: how many `arena check` and `arena hunt` catch.

    python benchmarks/mutants.py [--sample 200] [--seed 0] [--budget 30] [--log FILE] [--slice 1/2] [--write]

A mutant differs from the source in one token: a constant, an operator, a comparison, a name, or a statement that is
dropped. It is loaded in place of the original in a process of its own; no file of the checkout is changed. Each learner
that uses the mutated module is checked, then hunted, for `--budget` seconds in all; the first complaint catches the
mutant. Seconds are of processor time, so that other work on the machine does not decide. With `--log` results are
appended to a file, and mutants that stand there already are not run again, so that a long run can be done in slices,
and goes on after small changes of the sources. Mutants that no match can distinguish from the original stand in
`equivalent_mutants.toml`, each with its reason; they are not run.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {"learners": "arena.learners", "arena/components": "arena.components"}
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
MOST_LEARNERS = 6  # of those that use the module
GRACE = 5.0  # seconds of processor time beyond the budget of a learner, after which the mutant hangs
ASLEEP = 20  # times as long a mutant may take on the wall, since other work may share the processor
FIRST = ("plays", "same-seed-same-run", "replay-equals-rounds", "peek-equals-predict", "promised-theorems-hold")

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
    """A change of the bytes from `start` to `stop` of a file into `text`."""

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
        """The whole mutated file."""
        raw = (ROOT / self.file).read_bytes()
        return (raw[: self.start] + self.text.encode() + raw[self.stop :]).decode()

    @property
    def place(self) -> str:
        """The text of the line, the place in it and the change: the same after other lines of the file change."""
        raw = (ROOT / self.file).read_bytes()
        begin, end = raw.rfind(b"\n", 0, self.start) + 1, raw.find(b"\n", self.start)
        line = raw[begin:end].decode()
        offset = self.start - begin - (len(line) - len(line.lstrip()))
        return f"{self.file}: {line.strip()} @ {offset}: {self.stop - self.start} -> {self.text}"

    @property
    def line(self) -> int:
        """The number of the line that is changed."""
        return (ROOT / self.file).read_bytes()[: self.start].count(b"\n") + 1

    @property
    def lines(self) -> tuple[str, str]:
        """The lines before and after, without indentation."""
        before = (ROOT / self.file).read_text(encoding="utf-8").splitlines()
        changes = [each for each in difflib.ndiff(before, self.source.splitlines()) if each[:2] in ("- ", "+ ")]
        sides = (" ".join(each[2:].strip() for each in changes if each[0] == sign) for sign in "-+")
        first, second = sides
        return first, second

    @property
    def title(self) -> str:
        """The file, the line and the change."""
        return f"{self.file}:{self.line}: {self.lines[0]}  ->  {self.lines[1]}"


class _Mutations(ast.NodeVisitor):
    """Collects the mutants of one file."""

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
        """Replace the operator between two nodes."""
        if type(operator) not in OPERATORS:
            return
        old, new = OPERATORS[type(operator)]
        start, stop = self.at(left, end=True), self.at(right)
        pattern = rb"(?<![*/<>=!])" + re.escape(old.encode()) + rb"(?![*/=])"
        match = re.search(pattern, self.raw[start:stop])
        if match:
            self.add(kind, start + match.start(), start + match.end(), new)

    def visit_Raise(self, node: ast.Raise) -> None:
        """A message is not mutated."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Nor is a formatted text."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Of declarations only values are mutated, and of parameters nothing."""
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
    """All mutants of the learners and of the components that they use, in a fixed order."""
    found = []
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name != "__init__.py" and module_of(folder, package, path) in used_by_learners():
                raw = path.read_bytes()
                visitor = _Mutations(str(path.relative_to(ROOT)), raw)
                visitor.visit(ast.parse(raw))
                found += visitor.found
    return tuple(found)


def module_of(folder: str, package: str, path: Path) -> str:
    """The name under which a file of the folder is imported."""
    return f"{package}.{path.relative_to(ROOT / folder).with_suffix('').as_posix().replace('/', '.')}"


@cache
def used_by_learners() -> frozenset[str]:
    """The modules of learners, of embeddings, which specs of learners name, and all that these import."""
    from arena.specs import registry

    reached = {name for name in imports() if name.startswith("arena.learners.")}
    reached |= {registry.find("embedding", name).__module__ for name in registry.entries("embedding")}
    while further := {far for near in reached for far in imports().get(near, ())} - reached:
        reached |= further
    return frozenset(reached)


def sample(size: int, seed: int) -> list[Mutant]:
    """A seeded sample, with as many of each kind: names are more than half of all mutants, and are easily caught."""
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


@cache
def imports() -> dict[str, set[str]]:
    """The modules of the folders that each of them imports."""
    direct: dict[str, set[str]] = {}
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.walk(ast.parse(path.read_bytes()))
            found = {each.module for each in tree if isinstance(each, ast.ImportFrom) and each.module}
            direct[module_of(folder, package, path)] = found
    return direct


def distance(module: str, used: str) -> float:
    """How many imports lead from a module to one that it uses; infinity if none do."""
    reached, found = {module}, 0
    while used not in reached:
        further = {far for near in reached for far in imports().get(near, ())} - reached
        if not further:
            return float("inf")
        reached, found = reached | further, found + 1
    return found


def users(mutant: Mutant) -> list[str]:
    """The learners that use the mutated module: its own first, then those that promise theorems and are nearest."""
    from arena.players.learner import as_learner
    from arena.specs import registry
    from arena.specs.building import build

    embeddings = [name for name in sorted(registry.entries("embedding"))
                  if registry.find("embedding", name).__module__ == mutant.module]  # fmt: skip
    own = [f"pkawv(embedding={name})" for name in embeddings]
    others: list[tuple[bool, float, str]] = []
    for name in sorted(registry.entries("learner")):
        away = distance(registry.find("learner", name).__module__, mutant.module)
        if away == 0:
            own.append(name)
        elif away < float("inf"):
            others.append((not as_learner(build("learner", name)).theorems, away, name))
    return [*own, *(name for *_, name in sorted(others))][: max(MOST_LEARNERS, len(own))]


class _InPlace(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutated source under the module's name."""

    def __init__(self, mutant: Mutant):
        self.mutant = mutant

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.mutant.module:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=str(ROOT / self.mutant.file))

    def exec_module(self, module: ModuleType) -> None:
        file = str(ROOT / self.mutant.file)
        module.__file__ = file
        exec(compile(self.mutant.source, file, "exec"), module.__dict__)


def processor_time() -> float:
    """The seconds that this process and its children that ended have computed."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def complaint(learner: str, hunted: float | None, matches: int | None = None) -> str:
    """The first complaint of `check` about a learner, or of `hunt` in so many seconds or matches; empty if none."""
    from arena.errors import ArenaError
    from arena.hunt import hunt
    from arena.testing.checks import LEARNER_CHECKS, examine_learner

    try:
        if hunted is not None:
            violation = hunt(learner, budget=max(hunted, 1.0), matches=matches, workers=0).violation
            return f"hunt {learner}: {violation.reason}" if violation else ""
        examination = examine_learner(learner)
        for name in (*FIRST, *(check.name for check in LEARNER_CHECKS)):
            result = examination.result(name)
            if result.bad:
                return f"check {learner}: {result}"
    except ArenaError as error:
        if "promises no theorem" in str(error):
            return ""
        return f"{learner}: {error}"
    except Exception as error:
        return f"{learner}: {type(error).__name__}: {error}"
    return ""


Left = dict[str, float]  # seconds of the budget that the checks of each learner have left


def judge_here(mutant: Mutant, budget: float, left: Left | None, matches: int | None = None) -> tuple[str, Left]:
    """The complaint that catches the mutant, which is loaded into this process, or else ""; and what is left.

    Learners are checked; if `left` is given, they were checked before, and are hunted for so many seconds.
    """
    # the other process of a check would load the original
    os.environ["REGRET_ARENA_OTHER_PROCESS"] = "1"
    time.monotonic = processor_time  # which a hunt reads
    sys.meta_path.insert(0, _InPlace(mutant))
    after: Left = {}
    try:
        for learner in users(mutant) if left is None else left:
            started = processor_time()
            resource.setrlimit(resource.RLIMIT_CPU, (round(started + budget + GRACE), resource.RLIM_INFINITY))
            seconds = None if left is None else left[learner]
            if found := complaint(learner, seconds, matches) if seconds is None or seconds > 0 else "":
                return found, {}
            after[learner] = round(budget - (processor_time() - started), 2)
    except Exception as error:  # the module cannot be imported
        return f"import: {type(error).__name__}: {error}", {}
    return "", after


def judge(mutant: Mutant, budget: float, left: Left | None = None, matches: int | None = None) -> tuple[str, Left]:
    """The same in a process of its own; a process that hangs or dies catches the mutant, too.

    With `matches` hunts play so many, which find the same on every machine.
    """
    task = json.dumps({"mutant": asdict(mutant), "budget": budget, "left": left, "matches": matches})
    limit = round(ASLEEP * (budget + GRACE) * (MOST_LEARNERS + 2))
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [sys.executable, __file__, "--task", task],
            capture_output=True, text=True, timeout=limit, cwd=Path(__file__).parent, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"hang: no answer within {limit} s", {}
    if done.returncode == -signal.SIGXCPU:
        return f"hang: no answer within {budget + GRACE:g} s of processor time", {}
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "{}"
    answer = json.loads(last) if last.startswith("{") else {}
    if "caught" not in answer:
        return f"death: the process ended with {done.returncode}: {done.stderr.strip()[-200:]}", {}
    return str(answer["caught"]), answer["left"]


UNHUNTED = "checked, and not hunted yet"


@dataclass(frozen=True)
class Judged:
    """A mutant, the complaint that catches it, "" if there is none, and a remark if it was not hunted."""

    mutant: Mutant
    caught: str
    remark: str = ""


def results(chosen: Sequence[Mutant], log: Path | None, budget: float, *, run: bool) -> list[Judged]:
    """Each mutant with the complaint that catches it; what stands in the log is not run again.

    Learners are checked with all mutants before the first one is hunted, since a hunt that finds nothing takes the rest
    of the budget. Unless `run`, mutants that do not stand in the log are left out.
    """
    known, left = dict[str, str](), dict[str, Left]()
    if log and log.exists():
        for row in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
            if row.get("left"):
                left[row["place"]] = row["left"]
            else:
                known[row["place"]] = row["caught"]
    for hunted in (False, True) if run else ():
        for mutant in chosen:
            place = mutant.place
            if place in known or (place in left) > hunted or why_equivalent(mutant):
                continue
            started = processor_time()
            caught, after = judge(mutant, budget, left.get(place))
            row = {"place": place, "kind": mutant.kind, "caught": caught}
            if caught or hunted:
                known[place] = caught
            else:
                left[place] = row["left"] = after
            row["seconds"] = round(processor_time() - started, 1)
            word = "caught" if caught else "SURVIVED" if hunted else "left"
            print(f"{word:8} {row['seconds']:6.1f} s  {mutant.title}  {caught[:120]}", flush=True)
            if log:
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
    judged = [each for each in chosen if each.place in known or each.place in left or why_equivalent(each)]
    return [
        Judged(each, known.get(each.place, ""), "" if each.place in known else UNHUNTED * (each.place in left))
        for each in judged
    ]


def reasons() -> tuple[dict[str, str], ...]:
    """The table of equivalent mutants: file, line, what it becomes, and why no match can distinguish the two."""
    return tuple(tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["mutant"])


def why_equivalent(mutant: Mutant) -> str:
    """The reason why the mutant is equivalent to the original; empty if there is none."""
    before, after = mutant.lines
    for row in reasons():
        same_line = re.fullmatch(row["line"], before) if row.get("pattern") else row["line"] == before
        if row["file"] in ("*", mutant.file) and same_line and row.get("becomes", after) == after:
            return row["reason"]
    return ""


def page(found: Sequence[Judged], size: int, seed: int, budget: float) -> str:
    """The page docs/results/mutants.md."""
    survivors = [each for each in found if not each.caught]
    equivalent = [(each.mutant, why_equivalent(each.mutant)) for each in survivors if why_equivalent(each.mutant)]
    real = [each for each in survivors if not why_equivalent(each.mutant)]
    judged = len(found) - len(equivalent)
    share = 100 * (judged - len(real)) / max(judged, 1)
    by = Counter(each.caught.split(" ")[0].rstrip(":") for each in found if each.caught)
    unhunted = sum(bool(each.remark) for each in real)
    part = [] if len(found) == size and not unhunted else [
        "", f"Judged so far are {len(found)} of the {size}; {unhunted} of these were checked, and not hunted yet, and",
        "count as survivors.",
    ]  # fmt: skip
    lines = [
        "# One-token mutants of the learners, and how many are caught",
        "",
        f"Made by `python benchmarks/mutants.py --sample {size} --seed {seed} --budget {budget:g} --write`: a",
        f"seeded sample of {size} of the {len(mutants()):,} mutants of `learners/` and `arena/components/`, as",
        "many of each kind, each in one token. Every learner that uses the mutated module (six at most) is checked",
        f"and hunted, {budget:g} s of processor time a learner.",
        *part,
        "",
        f"- caught: {judged - len(real)} of {judged} that are not equivalent ({share:.1f} %)",
        f"- equivalent: {len(equivalent)} (the reasons are below)",
        "- caught by: " + ", ".join(f"{who} {count}" for who, count in by.most_common()),
        "",
        "| kind | mutants | equivalent | survived |",
        "| --- | --- | --- | --- |",
    ]
    every, same, alive = ([one.mutant for one in found], [one for one, _ in equivalent], [one.mutant for one in real])
    for kind in KINDS:
        counts = [sum(each.kind == kind for each in some) for some in (every, same, alive)]
        lines.append(f"| {kind} | " + " | ".join(map(str, counts)) + " |")
    lines += ["", "## Survivors", ""]
    for each in real:
        before, after = each.mutant.lines
        where = f"`{each.mutant.file}:{each.mutant.line}`" + (f", {each.remark}" if each.remark else "")
        lines += [where, "", "```diff", f"- {before}", f"+ {after}", "```", ""]
    lines += [] if real else ["None.", ""]
    lines += ["## Equivalent mutants", ""]
    lines += [
        f"- `{mutant.file}`: `{mutant.lines[0]}` becomes `{mutant.lines[1]}`: {reason}" for mutant, reason in equivalent
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=200, help="mutants")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds for check and hunt of one learner")
    parser.add_argument("--log", type=Path, help="file of results, one a line")
    parser.add_argument("--slice", default="1/1", help="which part of the sample to run, such as 1/2")
    parser.add_argument("--write", action="store_true", help="write docs/results/mutants.md")
    parser.add_argument("--judged", action="store_true", help="only what stands in the log: nothing is run")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        task = json.loads(given.task)
        caught, left = judge_here(Mutant(**task["mutant"]), task["budget"], task["left"])
        print(json.dumps({"caught": caught, "left": left}), flush=True)
        return
    from _tools import publish

    part, parts = map(int, given.slice.split("/"))
    chosen = sample(given.sample, given.seed)[part - 1 :: parts]
    found = results(chosen, given.log, given.budget, run=not given.judged)
    publish(page(found, len(chosen), given.seed, given.budget), "mutants.md", write=given.write)


if __name__ == "__main__":
    main()
