"""Regret bounds of PKAWV under the capacity condition d_eff(l) <= (T / l)^g for all l > 0 (Jezequel et al. 2019).

PKAWV is the Azoury-Warmuth-Vovk forecaster in the span of features or of a dictionary. d_eff is the effective dimension
of the T points, and g is the parameter `capacity`. The paper's corollaries give orders of growth only. The theorems
here add the constants, which follow from the paper's theorems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.cached import once_per_match
from arena.record.theorem import labels_within
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.in_subspaces import InSubspaces, subspace_fixed, subspaces_within
from arena.theorems.pkawv_growing import PkawvKorsRegret, accurate

MOST_ROUNDS = 2000  # most rounds for which eigenvalues are computed
RIDGES = np.geomspace(1e-9, 1e9, 1000)  # the values of l, in units of the largest eigenvalue


@once_per_match
def largest_share(run: Transcript, capacity: float) -> float:
    """Return the largest d_eff(l) / (T / l)^g over 1,000 values l > 0, where g is `capacity`."""
    values = np.maximum(np.linalg.eigvalsh(run.game.kernel.gram(run.points, run.points)), 0.0)
    ridges = RIDGES * max(float(values[-1]), np.finfo(float).tiny)
    dimensions = np.sum(values / (values + ridges[:, np.newaxis]), axis=1)
    return float((dimensions * (ridges / run.rounds) ** capacity).max())


def capacity_holds(run: Transcript, capacity: float) -> Assumption:
    """Assumption: the capacity condition d_eff(l) <= (T / l)^g holds for all l > 0, where g is `capacity`.

    The condition is checked at 1,000 values of l. In a match of more than `MOST_ROUNDS` rounds the assumption fails.
    """
    statement = f"d_eff(l) <= (T / l)^{capacity:g} for all l > 0"
    if run.rounds > MOST_ROUNDS:
        return Assumption(statement, False, f"{run.rounds} rounds, and it is computed for at most {MOST_ROUNDS}")
    share = largest_share(run, capacity)
    return Assumption(statement, share <= 1.0 + 1e-9, f"up to {share:.4g} times as large")


def capacity_times_logarithm(run: Transcript, ridge: float, capacity: float) -> float:
    """Return (T / ridge)^g log(e + e T kappa^2 / ridge), where g is `capacity` and kappa^2 the largest k(x_t, x_t)."""
    largest = float(run.game.kernel.diagonal(run.points).max())
    return float((run.rounds / ridge) ** capacity * (1.0 + np.log1p(run.rounds * largest / ridge)))


@dataclass(frozen=True)
class PkawvCapacity(PkawvKorsRegret):
    """Regret bound of PKAWV with KORS: `pkawv-kors-regret` with (T / lambda)^g in place of the effective dimension.

    PKAWV is the Azoury-Warmuth-Vovk forecaster in the span of the dictionary. The bound assumes d_eff(l) <= (T / l)^g
    for all l > 0, where g is the parameter `capacity`.
    """

    name: ClassVar[str] = "pkawv-capacity"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Corollary 7, with the constants of Theorem 6"
    statement: ClassVar[str] = (
        "R_lambda <= B^2 (T / lambda)^g log(e + e T kappa^2 / lambda) + 2 B^2 (|I_T| + 1) mu T / lambda at the end, "
        "if d_eff(l) <= (T / l)^g for all l, mu <= lambda and K_t - K~_t <= mu in every round"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le B^2 \left( \frac{T}{\lambda} \right)^g \log\left( e + \frac{e T \kappa^2}{\lambda} \right) "
        r"+ \frac{2 B^2 (\lvert \mathcal{I}_T \rvert + 1) \mu T}{\lambda}$ at the end, if $d_{\text{eff}}(l) \le "
        r"\left( \frac{T}{l} \right)^g$ for all $l$, $\mu \le \lambda$ and $K_t - \tilde K_t \preceq \mu$ in every "
        "round"
    )
    at_the_end: ClassVar[bool] = True

    capacity: float = parameter(0.5, "g", above=0, below=1)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), capacity_holds(run, self.capacity))

    def allowed(self, run: Transcript) -> Array:
        at, accepted = self.at(run), len(run.evidence["accepted_rounds"])
        estimation = capacity_times_logarithm(run, at, self.capacity)
        approximation = 2.0 * (accepted + 1) * self.mu * run.rounds / at
        return np.full(run.rounds, run.game.label_bound**2 * (estimation + approximation))


@dataclass(frozen=True)
class PkawvBeforehandCapacity(InSubspaces):
    """Regret bound of the Azoury-Warmuth-Vovk forecaster in the span of a dictionary that is fixed before the match.

    The bound assumes d_eff(l) <= (T / l)^g for all l > 0, where g is the parameter `capacity`.
    """

    name: ClassVar[str] = "pkawv-beforehand-capacity"
    monotone: ClassVar[bool] = True
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Corollary 8, with the constants of Theorem 3"
    statement: ClassVar[str] = (
        "R_lambda <= B^2 (T / lambda)^g log(e + e T kappa^2 / lambda) + B^2 (mu + lambda) T mu / lambda^2 at the end, "
        "if d_eff(l) <= (T / l)^g for all l and K_T - K~_T <= mu"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le B^2 \left( \frac{T}{\lambda} \right)^g \log\left( e + \frac{e T \kappa^2}{\lambda} \right) "
        r"+ \frac{B^2 (\mu + \lambda) T \mu}{\lambda^2}$ at the end, if $d_{\text{eff}}(l) \le \left( \frac{T}{l} "
        r"\right)^g$ for all $l$ and $K_T - \tilde K_T \preceq \mu$"
    )
    at_the_end: ClassVar[bool] = True

    mu: float = parameter(1.0, "the ridge of KORS", above=0)
    capacity: float = parameter(0.5, "g", above=0, below=1)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        first = (
            *super().assumptions(run),
            labels_within(run, run.game.label_bound),
            subspace_fixed(run),
            subspaces_within(run),
        )
        if not all(each.holds for each in first):
            return first
        return (*first, accurate(run, self.mu), capacity_holds(run, self.capacity))

    def allowed(self, run: Transcript) -> Array:
        at = self.at(run)
        estimation = capacity_times_logarithm(run, at, self.capacity)
        approximation = (self.mu + at) * run.rounds * self.mu / at**2
        return np.full(run.rounds, run.game.label_bound**2 * (estimation + approximation))
