"""What is known of online Newton steps in an RKHS (Calandriello, Lazaric and Valko 2017, ICML, Theorem 1; theory E11).

The published proof loses a factor 1/2 and replaces 1 + log(1 + sigma L^2 T / alpha) by 2 log(2 sigma L^2 T), which may
be smaller, and even negative. Here the bounds are stated with the half, for the regret at alpha / 2, and with the
logarithm that the proof gives; `kons-printed` is the published statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.hindsight.checkpoints import last_checkpoint
from arena.hindsight.comparator import EXACT_LIMIT
from arena.record.theorem import Assumption
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.assumptions import alpha_is_small, curved, eta_is_sigma, slope_and_curvature, unit_features
from arena.theorems.bounded_comparator import BoundedComparator
from arena.theorems.recomputed.grouped import Grouped
from arena.theorems.recomputed.kors import MOST_POINTS
from arena.theorems.recomputed.newton import NewtonPath, newton_path, newton_steps
from arena.theorems.recomputed.once import once_per_match

THEOREM = "Calandriello, Lazaric and Valko 2017 (ICML), Theorem 1"


@once_per_match
def exact_path(run: Transcript, alpha: float, step: float | None) -> NewtonPath:
    """The path when A gets every gradient."""
    return newton_path(run, alpha, step)


@dataclass(frozen=True)
class NewtonTheorem(BoundedComparator):
    """Parameters, premises and comparator that bounds on Newton steps share; each defines `allowed`."""

    quantity: ClassVar[str] = "regret at alpha/2"

    alpha: float = parameter(1.0, "weight of |w|^2: A_0 = alpha I", above=0)
    step: float | None = parameter(
        None, "eta (none: the loss's curvature sigma on [-C, C]; if that is zero, 1/(L C sqrt(t)))", above=0
    )

    def comparator_ridge(self, run: Transcript) -> float:
        """Alpha / 2, which the proof gives."""
        return self.alpha / 2

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        points = len(np.unique(run.points + 0.0, axis=0))
        short = run.rounds <= EXACT_LIMIT or points <= MOST_POINTS
        statement = f"at most {EXACT_LIMIT} rounds or {MOST_POINTS} different points"
        return (*super().premises(run), Assumption(statement, short, f"{run.rounds} rounds, {points} points"))

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(self.comparator_ridge(run))

    def regret_within(self, run: Transcript, rounds: int) -> tuple[float, float]:
        """The regret to the best predictor's multiple in [-C, C]; at the last checkpoint unless the loss is squared."""
        comparator = run.comparator
        if comparator.in_intervals and (not comparator.closed_form or run.rounds <= EXACT_LIMIT):
            at = rounds if comparator.closed_form else last_checkpoint(run.rounds, rounds)
            best = comparator.optimum(self.comparator_ridge(run), at)
            return best.reached, float(run.cumulative_losses[at - 1]) - best.within
        group = Grouped.of(run.game.kernel, run.points[:rounds], run.labels[:rounds])
        largest, objective = group.within(self.comparator_ridge(run), run.game.clip)
        return largest, float(run.cumulative_losses[rounds - 1]) - objective


@dataclass(frozen=True)
class KonsGradients(NewtonTheorem):
    """The gradients' energies pay for the regret, path by path."""

    name: ClassVar[str] = "kons-gradients"
    paper: ClassVar[str] = f"{THEOREM} and its decomposition R_G + R_D, with the factor 1/2 that its proof gives"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= 1/2 sum_t g_t^2 phi_t' A_t^-1 phi_t "
        "+ 1/2 sum_t max(0, eta_t - sigma) g_t^2 (C + |prediction|)^2"
    )

    def allowed(self, run: Transcript) -> Array:
        path = exact_path(run, self.alpha, self.step)
        return np.asarray(0.5 * np.cumsum(path.energies + path.drift))


@dataclass(frozen=True)
class KonsLogdet(NewtonTheorem):
    """The log determinant of the gradients' Gram matrix pays for the regret."""

    name: ClassVar[str] = "kons-logdet"
    paper: ClassVar[str] = f"{THEOREM}, with the factor 1/2 that its proof gives"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= log det(I + sigma D K D / alpha) / (2 sigma), D = diag(g_t), for eta = sigma; "
        "in general 1/2 sum_t log(1 + q_t) / eta_t + R_D / 2, q_t = eta_t g_t^2 phi_t' A_{t-1}^-1 phi_t"
    )

    def allowed(self, run: Transcript) -> Array:
        path = exact_path(run, self.alpha, self.step)
        return np.asarray(0.5 * np.cumsum(path.growth + path.drift))


@dataclass(frozen=True)
class KonsEffectiveDimension(NewtonTheorem):
    """The effective dimension of the points pays for the regret, whatever the gradients."""

    name: ClassVar[str] = "kons-effective-dimension"
    paper: ClassVar[str] = f"{THEOREM}, both cases, corrected"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= d_eff(a) (1 + log(1 + tr K_T / a)) / (2 eta_T) + 2 C^2 L^2 sum_t max(0, eta_t - sigma), "
        "a = alpha / (eta_1 L^2)"
    )

    def allowed(self, run: Transcript) -> Array:
        steps = newton_steps(run, self.step)
        slope, sigma = slope_and_curvature(run)
        at = self.alpha / (float(steps[0]) * slope**2)
        beyond = np.maximum(steps - sigma, 0.0)
        trace = np.cumsum(run.game.kernel.diagonal(run.points))
        growth = run.comparator.effective_dimensions(at) * (1.0 + np.log1p(trace / at)) / steps
        return np.asarray(0.5 * growth + 2.0 * np.square(run.game.clip * slope) * np.cumsum(beyond))


@dataclass(frozen=True)
class KonsPrinted(NewtonTheorem):
    """Theorem 1 as printed; it fails where sigma L^2 T, or L^2 T for sigma = 0, is small.

    Every prefix counts as a match of its own, those with alpha <= sqrt(t).
    """

    name: ClassVar[str] = "kons-printed"
    paper: ClassVar[str] = THEOREM
    statement: ClassVar[str] = (
        "R_alpha <= 2 d_eff(alpha / (sigma L^2)) log(2 sigma L^2 T) / sigma for eta = sigma > 0; "
        "R_alpha <= 4 L C sqrt(T) d_eff(alpha / L^2) log(2 L^2 T) for sigma = 0 and eta_t = 1/(L C sqrt(t))"
    )
    quantity: ClassVar[str] = "regret at alpha"

    def comparator_ridge(self, run: Transcript) -> float:
        """All of alpha: the paper's comparator pays it, not half of it."""
        return self.alpha

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().premises(run), *published_setting(run, self.alpha, self.step))

    def allowed(self, run: Transcript) -> Array:
        return where_it_counts(run, alpha_was_small(run, self.alpha), printed_bound(run, self.alpha))


@dataclass(frozen=True)
class KonsHorizon(NewtonTheorem):
    """The printed bound for sigma > 0 where its logarithm is as large as the proof needs it."""

    name: ClassVar[str] = "kons-horizon"
    paper: ClassVar[str] = f"{THEOREM}, with the precondition that it lacks"
    statement: ClassVar[str] = (
        "R_alpha <= 2 d_eff(alpha / (sigma L^2)) log(2 sigma L^2 T) / sigma for eta = sigma > 0, "
        "if 1 + log(1 + sigma L^2 T / alpha) <= 2 log(2 sigma L^2 T)"
    )
    quantity: ClassVar[str] = "regret at alpha"

    def comparator_ridge(self, run: Transcript) -> float:
        """All of alpha, as printed."""
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
        return where_it_counts(run, self._logarithm_suffices(run), printed_bound(run, self.alpha))

    def _logarithm_suffices(self, run: Transcript) -> NDArray[np.bool_]:
        slope, sigma = slope_and_curvature(run)
        size = sigma * slope**2 * np.arange(1, run.rounds + 1)
        return np.asarray(1.0 + np.log1p(size / self.alpha) <= 2.0 * np.log(2.0 * size))


def printed_bound(run: Transcript, alpha: float) -> Array:
    """The right-hand side of Theorem 1 as printed, at every T."""
    T = np.arange(1, run.rounds + 1)
    slope, sigma = slope_and_curvature(run)
    if sigma > 0:
        dimension = run.comparator.effective_dimensions(alpha / (sigma * slope**2))
        return np.asarray(2.0 * dimension * np.log(2.0 * sigma * slope**2 * T) / sigma)
    dimension = run.comparator.effective_dimensions(alpha / slope**2)
    return np.asarray(4.0 * slope * run.game.clip * np.sqrt(T) * dimension * np.log(2.0 * slope**2 * T))


def published_setting(run: Transcript, alpha: float, step: float | None) -> tuple[Assumption, ...]:
    """What the paper assumes throughout."""
    # Where the logarithm is negative the bound is not monotone, so an interval cannot be judged at its ends.
    only_interval = run.comparator.closed_form and run.comparator.in_intervals
    known = Assumption("more than an interval is known of the hindsight", not only_interval)
    return unit_features(run), eta_is_sigma(run, step), alpha_is_small(run, alpha), known


def alpha_was_small(run: Transcript, alpha: float) -> NDArray[np.bool_]:
    """The prefixes with alpha <= sqrt(t)."""
    return np.asarray(alpha <= np.sqrt(np.arange(1, run.rounds + 1)))


def where_it_counts(run: Transcript, counts: NDArray[np.bool_], bound: Array) -> Array:
    """The bound, infinite for prefixes that do not count, and held between checkpoints where the regret is."""
    return run.comparator.held_between_checkpoints(np.where(counts, bound, np.inf))
