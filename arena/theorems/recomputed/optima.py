"""The best regularised function of a prefix for the game's own loss, whichever it is, in certified intervals.

There is no closed form for every prefix, as the squared loss has one, so rounds 1, 2, 4, ... and the last are looked
at. What theorems ask is how low the objective can be, what a function of the RKHS does reach, and what is left of it
where predictions must stay within [-C, C].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Linear
from arena.game.losses import Loss
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.pivots import Pivots
from arena.hindsight.spaces import Space
from arena.theorems.recomputed.checkpoints import checkpoints, held
from arena.theorems.recomputed.once import once_per_match

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

LONGEST = 5000  # rounds, for losses other than the squared one


@dataclass(frozen=True)
class Optimum:
    """The least sum of losses + lambda |f|^2: it lies in [lower, upper], and `upper` is what a function f reaches.

    `reached` is the largest |f(x_t)|, `within` the objective of the largest multiple of f that stays within [-C, C],
    and `surely` no less than the largest value of the very best function, which is near f: the objective grows by
    lambda |f - best|^2 around it.
    """

    lower: float
    upper: float
    reached: float
    within: float
    surely: float


def optimum_of(space: Space, loss: Loss, y: Array, *, regularisation: float, bound: float) -> Optimum:
    """The best function for these labels, `bound` being C."""
    best = best_for_loss(space, loss, y, regularisation=regularisation)
    reached = float(np.abs(best.predictions).max(initial=0.0))
    scale = min(1.0, bound / reached) if reached else 1.0
    losses = float(loss.value(scale * best.predictions, y).sum())
    near = float(np.sqrt(max(best.gap, 0.0) / regularisation)) * float(space.scale.max(initial=0.0))
    within = best.upper if scale == 1.0 else losses + regularisation * scale**2 * best.squared_norm
    return Optimum(best.lower, best.upper, reached, within, reached + near)


@once_per_match
def best_so_far(run: Transcript, regularisation: float, rounds: int) -> Optimum:
    """The best function of the RKHS for so many rounds."""
    space = Space(pivots_of(run), run.points[:rounds])
    loss, bound = run.game.loss, run.game.clip
    return optimum_of(space, loss, run.labels[:rounds], regularisation=regularisation, bound=bound)


def best_of_features(run: Transcript, F: Array, rows: slice, regularisation: float) -> Optimum:
    """The best linear function of these features, for the rounds that they belong to."""
    F = F if F.shape[1] else np.zeros((len(F), 1))
    loss, bound = run.game.loss, run.game.clip
    return optimum_of(Space.of(Linear(), F), loss, run.labels[rows], regularisation=regularisation, bound=bound)


@once_per_match
def pivots_of(run: Transcript) -> Pivots:
    """Points in whose span comparators are looked for."""
    return Space.of(run.game.kernel, run.points).pivots


def regret_at_checkpoints(run: Transcript, regularisation: float) -> Array:
    """The regret at every checkpoint, held until the next: the largest that it can be, unless the least is asked for.

    Which of them is asked for, says the side of the transcript.
    """
    rounds, losses = checkpoints(run.rounds), run.cumulative_losses
    found = [best_so_far(run, regularisation, t) for t in rounds]
    optima = [best.upper if run.side == "favourable" else best.lower for best in found]
    return held(run.rounds, rounds, losses[np.array(rounds) - 1] - np.array(optima))
