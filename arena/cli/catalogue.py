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
MARK = "can fail"  # heading of the column that `_mark` fills


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
        try:
            cls = registry.find(kind, name)
        except ArenaError as error:
            unusable = {"name": name, "about": f"cannot be used: {error}", "kind": kind}
            rows.append(dict.fromkeys(("family", "paper", "cost", "promises", "mark"), "") | unusable)
            continue
        rows.append(
            {
                "name": name,
                "family": getattr(cls, "family", ""),
                "about": prose(cls).split("\n\n")[0].replace("\n", " "),
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


def _unable_to_fail(learner: str) -> tuple[list[str], list[str]]:
    """Return two lists of promises: those that never apply to the learner, and those that apply but cannot fail.

    The learner has its default parameters. Identities are in the second list.
    """
    statuses = shipped_statuses().get(learner, {})
    never = [name for name, status in statuses.items() if status.startswith("never applies")]
    idle = [name for name, status in statuses.items() if status.startswith(("applies, cannot", "applies, an identity"))]
    return never, idle


def _mark(learner: str) -> str:
    """Return how many of the learner's promises can fail at its default parameters, such as "2 of 4".

    The result is "" if the learner promises nothing.
    """
    total = len(shipped_statuses().get(learner, {}))
    return f"{total - sum(map(len, _unable_to_fail(learner)))} of {total}" if total else ""


def _promises_in_short(learner: str) -> str:
    """Return a text such as "1 of its 3 promises can fail at the defaults, never applies: A, cannot fail: B".

    The result is "" if the learner promises nothing.
    """
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
