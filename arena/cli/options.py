"""Options that several commands have, and the functions that check and read their values."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli.completion import specs
from arena.cli.output import reserve_stdout
from arena.errors import ArenaError, bounded
from arena.record.repeating import OPTIONS
from arena.specs import registry
from arena.specs.building import build
from arena.specs.grammar import parse_spec

F = TypeVar("F", bound=Callable[..., Any])


LARGEST_COUNT = 10**15
_NUMBERS = re.compile(r"[-+.,\deE\s]*")  # a text such as 0.0,1.0, whose end looks like that of a file's name


class NumberRange(click.FloatRange):
    """The type of an option whose value is a number within limits. NaN, which click would accept, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; raise click's `BadParameter` for NaN."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class ComparatorType(click.types.StringParamType):
    """The type of an option whose value names a comparator; the value is converted to the comparator's object."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the comparator that `value` names; while a shell completes, return `value`, and run no code."""
        return value if ctx is not None and ctx.resilient_parsing else build("comparator", value)


def whole_number(text: str) -> int:
    """Return the whole number in a text, which may be written like 1000000, 1e6 or 1_000_000.

    Raise click's `BadParameter` if the text is no whole number, or a number beyond 10^15 in size.
    """
    number = None
    try:
        number = int(text)
    except ValueError:
        with contextlib.suppress(ValueError, OverflowError):
            number = int(float(text)) if float(text) == int(float(text)) else None
    if number is None:
        raise click.BadParameter(f"{bounded(text, 40)!r} is not a whole number; write it like 200 or 1e6")
    if abs(number) > LARGEST_COUNT:
        raise click.BadParameter(f"{bounded(text, 40)!r} is too large; the largest count is {LARGEST_COUNT:.0e}")
    return number


GAME: dict[str, tuple[Any, str]] = {  # for each field of the game: its option's type and help
    "rounds": (whole_number, "Rounds to play"),
    "dimension": (whole_number, "Coordinates of a point"),
    "box": (
        str,
        "Where points may lie: [low,high], one such pair a coordinate, or a data file, whose features have limits, or "
        "a spec such as replay(file=FILE, drop=[NAME])",
    ),
    "features": (str, "Names of the coordinates, as in temp,price, for models with named features"),
    "kernel": (str, "Kernel of learner and comparator, a spec"),
    "regularisation": (float, "Lambda of the comparator, and of learners that do not say otherwise"),
    "label_bound": (float, "B, the largest label"),
    "prediction_bound": (float, "C, to which learners clip"),
    "loss": (str, "Loss, a spec"),
}
USUAL_GAME = {  # defaults of these options, as the help of commands that play prints them
    "rounds": "200",
    "dimension": "2, or the data's",
    "box": "[-1,1]",
    "features": "those of the data, or none",
    "kernel": "gaussian",
    "regularisation": "1",
    "label_bound": "1",
    "prediction_bound": "B",
    "loss": "squared",
}


def game_options(**defaults: str) -> Callable[[F], F]:
    """Return a decorator that adds options for fields of the game.

    `defaults` maps each field to the text that the help prints as its default. The value of an option that is not given
    is None.
    """

    def decorate(command: F) -> F:
        for name, default in reversed(defaults.items()):
            kind, meaning = GAME[name]
            flag = f"--{name.replace('_', '-')}"
            names = specs(name) if name in registry.KINDS else None
            described = f"{meaning}  [default: {default}]"
            command = click.option(flag, type=kind, default=None, help=described, shell_complete=names)(command)
        return command

    return decorate


def game_fields(options: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the game whose options were given; an option that was not given is None in `options`.

    The value of --box may be a data file, or a spec of `replay` or `from-data`. Then the dimension and the names of the
    features come from the data unless options give them.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if "features" in given:
        given["features"] = _read_names(given["features"])
    if "box" in given:
        limits = _limits_in(given["box"])
        if limits is None:
            given["box"] = _read_box(given["box"])
        else:
            from arena.record.setting import name_box  # imported here since it loads the game's modules

            name_box(limits, given.pop("box"))
            given = limits | given
    return given


def _limits_in(given: str) -> dict[str, Any] | None:
    """Return the fields `dimension`, `box` and `features` of a game that fits a data set; `given` is the text of --box.

    `given` names the data set by a data file, or by a spec of `replay` or `from-data`. For any other text, such as a
    box, return None. The field `features` is left out if the data set has no names, or has a name twice.
    """
    if given.startswith(("replay(", "from-data(")):
        from arena.data.limits import limits_of_data

        return limits_of_data(build("adversary", given).data)
    if "[" in given or not Path(given).suffix or _NUMBERS.fullmatch(given):
        return None
    from arena.data.limits import limits_of

    try:
        return limits_of(given)
    except ArenaError as error:
        what = f'or a spec with the parameters that it names: --box "replay(file={given}, ...)"'
        reason = str(error) if str(error).endswith("?") else f"{error}."
        raise ArenaError(f"{reason} --box takes a file of numbers, {what}") from None


def _read_names(text: str) -> tuple[str, ...]:
    """Return the names of features in a text such as `a, b` or `['a', 'b']`."""
    if not text.lstrip().startswith("["):
        return tuple(name.strip() for name in text.split(","))
    return tuple(map(str, dict(parse_spec(f"game(features={text})").parameters)["features"]))


def _read_box(text: str) -> Any:
    """Return the box in a text: (low, high), or one such pair for each coordinate.

    The outer brackets of the text may be missing.
    """
    try:
        sides = dict(parse_spec(f"game(box=[{text}])").parameters)["box"]
    except ArenaError:
        sides = ()
    if len(sides) == 1:  # the text has its outer brackets already, or is a word
        sides = sides[0]
    if not isinstance(sides, tuple) or not sides:
        raise ArenaError(f"--box must be [low,high], or [[low,high],...] for each coordinate; it is {text!r}")
    return sides


def _reserved(context: click.Context, _: click.Parameter, wanted: bool) -> bool:
    if wanted:
        reserve_stdout(context)
    return wanted


json_option = click.option(
    "--json", "json_wanted", is_flag=True, is_eager=True, callback=_reserved, help="Print JSON and nothing else."
)


def cluster_option(function: F) -> F:
    """Decorator: add the options --cluster and --cluster-wait, whose values `arena.cli.cluster.cluster_of` takes."""
    wait = click.option(
        "--cluster-wait",
        type=NumberRange(min=0),
        metavar="SECONDS",
        help="How long to wait while the scheduler has no workers.  [default: 60]",
    )
    cluster = click.option(
        "--cluster", metavar="tcp://HOST:PORT", help="Play on the workers of this dask.distributed scheduler."
    )
    return cluster(wait(function))


traceback_option = click.option(
    "--traceback", is_flag=True, help="After a forfeit by an exception, show where it came from."
)
parameters_option = click.option(
    "--parameters",
    type=click.Choice(["given", "varied"]),
    default="varied",
    show_default=True,
    help="varied: also with other values of the declared parameters of a learner that its spec does not give.",
)
name_option = click.option(
    "--name", metavar="NAME", help="The learner's name in headings, tables and figures, in place of its spec."
)
trust_option = click.option(
    "--trust", is_flag=True, help="Run code that the file names: a learner, kernel or theorem of your own."
)


def match_option(name: str, **changes: Any) -> Callable[[F], F]:
    """Return the decorator that adds an option declared in `arena.record.repeating`.

    `changes` are arguments of `click.option` in place of those that the declaration gives.
    """
    option = OPTIONS[name]
    settings: dict[str, Any] = {"help": option.help, "metavar": option.metavar}
    if option.kind is bool:
        settings["is_flag"] = True
    elif option.kind is float:
        settings["type"] = NumberRange(min=0.0)
    elif option.kind == "comparator":
        settings |= {"type": ComparatorType(), "multiple": True, "shell_complete": specs("comparator")}
    elif isinstance(option.kind, tuple):
        settings |= {"type": click.Choice(option.kind), "default": option.default, "show_default": True}
    return click.option(option.flag, name, **settings | changes)


def match_options(command: F) -> F:
    """Decorator: add all options that are declared in `arena.record.repeating`."""
    for name in reversed(OPTIONS):
        command = match_option(name)(command)
    return command


def bound_option(own: str, default: str = "auto") -> Callable[[F], F]:
    """Return the decorator that adds --bound to a command.

    `own` is the meaning of the value `auto`, and `default` the default, for the help.
    """
    return click.option(
        "--bound",
        multiple=True,
        shell_complete=specs("theorem", also=("auto", "none")),
        metavar="auto|NAME|none",
        help=f"Theorem to judge by, for any learner; may be repeated. auto: {own}.  [default: {default}]",
    )


def read_bounds(bound: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts given with --bound; ("auto",) if it was not given.

    Raise an `ArenaError` for a name that is no theorem, and for "none" beside other texts.
    """
    if len(bound) > 1 and "none" in bound:
        raise ArenaError("--bound none says that nothing is judged; it cannot stand beside other bounds")
    for name in bound:
        if name not in ("auto", "none"):
            build("theorem", name)  # raises an error for a misspelt name before a match is played
    return bound or ("auto",)
