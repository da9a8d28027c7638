"""Theorem on DualSGD: Pegasos with Fourier features in place of the atoms of small weight (theory E16)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.game.losses import Loss
from arena.record.cached import once_per_match
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.theorems.assumptions import left_as_evidence
from arena.theorems.descent import OgdStronglyConvex
from arena.theorems.dual_svrg import fourier_features
from arena.theorems.recomputed.descent import Path, Rule, descent_path, inverse_steps


@dataclass(frozen=True)
class OgdTwoSpaces(OgdStronglyConvex):
    """Regret bound of DualSGD: the bound of Pegasos plus the measured effect of moving atoms to Fourier features.

    The effect in round t is g_t (f_dual_t(x_t) - f_t(x_t)). Here f_dual_t, which makes the prediction, has Fourier
    features for the moved atoms. f_t has the same coefficients, but the exact kernel for all atoms. Losses with
    unbounded slopes are excluded.
    """

    name: ClassVar[str] = "ogd-two-spaces"
    paper: ClassVar[str] = "Le, Nguyen, Nguyen and Phung 2016, with the errors as they were"
    statement: ClassVar[str] = (
        "sum_t J_t(f_t) - J_t(g) <= sum_t |gradient_t|^2 / (2 lambda t) + sum_t g_t (f_dual_t(x_t) - f_t(x_t)) for all "
        "g, with the loss of J_t at f_dual_t(x_t)"
    )
    formula: ClassVar[str] = (
        r"$\sum_t \left( J_t(f_t) - J_t(g) \right) \le \sum_t \frac{\lVert \text{gradient}_t \rVert^2}{2 \lambda t} "
        r"+ \sum_t g_t \left( f_{\text{dual},t}(x_t) - f_t(x_t) \right)$ for all $g$, with the loss of $J_t$ at "
        r"$f_{\text{dual},t}(x_t)$"
    )
    quantity: ClassVar[str] = "regret less what moving explains, for the worst g,"
    budgeted: ClassVar[bool] = True

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        loss = self._judged_loss(run)
        bounded = math.isfinite(loss.lipschitz(math.inf, run.game.label_bound))
        return (
            *super().assumptions(run),
            left_as_evidence(run, "its frequencies", "dual_frequencies" in run.evidence),
            Assumption("the loss has bounded slopes", bounded, f"it is {loss.name}"),
        )

    def measured(self, run: Transcript) -> Array:
        return np.asarray(super().measured(run) - np.cumsum(self._slopes(run) * gaps_of(run)))

    def scale(self, run: Transcript) -> Array:
        return np.asarray(super().scale(run) + np.cumsum(np.abs(self._slopes(run) * gaps_of(run))))

    def path(self, run: Transcript) -> Path:
        return undisturbed(run, self.loss, self._strength(run))


@once_per_match
def undisturbed(run: Transcript, loss: Loss | None, strength: float) -> Path:
    """Return the functions of a gradient descent that takes the steps 1 / (lambda t) and removes no atom, as a `Path`.

    `strength` is lambda. If `loss` is given, it replaces the game's loss, and the signs of the labels replace the
    labels.
    """
    labels = run.labels if loss is None else np.sign(run.labels)
    eta = inverse_steps(run, strength)
    nothing = (np.empty(0), np.empty(0), np.empty((0, run.points.shape[1])))
    return descent_path(run, Rule(loss or run.game.loss, labels, eta, strength, 1.0 - eta * strength, nothing, 0.0))


@once_per_match
def gaps_of(run: Transcript) -> Array:
    """Return, for every round, how much the prediction changes because some atoms were moved to Fourier features.

    It is sum_i a_i (k~(x_i, x_t) - k(x_i, x_t)) over the moved atoms x_i with the coefficients a_i; k~ is the features'
    kernel.
    """
    moved, weights = run.evidence["removed_points"], run.evidence["removed_weights"]
    when = run.evidence["removed_rounds"]
    frequencies = run.evidence["dual_frequencies"]
    exact = run.game.kernel.gram(moved, run.points)
    errors = fourier_features(moved, frequencies) @ fourier_features(run.points, frequencies).T - exact
    gaps, now = np.empty(run.rounds), np.zeros(len(moved))
    for t in range(run.rounds):
        gaps[t] = now @ errors[:, t]
        # every step 1 / (lambda t) shrinks all coefficients by the factor 1 - 1/t
        now = np.where(when == t + 1, weights, now * (1.0 - 1.0 / (t + 1)))
    return gaps
