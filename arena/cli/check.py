"""`arena check SPEC`: whether a learner or an adversary keeps the contract."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections import Counter
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from arena.cli.errors import told_to_the_user
from arena.cli.play import read_field
from arena.errors import ArenaError
from arena.game.game import Game
from arena.specs import registry
from arena.specs.grammar import parse_spec
from arena.testing.checks import CheckResult, check_adversary, check_learner
from arena.testing.checks.check import Outcome
from arena.testing.checks.subject import GAME

SIGNS: dict[Outcome, tuple[str, str, str]] = {  # outcome: sign, plain sign, style
    "passed": ("✔", "+", "green"),
    "failed": ("✘", "x", "bold red"),
    "expected failure": ("✘", "x", "yellow"),
    "unexpected pass": ("✔", "+", "bold red"),
    "skipped": ("○", "o", "dim"),
}
OPPOSES = ("point", "label", "block")


@click.command("check")
@click.argument("spec")
@click.option("--dimension", type=int, help="Coordinates of a point  [default: 3]")
@click.option(
    "--box", metavar="LOW,HIGH", help="Where points may lie, or [LOW,HIGH],... by coordinate  [default: -1,1]"
)
@click.option("--kernel", help="Kernel of the game, a spec  [default: gaussian]")
@click.option("--loss", help="Loss of the game, a spec  [default: squared]")
@click.option("--label-bound", type=float, help="B, the largest label  [default: 1.5]")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all sequences.")
@click.option(
    "--expect-failure",
    multiple=True,
    metavar="CHECK=REASON",
    help="A check that is known to fail, and why; may be repeated. That it passes is then an error.",
)
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object and nothing else.")
def check(spec: str, seed: int, expect_failure: tuple[str, ...], json_wanted: bool, **fields: Any) -> None:
    """Check that a learner or an adversary keeps the contract.

    SPEC is a name, "./mine.py:MyLearner", "package.module:MyLearner", "sklearn:linear_model.SGDRegressor()", ... The
    exit code is 0 if nothing failed, 1 if a check failed or a declared failure passed, 2 after wrong usage.
    """
    with told_to_the_user():
        kind = kind_of(spec)
        make_checks = check_adversary if kind == "adversary" else check_learner
        expected = dict(_declaration(text) for text in expect_failure)
        talk = contextlib.redirect_stdout(sys.stderr) if json_wanted else contextlib.nullcontext()
        with talk:  # what a learner prints must not stand in the JSON
            results = make_checks(spec, expected_failures=expected, game=_game(fields), seed=seed)
    if json_wanted:
        click.echo(json.dumps(as_json(kind, results)))
    else:
        print_results(Console(highlight=False, soft_wrap=True), kind, results)
        click.echo(f"\nAgain: {shlex.join(['arena', 'check', spec, *_options(fields, seed, expect_failure)])}")
    sys.exit(1 if any(result.bad for result in results) else 0)


def kind_of(text: str) -> str:
    """Whether a spec means a learner or an adversary."""
    name = parse_spec(text).name
    if name in registry.entries("adversary") and name not in registry.entries("learner"):
        return "adversary"
    found = registry.find("learner", name) if ":" in name else None
    opposes = any(hasattr(found, method) for method in OPPOSES) and not hasattr(found, "predict")
    return "adversary" if opposes else "learner"


def as_json(kind: str, results: list[CheckResult]) -> dict[str, Any]:
    """The results as one object of plain values."""
    return {
        "subject": results[0].subject,
        "kind": kind,
        "ok": not any(result.bad for result in results),
        "counts": Counter(result.outcome for result in results),
        "results": [{key: value for key, value in result.as_json().items() if key != "subject"} for result in results],
    }


def print_results(console: Console, kind: str, results: list[CheckResult]) -> None:
    """The results for a person, one a line, with what was seen where it matters."""
    plain = not (console.encoding or "").lower().startswith("utf")
    console.print(f"[bold]{escape(results[0].subject)}[/], {kind}\n")
    for result in results:
        sign, plain_sign, style = SIGNS[result.outcome]
        words = "" if result.outcome in ("passed", "failed") else f"{result.outcome}: "
        detail = f"  {words}{result.message}" if result.message else ""
        console.print(f"  [{style}]{plain_sign if plain else sign} {result.name}[/]{escape(detail)}")
    counts = Counter(result.outcome for result in results)
    console.print("\n" + ", ".join(f"{counts[outcome]} {outcome}" for outcome in SIGNS if counts[outcome]))


def _declaration(text: str) -> tuple[str, str]:
    name, sign, reason = text.partition("=")
    if not sign or not reason.strip():
        raise ArenaError(f'--expect-failure must be CHECK=REASON, such as "predict-is-pure=it caches"; it is {text!r}')
    return name.strip(), reason.strip()


def _game(fields: dict[str, Any]) -> Game | None:
    """The game asked for; None leaves the choice to the checks."""
    given = {name: value for name, value in fields.items() if value is not None}
    if not given:
        return None
    return GAME.replace(**{name: read_field(name, value) for name, value in given.items()})


def _options(fields: dict[str, Any], seed: int, expected: tuple[str, ...]) -> list[str]:
    words = [
        word
        for name, value in fields.items()
        if value is not None
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    words += ["--seed", str(seed)] if seed else []
    return words + [word for each in expected for word in ("--expect-failure", each)]
