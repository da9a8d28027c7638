"""Identities of gradient descent on a budget.

The learner records what it removes from its function to keep the budget. Two identities recompute the predictions with
these removals. `best-mergers` checks how two atoms were merged into one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Identity
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.theorems.assumptions import left_as_evidence
from arena.theorems.descent import OgdPerturbed, OgdStronglyConvexPerturbed
from arena.theorems.recomputed.descent import CANCELLED
from arena.theorems.recursions import ROUNDED

FAINT = 1e-9  # relative deviation of a factor that rounding explains


class _Removals(Identity):
    """Base class: the predictions are those of gradient descent that removes the atoms that the learner recorded."""

    statement: ClassVar[str] = "prediction_t = f_t(x_t), f_{t+1} = factor_t f_t - eta_t g_t k(x_t, .) - removed_t"
    formula: ClassVar[str] = (
        r"$\hat y_t = f_t(x_t)$, $f_{t+1} = \text{factor}_t f_t - \eta_t g_t\, k(x_t, \cdot) - \text{removed}_t$"
    )

    def measured(self, run: Transcript) -> Array:
        path = self.path(run)  # type: ignore[attr-defined]
        rounding = 1e3 * ROUNDED * self.scale(run) + CANCELLED * path.masses
        return np.asarray(np.maximum(np.abs(path.values - run.predictions) - rounding, 0.0))

    def scale(self, run: Transcript) -> Array:
        path = self.path(run)  # type: ignore[attr-defined]
        return np.asarray(np.maximum.accumulate(np.abs(path.values) + np.sqrt(path.squared_norms)))


@dataclass(frozen=True)
class RemovalsIdentity(_Removals, OgdPerturbed):
    """The predictions are those of descent that has constant steps and removes the atoms that the learner recorded.

    If the evidence has the factors by which the learner multiplied its function, these are checked, too.
    """

    name: ClassVar[str] = "removals-identity"
    paper: ClassVar[str] = "Zhao, Wang, Wu, Jin and Hoi 2012, Algorithm 1"

    def measured(self, run: Transcript) -> Array:
        # The recorded factors, by which f is multiplied, are checked, too: each must be 1 - eta lambda or, in a round
        # with a removal, (1 - eta lambda) b / (b - 1) for one whole number b >= 2, the budget.
        factors = np.asarray(run.evidence.get("factors", np.empty(0)), dtype=float)[: run.rounds]
        shrink = 1.0 - self._rate(run) * self._strength(run)
        if len(factors) < run.rounds or shrink < FAINT:
            return super().measured(run)
        ratios = factors / shrink
        removed = np.unique(run.evidence["removed_rounds"]).astype(int) - 1
        raised = np.zeros(run.rounds, dtype=bool)
        raised[removed[(removed >= 0) & (removed < run.rounds)]] = True
        raised &= ratios > 1.0 + FAINT
        expected = np.ones(run.rounds)
        if raised.any():
            excess = float(ratios[raised][0]) - 1.0
            expected[raised] = 1.0 + 1.0 / max(round(1.0 / excess), 1)
        wrong = np.where(np.abs(ratios - expected) > FAINT * expected, np.abs(ratios - expected), 0.0)
        return np.maximum(super().measured(run), np.maximum.accumulate(wrong) * self.scale(run))


@dataclass(frozen=True)
class PegasosRemovalsIdentity(_Removals, OgdStronglyConvexPerturbed):
    """The predictions are those of Pegasos if it removes the atoms that the learner recorded."""

    name: ClassVar[str] = "pegasos-removals-identity"
    paper: ClassVar[str] = "Wang, Crammer and Vucetic 2012, Algorithm 1"


@dataclass(frozen=True)
class BestMergers(Identity):
    """Every recorded merger of two atoms into one is the best merger.

    A merger replaces two atoms by the projection of their sum onto k(z, .), where z lies on the line through the points
    of the atoms. The best merger has the z whose projection is nearest to the sum.
    """

    name: ClassVar[str] = "best-mergers"
    paper: ClassVar[str] = "Wang, Crammer and Vucetic 2012, section 5.3"
    statement: ClassVar[str] = "a k(x, .) + b k(x', .) becomes c k(z, .), c = a k(x, z) + b k(x', z), z the best"
    formula: ClassVar[str] = (
        r"$a\, k(x, \cdot) + b\, k(x', \cdot)$ becomes $c\, k(z, \cdot)$, $c = a\, k(x, z) + b\, k(x', z)$, $z$ the "
        "best"
    )
    quantity: ClassVar[str] = "squared distance to a merged atom, beyond that of the best"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        recorded = all(f"removed_{what}" in run.evidence for what in ("rounds", "weights", "points"))
        return (left_as_evidence(run, "what it merged", recorded),)

    def measured(self, run: Transcript) -> Array:
        evidence, found = run.evidence, np.zeros(run.rounds)
        for t in np.unique(evidence["removed_rounds"]).astype(int).tolist():
            rows = np.flatnonzero(evidence["removed_rounds"] == t)
            if len(rows) == 3 and t <= run.rounds:
                found[t - 1] = self._excess(run, evidence["removed_weights"][rows], evidence["removed_points"][rows])
        return found

    def scale(self, run: Transcript) -> Array:
        evidence = run.evidence
        norms = np.square(evidence["removed_weights"]) * run.game.kernel.diagonal(evidence["removed_points"])
        return np.full(run.rounds, float(norms.max(initial=0.0)))

    def _excess(self, run: Transcript, weights: Array, points: Array) -> float:
        """Return how far the error of the learner's merger exceeds that of the best one beyond rounding; at least 0.

        The error is the squared distance, in the RKHS, of the merged atom from the sum of the two atoms that it
        replaces. `weights` and `points` have these two atoms, and then the merged atom with its weight negated.
        """
        K = run.game.kernel.gram(points, points)
        apart = float(weights @ K @ weights)  # the squared distance, as the third weight is negated
        light = int(abs(weights[1]) < abs(weights[0]))
        shares = np.linspace(0.0, 0.5, 201) if weights[0] * weights[1] >= 0 else np.linspace(-5.0, 0.0, 1001)
        line = shares[:, np.newaxis] * points[light] + (1.0 - shares[:, np.newaxis]) * points[1 - light]
        merged = run.game.kernel.gram(line, points[:2]) @ weights[:2]
        both = float(weights[:2] @ K[:2, :2] @ weights[:2])
        best = both - float(np.square(merged).max())
        return max(apart - best - ROUNDED * float(np.square(weights).sum()), 0.0)
