"""Transcripts made of others: as they would be in another game, with other labels, or without what can be computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arena.arrays import Array
from arena.game.game import Game
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict

MOVES = ("learner", "adversary", "game", "seed", "points", "labels", "predictions", "seconds", "sizes", "evidence")
ENDING = ("ended", "forfeit", "theorems", "hindsight_mode", "header", "unanswered")


def relocated(run: Transcript, game: Game) -> Transcript:
    """The same moves and predictions, as if they had been played in another game."""
    return Transcript(**{**_fields(run, MOVES), "game": game})


def relabelled(run: Transcript, labels: Array) -> Transcript:
    """The same points and predictions with other labels."""
    return Transcript(**{**_fields(run, MOVES), "labels": labels})


def portable(run: Transcript) -> Transcript:
    """A transcript that can be sent to another process: what can be computed again is left out."""
    return Transcript(**_fields(run, (*MOVES, *ENDING)))


def bare(verdict: Verdict) -> Verdict:
    """A verdict without its curves, which the transcript gives back."""
    return replace(verdict, measured_curve=None, allowed_curve=None)


def _fields(run: Transcript, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(run, name) for name in names}
