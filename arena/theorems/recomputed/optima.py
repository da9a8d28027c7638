"""The best linear function of a learner's features for the game's own loss, in a certified interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Linear
from arena.hindsight.comparator import Optimum, optimum_of
from arena.hindsight.spaces import Space

if TYPE_CHECKING:
    from arena.record.transcript import Transcript


def best_of_features(run: Transcript, F: Array, rows: slice, regularisation: float) -> Optimum:
    """Compute the best linear function of these features, for the rounds that they belong to."""
    F = F if F.shape[1] else np.zeros((len(F), 1))
    loss, bound = run.game.loss, run.game.clip
    return optimum_of(Space.of(Linear(), F), loss, run.labels[rows], regularisation=regularisation, bound=bound)


def exact_optimum(objective: Callable[[float], float], reached: float, clip: float) -> Optimum:
    """Return the optimum of a known function: `objective` of its multiples, and its largest value."""
    best = objective(1.0)
    within = objective(clip / reached) if reached > clip else best
    return Optimum(lower=best, upper=best, reached=reached, within=within, surely=reached)


def regret_in_features(
    run: Transcript, increments: Callable[[], Array], optima: Callable[[int], Sequence[Optimum]]
) -> Array:
    """Return the regret to functions of features.

    For the squared loss `increments` are those of the optimum in every round; for others `optima(t)` are summed at
    checkpoints.
    """
    if run.comparator.closed_form:
        return np.asarray(np.cumsum(run.losses - increments()))
    return run.comparator.regret_at_checkpoints(run.losses, optima)
