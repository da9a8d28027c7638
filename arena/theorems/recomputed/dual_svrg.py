"""The coefficients of DualSVRG on all points seen, computed again from what it left as evidence (theory E19).

The update is linear in the slopes of the loss, and the slopes follow from the predictions, the checkpoint's values and
the values at the remembered points. With one coefficient for each point the function f of the RKHS and the function
f_dual, whose moved points live in Fourier features, differ in their kernels alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.game.losses import Loss
from arena.record.transcript import Transcript
from arena.theorems.recomputed.once import once_per_match


@dataclass(frozen=True)
class Settings:
    """What the steps depend on."""

    loss: Loss
    eta: float
    strength: float
    memory: int
    period: int


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class DualPath:
    """At every round: f(x_t) with exact kernels, the sums of |coefficients|, of all and of moved points; and u's."""

    exact: Array
    dual: Array
    total: Array
    moved: Array
    kernel_error: float  # max |k - k~| between points of the match
    coefficients: Array  # of u at each checkpoint, one row each


@once_per_match
def dual_svrg_path(run: Transcript, settings: Settings) -> DualPath:
    """All steps, one after the other."""
    T, eta, period = run.rounds, settings.eta, settings.period
    signs, where = np.sign(run.labels), run.evidence["moved"][:T] > 0
    K = run.game.kernel.gram(run.points, run.points)
    features = fourier_features(run.points, run.evidence["dual_frequencies"])
    error = features @ features.T - K
    slopes = settings.loss.derivative(run.predictions, signs)
    slopes_at_checkpoint = settings.loss.derivative(run.evidence["checkpoint_values"][:T], signs)
    memory_values, read = run.evidence["memory_values"], 0
    w, total, remembered = np.zeros(T), np.zeros(T), np.zeros(T)
    exact, dual, sums, moved, checkpoints = np.empty(T), np.empty(T), np.empty(T), np.empty(T), []
    for t in range(T):
        exact[t] = w @ K[:, t]
        dual[t] = exact[t] + w[where] @ error[where, t]
        sums[t], moved[t] = np.abs(w).sum(), np.abs(w[where]).sum()
        size = min(t + 1, settings.memory)
        if t >= settings.memory:
            remembered[t - settings.memory] = 0.0
        remembered[t] = slopes_at_checkpoint[t]
        w = w - eta / size * remembered
        w[t] -= eta * (slopes[t] - slopes_at_checkpoint[t])
        w /= 1.0 + eta * settings.strength
        total += w
        if (t + 1) % period == 0:
            w, total = total / period, np.zeros(T)
            checkpoints.append(w)
            rows = slice(t + 1 - size, t + 1)
            remembered[rows] = settings.loss.derivative(memory_values[read : read + size], signs[rows])
            read += size
    return DualPath(exact, dual, sums, moved, float(np.abs(error).max()), np.array(checkpoints).reshape(-1, T))


def fourier_features(X: Array, frequencies: Array) -> Array:
    """Cosines and sines, normalised."""
    phases = X @ frequencies.T
    return np.asarray(np.hstack([np.cos(phases), np.sin(phases)]) * len(frequencies) ** -0.5)
