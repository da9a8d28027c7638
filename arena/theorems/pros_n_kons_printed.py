"""The theorems on PROS-N-KONS as printed (Calandriello, Lazaric and Valko 2017, NIPS; theory E13, E14).

Theorem 1 may be false where 2 sigma L^2 T < alpha, since its logarithm is negative there.

Theorem 2 is false: it has J eps' alpha |w|^2 where J alpha |w|^2 would be right. Here w is the comparator, J the
number of epochs, and eps' = mu / (alpha - mu).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.record.theorem import loss_is_squared
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import (
    alpha_is_small,
    curved,
    slope_and_curvature,
    unit_features,
    until_one_fails,
)
from arena.theorems.epochs import epochs
from arena.theorems.kors import coins_of_kors, never_limited
from arena.theorems.pros_n_kons import (
    PAPER,
    ProsTheorem,
    alpha_exceeds_mu,
    epochs_begun,
    grouped,
)


@dataclass(frozen=True)
class ProsPrinted(ProsTheorem):
    """Base class of the published regret bounds of PROS-N-KONS, with the assumptions that the paper makes."""

    beta: float = parameter(1.0, "oversampling of KORS", above=0)
    delta: float = parameter(0.1, "the probability with which it may fail", above=0, below=1)

    @property
    def confidence(self) -> float:
        return 1.0 - self.delta

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return until_one_fails(
            lambda: super(ProsPrinted, self).assumptions(run),
            lambda: self.about_constants(run),
            lambda: (never_limited(run),),
            lambda: (coins_of_kors(run, self.gamma, self.beta, self.epsilon),),
        )

    def about_parameters(self, run: Transcript) -> Sequence[Assumption]:
        return (unit_features(run), alpha_is_small(run, self.alpha))

    def about_constants(self, run: Transcript) -> Sequence[Assumption]:
        """Return the assumptions on constants that the printed theorems need and the corrected theorems do not."""
        needed = 3.0 * float(np.log(run.rounds / self.delta)) / self.epsilon**2
        enough = self.beta >= needed * (1 - 1e-12)
        return (Assumption("beta >= 3 log(T/delta) / epsilon^2", enough, f"{self.beta:g} of {needed:g}"),)


@dataclass(frozen=True)
class ProsNKonsRegretPrinted(ProsPrinted):
    """Published regret bound of PROS-N-KONS (Theorem 1).

    It is false if C is small and 2 sigma L^2 T < alpha, which makes its logarithm negative.
    """

    name: ClassVar[str] = "pros-n-kons-regret-printed"
    paper: ClassVar[str] = f"{PAPER}, Theorem 1"
    statement: ClassVar[str] = (
        "R_{J alpha} <= (4 J / sigma) d_eff(alpha / (sigma L^2)) log(2 sigma L^2 T / alpha) "
        "+ (L^2 / alpha) (T gamma epsilon / (4 (1 - epsilon)) + 1) + 2 J C"
    )
    formula: ClassVar[str] = (
        r"$R_{J \alpha} \le \frac{4 J}{\sigma} d_{\text{eff}}\left( \frac{\alpha}{\sigma L^2} \right) \log\frac{2 "
        r"\sigma L^2 T}{\alpha} + \frac{L^2}{\alpha} \left( \frac{T \gamma \epsilon}{4 (1 - \epsilon)} + 1 \right) "
        "+ 2 J C$"
    )

    def about_parameters(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().about_parameters(run), curved(run))

    def bound(self, run: Transcript, rounds: int) -> float:
        if self.alpha > rounds**0.5:
            return np.inf
        slope, sigma = slope_and_curvature(run)
        J, size = epochs_begun(run, rounds), sigma * slope**2 / self.alpha
        dimension = grouped(run, 0, rounds).effective_dimension(1.0 / size)
        estimation = 4.0 * J / sigma * dimension * float(np.log(2.0 * size * rounds))
        approximation = slope**2 / self.alpha * (rounds * self.mu / 4.0 + 1.0)
        return estimation + approximation + 2.0 * J * run.game.clip


@dataclass(frozen=True)
class ProsNKonsSquaredPrinted(ProsPrinted):
    """Published regret bound of PROS-N-KONS for the squared loss (Theorem 2); it is false.

    It is false even with `clipped`, which replaces negative logarithms by zero.
    """

    name: ClassVar[str] = "pros-n-kons-squared-printed"
    paper: ClassVar[str] = f"{PAPER}, Theorem 2"
    statement: ClassVar[str] = (
        "R_{J eps' alpha} <= sum_j ((4 / sigma) d_eff^j(alpha / (sigma L^2)) log(2 sigma L^2 Tr K_j / alpha) "
        "+ eps' L*_j) + J L (C + L / alpha)"
    )
    formula: ClassVar[str] = (
        r"$R_{J \epsilon' \alpha} \le \sum_j \left( \frac{4}{\sigma} d_{\text{eff}}^j\left( \frac{\alpha}{\sigma "
        r"L^2} \right) \log\frac{2 \sigma L^2 \operatorname{tr} K_j}{\alpha} + \epsilon' L^\ast_j \right) + J L "
        r"\left( C + \frac{L}{\alpha} \right)$"
    )
    quantity: ClassVar[str] = "regret at J eps' alpha"

    clipped: bool = parameter(False, "take negative logarithms for zero, which makes the bound larger")

    @property
    def share(self) -> float:
        """The number eps' = mu / (alpha - mu), where mu is the largest eigenvalue that KORS may leave unexplained."""
        return self.mu / (self.alpha - self.mu)

    def penalty(self, run: Transcript, rounds: int) -> float:
        """Return the comparator's lambda for the first `rounds` rounds: eps' alpha J.

        Here eps' is mu / (alpha - mu), where mu is the largest eigenvalue that KORS may leave unexplained. J is the
        number of epochs that began in these rounds.
        """
        return super().penalty(run, rounds) * self.share

    def about_loss(self, run: Transcript) -> Sequence[Assumption]:
        return (loss_is_squared(run),)

    def about_parameters(self, run: Transcript) -> Sequence[Assumption]:
        return (alpha_exceeds_mu(self.alpha, self.mu), *super().about_parameters(run))

    def about_constants(self, run: Transcript) -> Sequence[Assumption]:
        game = run.game
        equal = game.label_bound == game.clip
        same = Assumption("B = C, so that L = 4 C", equal, f"{game.label_bound:g}, {game.clip:g}")
        return (same, *super().about_constants(run))

    def bound(self, run: Transcript, rounds: int) -> float:
        if self.alpha > rounds**0.5:
            return np.inf
        slope, sigma = slope_and_curvature(run)
        size, total = sigma * slope**2 / self.alpha, 0.0
        for epoch in epochs(run).upto(rounds):  # with its last round: only the proof treats that round apart
            group = grouped(run, epoch.start, epoch.stop)
            trace = float(group.counts @ group.gram.diagonal())
            logarithm = max(float(np.log(2.0 * size * trace)), 0.0 if self.clipped else -np.inf)
            total += 4.0 / sigma * group.effective_dimension(1.0 / size) * logarithm
            total += self.share * group.optimum(self.alpha)
        return total + epochs_begun(run, rounds) * slope * (run.game.clip + slope / self.alpha)
