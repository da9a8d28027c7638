"""How a failure reads: who, what, by how much, the smallest sequence that shows it, and the commands that repeat it."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Sequence

from arena.arrays import Array
from arena.counterexamples.shrinking import Shrunk
from arena.errors import number_of
from arena.game.game import Game, changed_fields
from arena.record.storage import game_as_json
from arena.record.theorem import Verdict
from arena.record.transcript import Transcript
from arena.specs.spelling import spec_text
from arena.testing.moves import Moves
from arena.testing.session import adversary_text

SHOWN = 16  # rounds of a smallest sequence that are printed


class RegretTooLarge(AssertionError):
    """A learner broke a bound or forfeited: `transcript` and `verdict` say how, `shrunk` has the smallest sequence."""

    def __init__(
        self, message: str, transcript: Transcript, verdict: Verdict | None = None, shrunk: Shrunk | None = None
    ):
        super().__init__(message)
        self.transcript = transcript
        self.verdict = verdict
        self.shrunk = shrunk


def told(run: Transcript, what: str, lines: Sequence[str], *, bound: str | None = None) -> str:
    """The failure: who, what, the numbers, the game, and the command that plays it again."""
    head = f"{run.learner} against {adversary_text(run)}: {what}"
    return "\n".join([head, *(f"  {line}" for line in [*lines, *repetition(run, bound)])])


def violation(run: Transcript, verdict: Verdict, *more: str) -> str:
    """The message of a bound that is broken: by how much, first and at the end, and how to see it again."""
    what = f"{verdict.theorem} is violated in round {verdict.round}"
    last = f"{verdict.quantity} {verdict.measured:.9g}, bound {verdict.allowed:.9g} in round {run.rounds}, the last"
    return told(
        run, what, [f"{exceeded(verdict)}, the first in which it is broken", last, *more], bound=verdict.theorem
    )


def beyond_demand(run: Transcript, verdict: Verdict) -> str:
    """The message of a regret that is larger than a plain number."""
    assert verdict.measured is not None
    assert verdict.allowed is not None
    margin = verdict.measured - verdict.allowed
    line = f"regret {verdict.measured:.9g}, allowed {verdict.allowed:.9g}, margin {margin:.3g}"
    what = f"the regret exceeds what is allowed in round {run.rounds}"
    return told(run, what, [line], bound=verdict.theorem)


def exceeded(verdict: Verdict) -> str:
    """What was measured, what is allowed, and by how much it is broken first."""
    assert verdict.round is not None
    assert verdict.measured_curve is not None
    assert verdict.allowed_curve is not None
    first = verdict.round - 1
    return (
        f"{verdict.quantity} {verdict.measured_curve[first]:.9g}, bound {verdict.allowed_curve[first]:.9g}, "
        f"margin {verdict.margin:.3g} in round {verdict.round}"
    )


def repetition(run: Transcript, bound: str | None) -> list[str]:
    """The game, and the command that plays the match again."""
    game = game_as_json(run.game)
    setting = ", ".join(f"{key} {game[key]}" for key in {"rounds": 0, **changed_fields(run.game, Game())})
    command = run.command
    if command and bound:
        command += f" --bound {shlex.quote(bound)}"
    side = "learner" if run.learner.startswith("<") else "adversary"
    return [
        f"game: {setting}; seed {run.seed}",
        f"again: {command or f'in Python alone, since no spec can name the {side} (the failure has the transcript)'}",
    ]


def smallest(shrunk: Shrunk, kept_as: str | None) -> list[str]:
    """The lines about the smallest sequence: how badly the learner fails there, and the command that plays it."""
    run, verdict = shrunk.smallest, shrunk.verdict
    how = exceeded(verdict) if verdict and verdict.violated else str(run.forfeit)
    lines = [f"smallest sequence, {number_of(shrunk.rounds, 'round')}: {how}"]
    few = shrunk.rounds <= SHOWN
    if few:
        lines += [f"  points = {shrunk.points.tolist()}", f"  labels = {shrunk.labels.tolist()}"]
    if few and not shrunk.one_by_one:
        lines += [f"  {line}" for line in repetition(as_moves(run, shrunk.points, shrunk.labels), shrunk.theorem)]
    if kept_as:
        lines.append(f"kept: arena failures show {kept_as}; arena failures promote {kept_as} makes a test of it")
    return lines


def as_moves(run: Transcript, points: Array, labels: Array) -> Transcript:
    """The same match, with the moves themselves as the adversary, which a command can name."""
    twin = copy.copy(run)
    twin.adversary = spec_text(Moves.of(points, labels))
    return twin
