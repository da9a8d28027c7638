"""`arena check SPEC`: checks that a learner or an adversary keeps the contract."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from functools import partial
from typing import Any, get_args

import click

from arena.cli.completion import specs
from arena.cli.options import game_fields, game_options, json_option, parameters_option
from arena.cli.output import mark, markup, print_json, terminal
from arena.errors import ArenaError
from arena.specs import registry
from arena.specs.grammar import parse_spec
from arena.testing.checks import check_adversary, check_learner
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
    bad = any(result.bad for result in results)
    counts = Counter(result.outcome for result in results)
    if json_wanted:
        rows = [{key: value for key, value in result.as_json().items() if key != "subject"} for result in results]
        print_json({"subject": results[0].subject, "kind": kind, "ok": not bad, "counts": counts, "results": rows})
    else:
        console = terminal()
        console.print(f"[bold]{markup(results[0].subject)}[/], {kind}\n")
        for result in results:
            outcome = "" if result.outcome in ("passed", "failed") else f"{result.outcome}: "
            message = f"  {outcome}{result.message}" if result.message else ""
            console.print(f"  {mark(console, result.outcome, result.name)}{markup(message)}")
        console.print("\n" + ", ".join(f"{counts[each]} {each}" for each in get_args(Outcome) if counts[each]))
        options = _options(fields | {"seed": seed or None}, expect_failure, parameters)
        click.echo(f"\nAgain: {shlex.join(['arena', 'check', spec, *options])}")
    sys.exit(1 if bad else 0)


def kind_of(text: str) -> str:
    """Return "learner" or "adversary", the kind of player that the spec means."""
    name = parse_spec(text).name
    if name in registry.entries("adversary") and name not in registry.entries("learner"):
        return "adversary"
    found = registry.find("learner", name) if ":" in name else None
    opposes = any(hasattr(found, method) for method in OPPOSES) and not hasattr(found, "predict")
    return "adversary" if opposes else "learner"


def _declaration(text: str) -> tuple[str, str]:
    name, sign, reason = text.partition("=")
    if not sign or not reason.strip():
        raise ArenaError(f'--expect-failure must be CHECK=REASON, such as "predict-is-pure=it caches"; it is {text!r}')
    return name.strip(), reason.strip()


def _options(values: dict[str, Any], expected: tuple[str, ...], parameters: Parameters) -> list[str]:
    given = [(f"--{name.replace('_', '-')}", str(value)) for name, value in values.items() if value is not None]
    given += [("--parameters", parameters)] * (parameters != "varied")
    return [word for pair in [*given, *(("--expect-failure", each) for each in expected)] for word in pair]
