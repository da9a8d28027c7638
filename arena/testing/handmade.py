"""Transcripts made by hand, for tests of theorems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.transcript import Transcript


def transcript(
    points: Sequence[Any] | Array, labels: Sequence[float] | Array, predictions: Sequence[float] | Array, **game: Any
) -> Transcript:
    """Return the transcript of a match with these points, labels and predictions.

    `game` gives fields of the `Game`, such as `label_bound=2.0`.

    >>> run = transcript([[0.0], [0.0]], [1.0, -1.0], [0.0, 0.5])
    >>> run.loss, run.verdict("awv-leverage").outcome
    (3.25, 'violated')
    """
    X, y, answers = (np.array(each, dtype=float) for each in (points, labels, predictions))
    if X.ndim != 2 or y.shape != (len(X),) or answers.shape != (len(X),):
        raise ArenaError(
            f"points, labels and predictions must have shapes (n, d), (n,) and (n,), but they have {X.shape}, "
            f"{y.shape} and {answers.shape}"
        )
    field = {"dimension": X.shape[1], "rounds": max(len(X), 1), **game}
    return Transcript(
        learner="<made by hand>",
        adversary="<made by hand>",
        game=Game().replace(**field),
        seed=0,
        points=X,
        labels=y,
        predictions=answers,
        seconds=np.zeros(len(X)),
        sizes=np.empty((0, 2)),
    )
