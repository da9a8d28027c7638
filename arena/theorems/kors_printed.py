"""The three bounds that are printed for the size of KORS' dictionary, with three different constants (theory E9).

One lost a factor and fails on a single repeated point. All fail where so few points are expected that a single one is
too many: then one point joins with a probability that may exceed delta. `kors-size` is the statement that holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Assumption
from arena.record.transcript import Transcript
from arena.theorems.kors import THEOREM, SizeTheorem
from arena.theorems.recomputed.grouped import Grouped


@dataclass(frozen=True)
class _PrintedSize(SizeTheorem):
    """A constant times the effective dimension at the last round; prefixes have a beta of their own."""

    def allowed(self, run: Transcript) -> Array:
        """The printed bound at the last round, and none before."""
        allowed = np.full(run.rounds, np.inf)
        group = Grouped.of(run.game.kernel, run.points, run.labels)
        allowed[-1] = self.factor(run) * group.effective_dimension(self.gamma(run))
        return allowed

    def least_sampling(self, run: Transcript) -> Assumption:
        """Beta is no larger than it must be, for a bound in which it does not appear."""
        beta, needed = self.sampling(run), self.least_beta(run)
        statement = "beta = 3 log(T/delta) / epsilon^2"
        return Assumption(statement, abs(beta / needed - 1.0) <= 1e-6, f"{beta:g}, not {needed:g}")

    def factor(self, run: Transcript) -> float:
        """What the effective dimension is multiplied with."""
        raise TypeError(f"{type(self).__name__} must define factor(run)")


@dataclass(frozen=True)
class KorsSizePrinted(_PrintedSize):
    """Proposition 5 of Jezequel et al.; the factor 12 of beta = 12 log(n/delta) was dropped."""

    name: ClassVar[str] = "kors-size-printed"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Proposition 5"
    statement: ClassVar[str] = (
        "|I_n| <= 9 d_eff(gamma) log^2(2 n / delta) for epsilon = 1/2 and beta = 12 log(n / delta), "
        "with probability 1 - delta"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """Also the proposition's own parameters."""
        half = Assumption("epsilon = 1/2", self.epsilon == 0.5, f"{self.epsilon:g}")
        return (*super().assumptions(run), half, self.least_sampling(run))

    def factor(self, run: Transcript) -> float:
        """9 log^2(2 n / delta)."""
        return 9.0 * float(np.log(2.0 * run.rounds / self.delta)) ** 2


@dataclass(frozen=True)
class KorsSizeLogPrinted(_PrintedSize):
    """Proposition 1 of the NIPS paper; false where less than one point is expected."""

    name: ClassVar[str] = "kors-size-nips-printed"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), Proposition 1 (2)"
    statement: ClassVar[str] = "|I_T| <= 3 rho beta d_eff(gamma) log(2 T / delta), with probability 1 - delta"

    def factor(self, run: Transcript) -> float:
        """3 rho beta log(2 T / delta)."""
        return 3.0 * self.rho * self.sampling(run) * float(np.log(2.0 * run.rounds / self.delta))


@dataclass(frozen=True)
class KorsSizeSquaredLogPrinted(_PrintedSize):
    """Theorem 2 (3) of the ICML paper; false where less than one point is expected."""

    name: ClassVar[str] = "kors-size-icml-printed"
    paper: ClassVar[str] = f"{THEOREM} (3)"
    statement: ClassVar[str] = "|I_T| <= 6 rho log^2(2 T / delta) / epsilon^2 d_eff(gamma), with probability 1 - delta"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """Also the beta that the constant stands for."""
        return (*super().assumptions(run), self.least_sampling(run))

    def factor(self, run: Transcript) -> float:
        """6 rho log^2(2 T / delta) / epsilon^2."""
        return 6.0 * self.rho * float(np.log(2.0 * run.rounds / self.delta) / self.epsilon) ** 2
