"""`arena replay FILE.npz [LEARNER]`: plays a saved match's moves again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.cli.completion import specs
from arena.cli.files import Output, report_option, save_option
from arena.cli.options import (
    bound_option,
    json_option,
    match_option,
    read_bounds,
    traceback_option,
    trust_option,
)
from arena.cli.output import COMMAND, markup, terminal
from arena.cli.progress import MatchProgress
from arena.cli.result import finish
from arena.counterexamples.case import Case, played
from arena.engine.match import Interrupted
from arena.errors import ArenaError, number_of
from arena.record.commands import replay_command
from arena.record.comparing import judged, with_comparators
from arena.record.judging import promises_of
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import DEVIATION
from arena.specs.building import registered_names_only
from arena.specs.spelling import is_unnamed

SAME = 1e-8  # relative difference up to which predictions are equal: in blocks, sums are made in another order


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.npz")
@click.argument("learner", required=False, shell_complete=specs("learner"))
@bound_option("the learner's own, and those of the learner in the file")
@match_option("comparators")
@match_option("exact")
@click.option("--one-by-one", is_flag=True, help="Round by round, though the learner could answer many together.")
@report_option
@save_option
@json_option
@traceback_option
@trust_option
def replay(
    file: Path,
    learner: str | None,
    bound: tuple[str, ...],
    comparators: tuple[Any, ...],
    exact: bool,
    one_by_one: bool,
    report: Path | None,
    save: Path | None,
    json_wanted: bool,
    traceback: bool,
    trust: bool,
) -> None:
    """Play the moves of a saved match again, with the same learner or another one.

    The game and the seed are those of the file. The moves stay as they are, even if the adversary chose them by looking
    at the predictions of the learner in the file.
    """
    bounds = read_bounds(bound)
    output = Output(report, save, json_wanted, traceback)
    output.check_differs_from(file)
    before = Transcript.load(file, trust=trust)
    playing = learner or learner_of(before, trust=trust)
    run, interrupted = _play(before, playing, one_by_one=one_by_one, exact=exact, quiet=json_wanted)
    run.adversary = f"<moves of {file.name}>"
    run.comparators = with_comparators(before.comparators, comparators)
    run.header |= {key: before.header[key] for key in ("remark", "label_unit") if key in before.header}
    judgement = judged(run, [*bounds, *(_promised_only_in(before, run) if bounds == ("auto",) else ())])
    difference, in_words = _difference(run, before)
    kept = {"path": file, **before.summary(), "ended": before.ended, "same_predictions": difference is None}
    again = replay_command(
        file, learner, bounds, comparators=comparators, one_by_one=one_by_one, exact=exact, trust=trust
    )
    more = {"file": {**kept, "difference": difference}, "command": again}
    lines = (f"In the file: {markup(in_words)}", f"Again: {markup(again, COMMAND)}")
    sys.exit(finish(run, judgement, output, bounds, interrupted=interrupted, again=bounds, more=more, lines=lines))


def _difference(run: Transcript, before: Transcript) -> tuple[dict[str, Any] | None, str]:
    """Return the difference of the predictions from those of `before`, the match in the file, for JSON and as text.

    Only rounds that both matches have are compared. The object has the first round with another prediction (counted
    from 1), this prediction `here` and `there`, and the largest difference in any round; it is None if there is none.
    """
    both = min(run.rounds, before.rounds)
    here, there = run.predictions[:both], before.predictions[:both]
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(here - there)
        differs = ~(difference <= SAME * (1.0 + np.abs(there)))
    whose = f"{before.learner} ({before.forfeit or before.ended})"
    if not differs.any():
        return None, f"{whose}, the same predictions in {number_of(both, 'round')}"
    at, largest = int(differs.argmax()), float(difference.max())
    found = {"round": at + 1, "here": here[at], "there": there[at], "largest": largest}
    return found, (
        f"{whose}, other predictions from round {at + 1:,} on, {there[at]:.6g} there and {here[at]:.6g} here; "
        f"the largest difference is {largest:.3g}"
    )


def learner_of(before: Transcript, *, trust: bool) -> str:
    """Return the spec of the learner of `before`, the saved match.

    Raise an `ArenaError` if the learner has no spec, or if `trust` is false and the spec names users' code.
    """
    if is_unnamed(before.learner):
        raise ArenaError(
            f"the file's learner was an object that no spec can name, {before.learner}: name one after "
            "the file, such as ./mine.py:MyLearner"
        )
    try:
        return before.learner if trust else registered_names_only(before.learner)
    except ArenaError as error:
        raise ArenaError(f"{error}. Name the learner yourself, or add --trust") from None


def _play(before: Transcript, learner: str, *, one_by_one: bool, exact: bool, quiet: bool) -> tuple[Transcript, bool]:
    """Play the moves of `before`; return the match, and whether Ctrl-C ended it."""
    case = Case.of(before)
    if not case.rounds:
        raise ArenaError("there is nothing to replay: the file holds no moves")
    isolate = before.forfeit is not None and before.forfeit.of_process
    with MatchProgress(terminal(err=True, quiet=quiet), case.rounds) as progress:
        given: dict[str, Any] = {"seed": before.seed, "watch": progress, "hindsight": before.hindsight_mode}
        try:
            return played(learner, case, one_by_one=one_by_one, isolate=isolate, exact=exact, **given), False
        except Interrupted as interruption:
            return interruption.transcript, True


def _promised_only_in(before: Transcript, run: Transcript) -> list[Theorem]:
    """Return the theorems, except identities, that the learner of `before` promises, but not the learner of `run`."""
    # identities are about the predictions of that learner alone
    known = {theorem.name for theorem in promises_of(run)}
    theirs = (theorem for theorem in promises_of(before) if theorem.name not in known)
    return [theorem for theorem in theirs if theorem.quantity != DEVIATION]
