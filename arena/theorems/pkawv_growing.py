"""Regret bounds of PKAWV on a growing dictionary (Jezequel et al. 2019, Theorems 6 and 9; theory E6, E7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.cached import once_per_match
from arena.record.theorem import labels_within, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.dimensions import dimension_and_logarithm
from arena.theorems.in_subspaces import InSubspaces, subspaces_nested, subspaces_within
from arena.theorems.recomputed.subspaces import EIGEN_LIMIT, largest_unexplained, residuals, unexplained

OPERATIONS = 2e10  # most operations for eigenvalues; an assumption that needs more counts as failed


@dataclass(frozen=True)
class PkawvGrowingSharp(InSubspaces):
    """Regret bound of PKAWV in growing subspaces, from the labels of the match (theory E6).

    It sharpens Theorem 9 of Jezequel, Gaillard and Rudi 2019, which has the label bound B in place of the labels.
    """

    name: ClassVar[str] = "pkawv-growing-sharp"
    monotone: ClassVar[bool] = True
    paper: ClassVar[str] = "sharpens Jezequel, Gaillard and Rudi 2019, Theorem 9"
    statement: ClassVar[str] = (
        "R_lambda <= sum_t (1 - 1/s_t) y_t^2 + sum_{t <= T+1} mu_{t-1} / (lambda + mu_{t-1}) sum_{s < t} y_s^2 "
        "for subspaces each of which contains the one before it, mu_t = |(P_{t+1} - P_t) C_t^1/2|^2, P_{T+1} = I"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le \sum_t \left( 1 - \frac{1}{s_t} \right) y_t^2 + \sum_{t \le T+1} \frac{\mu_{t-1}}{\lambda "
        r"+ \mu_{t-1}} \sum_{s < t} y_s^2$ for subspaces each of which contains the one before it, $\mu_t = \lVert "
        r"(P_{t+1} - P_t)\, C_t^{1/2} \rVert^2$, $P_{T+1} = I$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), subspaces_nested(run), subspaces_within(run))

    def allowed(self, run: Transcript) -> Array:
        at, energy = self.at(run), np.cumsum(np.square(run.labels))
        revealed, missing = self.ridge(run).revealed, unexplained(run)
        newcomers = np.cumsum((energy - np.square(run.labels)) * revealed / (at + revealed))
        return np.asarray(self.estimation(run) + newcomers + energy * missing / (at + missing))


@dataclass(frozen=True)
class PkawvGrowing(PkawvGrowingSharp):
    """Regret bound of PKAWV in growing subspaces, from the label bound B (theory E6).

    It is Theorem 9 of Jezequel, Gaillard and Rudi 2019, with the assumption that each subspace contains the one before
    it. The statement as printed, `pkawv-growing-printed`, lacks this assumption and is false.
    """

    name: ClassVar[str] = "pkawv-growing"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Theorem 9, which needs nested subspaces"
    statement: ClassVar[str] = (
        "R_lambda <= sum_t (1 - 1/s_t) y_t^2 + sum_{t <= T+1} (mu_{t-1} + lambda) mu_{t-1} (t-1) B^2 / lambda^2 "
        "for subspaces each of which contains the one before it, mu_t = |(P_{t+1} - P_t) C_t^1/2|^2, P_{T+1} = I"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le \sum_t \left( 1 - \frac{1}{s_t} \right) y_t^2 + \sum_{t \le T+1} \frac{(\mu_{t-1} + "
        r"\lambda)\, \mu_{t-1} (t - 1) B^2}{\lambda^2}$ for subspaces each of which contains the one before it, "
        r"$\mu_t = \lVert (P_{t+1} - P_t)\, C_t^{1/2} \rVert^2$, $P_{T+1} = I$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), labels_within(run, run.game.label_bound))

    def allowed(self, run: Transcript) -> Array:
        at, bound = self.at(run), run.game.label_bound**2
        before = np.arange(run.rounds)
        revealed, missing = self.ridge(run).revealed, unexplained(run)
        newcomers = np.cumsum((revealed + at) * revealed * before)
        last = (missing + at) * missing * (before + 1)
        return np.asarray(self.estimation(run) + bound * (newcomers + last) / at**2)


@dataclass(frozen=True)
class PkawvKorsRegret(InSubspaces):
    """Regret bound of PKAWV with KORS, if the sampled dictionary is accurate (theory E7).

    Accurate means that no eigenvalue of K_t - K~_t exceeds mu in any round, where K~_t is the kernel matrix of the
    points' projections onto the dictionary's span. Jezequel, Gaillard and Rudi 2019 show this with probability
    1 - delta. Here it is an assumption, checked on the match.
    """

    name: ClassVar[str] = "pkawv-kors-regret"
    monotone: ClassVar[bool] = True
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Theorem 6"
    statement: ClassVar[str] = (
        "R_lambda <= B^2 d_eff(lambda) log(e + e T kappa^2 / lambda) + 2 B^2 (|I_T| + 1) mu T / lambda "
        "if mu <= lambda and K_t - K~_t <= mu in every round"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le B^2\, d_{\text{eff}}(\lambda) \log\left( e + \frac{e T \kappa^2}{\lambda} \right) + "
        r"\frac{2 B^2 (\lvert \mathcal{I}_T \rvert + 1) \mu T}{\lambda}$ if $\mu \le \lambda$ and $K_t - \tilde K_t "
        r"\preceq \mu$ in every round"
    )

    mu: float = parameter(1.0, "the ridge of KORS", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        grown = Assumption("the learner left the rounds whose points it accepted", "accepted_rounds" in run.evidence)
        small = Assumption("mu is at most lambda", self.mu <= self.at(run), f"mu {self.mu:g}, lambda {self.at(run):g}")
        first = (squared_loss(run, self.regularisation), labels_within(run, run.game.label_bound), grown, small)
        return (*first, accurate(run, self.mu)) if all(each.holds for each in first) else first

    def allowed(self, run: Transcript) -> Array:
        at, rounds = self.at(run), np.arange(1, run.rounds + 1)
        estimation = dimension_and_logarithm(run, at)
        accepted = np.searchsorted(run.evidence["accepted_rounds"], rounds, side="right")
        approximation = 2.0 * (accepted + 1) * self.mu * rounds / at
        return np.asarray(run.game.label_bound**2 * (estimation + approximation))


@once_per_match
def accurate(run: Transcript, mu: float) -> Assumption:
    """Assumption: no eigenvalue of K_t - K~_t exceeds mu in any round.

    K~_t is the kernel matrix of the points' projections onto the dictionary's span. If the check needs more than
    `OPERATIONS` operations, or an eigenvalue after round `EIGEN_LIMIT`, the assumption fails.
    """
    statement = f"no eigenvalue of K_t - K~_t exceeds mu = {mu:g}"
    # `upper`, the last computed eigenvalue plus the residuals since then, bounds the largest eigenvalue
    allowed, upper, spent = mu * (1.0 + 1e-9), 0.0, 0.0
    for t, residual in enumerate(residuals(run).tolist(), start=1):
        upper += residual
        if upper > allowed:
            spent += t**3
            if t > EIGEN_LIMIT or spent > OPERATIONS:
                return Assumption(statement, False, f"checked up to round {t - 1}, beyond it takes too long")
            upper = largest_unexplained(run, t)
            if upper > allowed:
                return Assumption(statement, False, f"{upper:.6g} in round {t}")
    return Assumption(statement, True)
