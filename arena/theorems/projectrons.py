"""Identities of the Projectron and Projectron++; they detect errors that are too small to violate a mistake bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.cached import once_per_match
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.mistakes import mistakes_of
from arena.theorems.recursions import CLEAR, DEPENDENT, Recursion, ambient, not_too_long

NEAR = 1e-5  # relative distance to a threshold below which rounding may change a decision
FLAT = 1e-6  # share of k(x, x): a projection with a smaller, nonzero squared norm may be rounding


@dataclass(frozen=True, eq=False)
class ProjectronPath:
    """A Projectron's functions f_t, recomputed: `values` are f_t(x_t), and `masses` are |f_t| k(x_t, x_t)^(1/2).

    `clear` is true if rounding changes no decision of the algorithm.
    """

    values: Array
    masses: Array
    clear: bool


@once_per_match
def projectron_path(run: Transcript, threshold: float, budget: int | None, plus: bool) -> ProjectronPath:
    """Return the functions of the Projectron, or of Projectron++ if `plus` is true, recomputed from the match.

    After a mistake at the point x, the learner adds y k(x, .) to its function, where y is the label's sign. If the
    distance of k(x, .) from the span of the atoms is at most `threshold`, or there are `budget` atoms, it adds the
    projection onto this span instead. If `budget` is None, the number of atoms is not limited.
    """
    F, wrong, signs = ambient(run), mistakes_of(run), np.sign(run.labels)
    basis, f, atoms, clear = np.empty((0, F.shape[1])), np.zeros(F.shape[1]), 0, True
    values, masses = np.empty(run.rounds), np.empty(run.rounds)
    for t, phi in enumerate(F):
        values[t], masses[t] = phi @ f, np.linalg.norm(phi) * np.linalg.norm(f)
        hinge = 1.0 - signs[t] * float(run.predictions[t])
        strengthens = plus and bool(signs[t]) and hinge > 0.0
        if not (wrong[t] or strengthens):
            continue
        projected = basis.T @ (basis @ phi)
        rest = phi - projected
        size, squared = float(phi @ phi), float(rest @ rest)
        clear = clear and not DEPENDENT * size < squared < CLEAR * size
        distance = math.sqrt(squared) if squared >= CLEAR * size else 0.0
        if wrong[t]:
            spent = budget is not None and atoms >= budget
            clear = clear and (spent or abs(distance - threshold) > NEAR * threshold)
            joins = not spent and distance > threshold
            f = f + signs[t] * (phi if joins else projected)
            if joins:
                basis, atoms = np.vstack([basis, rest / distance]), atoms + 1
        else:
            norm, lost = float(projected @ projected), distance / threshold
            clear = clear and abs(hinge - lost) > NEAR and not 0.0 < norm < FLAT * size
            if norm > 0.0 and hinge >= lost:
                f = f + signs[t] * min(hinge / norm, 2.0 * (hinge - lost) / norm, 1.0) * projected
    return ProjectronPath(values, masses, clear)


@dataclass(frozen=True)
class ProjectronIdentity(Recursion):
    """The predictions are those of the Projectron.

    After a mistake at the point x, the learner adds y k(x, .) to its function, where y is the label's sign. If k(x, .)
    is close to the span of the atoms, or the budget is spent, it adds the projection onto this span instead.
    """

    name: ClassVar[str] = "projectron-identity"
    paper: ClassVar[str] = "Orabona, Keshet and Caputo 2009, Figure 2"
    statement: ClassVar[str] = (
        "prediction_t = f_t(x_t); a mistake adds y k(x, .), or its projection onto the atoms if that is within eta of "
        "it or the budget is spent"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = f_t(x_t)$; a mistake adds $y\, k(x, \cdot)$, or its projection onto the atoms if that is "
        r"within $\eta$ of it or the budget is spent"
    )
    plus: ClassVar[bool] = False

    threshold: float = parameter(0.1, "eta, the largest distance that is projected away", above=0)
    budget: int | None = parameter(None, "the largest number of atoms (none: no limit)", at_least=1)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        short = not_too_long(run)
        if not short.holds:
            return (short,)
        clear = projectron_path(run, self.threshold, self.budget, self.plus).clear
        return (short, Assumption("no distance is so close to a limit that rounding may decide", clear))

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        path = projectron_path(run, self.threshold, self.budget, self.plus)
        return path.values, path.masses


@dataclass(frozen=True)
class ProjectronPlusPlusIdentity(ProjectronIdentity):
    """The predictions are those of Projectron++, which also learns from right predictions with a margin y f(x) below 1.

    From such a prediction the learner adds a multiple of the point's projection onto the span of the atoms, if the
    point is close enough to this span.
    """

    name: ClassVar[str] = "projectron-pp-identity"
    paper: ClassVar[str] = "Orabona, Keshet and Caputo 2009, Figure 3"
    statement: ClassVar[str] = (
        f"{ProjectronIdentity.statement}; right predictions with a hinge loss l >= d / eta, d the distance to the "
        "span, add y min(l / n, 2 (l - d / eta) / n, 1) times the projection, n its squared norm"
    )
    formula: ClassVar[str] = (
        ProjectronIdentity.formula
        + r"; right predictions with a hinge loss $l \ge \frac{d}{\eta}$, $d$ the distance to the span, add $y "
        r"\min\left( \frac{l}{n}, \frac{2 (l - d / \eta)}{n}, 1 \right)$ times the projection, $n$ its squared norm"
    )
    plus: ClassVar[bool] = True
