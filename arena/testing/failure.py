"""Messages of failed assertions, with commands that play the failed match and its shrunk sequence again."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from arena.arrays import Array
from arena.counterexamples.case import moves_of
from arena.counterexamples.data_rows import rows_in_words
from arena.counterexamples.reproduction import DIGITS, repeated_text, why_no_test
from arena.counterexamples.shrinking import Shrunk
from arena.engine.last_function import SHOWS_LITTLE
from arena.engine.match import play
from arena.errors import ArenaError, is_ours, nearest, number_of
from arena.game.game import Game
from arena.record.commands import play_command
from arena.record.remarks import notes, why_unnamed
from arena.record.setting import fields_in_words
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.spelling import changed_fields, is_unnamed, spec_text
from arena.testing.moves import Moves
from arena.testing.session import Mistake, observe, run_settings

SHOWN = 16  # rounds of a smallest sequence that are printed
GENERATED = {dataclasses.__file__, "<string>"}  # files of the constructors of games and theorems

P = ParamSpec("P")
Answer = TypeVar("Answer")


class RegretTooLarge(AssertionError):
    """Raised by assertions if a learner violates a bound, its regret grows too fast, or a match ends as a forfeit.

    `transcript` is the match. `verdict` is the verdict on the violated bound in this match. It is None after a forfeit,
    for a bound that is judged over several seeds, and for `assert_growth`. `shrunk` is the result of shrinking; None if
    the match was not shrunk.
    """

    def __init__(
        self, message: str, transcript: Transcript, verdict: Verdict | None = None, shrunk: Shrunk | None = None
    ):
        super().__init__(message)
        self.transcript = transcript
        self.verdict = verdict
        self.shrunk = shrunk


def failure_message(
    run: Transcript, what: str, lines: Sequence[str], *, bound: str | None = None, seeds: range | None = None
) -> str:
    """Return the message of a failed assertion, with a command that plays the match again.

    The first line names the players and says `what` went wrong. Then come `lines`, the game and the command. If
    `seeds` is given, the command plays the matches of all these seeds. It judges by the theorem `bound`, or by the
    learner's promises if `bound` is None.
    """
    head = f"{run.learner_name} against {run.adversary_name}: {what}"
    return "\n".join([head, *(f"  {line}" for line in [*lines, *repetition_lines(run, bound, seeds)])])


def violation_message(run: Transcript, verdict: Verdict, *more: str) -> str:
    """Return the message about a violated theorem, with the values in the first violated and in the last round.

    `more` are further lines of the message.
    """
    what = f"{verdict.theorem} is violated in round {verdict.round}"
    last = f"{verdict.quantity} {verdict.measured:.9g}, bound {verdict.allowed:.9g} in round {run.rounds}, the last"
    return failure_message(
        run, what, [f"{excess_text(verdict)}, the first in which it is broken", last, *more], bound=verdict.theorem
    )


def demand_message(run: Transcript, verdict: Verdict) -> str:
    """Return the message about a final regret above the limit that the user set; `verdict` is the verdict on it."""
    assert verdict.measured is not None
    assert verdict.allowed is not None
    margin = verdict.measured - verdict.allowed
    line = f"{verdict.quantity} {verdict.measured:.9g}, allowed {verdict.allowed:.9g}, margin {margin:.3g}"
    what = f"the {verdict.quantity} exceeds what is allowed in round {run.rounds}"
    return failure_message(run, what, [line], bound=verdict.theorem)


def excess_text(verdict: Verdict) -> str:
    """Return a text with the measured value, the allowed value and their difference in the first violated round."""
    assert verdict.violation is not None
    measured, allowed = verdict.violation
    return (
        f"{verdict.quantity} {measured:.9g}, bound {allowed:.9g}, margin {verdict.margin:.3g} in round {verdict.round}"
    )


def repetition_lines(run: Transcript, bound: str | None, seeds: range | None = None) -> list[str]:
    """Return lines of a message: notes on the match, the game, and the command that plays the match again.

    If `seeds` is given, the command plays the matches of all these seeds. It judges by the theorem `bound`, or by the
    learner's promises if `bound` is None. If no command can play the match, a line says why.
    """
    setting = ", ".join(fields_in_words(run.game, {"rounds": 0, **changed_fields(run.game)}))
    together = range(run.seed, run.seed + 1) if seeds is None else seeds
    options: dict[str, Any] = {"seed": together.start, "seeds": len(together)}
    command = play_command(run, bound or "auto", **options)
    if command is None and is_unnamed(run.adversary) and seeds is None and run.rounds <= SHOWN:
        command = play_command(with_given_moves(run, *moves_of(run)), bound or "auto", **options)
    alone = f"in Python alone; {why_unnamed(run) or 'no spec can name the adversary'} (the failure has the transcript)"
    return [
        *(f"note: {note}" for note in notes(run) if SHOWS_LITTLE not in note),  # the failure itself showed enough
        f"game: {setting}; seed {run.seed}" if seeds is None else f"game: {setting}; seeds {seeds[0]} to {seeds[-1]}",
        f"again: {command or alone}",
    ]


def smallest_lines(shrunk: Shrunk, kept_as: str | None) -> list[str]:
    """Return lines about the match that shrinking found: its excess or foul, its moves, and the command that plays it.

    `kept_as` has the arguments with which `arena failures show` prints the failure; None if the failure is not kept.
    """
    run, verdict = shrunk.smallest, shrunk.verdict
    how = excess_text(verdict) if verdict and verdict.violated else str(run.forfeit)
    spent = run_settings.get().shrinking
    late = f" (out of time after {spent:g} s; --arena-shrinking={6 * spent:g} searches longer)"
    lines = [f"smallest sequence, {number_of(shrunk.rounds, 'round')}{'' if shrunk.finished else late}: {how}"]
    lines += [f"  {line}" for line in rows_in_words(shrunk.worst, shrunk.points, shrunk.labels)]
    few = shrunk.rounds <= SHOWN
    moves = {"points": shrunk.points, "labels": shrunk.labels}
    shown = {name: str(each.tolist()) if few else repeated_text(each) for name, each in moves.items()}
    if all(shown.values()):
        lines += [f"  {name} = {text}" for name, text in shown.items()]
    else:
        where = f"arena failures show {kept_as}" if kept_as else "the attribute `shrunk` of the failure"
        lines.append(f"  its moves: {where}")
    if few and not shrunk.one_by_one:
        given = with_given_moves(run, shrunk.points, shrunk.labels)
        lines += [f"  {line}" for line in repetition_lines(given, shrunk.theorem)]
    if kept_as:
        promoted = f"; arena failures promote {kept_as} makes a test of it"
        if why_no_test(shrunk) or kept_as[:DIGITS] in run_settings.get().test:  # the running test is that
            promoted = ""
        lines.append(f"kept: arena failures show {kept_as}{promoted}")
    return lines


def with_given_moves(run: Transcript, points: Array, labels: Array) -> Transcript:
    """Return a copy of the match in which the adversary's spec is one that plays these points and labels."""
    twin, moves = copy.copy(run), Moves.of(points, labels)
    twin.adversary, twin.header = spec_text(moves), {**run.header, "adversary_name": moves.name}
    return twin


def hide_arena_frames(assertion: Callable[P, Answer]) -> Callable[P, Answer]:
    """Decorator: pytest shows an `ArenaError` at the call of the assertion, not in the arena's code.

    The whole traceback is shown if it contains code of the user's learner or adversary. An unknown option of the
    assertion also raises an `ArenaError`. `observe` reports each `ArenaError` as a `Mistake` (to the pytest plugin).
    """

    @functools.wraps(assertion)
    def asserted(*arguments: P.args, **options: P.kwargs) -> Answer:
        __tracebackhide__ = True
        try:
            _check_names(assertion, options)
            return assertion(*arguments, **options)
        except ArenaError as mistake:
            observe(Mistake(getattr(assertion, "__name__", "the assertion"), str(mistake)))
            files = {frame.filename for frame in traceback.extract_tb(mistake.__traceback__)}
            if all(map(is_ours, files - GENERATED)):
                mistake.__traceback__ = None
            raise mistake

    return asserted


def _check_names(assertion: Callable[..., object], options: Mapping[str, object]) -> None:
    """Raise an `ArenaError` unless each option is an argument of the assertion or of `play`, or a field of the game."""
    own = [name for name, each in inspect.signature(assertion).parameters.items() if each.kind is not each.VAR_KEYWORD]
    known = {*own, *(field.name for field in dataclasses.fields(Game)), *inspect.signature(play).parameters}
    for name in options.keys() - known:
        asserts = getattr(assertion, "__name__", "the assertion")
        raise ArenaError(f"{asserts} has no argument {name!r}, and the game no such field. {nearest(name, known)}")
