"""The reference as Markdown: everything that a spec can name, the commands, and the functions of Python.

The pages are made from the registry and from docstrings when the site is built.
"""

from __future__ import annotations

import contextlib
import html
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import click

from arena.cli import COMMANDS
from arena.cli.show import describe_class
from arena.papers.tightness import bounds_losses, promised_by
from arena.specs import registry
from arena.theorems.formulas import markdown
from example_matches import Played, example_of

INTRODUCTIONS = {
    "learner": "Each can be played by its name: `arena play NAME greedy`. *Can fail* says whether a promised theorem "
    "could be violated at the default parameters; the others cannot, so that they test nothing there.\n\n"
    "In the rules, $`f_t`$ or $`w_t`$ predicts in round $`t`$, $`\\hat y_t`$ is the prediction, and $`g_t`$ the "
    "derivative of the loss at it.",
    "adversary": "Each can be played against any learner: `arena play kernel-awv NAME`.\n\n"
    "In the rules, $`\\hat y_t`$ is the prediction, $`\\ell`$ the loss, $`B`$ the largest label, and $`R_t`$ the "
    "regret after round $`t`$.",
    "theorem": "Each judges any learner: `arena play LEARNER ADVERSARY --bound NAME`. Which is that of your algorithm? "
    "[This table](../theorems.md#which-theorem-is-mine) goes from algorithms to theorems. Bounds of regrets, losses "
    "and mistakes come first, then other statements about learners, lower bounds, and demands.",
    "comparator": "`--comparator NAME` measures the regret to them; [the guide](../comparators.md) says when.",
    "kernel": "`--kernel NAME` chooses the space of functions that regret compares with.",
    "loss": "`--loss NAME` chooses what a prediction costs.",
    "embedding": "Maps to finitely many features, for learners that take an `embedding`.",
}
MODULES = ("arena", "arena.testing")
PAGES = {kind: f"{registry.KINDS[kind].plural}.md" for kind in registry.KINDS}


def pages() -> dict[str, str]:
    """Return the texts of the reference's pages; the keys are their paths."""
    made = {f"reference/{PAGES[kind]}": _kind(kind) for kind in registry.KINDS}
    made |= {"reference/commands.md": _commands(), "reference/python.md": _python()}
    return {"reference/index.md": _index(), **made}


def _index() -> str:
    rows = "".join(
        f"| [{registry.KINDS[kind].plural.capitalize()}]({PAGES[kind]}) | {len(registry.entries(kind))} |\n"
        for kind in PAGES
    )
    return (
        "# Reference\n\nMade from the docstrings and the registry of this version; `arena show NAME` prints the same "
        f"in a terminal.\n\n| what | how many |\n| --- | --- |\n{rows}\n"
        "[Commands](commands.md) are those of the terminal, [Python](python.md) is what scripts and tests import.\n"
    )


def _kind(kind: str) -> str:
    """Return the page of all entries of a kind, such as all learners, by family."""
    found = [(registry.find(kind, name), name) for name in registry.entries(kind)]
    described = sorted(
        ((_family(kind, cls), name, cls) for cls, name in found), key=lambda each: (each[0].lower(), each[1])
    )
    if kind == "theorem":
        ranks = {
            heading: min(_rank(each) for family, _, each in described if family == heading) for heading, *_ in described
        }
        described.sort(key=lambda each: (ranks[each[0]], each[0].lower(), _rank(each[2])))
    parts = [f"# {registry.KINDS[kind].plural.capitalize()}", INTRODUCTIONS[kind]]
    family = ""
    for heading, name, cls in described:
        if heading != family:
            family = heading
            parts.append(f"## {family} {{ #family-{re.sub(r'[^a-z0-9]+', '-', family.lower()).strip('-')} }}")
        parts += _entry(kind, name, cls, "###" if heading else "##")
    return "\n\n".join(parts) + "\n"


def _family(kind: str, cls: Any) -> str:
    if kind != "theorem":
        family = getattr(cls, "family", "")
        if family == "reference":
            return "For reference"  # the section of the navigation is named Reference already
        return f"{family[:1].upper()}{family[1:]}"
    first = (inspect.getdoc(importlib.import_module(cls.__module__)) or "").split("\n")[0]
    return re.split(r"[:;]| \(|\.$", first)[0].replace("`", "")


def _rank(theorem: Any) -> int:
    """Return a number by which theorems are sorted.

    The order is: bounds of losses that are promised by learners, other promises of learners, other theorems, lower
    bounds, demands.
    """
    if theorem.demanded:
        return 4
    if theorem.lower:
        return 3
    if not promised_by(theorem.name):
        return 2
    return 0 if bounds_losses(theorem.quantity) else 1


def _entry(kind: str, name: str, cls: Any, level: str) -> Iterator[str]:
    described = describe_class(kind, cls)
    yield f"{level} `{name}` {{ #{name} }}"
    if described.get("statement"):
        formula = getattr(cls, "formula", "")
        yield markdown(formula) if formula else f"`{described['statement']}`"
    yield _escaped(described["about"])
    if described["formula"] and kind != "theorem":
        yield f"Rule: {markdown(described['formula'])}."
    yield _facts(described)
    if described["parameters"]:
        yield _table(("parameter", "default", "takes", "meaning"), map(_parameter, described["parameters"]))
    if described["theorems"]:
        yield "Promises, with its default parameters:"
        rows = ((_link("theorem", each["name"]), each["at_defaults"]) for each in described["theorems"])
        yield _table(("theorem", "can fail"), rows)
    if described["lower_bounds"]:
        bounds = ", ".join(_link("theorem", each["name"]) for each in described["lower_bounds"])
        yield f"Lower bounds that it promises: {bounds}."
    if described.get("assumes"):
        yield "Assumes: " + "; ".join(map(_escaped, described["assumes"])) + "."
    played = example_of(kind, name, described)
    if played:
        yield from _example(played)


def _example(played: Played) -> Iterator[str]:
    yield "An example:"
    yield f"```sh\n{played.command}\n```"
    if played.said:
        yield f"```text\n{played.said}\n```"
    if played.picture:
        yield played.picture


def _facts(described: dict[str, Any]) -> str:
    """Return the paper, the cost and similar facts as a list in Markdown."""
    rows = [("Holds", described.get("holds")), ("Erratum", described.get("erratum")), ("Paper", described["paper"]),
            ("Cost", described["cost"])]  # fmt: skip
    if described.get("promised_by"):
        rows.append(("Promised by", ", ".join(_link("learner", each) for each in described["promised_by"])))
    rows.append(("Class", f"`{described['from']}`"))
    return "\n".join(f"- {key}: {text if '](' in text else _escaped(text)}" for key, text in rows if text)


def _parameter(row: dict[str, str]) -> tuple[str, ...]:
    return f"`{row['name']}`", f"`{row['default']}`", _escaped(row["takes"]), _escaped(row["about"])


def _link(kind: str, spec: str) -> str:
    name = spec.partition("(")[0]
    for each in (kind, "theorem", "adversary"):
        if name in registry.entries(each):
            return f"[`{spec}`]({PAGES[each]}#{name})"
    return f"`{spec}`"


def _table(heads: tuple[str, ...], rows: Any) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _escaped(text: str) -> str:
    """Return the text with the characters of Markdown and HTML escaped, except in code and in indented lines."""
    return "\n".join(line if line.startswith("    ") else _plain(line) for line in text.splitlines())


def _plain(line: str) -> str:
    pieces = re.split(r"(`[^`]+`)", line)
    return "".join(
        each if number % 2 else re.sub(r"([*_\[\]$])", r"\\\1", html.escape(each, quote=False))
        for number, each in enumerate(pieces)
    )


def _commands() -> str:
    parts = ["# Commands", "What `arena COMMAND --help` prints."]
    for name, (address, _) in COMMANDS.items():
        module, _, attribute = address.partition(":")
        yields = _help(getattr(importlib.import_module(module), attribute), f"arena {name}")
        parts += [f"## `arena {name}` {{ #{name} }}", *yields]
    return "\n\n".join(parts) + "\n"


def _help(command: click.Command, name: str) -> Iterator[str]:
    with click.Context(command, info_name=name, max_content_width=90, terminal_width=90) as context:
        yield f"```text\n{click.unstyle(command.get_help(context)).rstrip()}\n```"
    for sub, child in getattr(command, "commands", {}).items():
        yield f"### `{name} {sub}` {{ #{name.replace(' ', '-')}-{sub} }}"
        yield from _help(child, f"{name} {sub}")


def _python() -> str:
    parts = ["# Python", "What scripts and tests import."]
    for name in MODULES:
        module = importlib.import_module(name)
        parts += [f"## `{name}` {{ #{name.replace('.', '-')} }}"]
        for public in sorted(module.__all__):
            found = getattr(module, public)
            if inspect.isclass(found) or inspect.isroutine(found):
                parts += _public(f"{name}.{public}", found)
    return "\n\n".join(parts) + "\n"


def _public(name: str, found: Any) -> Iterator[str]:
    yield f"### `{name}` {{ #{name.replace('.', '-')} }}"
    with contextlib.suppress(ValueError):  # it has none
        yield f"```python\n{name.rpartition('.')[2]}{inspect.signature(found)}\n```"
    yield _docstring(inspect.getdoc(found) or "")


def _docstring(text: str) -> str:
    """Return a docstring as Markdown, with its examples in code blocks."""
    parts = re.split(r"\n{2,}", text)
    return "\n\n".join(
        f"```pycon\n{part}\n```" if part.lstrip().startswith(">>>") else _escaped(part) for part in parts
    )
