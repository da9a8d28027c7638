"""What online Newton steps met on the path of a match, recomputed from its points, labels and predictions alone.

For steps w with A_t = A_{t-1} + eta_t g_t^2 f_t f_t', every comparator w with |f_t' w| <= C obeys (theory E11)

    R(w) <= alpha / 2 |w|^2 + 1/2 sum_t g_t^2 f_t' A_t^-1 f_t + 1/2 sum_t (eta_t - sigma) g_t^2 (f_t' (w_t - w))^2.

The first sum is R_G, made of the gradients' energies; the second is R_D, nothing where eta_t <= sigma, and there at
most (eta_t - sigma) g_t^2 (|prediction| + C)^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.theorems.recomputed.surprises import surprises


@dataclass(frozen=True, eq=False)
class NewtonPath:
    """One entry for each round: eta_t, q_t = eta_t g_t^2 f_t' A_{t-1}^-1 f_t, and what R_D may be."""

    steps: Array
    surprises: Array
    drift: Array
    kept: NDArray[np.bool_]

    @property
    def energies(self) -> Array:
        """g_t^2 f_t' A_t^-1 f_t."""
        grown = np.where(self.kept, 1.0 + self.surprises, 1.0)
        return np.asarray(self.surprises / grown / self.steps)

    @property
    def growth(self) -> Array:
        """log(1 + q_t) / eta_t, at least the energy of a kept gradient: by as much log det A / eta grows."""
        return np.asarray(np.log1p(self.surprises) / self.steps)


def newton_steps(run: Transcript, step: float | None, share: float = 1.0) -> Array:
    """eta_t: as given, else this share of the curvature; for a loss without any, share / (L C sqrt(t))."""
    game = run.game
    constant = share * game.loss.curvature(game.clip, game.label_bound) if step is None else step
    if constant > 0:
        return np.full(run.rounds, constant)
    slope = game.loss.lipschitz(game.clip, game.label_bound)
    return np.asarray(share / (slope * game.clip * np.sqrt(np.arange(1, run.rounds + 1))))


def scaled_gradients(run: Transcript, step: float | None, share: float = 1.0) -> tuple[Array, Array, Array]:
    """eta_t, sqrt(eta_t) |g_t| and the drift of every round."""
    game = run.game
    slopes = game.loss.derivative(run.predictions, run.labels)
    steps = newton_steps(run, step, share)
    beyond = np.maximum(steps - game.loss.curvature(game.clip, game.label_bound), 0.0)
    drift = beyond * np.square(slopes) * np.square(np.abs(run.predictions) + game.clip)
    return steps, np.sqrt(steps) * np.abs(slopes), drift


def newton_path(
    run: Transcript, alpha: float, step: float | None, *, kept: NDArray[np.bool_] | None = None
) -> NewtonPath:
    """The path of KONS, or of steps whose matrix gets the kept gradients alone."""
    steps, scales, drift = scaled_gradients(run, step)
    found = surprises(run.game.kernel, run.points, alpha, scales=scales, kept=kept)
    if kept is None:
        return NewtonPath(steps, found, drift, np.ones(run.rounds, dtype=bool))
    return NewtonPath(steps, found, np.where(kept, drift, 0.0), kept)
