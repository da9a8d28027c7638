"""The theorems on PROS-N-KONS as they are printed (theory E13, E14).

Theorem 1 loses factors (the cost of restarts is 2 J L C, not 2 J C) but is so loose that no match is known to break it.
Theorem 2 is false: expanding (1 + eps') (loss + alpha |w|^2) its proof keeps eps' alpha |w|^2 where alpha |w|^2 is
meant, and a learner that starts afresh J times pays for the comparator's norm J times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Assumption
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.kinds import UpToDelta
from arena.theorems.kons import curved, slope_and_curvature, unit_features
from arena.theorems.pros_n_kons import PAPER, ProsNKonsSquaredRegret, ProsTheorem, grouped, settled_epochs
from arena.theorems.recomputed.checkpoints import checkpoints, held
from arena.theorems.recomputed.epochs import epochs


@dataclass(frozen=True)
class _Printed(UpToDelta, ProsTheorem):
    """The published setting."""

    delta: float = parameter(0.1, "the probability with which it may fail", above=0, below=1)

    def parameters(self, run: Transcript) -> tuple[Assumption, ...]:
        """Also unit features and an alpha that is not too large."""
        return (
            *super().parameters(run),
            unit_features(run),
            Assumption("alpha <= sqrt(T)", self.alpha <= run.rounds**0.5, f"{self.alpha:g}, T = {run.rounds}"),
        )

    def allowed(self, run: Transcript) -> Array:
        """The bound at every checkpoint with alpha <= sqrt(T)."""
        rounds = checkpoints(run.rounds)
        counted = [self.alpha <= t**0.5 for t in rounds]
        return held(
            run.rounds, rounds, [self.bound(run, t) if yes else np.inf for t, yes in zip(rounds, counted, strict=True)]
        )


@dataclass(frozen=True)
class ProsNKonsRegretPrinted(_Printed):
    """Theorem 1 as printed."""

    name: ClassVar[str] = "pros-n-kons-regret-printed"
    paper: ClassVar[str] = f"{PAPER}, Theorem 1"
    statement: ClassVar[str] = (
        "R_{J alpha} <= (4 J / sigma) d_eff(alpha / (sigma L^2)) log(2 sigma L^2 T / alpha) "
        "+ (L^2 / alpha) (T gamma epsilon / (4 (1 - epsilon)) + 1) + 2 J C"
    )

    def parameters(self, run: Transcript) -> tuple[Assumption, ...]:
        """Also curvature."""
        return (*super().parameters(run), curved(run))

    def bound(self, run: Transcript, rounds: int) -> float:
        """The printed expression."""
        slope, sigma = slope_and_curvature(run)
        count, size = len(list(epochs(run).upto(rounds))), sigma * slope**2 / self.alpha
        dimension = grouped(run, 0, rounds).effective_dimension(1.0 / size)
        estimation = 4.0 * count / sigma * dimension * float(np.log(2.0 * size * rounds))
        approximation = slope**2 / self.alpha * (rounds * self.unexplained / 4.0 + 1.0)
        return estimation + approximation + 2.0 * count * run.game.clip


@dataclass(frozen=True)
class ProsNKonsSquaredPrinted(_Printed, ProsNKonsSquaredRegret):
    """Theorem 2 as printed; `clipped` takes negative logarithms for zero, which saves nothing."""

    name: ClassVar[str] = "pros-n-kons-squared-printed"
    paper: ClassVar[str] = f"{PAPER}, Theorem 2"
    statement: ClassVar[str] = (
        "R_{J eps' alpha} <= sum_j ((4 / sigma) d_eff^j(alpha / (sigma L^2)) log(2 sigma L^2 Tr K_j / alpha) "
        "+ eps' L*_j) + J L (C + L / alpha)"
    )
    quantity: ClassVar[str] = "regret at J eps' alpha"

    clipped: bool = parameter(False, "take negative logarithms for zero")

    def penalty(self, run: Transcript, rounds: int) -> float:
        """J eps' alpha."""
        return super().penalty(run, rounds) * self.share

    def bound(self, run: Transcript, rounds: int) -> float:
        """The printed expression."""
        slope, sigma = slope_and_curvature(run)
        size, total = sigma * slope**2 / self.alpha, 0.0
        for ends in settled_epochs(run, rounds):
            group = grouped(run, *ends)
            trace = float(group.counts @ group.gram.diagonal())
            logarithm = max(float(np.log(2.0 * size * trace)), 0.0 if self.clipped else -np.inf)
            total += 4.0 / sigma * group.effective_dimension(1.0 / size) * logarithm
            total += self.share * group.optimum(self.alpha)
        count = len(list(epochs(run).upto(rounds)))
        return total + count * slope * (run.game.clip + slope / self.alpha)
