"""The function `standalone`, which writes a script for a report to the authors of another library.

The script shows a failure of the library's model. It needs that library, but not the arena.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from arena.adapters.calls import Calls
from arena.counterexamples.reproduction import one_line
from arena.counterexamples.shrinking import Shrunk
from arena.specs import registry
from arena.specs.adapting import adapter_for
from arena.specs.addresses import names_code
from arena.specs.building import build, variadic
from arena.specs.extras import EXTRAS
from arena.specs.grammar import Spec, parse_spec
from arena.specs.spelling import is_unnamed

WIDTH = 110
MOST_REPEATED_MOVES = 6  # moves of the longest group that is written once, with a factor
OWN_CLASS = Calls("", "model.predict(np.array(x))", "model.update(np.array(x), y)")


def standalone(shrunk: Shrunk) -> str | None:
    """Return a script that plays the moves of the smallest match with the learner, and prints its predictions.

    The learner is a model of another library, or a class in a user's file. The source of a user's class is copied into
    the script. The script does not need the arena. The result is None if the learner has no spec, is built into the
    arena, has no readable source, or is a model for which the arena can write no code. It is also None for a class that
    has a method `begin`, or that needs the arena or more of its file than classes and imports.

    >>> import arena
    >>> from arena.counterexamples.shrinking import shrink
    >>> model = "padasip:filters.FilterLMS(n=1, mu=2.5, w=zeros)"
    >>> worst = arena.play(model, "far-point", rounds=6, dimension=1)
    >>> print(standalone(shrink(model, worst, "at-most(regret=9)")))  # doctest: +ELLIPSIS
    # padasip...
    from padasip import filters
    <BLANKLINE>
    import numpy as np
    <BLANKLINE>
    model = filters.FilterLMS(n=1, mu=2.5, w='zeros')
    ...
    """
    run = shrunk.smallest
    if is_unnamed(run.learner) or not names_code(run.learner):
        return None
    spec = parse_spec(run.learner)
    moves = [(x, y) for x, y in zip(shrunk.points.tolist(), shrunk.labels.tolist(), strict=True)]
    body = _of_library(spec, run.game.feature_names) if spec.name.partition(":")[0] in EXTRAS else _of_class(spec)
    return None if body is None else "\n".join([*_heading(shrunk, spec), *body[0], *_rounds(moves, body[1]), ""])


def _heading(shrunk: Shrunk, spec: Spec) -> list[str]:
    """Return comment lines that name the library (or the class) and describe the failure."""
    library = EXTRAS.get(spec.name.partition(":")[0])
    try:
        what = f"{library} {version(library)}" if library else spec.name.rpartition(":")[2]
    except PackageNotFoundError:
        what = str(library)
    verdict = shrunk.verdict
    if verdict is None or verdict.violation is None:
        return [f"# {what}: {one_line(str(shrunk.smallest.forfeit).splitlines()[0])}"]
    measured, allowed = verdict.violation
    beyond = f"{verdict.quantity} {measured:.6g}, allowed {allowed:.6g}"
    claim = verdict.name if names_code(verdict.theorem) else verdict.theorem
    return [f"# {what}: {one_line(claim)}", f"# is violated in round {verdict.round}: {beyond}"]


def _of_library(spec: Spec, names: Sequence[str]) -> tuple[list[str], Calls] | None:
    """Return lines of code that make the library's model `spec`, and the code that plays a round with it.

    `names` has the names of the points' coordinates. The result is None if the arena cannot write code for the model.
    """
    model = build("learner", spec)
    adapter: Any = adapter_for(model)
    calls = getattr(adapter, "calls", None)
    if calls is None:
        return None
    imports: set[tuple[str, str]] = set()
    made = expression(spec, imports)
    found: Calls = calls(model, names)
    more = [*found.imports, ""] if found.imports else []
    return [*_merged(imports), "", *more, f"model = {made}"], found


def _merged(imports: set[tuple[str, str]]) -> list[str]:
    """Return one import statement for each package; `imports` has pairs of a package and a name."""
    packages = sorted({package for package, _ in imports})
    return [f"from {each} import {', '.join(sorted(name for of, name in imports if of == each))}" for each in packages]


def _of_class(spec: Spec) -> tuple[list[str], Calls] | None:
    """Return lines of code that define and make the learner `spec`, and the code that plays a round with it.

    The result is None if the spec names no class, or if the class's source cannot be read. It is also None if the class
    needs more than a script without the arena has: a game for its `begin`, the arena itself, or functions and variables
    of its file.
    """
    cls = registry.find("learner", spec.name)
    if not isinstance(cls, type) or hasattr(cls, "begin"):
        return None
    parts = [each for each in reversed(cls.__mro__) if each.__module__ == cls.__module__]
    try:
        sources = [_without_promises(textwrap.dedent(inspect.getsource(each))) for each in parts]
        module = ast.parse(inspect.getsource(sys.modules[cls.__module__]))
    except (OSError, TypeError, KeyError, SyntaxError):
        return None
    used = {node.id for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    imports = [line for node in module.body for line in _import_of(node, used)]
    known = {each.__name__ for each in parts} | _imported(imports)
    if used & vars(sys.modules[cls.__module__]).keys() - known:
        return None
    imports = imports if "import numpy as np" in imports else ["import numpy as np", *imports]
    made = f"model = {cls.__name__}({', '.join(f'{key}={expression(value, set())}' for key, value in spec.parameters)})"
    return [*imports, "", *"\n".join(sources).splitlines(), "", made], OWN_CLASS


def _imported(imports: Sequence[str]) -> set[str]:
    """Return the names that these import statements bind, except for names that come from the arena."""
    found = set()
    for line in imports:
        [node] = ast.parse(line).body
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        for each in node.names:
            package = (node.module or "") if isinstance(node, ast.ImportFrom) else each.name
            if package.partition(".")[0] != "arena":
                found.add(each.asname or each.name.partition(".")[0])
    return found


def _without_promises(source: str) -> str:
    """Return the source of a class without the attribute `theorems`, the docstring of the class, and blank lines."""
    lines = source.splitlines()
    [tree] = ast.parse(source).body
    assert isinstance(tree, ast.ClassDef)
    dropped: set[int] = set()
    kept = 0
    for node in tree.body:
        promise = isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "theorems" for each in node.targets)
        described = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if (promise or described) and node.lineno > tree.lineno:
            dropped.update(range(node.lineno - 1, node.end_lineno or node.lineno))
        else:
            kept += 1
    rest = [line for number, line in enumerate(lines) if number not in dropped and line.strip()]
    return "\n".join(rest if kept else [*rest, "    pass"])


def _import_of(node: ast.stmt, used: set[str]) -> Iterator[str]:
    """Yield the source of the import statement `node`, reduced to the names in `used`.

    Nothing is yielded if `node` imports no such name.
    """
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        kept = [each for each in node.names if (each.asname or each.name.partition(".")[0]) in used]
        if kept and isinstance(node, ast.Import):
            yield ast.unparse(ast.Import(kept))
        elif kept and isinstance(node, ast.ImportFrom):
            yield ast.unparse(ast.ImportFrom(node.module, kept, node.level))


def expression(value: Any, imports: set[tuple[str, str]]) -> str:
    """Return a value of a spec as a Python expression.

    For each name that the expression needs, a pair (package, name) is added to `imports`.

    >>> imports = set()
    >>> expression(parse_spec("river:linear_model.LinearRegression(optimizer=river:optim.SGD(lr=0.1))"), imports)
    'linear_model.LinearRegression(optimizer=optim.SGD(lr=0.1))'
    >>> sorted(imports)
    [('river', 'linear_model'), ('river', 'optim')]
    """
    if isinstance(value, Spec):
        package, _, dotted = value.name.partition(":")
        imports.add((package, dotted.partition(".")[0]))
        spread = variadic(registry.find("object", value.name))
        given = [
            expression(each, imports)
            for key, values in value.parameters
            if key == spread
            for each in (values if isinstance(values, tuple) else (values,))
        ]
        given += [f"{key}={expression(each, imports)}" for key, each in value.parameters if key != spread]
        return f"{dotted}({', '.join(given)})"
    if isinstance(value, tuple):
        return f"[{', '.join(expression(each, imports) for each in value)}]"
    return repr(value)


def _rounds(moves: Sequence[tuple[list[float], float]], calls: Calls) -> list[str]:
    """Return the lines of the script that play the moves and print the predictions; `calls` is the code of a round."""
    lines = ["moves = []  # no move was made"] if not moves else _moves(moves)
    lines += ["for t, (x, y) in enumerate(moves):", *([f"    {calls.row}"] if calls.row else [])]
    lines.append(f"    prediction = {calls.predict}")
    lines.append('    print(f"round {t + 1}: x = {x}, label {y:g}, prediction {prediction:.9g}")')
    return [*lines, f"    {calls.learn}"]


def _moves(moves: Sequence[tuple[list[float], float]]) -> list[str]:
    """Return Python code that assigns the list `moves`, such as `moves = [(x, y)] * 3` for repeated moves."""
    groups: list[str] = []
    rest = list(moves)
    while rest:
        period, times = max(
            ((p, _repeats(rest, p)) for p in range(1, MOST_REPEATED_MOVES + 1)),
            key=lambda each: each[0] * (each[1] - 1),
        )
        period, times = (period, times) if times > 1 else (1, 1)
        group = ", ".join(f"({x}, {y})" for x, y in rest[:period])
        if times == 1 and groups and groups[-1].endswith("]"):
            groups[-1] = f"{groups[-1][:-1]}, {group}]"
        else:
            groups.append(f"[{group}]" + (f" * {times}" if times > 1 else ""))
        rest = rest[period * times :]
    whole = f"moves = {' + '.join(groups)}"
    return [whole] if len(whole) <= WIDTH else _wrapped(groups)


def _wrapped(groups: Sequence[str]) -> list[str]:
    """Return lines of Python code that set `moves` to the sum of the expressions `groups`, such as "[(x, y)] * 3"."""
    lines, line = ["moves = ("], "   "
    for word in " + ".join(groups).replace("), (", "),\0(").split("\0"):
        if len(line) + len(word) > WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += f" {word}"
    return [*lines, line, ")"]


def _repeats(moves: Sequence[Any], period: int) -> int:
    """Return how many times in a row the first `period` moves occur at the beginning of the sequence."""
    times = 1
    while list(moves[times * period : (times + 1) * period]) == list(moves[:period]):
        times += 1
    return times
