"""`arena check SPEC`: checks that a learner or an adversary keeps the contract."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from functools import partial
from typing import Any, get_args

import click
from rich.console import Console

from arena.cli.completion import specs
from arena.cli.options import game_fields, game_options, json_option, parameters_option
from arena.cli.output import mark, markup, print_json, terminal
from arena.errors import ArenaError
from arena.specs import registry
from arena.specs.grammar import parse_spec
from arena.testing.checks import CheckResult, check_adversary, check_learner
from arena.testing.checks.check import Outcome
from arena.testing.checks.examination import Parameters
from arena.testing.checks.subjects import GAME

OPPOSES = ("point", "label", "block")


@click.command("check")
@click.argument("spec", shell_complete=specs("learner", "adversary"))
@game_options(dimension="3", box="[-1,1]", features="none", kernel="gaussian", loss="squared", label_bound="1.5")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all sequences.")
@click.option(
    "--expect-failure",
    multiple=True,
    metavar="CHECK=REASON",
    help="A check that is known to fail, and why; may be repeated. It is an error if the check passes.",
)
@parameters_option
@json_option
def check(
    spec: str, seed: int, expect_failure: tuple[str, ...], parameters: Parameters, json_wanted: bool, **fields: Any
) -> None:
    """Check that a learner or an adversary keeps the contract.

    SPEC is a name, "./mine.py:MyLearner", "package.module:MyLearner", "sklearn:linear_model.SGDRegressor()", ... The
    exit code is 1 if a check failed unexpectedly, or passed although --expect-failure names it. It is 2 after wrong
    usage, and otherwise 0.
    """
    kind = kind_of(spec)
    make_checks = check_adversary if kind == "adversary" else partial(check_learner, parameters=parameters)
    expected = dict(_declaration(text) for text in expect_failure)
    given = game_fields(fields)
    game = GAME.replace(**given) if given else None
    results = make_checks(spec, expected_failures=expected, game=game, seed=seed)
    if json_wanted:
        print_json(as_json(kind, results))
    else:
        print_results(terminal(), kind, results)
        click.echo(
            f"\nAgain: {shlex.join(['arena', 'check', spec, *_options(fields, seed, expect_failure, parameters)])}"
        )
    sys.exit(1 if any(result.bad for result in results) else 0)


def kind_of(text: str) -> str:
    """Return "learner" or "adversary", the kind of player that the spec means."""
    name = parse_spec(text).name
    if name in registry.entries("adversary") and name not in registry.entries("learner"):
        return "adversary"
    found = registry.find("learner", name) if ":" in name else None
    opposes = any(hasattr(found, method) for method in OPPOSES) and not hasattr(found, "predict")
    return "adversary" if opposes else "learner"


def as_json(kind: str, results: list[CheckResult]) -> dict[str, Any]:
    """Return the player's name and kind, the counts of outcomes and the results of all checks, as plain values."""
    return {
        "subject": results[0].subject,
        "kind": kind,
        "ok": not any(result.bad for result in results),
        "counts": Counter(result.outcome for result in results),
        "results": [{key: value for key, value in result.as_json().items() if key != "subject"} for result in results],
    }


def print_results(console: Console, kind: str, results: list[CheckResult]) -> None:
    """Print the player's name and `kind`, a line for each check with its message, and the number of each outcome."""
    console.print(f"[bold]{markup(results[0].subject)}[/], {kind}\n")
    for result in results:
        outcome = "" if result.outcome in ("passed", "failed") else f"{result.outcome}: "
        message = f"  {outcome}{result.message}" if result.message else ""
        console.print(f"  {mark(console, result.outcome, result.name)}{markup(message)}")
    counts = Counter(result.outcome for result in results)
    console.print("\n" + ", ".join(f"{counts[each]} {each}" for each in get_args(Outcome) if counts[each]))


def _declaration(text: str) -> tuple[str, str]:
    name, sign, reason = text.partition("=")
    if not sign or not reason.strip():
        raise ArenaError(f'--expect-failure must be CHECK=REASON, such as "predict-is-pure=it caches"; it is {text!r}')
    return name.strip(), reason.strip()


def _options(fields: dict[str, Any], seed: int, expected: tuple[str, ...], parameters: Parameters) -> list[str]:
    words = [
        word
        for name, value in fields.items()
        if value is not None
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    words += ["--seed", str(seed)] if seed else []
    words += ["--parameters", parameters] if parameters != "varied" else []
    return words + [word for each in expected for word in ("--expect-failure", each)]
