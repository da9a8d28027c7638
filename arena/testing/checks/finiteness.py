"""Legal but unpleasant input: predictions stay numbers."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.players.referee import first_illegal_prediction
from arena.testing.checks.check import CheckFailed, check
from arena.testing.checks.subject import Subject, play_rounds, play_together

REPEATS = 1000


@check("plays")
def finite_after_repeated_points(subject: Subject) -> None:
    """A thousand rounds at one point leave its predictions finite, there and elsewhere."""
    X, y = subject.sequence(REPEATS + 10)
    X[:REPEATS] = X[0]
    _finite(subject, X, y, f"{REPEATS:,} rounds at one point")


@check("plays", "finite-after-repeated-points")
def finite_in_extreme_games(subject: Subject) -> None:
    """Corners of the box, kernels of extreme width and extreme regularisation leave its predictions finite."""
    plain = subject.game
    X, y = subject.sequence(120, "corners")
    X[60:] = X[0]
    for kernel in ("gaussian(bandwidth=0.001)", "gaussian(bandwidth=1000)"):
        for regularisation in (1e-8, 1e8):
            subject.game = plain.replace(kernel=kernel, regularisation=regularisation)
            try:
                _finite(subject, X, y, f"corners, kernel {kernel}, regularisation {regularisation:g}")
            finally:
                subject.game = plain


def _finite(subject: Subject, X: Array, y: Array, where: str) -> None:
    learner = subject.begun(len(X))
    play = play_together if subject.foresight or subject.offers("replay") else play_rounds
    with np.errstate(all="ignore"):
        predictions = play(learner, X, y)
    bad = first_illegal_prediction(predictions)
    if bad is not None:
        raise CheckFailed(f"the prediction is {predictions[bad]} in round {bad + 1} ({where})")
