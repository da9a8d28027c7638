"""Identities of learners that sample points or move atoms to features: what their bounds leave room for.

As in `arena.theorems.recursions`, a recursion is repeated from the moves, the predictions and the evidence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Assumption, Identity
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.dual_svrg import fourier_features
from arena.theorems.kors import KorsPath, kors_evidence, kors_path
from arena.theorems.recomputed.points import coordinates
from arena.theorems.recursions import CONDITION, Recursion, gram, not_too_long

ROUNDED = 1e-12  # rounding of a probability, relative to the condition of the dictionary's matrix
LIGHTER = 1e-6  # relative difference of two coefficients that is no rounding


@dataclass(frozen=True)
class KorsIdentity(Identity):
    """KORS tosses a coin with the probability of its paper for every point, until the dictionary is full."""

    name: ClassVar[str] = "kors-identity"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), Algorithm 2"
    statement: ClassVar[str] = (
        "probability_t = min(1, beta (1 + epsilon) tau_t), tau_t the leverage of x_t in the dictionary with x_t added, "
        "each point weighted with one over its probability; 0 once the dictionary holds `limit` points"
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
        E = coordinates(run.game.kernel, path.points)
        starts = np.append(0, np.flatnonzero(path.accepted) + 1)
        inverse, expected = np.eye(E.shape[1]) / self.ridge, np.empty(run.rounds)
        for number, (start, stop) in enumerate(itertools.pairwise(np.append(starts, run.rounds))):
            rows = E[path.which[start:stop]]
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

    @staticmethod
    def _weights(path: KorsPath) -> Array:
        """Return one over the probability of each accepted point, zero for the others."""
        possible = path.accepted & (path.probabilities > 0.0)
        return np.divide(1.0, path.probabilities, out=np.zeros(len(possible)), where=possible)

    def _condition(self, run: Transcript, path: KorsPath) -> Array:
        """Return the trace of the dictionary's weighted matrix over its ridge, in every round."""
        return np.asarray(
            (1.0 + np.cumsum(self._weights(path))) * run.game.kernel.diagonal(run.points).max() / self.ridge
        )


@dataclass(frozen=True)
class TwoSpacesIdentity(Recursion):
    """The predictions of DualSGD, given which atoms moved to Fourier features: the lightest ones."""

    name: ClassVar[str] = "two-spaces-identity"
    paper: ClassVar[str] = "Le, Nguyen, Nguyen and Phung 2016, k-merging"
    statement: ClassVar[str] = (
        "prediction_t = f_t(x_t), f_{t+1} = P((1 - 1/t) f_t - g_t k(x_t, .) / (lambda t)), with k~ in the place of k "
        "for moved atoms; P projects on |f|^2 <= 2 max loss(0) / lambda if slopes are unbounded"
    )

    shrinkage: float | None = parameter(None, "lambda (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        needed = ("removed_rounds", "removed_weights", "removed_points", "dual_frequencies")
        recorded = all(name in run.evidence for name in needed)
        return (*super().assumptions(run), Assumption("the learner left what it moved as evidence", recorded))

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        K, T, loss = gram(run), run.rounds, run.game.loss
        strength, bound = run.game.at(self.shrinkage), run.game.label_bound
        evidence = run.evidence
        Z = fourier_features(run.points, evidence["dual_frequencies"])
        slopes = np.asarray(loss.derivative(run.predictions, run.labels))
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
                if not len(same) or np.abs(a[a != 0.0]).min() < abs(weight) * (1.0 - LIGHTER):
                    wrongly[t:] = 1.0
                    break
                atom = same[np.abs(a[same] - weight).argmin()]
                v += a[atom] * Z[atom]
                a[atom] = 0.0
            a[t] = -slopes[t] / (strength * (t + 1.0))
            norm = float(a @ K @ a + v @ v) if steep else 0.0
            if norm > largest:
                a *= math.sqrt(largest / norm)
                v *= math.sqrt(largest / norm)
        # an atom that was not the lightest, or none of f, counts as a deviation as large as all terms
        return values + wrongly * (1.0 + masses), masses

    @staticmethod
    def _moved(run: Transcript, number: int) -> list[tuple[float, Array]]:
        """Return coefficient and point of each atom that moved in this round, the lightest first."""
        rows = np.flatnonzero(run.evidence["removed_rounds"] == number)
        moved = [(float(run.evidence["removed_weights"][at]), run.evidence["removed_points"][at]) for at in rows]
        return sorted(moved, key=lambda atom: abs(atom[0]))
