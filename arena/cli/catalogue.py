"""`arena list` and `arena show`: everything that a spec can name, and one of them in detail."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.resources
import inspect
import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from arena.cli.command_line import UserError, errors_as_messages
from arena.cli.completion import specs
from arena.cli.options import json_option
from arena.cli.output import print_json
from arena.errors import ArenaError, bounded, describe_error, nearest, number_of
from arena.guards.guests import guarded
from arena.players.learner import listed
from arena.specs import registry
from arena.specs.building import build, signature
from arena.specs.grammar import format_value, parse_spec
from arena.specs.parameters import annotated_fields, describe
from arena.specs.spelling import spec_text

KINDS = {registry.plural(kind): kind for kind in registry.KINDS}
LOWER_BOUNDS = "lower-bounds"  # the theorems that bound from below, which adversaries promise
LONGEST_TEXT = 20_000  # characters of a docstring or another text of a class
MARK = "can fail"  # heading of the column of `_mark`
PROMISES = "promises.json"  # output of `arena reproduce promises`, shipped because playing takes minutes


@click.command("list")
@click.argument("what", type=click.Choice([*KINDS, LOWER_BOUNDS]), required=False)
@json_option
@click.option("--long", "long_wanted", is_flag=True, help="Print paper, cost and promises too.")
@click.option("--markdown", "markdown_wanted", is_flag=True, help="Of theorems: print the page of the documentation.")
def list_names(what: str | None, json_wanted: bool, long_wanted: bool, markdown_wanted: bool) -> None:
    """List what can be named in a spec, a line each: learners, adversaries, kernels, theorems and others.

    `arena show NAME` prints the details of one of them.
    """
    if markdown_wanted:
        if what != "theorems":
            raise UserError("--markdown makes the table of theorems: arena list theorems --markdown")
        # imported here because they load the engine, which `arena list` does without
        from arena.papers.explanation import theorem_rows
        from arena.papers.markdown import theorems_page

        click.echo(theorems_page(theorem_rows()), nl=False)
        return
    with errors_as_messages():
        if what == LOWER_BOUNDS:
            found = {what: [row for row in _summaries("theorem") if row["kind"] == "lower bound"]}
        else:
            found = {plural: _summaries(kind) for plural, kind in KINDS.items() if what in (None, plural)}
    if json_wanted:
        print_json(found[what] if what else found)
        return
    for plural, rows in found.items():
        _print(_paragraphs(plural, rows) if long_wanted else _table(plural, rows))
    if not long_wanted:
        _print(_hints(found))


@click.command()
@click.argument("name", shell_complete=specs(*registry.KINDS))
@json_option
def show(name: str, json_wanted: bool) -> None:
    """Print the paper, parameters, cost and theorems of NAME; `isolation`: what --isolate does on this machine."""
    if name == "isolation":
        _show_isolation(json_wanted=json_wanted)
        return
    with errors_as_messages():
        found = _find(name)
        with _guard_of(name):
            descriptions = [describe_class(kind, cls) for kind, cls in found]
    if json_wanted:
        print_json(descriptions if len(descriptions) > 1 else descriptions[0])
        return
    for number, description in enumerate(descriptions):
        _print(_lines(description) if not number else ("", *_lines(description)))


def _show_isolation(*, json_wanted: bool) -> None:
    # imported here because it loads the engine, which `arena show` does without
    from arena.cli.isolation_note import isolation_here

    here = isolation_here()
    if json_wanted:
        print_json(here)
        return
    limits = ", ".join(f"{name.replace('_gib', ' in GiB')} {value:g}" for name, value in here["limits"].items())
    heading = "isolation: --isolate, and learners from outside the arena in tournaments"
    lines = (heading, "", f"  in force   {here['in_force']}", f"  limits     {limits}", "")
    _print((*lines, _wrapped(here["covered"], indent=2)))


def _guard_of(name: str) -> contextlib.AbstractContextManager[None]:
    """Return a guard for a class outside the arena, whose attributes may raise anything; none for the arena's own."""
    if ":" not in name:
        return contextlib.nullcontext()
    return guarded(lambda error: ArenaError(f"{name} cannot be described: {describe_error(error)}"))


def describe_class(kind: str, cls: Any) -> dict[str, Any]:
    """Return the docstring, class attributes, parameters and theorems of a class, as plain values."""
    described = {
        "kind": kind,
        "direction": "lower bound" if getattr(cls, "lower", False) else "",
        "name": getattr(cls, "name", "") or getattr(cls, "__name__", str(cls)),
        "about": _prose(cls),
        "family": getattr(cls, "family", ""),
        "paper": getattr(cls, "paper", ""),
        "statement": getattr(cls, "statement", ""),
        "cost": getattr(cls, "cost", ""),
        "parameters": _parameters(cls),
        "theorems": _theorems(cls),
        "lower_bounds": _lower_bounds(cls),
        "from": _home(cls),
    }
    if kind == "theorem":
        from arena.papers.explanation import explain

        described |= explain(cls)
    return described


def _home(cls: Any) -> str:
    """Return the class's module, or the file or address by which the user named it."""
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
    found = [(kind, registry.find(kind, name)) for kind in registry.KINDS if registry.entries_of(kind, name)]
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
            cls = registry.load(kind, claims)
        except ArenaError as error:
            unusable = {"name": name, "about": f"cannot be used: {error}", "kind": kind}
            rows.append(dict.fromkeys(("family", "paper", "cost", "promises", "mark"), "") | unusable)
            continue
        rows.append(
            {
                "name": name,
                "family": getattr(cls, "family", ""),
                "about": _prose(cls).split("\n\n")[0].replace("\n", " "),
                "paper": getattr(cls, "paper", ""),
                "cost": getattr(cls, "cost", ""),
                "promises": _promises_in_short(name) if kind == "learner" else "",
                "mark": _mark(name) if kind == "learner" else "",
                "kind": "lower bound" if getattr(cls, "lower", False) else kind,
                "from": claims[0].origin,
            }
        )
    return sorted(rows, key=lambda row: (row["family"], row["name"]))


def _table(plural: str, rows: list[dict[str, str]]) -> Iterator[str]:
    """Yield one line for each name, as wide as the terminal, under the heading of its family."""
    width = shutil.get_terminal_size().columns
    names = max((len(row["name"]) for row in rows), default=0)
    marked = len(MARK) if any(row["mark"] for row in rows) else 0
    room = max(width - names - 4 - (marked and marked + 2), 8)
    gap = " " * (width - len(plural) - marked)
    yield click.style(plural, bold=True, underline=True) + (gap + click.style(MARK, dim=True)) * bool(marked)
    family = ""
    for row in rows:
        if row["family"] != family:
            family = row["family"]
            yield click.style(family, italic=True)
        about = row["about"] if len(row["about"]) <= room else f"{row['about'][: room - 3].rstrip(' ,;:')}..."
        mark = f"{' ' * (room - len(about))}  {click.style(row['mark'].rjust(marked), dim=True)}" if row["mark"] else ""
        yield f"  {click.style(row['name'].ljust(names), bold=True)}  {about}{mark}"
    yield ""


def _hints(found: Mapping[str, list[dict[str, str]]]) -> Iterator[str]:
    """Yield the meaning of the marks, and the command that shows the details."""
    if any(row["mark"] for rows in found.values() for row in rows):
        yield f"{MARK}: how many of the promised theorems can fail at the default parameters."
    name = next((row["name"] for rows in found.values() for row in rows), "")
    yield f"Details: arena show {name}"


def _paragraphs(plural: str, rows: list[dict[str, str]]) -> Iterator[str]:
    """Yield one paragraph for each name, under the heading of its family."""
    yield click.style(plural, bold=True, underline=True)
    family = ""
    for row in map(_plain, rows):
        if row["family"] != family:
            family = row["family"]
            yield f"\n{click.style(family, italic=True)}"
        text = _wrapped(f"{row['name']}  {row['about']}", indent=2)
        yield text.replace(row["name"], click.style(row["name"], bold=True), 1)
        details = "; ".join(row[key] for key in ("paper", "cost", "promises") if row[key])
        if details:
            yield click.style(_wrapped(details, indent=6), dim=True)
    yield ""


def _print(lines: Iterable[str]) -> None:
    # sys.stdout replaces letters that the terminal lacks (see `CommandLine.invoke`); click's own stream does not
    click.echo("\n".join(lines), file=sys.stdout)


def _wrapped(text: str, *, indent: int) -> str:
    """Return the text in lines that fit the terminal."""
    return textwrap.fill(
        text,
        shutil.get_terminal_size().columns,
        initial_indent=" " * indent,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _prose(cls: Any) -> str:
    """Return the docstring without its examples."""
    lines = []
    for line in (inspect.getdoc(cls) or "").splitlines():
        if line.startswith(">>>"):
            break
        lines.append(line)
    return "\n".join(lines).strip()


def _parameters(cls: type) -> list[dict[str, str]]:
    if not dataclasses.is_dataclass(cls):
        return [
            {"name": each.name, "takes": "", "default": _default(each.default, each.empty), "about": ""}
            for each in signature(cls) or ()
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
    theorems = [build("theorem", each) for each in listed(promised)]
    statuses = shipped_statuses().get(getattr(cls, "name", ""), {})
    return [
        {
            "name": spec_text(each),
            "statement": each.statement,
            "paper": each.paper,
            "at_defaults": statuses.get(each.name, ""),
        }
        for each in theorems
    ]


def _lower_bounds(cls: Any) -> list[dict[str, str]]:
    """Return the lower bounds that an adversary promises with its default parameters."""
    if not isinstance(cls, type) or not hasattr(cls, "lower_bounds"):
        return []
    try:
        promised = build("adversary", cls).lower_bounds
    except ArenaError:  # it needs parameters
        return []
    bounds = [build("theorem", each) for each in promised]
    return [{"name": spec_text(each), "statement": each.statement, "paper": each.paper} for each in bounds]


@functools.cache
def shipped_statuses() -> dict[str, dict[str, str]]:
    """Return, by learner and theorem, whether the promise applies and can fail at the learner's default parameters.

    The texts are read from a file of the package, which `arena reproduce promises` computes from a suite of matches.
    """
    text = importlib.resources.files("arena.cli").joinpath(PROMISES).read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def _unable_to_fail(learner: str) -> tuple[list[str], list[str]]:
    """Return which of the promised theorems never apply at the learner's defaults, and which apply but cannot fail."""
    statuses = shipped_statuses().get(learner, {})
    never = [name for name, status in statuses.items() if status.startswith("never applies")]
    idle = [name for name, status in statuses.items() if status.startswith(("applies, cannot", "applies, an identity"))]
    return never, idle


def _mark(learner: str) -> str:
    """Return how many of the promised theorems can fail at the learner's defaults, such as "2 of 4"; "" without any."""
    total = len(shipped_statuses().get(learner, {}))
    return f"{total - sum(map(len, _unable_to_fail(learner)))} of {total}" if total else ""


def _promises_in_short(learner: str) -> str:
    """Return a phrase with the number of promises that can fail at the defaults, and the names of the others."""
    statuses = shipped_statuses().get(learner, {})
    if not statuses:
        return ""
    never, idle = _unable_to_fail(learner)
    failing, total = len(statuses) - len(never) - len(idle), number_of(len(statuses), "promise")
    if failing == len(statuses):
        return f"its {total} can fail at the defaults"
    text = f"{failing} of its {total} can fail at the defaults"
    text += f", never applies: {', '.join(never)}" if never else ""
    return text + (f", cannot fail: {', '.join(idle)}" if idle else "")


def _plain(value: Any) -> Any:
    """Return the value with all texts in it, which may be of others, free of control characters but line ends."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(_plain, value))
    return bounded(value, LONGEST_TEXT) if isinstance(value, str) else value


def _lines(description: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that `arena show` prints about one class."""
    description = _plain(description)
    yield f"{click.style(description['name'], bold=True)}: {description['direction'] or description['kind']}"
    yield ""
    yield description["about"]
    yield ""
    for key in ("statement", "holds", "erratum", "paper", "family", "cost", "from"):
        if description.get(key):
            yield f"  {key:<10} {description[key]}"
    if description["parameters"]:
        yield _heading("parameters")
        for row in description["parameters"]:
            takes = f" ({row['takes']})" if row["takes"] else ""
            about = f": {row['about']}" if row["about"] else ""
            yield f"  {row['name']} = {row['default']}{takes}{about}"
    if description["theorems"]:
        yield _heading("theorems")
        for row in description["theorems"]:
            yield f"  {row['name']}: {row['statement']}  {click.style(row['paper'], dim=True)}"
            if row["at_defaults"]:
                yield f"    at its defaults: {row['at_defaults']}"
    if description["lower_bounds"]:
        yield _heading("lower bounds")
        for row in description["lower_bounds"]:
            yield f"  {row['name']}: {row['statement']}  {click.style(row['paper'], dim=True)}"
    if description.get("assumes"):
        yield _heading("assumes")
        yield from (f"  {sentence}" for sentence in description["assumes"])
    if description.get("promised_by"):
        yield _heading("promised by")
        yield f"  {', '.join(description['promised_by'])}"
    if description.get("example"):
        yield _heading("at work")
        yield f"  $ {description['example']['command']}"
        yield from (f"  {verdict}" for verdict in description["example"]["verdicts"])


def _heading(text: str) -> str:
    return f"\n{click.style(text, bold=True)}"
