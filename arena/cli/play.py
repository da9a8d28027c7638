"""`arena play LEARNER ADVERSARY`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from arena.cli.errors import Mistake, told_to_the_user
from arena.cli.leaderboard import play_all
from arena.cli.memory import memory_note
from arena.cli.outcome import check_outputs, finish, theorems_asked_for
from arena.cli.progress import MatchProgress
from arena.cli.result import tell, write_files
from arena.cli.series import Wanted, play_many
from arena.engine.match import Interrupted, play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.transcript import Transcript
from arena.specs.grammar import parse_spec

F = TypeVar("F", bound=Callable[..., Any])


def whole_number(text: str) -> int:
    """A whole number, also written as 1e6 or 1_000_000."""
    try:
        return int(text)
    except ValueError:
        with contextlib.suppress(ValueError, OverflowError):
            if float(text) == int(float(text)):
                return int(float(text))
    raise click.BadParameter(f"{text!r} is not a whole number; write it like 200 or 1e6")


def game_option(name: str, kind: Any, meaning: str) -> Callable[[F], F]:
    """An option for one field of the game; what is not given stays at the game's default, or at what the data needs."""
    return click.option(name, type=kind, default=None, help=meaning)


@click.command("play", short_help="Play LEARNER against ADVERSARY, and judge the regret.")
@click.argument("learner")
@click.argument("adversary", required=False)
@game_option("--rounds", whole_number, "Rounds to play  [default: 200]")
@game_option("--dimension", int, "Coordinates of a point  [default: 2, or the data's]")
@game_option("--box", str, "Where points may lie: [low,high], or one such pair a coordinate  [default: [-1,1]]")
@game_option("--kernel", str, "Kernel of learner and comparator, a spec  [default: gaussian]")
@game_option(
    "--regularisation", float, "Lambda of the comparator, and of learners that do not say otherwise  [default: 1]"
)
@game_option("--label-bound", float, "B, the largest label  [default: 1]")
@game_option("--prediction-bound", float, "C, to which learners clip  [default: B]")
@game_option("--loss", str, "Loss, a spec  [default: squared]")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of both sides' randomness.")
@click.option(
    "--seeds", type=int, help="Play so many seeds, from --seed on, on all processors, and judge them together."
)
@click.option("--all-adversaries", is_flag=True, help="Against every adversary in turn; who forces the most regret?")
@click.option(
    "--bound",
    multiple=True,
    metavar="auto|NAME|none",
    help="Theorem to judge by, whoever plays; may be repeated. auto: the learner's own.  [default: auto]",
)
@click.option(
    "--hindsight",
    type=click.Choice(["auto", "exact", "interval", "none"]),
    default="auto",
    show_default=True,
    help="The best predictor in hindsight: exact, a certified interval of its loss, or none at all "
    "(auto: exact up to 20,000 rounds or 500 different points, an interval beyond).",
)
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE.html", help="Write a page with pictures.")
@click.option("--save", type=click.Path(path_type=Path), metavar="FILE.npz", help="Keep the transcript.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--traceback", is_flag=True, help="After a forfeit by an exception, show where it came from.")
def play_match(
    learner: str,
    adversary: str | None,
    seed: int,
    seeds: int | None,
    all_adversaries: bool,
    bound: tuple[str, ...],
    hindsight: Any,
    report: Path | None,
    save: Path | None,
    json_wanted: bool,
    traceback: bool,
    **fields: Any,
) -> None:
    """Play LEARNER against ADVERSARY, or --all-adversaries, measure the regret and judge it.

    Both are specs: a name (see `arena list`), a name with parameters such as "greedy(starts=64)", or a class of your
    own, "./mine.py:MyLearner(rate=0.1)" or "package.module:MyLearner".
    """
    with told_to_the_user():
        opponent = _opponent(adversary, seeds, all_adversaries=all_adversaries)
        theorems = theorems_asked_for(bound)
        check_outputs(report, save)
        given = {name: read_field(name, value) for name, value in fields.items() if value is not None}
        wanted = Wanted(learner, opponent, seed, 1 if seeds is None else seeds, bound, theorems, hindsight, given)
        if all_adversaries:
            sys.exit(play_all(wanted, report, save, json_wanted=json_wanted))
        if seeds is not None:
            sys.exit(play_many(wanted, report, save, json_wanted=json_wanted))
        console, rounds = Console(stderr=True, quiet=json_wanted), given.get("rounds", Game().rounds)
        if note := memory_note(learner, rounds):
            console.print(note, style="yellow", highlight=False, soft_wrap=True)
        with MatchProgress(console, rounds) as progress:
            run, interrupted = _play(learner, opponent, seed, hindsight, given, progress, quiet=json_wanted)
            write_files(run, theorems, None, save)  # kept before it is judged, which may take longer than the match
            verdicts = run.verdicts(theorems)
        write_files(run, theorems, report, save)
    tell(run, verdicts, bound, report=report, save=save, json_wanted=json_wanted)
    finish(run, verdicts, interrupted=interrupted, traceback=traceback)


def _opponent(adversary: str | None, seeds: int | None, *, all_adversaries: bool) -> str:
    """The one that was named, or none in particular."""
    if all_adversaries and (adversary or seeds is not None):
        what = "no ADVERSARY" if adversary else "one --seed at a time, not --seeds"
        raise Mistake(f"--all-adversaries plays every adversary with its usual parameters: it takes {what}")
    if not (adversary or all_adversaries):
        raise click.UsageError("Missing argument 'ADVERSARY' (arena list adversaries), or --all-adversaries.")
    return adversary or ""


def _play(
    learner: str,
    adversary: str,
    seed: int,
    hindsight: Any,
    given: dict[str, Any],
    progress: MatchProgress,
    *,
    quiet: bool,
) -> tuple[Transcript, bool]:
    talk = contextlib.redirect_stdout(sys.stderr) if quiet else contextlib.nullcontext()
    try:
        with talk:  # what a learner prints must not stand in the JSON
            told: dict[str, Any] = {"progress": progress, "watch": progress.certify}
            return play(learner, adversary, seed=seed, hindsight=hindsight, **told, **given), False
    except Interrupted as interruption:
        return interruption.transcript, True


def read_field(name: str, value: Any) -> Any:
    """What the option's text means as a field of the game."""
    return _box(value) if name == "box" else value


def _box(text: str) -> Any:
    """[low, high] or one such pair for each coordinate; the outer brackets may be left out."""
    try:
        sides = dict(parse_spec(f"game(box=[{text}])").parameters)["box"]
    except ArenaError:
        sides = ()
    if len(sides) == 1:  # the outer brackets were there already, or it is a word
        sides = sides[0]
    if not isinstance(sides, tuple) or not sides:
        raise ArenaError(f"--box must be [low,high], or [[low,high],...] for each coordinate; it is {text!r}")
    return sides
