"""Identities of learners that sample points or move atoms to features.

These identities reveal errors that are too small to violate a bound. As in `arena.theorems.recursions`, each algorithm
is repeated from the moves, the predictions and the evidence of the match.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.game.losses import KINK
from arena.record.theorem import Identity
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import left_as_evidence
from arena.theorems.dual_svrg import fourier_features
from arena.theorems.kons import scaled_gradients
from arena.theorems.kors import KorsPath, kors_evidence, kors_path
from arena.theorems.recomputed.points import coordinates
from arena.theorems.recursions import CONDITION, Recursion, gram, not_too_long

ROUNDED = 1e-12  # rounding error of a probability, divided by the condition number of the dictionary's matrix
FAINT = 1e-8  # share of the largest coefficient: two coefficients that differ by less count as equal
LIGHTER = 1e-6  # relative difference of two coefficients that rounding does not explain


@dataclass(frozen=True)
class KorsIdentity(Identity):
    """KORS accepts each point with the published probability, and none once the dictionary is full."""

    name: ClassVar[str] = "kors-identity"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), Algorithm 2"
    statement: ClassVar[str] = (
        "probability_t = min(1, beta (1 + epsilon) tau_t), tau_t the leverage of x_t in the dictionary with x_t added, "
        "each point weighted with one over its probability; 0 once the dictionary holds `limit` points"
    )
    formula: ClassVar[str] = (
        r"$\text{probability}_t = \min(1, \beta (1 + \epsilon) \tau_t)$, $\tau_t$ the leverage of $x_t$ in the "
        "dictionary with $x_t$ added, each point weighted with one over its probability; 0 once the dictionary "
        "holds `limit` points"
    )

    ridge: float = parameter(1.0, "gamma, the ridge of KORS", above=0)
    beta: float = parameter(1.0, "oversampling", above=0)
    epsilon: float = parameter(0.5, "accuracy", above=0, below=1)
    limit: int | None = parameter(None, "the largest dictionary (none: there is no limit)", at_least=1)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        recorded = kors_evidence(run)
        if not recorded.holds:
            return (recorded,)
        path = kors_path(run)
        worst = float(self._condition(run, path)[-1])
        return (
            recorded,
            not_too_long(run),
            Assumption(f"the matrix has a condition of at most {CONDITION:g}", worst <= CONDITION, f"{worst:.3g}"),
        )

    def measured(self, run: Transcript) -> Array:
        path = kors_path(run)
        weights = self._weights(path)
        E, scales = coordinates(run.game.kernel, path.points), self.scales(run)
        starts = np.append(0, np.flatnonzero(path.accepted) + 1)
        inverse, expected = np.eye(E.shape[1]) / self.ridge, np.empty(run.rounds)
        for number, (start, stop) in enumerate(itertools.pairwise(np.append(starts, run.rounds))):
            rows = E[path.which[start:stop]] * scales[start:stop, np.newaxis]
            energy = np.sum(rows @ inverse * rows, axis=1)
            found = np.minimum(1.0, self.beta * (1.0 + self.epsilon) * energy / (1.0 + energy))
            expected[start:stop] = 0.0 if self.limit is not None and number >= self.limit else found
            if stop > start and weights[stop - 1]:
                direction = inverse @ rows[-1]
                share = weights[stop - 1] / (1.0 + weights[stop - 1] * float(energy[-1]))
                inverse -= share * np.outer(direction, direction)
        impossible = path.accepted & (expected == 0.0)
        deviation = np.where(impossible, 1.0, np.abs(path.probabilities - expected))
        rounded = ROUNDED * self.beta * (1.0 + self.epsilon) * (1.0 + self._condition(run, path))
        return np.asarray(np.maximum(deviation - rounded, 0.0))

    def scale(self, run: Transcript) -> Array:
        return np.ones(run.rounds)

    def scales(self, run: Transcript) -> Array:
        """Return c_t for each round: KORS samples the vectors c_t k(x_t, .)."""
        return np.ones(run.rounds)

    @staticmethod
    def _weights(path: KorsPath) -> Array:
        """Return 1 / probability for each round whose point was accepted, and 0 for every other round."""
        possible = path.accepted & (path.probabilities > 0.0)
        return np.divide(1.0, path.probabilities, out=np.zeros(len(possible)), where=possible)

    def _condition(self, run: Transcript, path: KorsPath) -> Array:
        """Return for every round an upper bound on the condition number of the matrix A, minus 1.

        A is `ridge` I plus the sum of c_s^2 phi_s phi_s' / p_s over the rounds s accepted so far. Here c_s is the value
        of `scales` in round s, and p_s the probability of acceptance.
        """
        sizes = np.square(self.scales(run)) * run.game.kernel.diagonal(run.points)
        weighted = np.cumsum(self._weights(path) * sizes)
        return np.asarray((np.maximum.accumulate(sizes) + weighted) / self.ridge)


@dataclass(frozen=True)
class TwoSpacesIdentity(Recursion):
    """The predictions are those of DualSGD, which moves atoms from the RKHS to the space of Fourier features.

    A moved atom k(x, .) is replaced by the Fourier features of x. The evidence has the atoms that were moved in each
    round. When an atom is moved, it must be the one with the smallest |coefficient|.
    """

    name: ClassVar[str] = "two-spaces-identity"
    paper: ClassVar[str] = "Le, Nguyen, Nguyen and Phung 2016, k-merging"
    statement: ClassVar[str] = (
        "prediction_t = f_t(x_t), f_{t+1} = P((1 - 1/t) f_t - g_t k(x_t, .) / (lambda t)), with k~ in the place of k "
        "for moved atoms; P projects on |f|^2 <= 2 max loss(0) / lambda if slopes are unbounded"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = f_t(x_t)$, $f_{t+1} = P\left( \left( 1 - \frac{1}{t} \right) f_t - \frac{g_t\, k(x_t, "
        r"\cdot)}{\lambda t} \right)$, with $\tilde k$ in the place of $k$ for moved atoms; $P$ projects on $\lVert "
        r"f \rVert^2 \le \frac{2 \max \text{loss}(0)}{\lambda}$ if slopes are unbounded"
    )

    shrinkage: float | None = parameter(None, "lambda (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        needed = ("removed_rounds", "removed_weights", "removed_points", "dual_frequencies")
        recorded = all(name in run.evidence for name in needed)
        return (*super().assumptions(run), left_as_evidence(run, "what it moved", recorded))

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        K, T, loss = gram(run), run.rounds, run.game.loss
        strength, bound = run.game.at(self.shrinkage), run.game.label_bound
        evidence = run.evidence
        Z = fourier_features(run.points, evidence["dual_frequencies"])
        steep = math.isinf(loss.lipschitz(math.inf, bound))
        largest = 2.0 * float(loss.value(0.0, bound)) / strength if steep else math.inf
        a, v = np.zeros(T), np.zeros(Z.shape[1])
        values, masses, wrongly = np.empty(T), np.empty(T), np.zeros(T)
        for t in range(T):
            values[t] = a @ K[t] + v @ Z[t]
            masses[t] = (np.abs(a) @ np.abs(K[t]) + np.abs(v) @ np.abs(Z[t])) * (t + 1)
            a *= t / (t + 1.0)
            v *= t / (t + 1.0)
            for weight, point in self._moved(run, t + 1):
                same = np.flatnonzero((run.points == point).all(axis=1) & (a != 0.0))
                sizes = np.abs(a[a != 0.0])
                if not len(same) or sizes.min() < abs(weight) * (1.0 - LIGHTER) - FAINT * sizes.max():
                    wrongly[t:] = 1.0
                    break
                atom = same[np.abs(a[same] - weight).argmin()]
                v += a[atom] * Z[atom]
                a[atom] = 0.0
            a[t] = -run.slopes[t] / (strength * (t + 1.0))
            norm = float(a @ K @ a + v @ v) if steep else 0.0
            if norm > largest:
                a *= math.sqrt(largest / norm)
                v *= math.sqrt(largest / norm)
        # moving an atom that is not the lightest, or not one of f, counts as a deviation larger than all terms
        return values + wrongly * (1.0 + masses), masses

    @staticmethod
    def _moved(run: Transcript, number: int) -> list[tuple[float, Array]]:
        """Return (coefficient, point) of each atom moved in round `number` (from 1), smallest |coefficient| first."""
        rows = np.flatnonzero(run.evidence["removed_rounds"] == number)
        moved = [(float(run.evidence["removed_weights"][at]), run.evidence["removed_points"][at]) for at in rows]
        return sorted(moved, key=lambda atom: abs(atom[0]))


@dataclass(frozen=True)
class SketchedKorsIdentity(KorsIdentity):
    """KORS accepts each scaled gradient g_t sqrt(eta_t) k(x_t, .) with the published probability."""

    name: ClassVar[str] = "sketched-kors-identity"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), Algorithm 3"
    statement: ClassVar[str] = f"{KorsIdentity.statement}; for the points g_t sqrt(eta_t) phi_t"
    formula: ClassVar[str] = KorsIdentity.formula + r"; for the points $g_t \sqrt{\eta_t}\, \phi_t$"

    step: float | None = parameter(None, "eta (none: the learner's own)", above=0)

    def scales(self, run: Transcript) -> Array:
        return scaled_gradients(run, self.step)[1]


@dataclass(frozen=True)
class LightestRemoved(Identity):
    """Pegasos on a budget removes the atom a k(x, .) with the smallest squared norm a^2 k(x, x)."""

    name: ClassVar[str] = "lightest-removed"
    paper: ClassVar[str] = "Wang, Crammer and Vucetic 2012, section 5.1"
    statement: ClassVar[str] = "beyond B atoms the one with the smallest a^2 k(x, x) goes, and no other"
    formula: ClassVar[str] = "beyond $B$ atoms the one with the smallest $a^2 k(x, x)$ goes, and no other"
    quantity: ClassVar[str] = "coefficient that was removed beyond the lightest one"

    budget: int = parameter(100, "B, the largest number of atoms", at_least=1)
    shrinkage: float | None = parameter(None, "lambda (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        recorded = all(f"removed_{what}" in run.evidence for what in ("rounds", "weights", "points"))
        return (not_too_long(run), left_as_evidence(run, "what it removed", recorded))

    def measured(self, run: Transcript) -> Array:
        diagonal, signs = np.sqrt(run.game.kernel.diagonal(run.points)), np.where(run.labels > 0, 1.0, -1.0)
        adds = (run.labels != 0) & (signs * run.predictions < 1.0 - KINK)
        strength, evidence = run.game.at(self.shrinkage), run.evidence
        a, excess = np.zeros(run.rounds), np.zeros(run.rounds)
        for t in range(run.rounds):
            a *= t / (t + 1.0)
            a[t] = signs[t] / (strength * (t + 1.0)) if adds[t] else 0.0
            gone = np.flatnonzero(evidence["removed_rounds"] == t + 1)
            if len(gone) != int(np.count_nonzero(a) > self.budget):
                excess[t:] = np.abs(a).max(initial=0.0)
                break
            for weight, point in zip(evidence["removed_weights"][gone], evidence["removed_points"][gone], strict=True):
                same = np.flatnonzero((run.points == point).all(axis=1) & (a != 0.0))
                sizes = np.where(a != 0.0, np.abs(a) * diagonal, np.inf)
                nearest = same[np.abs(a[same] - weight).argmin()] if len(same) else int(sizes.argmin())
                lightest = float(sizes.min()) * (1.0 + LIGHTER)
                off = abs(a[nearest] - weight) > LIGHTER * abs(weight) or not len(same)
                excess[t] = abs(weight) if off else max(sizes[nearest] - lightest, 0.0)
                a[nearest] = 0.0
        return excess

    def scale(self, run: Transcript) -> Array:
        """Return for every round 1 / lambda, the largest possible |coefficient|."""
        return np.full(run.rounds, 1.0 / run.game.at(self.shrinkage))
