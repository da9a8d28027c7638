"""`arena show NAME`: prints the docstring, the parameters and the theorems of one class."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import click

from arena.cli.completion import specs
from arena.cli.descriptions import plain, print_lines, prose, shipped_statuses, wrapped
from arena.cli.notation import letters_in
from arena.cli.options import json_option
from arena.cli.output import picked, print_json
from arena.errors import ArenaError, describe_error, nearest
from arena.guards.user_code import guarded
from arena.players.learner import as_learner, promised_theorems
from arena.specs import registry
from arena.specs.building import build, signature
from arena.specs.grammar import format_value, parse_spec
from arena.specs.libraries import addresses_in_libraries
from arena.specs.parameters import annotated_fields, describe
from arena.specs.spelling import spec_text


@click.command()
@click.argument("name", shell_complete=specs(*registry.KINDS))
@json_option
def show(name: str, json_wanted: bool) -> None:
    """Print the paper, parameters, cost and theorems of NAME.

    With the NAME `isolation`, print what --isolate does on this machine.
    """
    if name == "isolation":
        _show_isolation(json_wanted=json_wanted)
        return
    found = _find(name)
    # the code of a class outside the arena may raise any exception
    guard = guarded(lambda error: ArenaError(f"{name} cannot be described: {describe_error(error)}"))
    with guard if ":" in name else contextlib.nullcontext():
        descriptions = [describe_class(kind, cls) for kind, cls in found]
    if json_wanted:
        print_json(descriptions if len(descriptions) > 1 else descriptions[0])
        return
    for number, description in enumerate(descriptions):
        print_lines(_lines(description) if not number else ("", *_lines(description)))


def _show_isolation(*, json_wanted: bool) -> None:
    from arena.cli.isolation_note import isolation_here  # loads the engine, which `arena show` does without

    here = isolation_here()
    if json_wanted:
        print_json(here)
        return
    limits = ", ".join(f"{name.replace('_gib', ' in GiB')} {value:g}" for name, value in here["limits"].items())
    heading = "isolation: --isolate, and learners from outside the arena in tournaments"
    lines = (heading, "", f"  in force   {here['in_force']}", f"  limits     {limits}", "")
    print_lines((*lines, wrapped(here["covered"], indent=2)))


def describe_class(kind: str, cls: Any) -> dict[str, Any]:
    """Return the docstring, class attributes, parameters and theorems of a class, as plain values."""
    described = {
        "kind": kind,
        "direction": "lower bound" if getattr(cls, "lower", False) else "",
        "name": getattr(cls, "name", "") or getattr(cls, "__name__", str(cls)),
        "about": prose(cls),
        **{name: getattr(cls, name, "") for name in ("family", "paper", "statement", "cost")},
        "formula": vars(cls).get("formula", "") if isinstance(cls, type) else "",  # subclasses may have another rule
        "parameters": _parameters(cls),
        "makes": _made(kind, cls),
        "theorems": _theorems(kind, cls),
        "lower_bounds": _lower_bounds(cls),
        "from": _home(cls),
    }
    if kind == "theorem":
        from arena.papers.explanation import explain

        described |= explain(cls)
    return described


def _home(cls: Any) -> str:
    """Return where the class is defined: an address such as `./mine.py:MyLearner`, or its module and its name."""
    try:
        name = registry.name_of(cls)
    except ArenaError:
        name = ""
    return name if ":" in name else f"{cls.__module__}.{cls.__qualname__}"


def _find(text: str) -> list[tuple[str, Any]]:
    name = parse_spec(text).name  # `name` may be a spec copied from a command; its parameters are ignored
    if ":" in name:
        cls = registry.find("learner", name)
        fitting = [
            kind for kind in registry.KINDS if isinstance(cls, type) and issubclass(cls, registry.base_class(kind))
        ]
        return [(fitting[0] if fitting else "adversary" if hasattr(cls, "point") else "learner", cls)]
    for spelling in (name, name.lower()):
        found = [(kind, registry.find(kind, spelling)) for kind in registry.KINDS if spelling in registry.entries(kind)]
        if found:
            return found
    if libraries := addresses_in_libraries(name):
        raise ArenaError(f"there is nothing named {name!r}. Did you mean {' or '.join(libraries)}?")
    known = [each for kind in registry.KINDS for each in registry.entries(kind)]
    raise ArenaError(f"there is nothing named {name!r}. {nearest(name, known, otherwise='All names: arena list')}")


def _parameters(cls: type) -> list[dict[str, str]]:
    if not dataclasses.is_dataclass(cls):
        rows = ((each.name, "", _default(each.default, each.empty), "") for each in signature(cls) or ())
    else:
        rows = (
            (
                field.name,
                describe(annotation, field.metadata.get("range")),
                _default(_made_by(field), dataclasses.MISSING),
                field.metadata.get("about", ""),
            )
            for field, annotation in annotated_fields(cls)
        )
    return [dict(zip(("name", "takes", "default", "about"), row, strict=True)) for row in rows]


def _made_by(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _default(value: Any, missing: Any) -> str:
    if value is missing:
        return "required"
    plain = isinstance(value, (bool, int, float, str, tuple, list, type(None)))
    return format_value(value) if plain else spec_text(value)


def _made(kind: str, function: Any) -> str:
    """Return the spec of the learner that a factory returns; if the learner has no spec, the address of its class.

    A factory is a function that returns a learner. The result is "" if `function` is no factory (for instance a
    class, or a function of a point), if it needs parameters, or if `kind` is not "learner".
    """
    if kind != "learner" or isinstance(function, type):
        return ""
    with contextlib.suppress(ArenaError):  # it needs parameters
        made = build("learner", function)
        return "" if made is function else spec_text(made).strip("<>")
    return ""


def _theorems(kind: str, cls: Any) -> list[dict[str, str]]:
    """Return the theorems that a learner promises with its default parameters, one dictionary for each.

    The keys are "name", "statement", "paper" and "at_defaults" (in words: whether the theorem applies, and can fail).
    The list is empty if the class is no learner, or if it has parameters without a default.
    """
    if kind != "learner":
        return []
    try:
        promised = as_learner(build("learner", cls)).theorems
    except ArenaError:  # it needs parameters, or is no learner
        return []
    statuses = shipped_statuses().get(getattr(cls, "name", ""), {})
    theorems = promised_theorems(promised)
    return [_theorem(each) | {"at_defaults": statuses.get(each.name, "")} for each in theorems]


def _lower_bounds(cls: Any) -> list[dict[str, str]]:
    """Return the lower bounds that an adversary promises with its default parameters, one dictionary for each.

    The keys are "name", "statement" and "paper". The list is empty if the class is no adversary, or if it has
    parameters without a default.
    """
    if not isinstance(cls, type) or not hasattr(cls, "lower_bounds"):
        return []
    try:
        promised = build("adversary", cls).lower_bounds
    except ArenaError:  # it needs parameters
        return []
    return list(map(_theorem, promised_theorems(promised, "an adversary's `lower_bounds`")))


def _theorem(theorem: Any) -> dict[str, str]:
    return {"name": spec_text(theorem), **picked(theorem, "statement paper")}


def _lines(description: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that `arena show` prints about a class; `description` has its docstring, parameters and so on."""
    description = plain(description)
    yield f"{click.style(description['name'], bold=True)}: {description['direction'] or description['kind']}"
    yield ""
    yield description["about"]
    yield ""
    for key in ("statement", "holds", "erratum", "paper", "family", "cost", "from", "makes"):
        if description.get(key):
            yield f"  {key:<10} {description[key]}"
        if key == "statement":
            letters = letters_in(description["statement"], description["parameters"])
            yield from (f"    {letter:<8} {meaning}" for letter, meaning in letters)
    if description["parameters"]:
        yield _heading("parameters")
        for row in description["parameters"]:
            takes = f" ({row['takes']})" if row["takes"] else ""
            about = f": {row['about']}" if row["about"] else ""
            yield f"  {row['name']} = {row['default']}{takes}{about}"
    bounds = [("theorems", row) for row in description["theorems"]]
    bounds += [("lower bounds", row) for row in description["lower_bounds"]]
    if not description["theorems"] and description["kind"] == "learner" and ":" in description["from"]:
        yield _heading("theorems")
        yield "  It promises none. --bound NAME holds it against one (arena list theorems), and"
        yield "  --bound 'at-most(regret=50)' demands a regret."
    for heading, rows in itertools.groupby(bounds, key=lambda pair: pair[0]):
        yield _heading(heading)
        for _, row in rows:
            yield f"  {row['name']}: {row['statement']}  {click.style(row['paper'], dim=True)}"
            if row.get("at_defaults"):
                yield f"    at its defaults: {row['at_defaults']}"
    example = description.get("example")
    lists = {
        "assumes": description.get("assumes"),
        "promised by": [", ".join(description.get("promised_by", ()))],
        "at work": example and [f"$ {example['command']}", *example["verdicts"]],
    }
    for heading, lines in lists.items():
        if lines and any(lines):
            yield _heading(heading)
            yield from (f"  {line}" for line in lines)


def _heading(text: str) -> str:
    return f"\n{click.style(text, bold=True)}"
