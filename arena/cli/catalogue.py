"""`arena list`: prints the names that specs can contain, one line each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping

import click

from arena.cli.command_line import UserError
from arena.cli.descriptions import plain, print_lines, prose, shipped_statuses
from arena.cli.options import json_option
from arena.cli.output import print_json
from arena.errors import ArenaError, number_of
from arena.specs import registry

KINDS = {kind.plural: name for name, kind in registry.KINDS.items()}
LOWER_BOUNDS = "lower-bounds"  # the theorems that bound from below, which adversaries promise
MARK = "can fail"  # heading of the column of the key "mark"


@click.command("list")
@click.argument("what", type=click.Choice([*KINDS, LOWER_BOUNDS]), required=False)
@json_option
@click.option("--markdown", "markdown_wanted", is_flag=True, help="Of theorems: print the page of the documentation.")
def list_names(what: str | None, json_wanted: bool, markdown_wanted: bool) -> None:
    """List the names that a spec can contain, one on each line: learners, adversaries, kernels, theorems and others.

    `arena show NAME` prints the details of one of them.
    """
    if markdown_wanted:
        if what != "theorems":
            raise UserError("--markdown makes the table of theorems: arena list theorems --markdown")
        # imported here because they load the engine, which `arena list` does without
        from arena.papers.explanation import algorithm_rows, theorem_rows
        from arena.papers.markdown import theorems_page

        click.echo(theorems_page(theorem_rows(), algorithm_rows()), nl=False)
        return
    if what == LOWER_BOUNDS:
        found = {what: [row for row in _summaries("theorem") if row["kind"] == "lower bound"]}
    else:
        found = {plural: _summaries(kind) for plural, kind in KINDS.items() if what in (None, plural)}
    if json_wanted:
        print_json(found[what] if what else found)
        return
    for plural, rows in found.items():
        print_lines(_table(plural, rows))
    print_lines(_hints(found))


def _summaries(kind: str) -> list[dict[str, str]]:
    rows = []
    for name, claims in registry.entries(kind).items():
        row = dict.fromkeys(("family", "paper", "cost", "promises", "mark"), "") | {"name": name, "kind": kind}
        rows.append(row)
        try:
            cls = registry.find(kind, name)
        except ArenaError as error:
            row["about"] = f"cannot be used: {error}"
            continue
        row |= {key: getattr(cls, key, "") for key in ("family", "paper", "cost")}
        row |= {"about": prose(cls).split("\n\n")[0].replace("\n", " "), "from": claims[0].origin}
        if kind == "learner":
            row["mark"], row["promises"] = _promises(name)
        if getattr(cls, "lower", False):
            row["kind"] = "lower bound"
    return sorted(rows, key=lambda row: (row["family"], row["name"]))


def _table(plural: str, rows: list[dict[str, str]]) -> Iterator[str]:
    width = shutil.get_terminal_size().columns
    names = max((len(row["name"]) for row in rows), default=0)
    rows = list(map(plain, rows))
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
    if any(row["mark"] for rows in found.values() for row in rows):
        yield f"{MARK}: how many of the promised theorems can fail at the default parameters."
    name = next((row["name"] for rows in found.values() for row in rows), "")
    yield f"Details: arena show {name}"


def _promises(learner: str) -> tuple[str, str]:
    """Return how many of the learner's promises can fail at its default parameters, twice.

    The first text is such as "1 of 3", the second such as "1 of its 3 promises can fail at the defaults, never
    applies: A, cannot fail: B", where B may be an identity. Both are "" if the learner promises nothing.
    """
    statuses = shipped_statuses().get(learner, {})
    if not statuses:
        return "", ""
    never = [name for name, status in statuses.items() if status.startswith("never applies")]
    idle = [name for name, status in statuses.items() if status.startswith(("applies, cannot", "applies, an identity"))]
    total, failing = len(statuses), len(statuses) - len(never) - len(idle)
    text = f"{f'{failing} of ' if failing < total else ''}its {number_of(total, 'promise')} can fail at the defaults"
    text += f", never applies: {', '.join(never)}" if never else ""
    text += f", cannot fail: {', '.join(idle)}" if idle else ""
    return f"{failing} of {total}", text
