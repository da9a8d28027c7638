"""`arena list` and `arena show`: everything that a spec can name, and one of them in detail."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from arena.cli.command_line import UserError, errors_as_messages
from arena.cli.options import json_option
from arena.cli.output import print_json, terminal
from arena.errors import ArenaError, nearest
from arena.specs import registry
from arena.specs.building import build
from arena.specs.grammar import format_value, parse_spec
from arena.specs.parameters import annotated_fields, describe
from arena.specs.spelling import spec_text

KINDS = {registry.plural(kind): kind for kind in registry.KINDS}


@click.command("list")
@click.argument("what", type=click.Choice(list(KINDS)), required=False)
@json_option
@click.option("--markdown", "markdown_wanted", is_flag=True, help="Of theorems: print the page of the documentation.")
def list_names(what: str | None, json_wanted: bool, markdown_wanted: bool) -> None:
    """List what can be named in a spec: learners, adversaries, kernels, theorems."""
    if markdown_wanted:
        if what != "theorems":
            raise UserError("--markdown makes the table of theorems: arena list theorems --markdown")
        # imported here because they load the engine, which `arena list` does without
        from arena.papers.explanation import theorem_rows
        from arena.papers.markdown import theorems_page

        click.echo(theorems_page(theorem_rows()), nl=False)
        return
    with errors_as_messages():
        found = {plural: _summaries(kind) for plural, kind in KINDS.items() if what in (None, plural)}
    if json_wanted:
        print_json(found[what] if what else found)
        return
    console = Console(highlight=False)
    for plural, rows in found.items():
        _print_names(console, plural, rows)


@click.command()
@click.argument("name")
@json_option
def show(name: str, json_wanted: bool) -> None:
    """Print the paper, parameters, cost and theorems of NAME."""
    with errors_as_messages():
        descriptions = [describe_class(kind, cls) for kind, cls in _find(name)]
    if json_wanted:
        print_json(descriptions if len(descriptions) > 1 else descriptions[0])
        return
    console = terminal()
    for number, description in enumerate(descriptions):
        if number:
            console.print()
        _print_description(console, description)


def describe_class(kind: str, cls: Any) -> dict[str, Any]:
    """The docstring, class attributes, parameters and theorems of a class, as plain values."""
    described = {
        "kind": kind,
        "name": getattr(cls, "name", "") or getattr(cls, "__name__", str(cls)),
        "about": _prose(cls),
        "family": getattr(cls, "family", ""),
        "paper": getattr(cls, "paper", ""),
        "statement": getattr(cls, "statement", ""),
        "cost": getattr(cls, "cost", ""),
        "parameters": _parameters(cls),
        "theorems": _theorems(cls),
        "from": _home(cls),
    }
    if kind == "theorem":
        from arena.papers.explanation import explain

        described |= explain(cls)
    return described


def _home(cls: Any) -> str:
    """The class's module, or the file or address by which the user named it."""
    try:
        name = registry.name_of(cls)
    except ArenaError:
        name = ""
    return name if ":" in name else f"{cls.__module__}.{cls.__qualname__}"


def _find(text: str) -> list[tuple[str, Any]]:
    name = parse_spec(text).name  # a spec's parameters are ignored, so that it can be copied from a command
    if ":" in name:
        cls = registry.find("learner", name)
        fitting = [
            kind for kind in registry.KINDS if isinstance(cls, type) and issubclass(cls, registry.base_class(kind))
        ]
        return [(fitting[0] if fitting else _looks_like(cls), cls)]
    found = [(kind, registry.find(kind, name)) for kind in registry.KINDS if name in registry.entries(kind)]
    if not found:
        known = [each for kind in registry.KINDS for each in registry.entries(kind)]
        raise ArenaError(f"there is nothing named {name!r}. {nearest(name, known)}")
    return found


def _looks_like(cls: Any) -> str:
    return "adversary" if hasattr(cls, "point") else "learner"


def _summaries(kind: str) -> list[dict[str, str]]:
    rows = []
    for name, claims in registry.entries(kind).items():
        try:
            cls = registry.find(kind, name)
        except ArenaError as error:
            rows.append({"name": name, "family": "", "about": f"cannot be used: {error}", "paper": "", "cost": ""})
            continue
        rows.append(
            {
                "name": name,
                "family": getattr(cls, "family", ""),
                "about": _prose(cls).split("\n\n")[0].replace("\n", " "),
                "paper": getattr(cls, "paper", ""),
                "cost": getattr(cls, "cost", ""),
                "from": claims[0].origin,
            }
        )
    return sorted(rows, key=lambda row: (row["family"], row["name"]))


def _print_names(console: Console, plural: str, rows: list[dict[str, str]]) -> None:
    """One paragraph for each name, under the heading of its family."""
    console.print(f"[bold underline]{plural}[/]")
    family = ""
    for row in rows:
        if row["family"] != family:
            family = row["family"]
            console.print(f"\n[italic]{escape(family)}[/]")
        console.print(Padding(f"[bold]{escape(row['name'])}[/]  {escape(row['about'])}", (0, 0, 0, 2)))
        details = "; ".join(row[key] for key in ("paper", "cost") if row[key])
        if details:
            console.print(Padding(escape(details), (0, 0, 0, 6), style="dim"))
    console.print()


def _prose(cls: Any) -> str:
    """The docstring without its examples."""
    lines = []
    for line in (inspect.getdoc(cls) or "").splitlines():
        if line.startswith(">>>"):
            break
        lines.append(line)
    return "\n".join(lines).strip()


def _parameters(cls: type) -> list[dict[str, str]]:
    if not dataclasses.is_dataclass(cls):
        signature = inspect.signature(cls).parameters.values()
        return [
            {"name": each.name, "takes": "", "default": _default(each.default, each.empty), "about": ""}
            for each in signature
        ]
    rows = []
    for field, annotation in annotated_fields(cls):
        rows.append(
            {
                "name": field.name,
                "takes": describe(annotation, field.metadata.get("range")),
                "default": _default(field.default, dataclasses.MISSING),
                "about": field.metadata.get("about", ""),
            }
        )
    return rows


def _default(value: Any, missing: Any) -> str:
    if value is missing:
        return "required"
    return format_value(value) if isinstance(value, (bool, int, float, str, tuple, type(None))) else spec_text(value)


def _theorems(cls: Any) -> list[dict[str, str]]:
    if not isinstance(cls, type) or not hasattr(cls, "theorems"):
        return []
    try:
        promised = build("learner", cls).theorems
    except ArenaError:  # it needs parameters
        return []
    return [{"name": spec_text(each), "statement": each.statement, "paper": each.paper} for each in promised]


def _print_description(console: Console, description: dict[str, Any]) -> None:
    console.print(f"[bold]{escape(description['name'])}[/]: {description['kind']}")
    console.print()
    console.print(escape(description["about"]))
    console.print()
    for key in ("statement", "holds", "paper", "family", "cost", "from"):
        if description.get(key):
            console.print(f"  {key:<10} {escape(description[key])}")
    if description["parameters"]:
        console.print("\n[bold]parameters[/]")
        for row in description["parameters"]:
            about = f": {row['about']}" if row["about"] else ""
            takes = f" ({row['takes']})" if row["takes"] else ""
            console.print(f"  {row['name']} = {escape(row['default'])}{escape(takes)}{escape(about)}")
    if description["theorems"]:
        console.print("\n[bold]theorems[/]")
        for row in description["theorems"]:
            console.print(f"  {escape(row['name'])}: {escape(row['statement'])}  [dim]{escape(row['paper'])}[/]")
    if description["kind"] == "theorem":
        from arena.papers.explanation import print_explanation

        print_explanation(console, description)
