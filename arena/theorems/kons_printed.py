"""Theorem 1 of Calandriello, Lazaric and Valko 2017 (ICML) as printed, and with the precondition that it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.theorems.assumptions import (
    alpha_is_small,
    curved,
    eta_is_sigma,
    slope_and_curvature,
    slopes_within,
    unit_features,
)
from arena.theorems.kons import THEOREM, NewtonTheorem


@dataclass(frozen=True)
class KonsPrinted(NewtonTheorem):
    """The published regret bound of KONS (Theorem 1), which is false in matches where its logarithm is too small.

    The logarithm is log(2 sigma L^2 T), or log(2 L^2 T) if sigma = 0. The bound is applied to every prefix of t rounds
    with alpha <= sqrt(t), as if the match ended there.
    """

    name: ClassVar[str] = "kons-printed"
    paper: ClassVar[str] = THEOREM
    statement: ClassVar[str] = (
        "R_alpha <= 2 d_eff(alpha / (sigma L^2)) log(2 sigma L^2 T) / sigma for eta = sigma > 0; "
        "R_alpha <= 4 L C sqrt(T) d_eff(alpha / L^2) log(2 L^2 T) for sigma = 0 and eta_t = 1/(L C sqrt(t))"
    )
    formula: ClassVar[str] = (
        r"$R_\alpha \le \frac{2}{\sigma} d_{\text{eff}}\left( \frac{\alpha}{\sigma L^2} \right) \log(2 \sigma L^2 "
        r"T)$ for $\eta = \sigma > 0$; $R_\alpha \le 4 L C \sqrt{T}\, d_{\text{eff}}\left( \frac{\alpha}{L^2} "
        r"\right) \log(2 L^2 T)$ for $\sigma = 0$ and $\eta_t = \frac{1}{L C \sqrt{t}}$"
    )
    quantity: ClassVar[str] = "regret at alpha"

    @property
    def comparator_lambda(self) -> float:
        """The lambda of the comparator w: alpha, since the published theorem on KONS has the penalty alpha |w|^2."""
        return self.alpha

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().premises(run), *published_setting(run, self.alpha, self.step))

    def allowed(self, run: Transcript) -> Array:
        return infinite_elsewhere(run, prefixes_with_small_alpha(run, self.alpha), printed_bound(run, self.alpha))


@dataclass(frozen=True)
class KonsHorizon(NewtonTheorem):
    """Published regret bound of KONS for sigma > 0, in matches where its logarithm is as large as the proof needs.

    The logarithm is log(2 sigma L^2 T). The proof needs at least half of 1 + log(1 + sigma L^2 T / alpha).
    """

    name: ClassVar[str] = "kons-horizon"
    paper: ClassVar[str] = f"{THEOREM}, with the precondition that it lacks"
    statement: ClassVar[str] = (
        "R_alpha <= 2 d_eff(alpha / (sigma L^2)) log(2 sigma L^2 T) / sigma for eta = sigma > 0, "
        "if 1 + log(1 + sigma L^2 T / alpha) <= 2 log(2 sigma L^2 T)"
    )
    formula: ClassVar[str] = (
        r"$R_\alpha \le \frac{2}{\sigma} d_{\text{eff}}\left( \frac{\alpha}{\sigma L^2} \right) \log(2 \sigma L^2 "
        r"T)$ for $\eta = \sigma > 0$, if $1 + \log\left( 1 + \frac{\sigma L^2 T}{\alpha} \right) \le 2 \log(2 "
        r"\sigma L^2 T)$"
    )
    quantity: ClassVar[str] = "regret at alpha"

    @property
    def comparator_lambda(self) -> float:
        """The lambda of the comparator w: alpha, since the published theorem on KONS has the penalty alpha |w|^2."""
        return self.alpha

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        enough = curved(run).holds and bool(self._logarithm_suffices(run)[-1])
        return (
            *super().premises(run),
            unit_features(run),
            eta_is_sigma(run, self.step),
            curved(run),
            Assumption("1 + log(1 + sigma L^2 T / alpha) <= 2 log(2 sigma L^2 T)", enough, f"alpha {self.alpha:g}"),
        )

    def allowed(self, run: Transcript) -> Array:
        return infinite_elsewhere(run, self._logarithm_suffices(run), printed_bound(run, self.alpha))

    def _logarithm_suffices(self, run: Transcript) -> NDArray[np.bool_]:
        slope, sigma = slope_and_curvature(run)
        size = sigma * slope**2 * np.arange(1, run.rounds + 1)
        return np.asarray(1.0 + np.log1p(size / self.alpha) <= 2.0 * np.log(2.0 * size))


def printed_bound(run: Transcript, alpha: float) -> Array:
    """Return the published regret bound of KONS for every prefix of the match."""
    T = np.arange(1, run.rounds + 1)
    slope, sigma = slope_and_curvature(run)
    if sigma > 0:
        dimension = run.comparator.effective_dimensions(alpha / (sigma * slope**2))
        return np.asarray(2.0 * dimension * np.log(2.0 * sigma * slope**2 * T) / sigma)
    dimension = run.comparator.effective_dimensions(alpha / slope**2)
    return np.asarray(4.0 * slope * run.game.clip * np.sqrt(T) * dimension * np.log(2.0 * slope**2 * T))


def published_setting(run: Transcript, alpha: float, step: float | None) -> tuple[Assumption, ...]:
    """Return the general assumptions of the paper on KONS (Calandriello, Lazaric and Valko 2017, ICML).

    One assumption is not in the paper: the regret of a squared loss is known exactly, and not only in an interval.
    """
    # Of a regret and a dimension that are known in intervals, only the ends would be judged. Where the logarithm in the
    # bound is negative, a larger dimension makes the bound smaller, and the verdicts at the ends say nothing between.
    only_interval = run.comparator.closed_form and run.comparator.in_intervals
    known = Assumption("more than an interval is known of the hindsight", not only_interval)
    return unit_features(run), slopes_within(run), eta_is_sigma(run, step), alpha_is_small(run, alpha), known


def prefixes_with_small_alpha(run: Transcript, alpha: float) -> NDArray[np.bool_]:
    """Return for every prefix of t rounds whether alpha <= sqrt(t), as the published theorem on KONS assumes."""
    return np.asarray(alpha <= np.sqrt(np.arange(1, run.rounds + 1)))


def infinite_elsewhere(run: Transcript, counts: NDArray[np.bool_], bound: Array) -> Array:
    """Return the bound in the rounds where `counts` is true, and infinity in all other rounds.

    If the regret is known at checkpoints only, the result at a checkpoint is repeated up to the next one.
    """
    return run.comparator.held_between_checkpoints(np.where(counts, bound, np.inf))
