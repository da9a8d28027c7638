"""Predictions that the learner of a recorded match would have made at points that were not played."""

from __future__ import annotations

import copy
import time

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.errors import ArenaError, describe_error
from arena.guards.user_code import guarded
from arena.linalg.threads import one_thread
from arena.players.learner import as_learner
from arena.players.random_numbers import random_numbers
from arena.record.transcript import Transcript
from arena.specs.building import build, registered_names_only
from arena.specs.spelling import is_unnamed

AGREE = 1e-6  # relative difference up to which values computed anew count as those of the record


class NotShown(ArenaError):
    """Raised if predictions at other points cannot be computed from a match's record; the message has the reason."""


def predictions_elsewhere(
    run: Transcript, points: Array, rounds: NDArray[np.intp], *, trust: bool, seconds: float
) -> Array:
    """Return the learner's predictions at `points` at the start of each round in `rounds`.

    `rounds` is in increasing order and counts from 1. The result has one row for each round and one column for each
    point. The learner plays the recorded moves again; if that takes longer than `seconds`, the last rows are missing.

    `trust` says that the user trusts the learner's code. Without it, `NotShown` is raised if the learner was isolated
    in the match, and an `ArenaError` if its spec names a user's code. `NotShown` is also raised if the learner

    - took longer than `seconds` in the match;
    - was given as an object, needs all moves beforehand, or raises an exception;
    - predicts differently at the recorded points.
    """
    if run.isolated and not trust:
        raise NotShown("the learner’s code is not run here")  # noqa: RUF001
    if is_unnamed(run.learner):
        raise NotShown("the learner was given as an object, which the record does not hold")
    if float(run.seconds.sum()) > seconds:
        raise NotShown("the learner takes too long to play the match again")
    learner = as_learner(build("learner", run.learner if trust else registered_names_only(run.learner)))
    if learner.foresight:
        raise NotShown("the learner must know the whole sequence beforehand")
    wanted, rows, started = set(rounds.tolist()), [], time.perf_counter()
    failed = guarded(lambda error: NotShown(f"played again, the learner raised {describe_error(error)}"))
    with one_thread(), failed, np.errstate(all="ignore"):
        learner.begin(copy.copy(run.game), random_numbers(run.seed, "learner"))
        for place in range(int(rounds[-1])):
            x = run.points[place].copy()
            if place + 1 in wanted:
                rows.append(np.asarray(learner.peek(points.copy()), dtype=float))
            learner.reveal(x)
            again, recorded = float(learner.predict(x)), float(run.predictions[place])
            if not abs(again - recorded) <= AGREE * (1.0 + abs(recorded)):
                raise NotShown(f"played again, the learner predicts {again:.6g} in round {place + 1}, not the recorded "
                               f"{recorded:.6g}")  # fmt: skip
            if time.perf_counter() - started > seconds and rows:
                break
            learner.update(x, float(run.labels[place]))
    return np.array(rows)
