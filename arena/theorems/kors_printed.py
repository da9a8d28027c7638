"""Three printed bounds on the size of the dictionary of KORS, with three different constants (theory E9).

`kors-size-printed` lacks a factor 12. In matches in which a bound is below 1, KORS may exceed it by a single point,
with a probability above delta. `kors-size` is the corrected statement.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.theorems.assumptions import unit_features, until_one_fails
from arena.theorems.kors import THEOREM, KorsTheorem, coins_of_kors, dictionary_sizes
from arena.theorems.recomputed.points import Grouped


@dataclass(frozen=True)
class PrintedSize(KorsTheorem, abc.ABC):
    """Base class of bounds on the number of points that KORS accepts: a `factor` times the effective dimension.

    A point that is accepted twice counts twice.
    """

    quantity: ClassVar[str] = "size of the dictionary"

    def most(self, run: Transcript) -> float:
        return float(run.rounds)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return until_one_fails(
            lambda: super(PrintedSize, self).assumptions(run),
            lambda: self.about_parameters(run),
            lambda: (coins_of_kors(run, self.gamma(run), self.sampling(run), self.epsilon),),
        )

    def about_parameters(self, run: Transcript) -> Sequence[Assumption]:
        """Return further assumptions of this published bound on KORS' dictionary, such as epsilon = 1/2."""
        return ()

    def measured(self, run: Transcript) -> Array:
        return dictionary_sizes(run)

    def allowed(self, run: Transcript) -> Array:
        points = Grouped.of(run.game.kernel, run.points, run.labels)
        # beta depends on the number of all rounds, so that prefixes have no bound
        allowed = np.full(run.rounds, np.inf)
        allowed[-1] = self.factor(run) * points.effective_dimension(self.gamma(run))
        return allowed

    @abc.abstractmethod
    def factor(self, run: Transcript) -> float:
        """Return the factor of d_eff(gamma) in the bound on the number of points that KORS accepts."""


@dataclass(frozen=True)
class KorsSizePrinted(PrintedSize):
    """Published bound on the dictionary of KORS (Jezequel et al., Proposition 5), which lacks a factor 12.

    The missing factor is the 12 in beta = 12 log(T/delta), the least beta for epsilon = 1/2.
    """

    name: ClassVar[str] = "kors-size-printed"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Proposition 5"
    statement: ClassVar[str] = (
        "|I_n| <= 9 d_eff(gamma) log^2(2 n / delta) for epsilon = 1/2 and beta = 12 log(n / delta), "
        "with probability 1 - delta"
    )
    formula: ClassVar[str] = (
        r"$\lvert \mathcal{I}_n \rvert \le 9\, d_{\text{eff}}(\gamma) \log^2\left( \frac{2 n}{\delta} \right)$ for "
        r"$\epsilon = \frac{1}{2}$ and $\beta = 12 \log\frac{n}{\delta}$, with probability $1 - \delta$"
    )

    def about_parameters(self, run: Transcript) -> Sequence[Assumption]:
        half = Assumption("epsilon = 1/2", self.epsilon == 0.5, f"{self.epsilon:g}")
        return (half, beta_is_least(self, run))

    def factor(self, run: Transcript) -> float:
        return 9.0 * float(np.log(2.0 * run.rounds / self.delta)) ** 2


@dataclass(frozen=True)
class KorsSizeLogPrinted(PrintedSize):
    """Published bound on the dictionary of KORS (Calandriello, Lazaric and Valko 2017, NIPS), with a single logarithm.

    The bound can fail in matches in which it is below 1: KORS may accept a point with a probability above delta.
    """

    name: ClassVar[str] = "kors-size-nips-printed"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), Proposition 1 (2)"
    statement: ClassVar[str] = "|I_T| <= 3 rho beta d_eff(gamma) log(2 T / delta), with probability 1 - delta"
    formula: ClassVar[str] = (
        r"$\lvert \mathcal{I}_T \rvert \le 3 \rho \beta\, d_{\text{eff}}(\gamma) \log\frac{2 T}{\delta}$, with "
        r"probability $1 - \delta$"
    )

    def factor(self, run: Transcript) -> float:
        return 3.0 * self.rho * self.sampling(run) * float(np.log(2.0 * run.rounds / self.delta))


@dataclass(frozen=True)
class KorsSizeSquaredLogPrinted(PrintedSize):
    """Published bound on the dictionary of KORS (Calandriello, Lazaric and Valko 2017, ICML), with a squared logarithm.

    The bound can fail in matches in which it is below 1: KORS may accept a point with a probability above delta.
    """

    name: ClassVar[str] = "kors-size-icml-printed"
    paper: ClassVar[str] = f"{THEOREM} (2)"
    statement: ClassVar[str] = "|I_T| <= 6 rho log^2(2 T / delta) / epsilon^2 d_eff(gamma), with probability 1 - delta"
    formula: ClassVar[str] = (
        r"$\lvert \mathcal{I}_T \rvert \le \frac{6 \rho \log^2(2 T / \delta)}{\epsilon^2}\, "
        r"d_{\text{eff}}(\gamma)$, with probability $1 - \delta$"
    )

    def about_parameters(self, run: Transcript) -> Sequence[Assumption]:
        return (unit_features(run), beta_is_least(self, run))

    def factor(self, run: Transcript) -> float:
        return 6.0 * self.rho * float(np.log(2.0 * run.rounds / self.delta) / self.epsilon) ** 2


def beta_is_least(theorem: KorsTheorem, run: Transcript) -> Assumption:
    """Assumption: beta is the least that the theorem allows; the paper states the bound for this beta only."""
    beta, needed = theorem.sampling(run), theorem.least_beta(run)
    statement = "beta = 3 log(T/delta) / epsilon^2"
    return Assumption(statement, abs(beta / needed - 1.0) <= 1e-6, f"{beta:g}, the least is {needed:g}")
