"""Identities of the Projectron and Projectron++; they detect errors that are too small to violate a mistake bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.record.cached import once_per_match
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.mistakes import mistakes_of
from arena.theorems.recursions import CLEAR, COORDINATES, DEPENDENT, ROUNDED, Recursion, ambient, not_too_long

NEAR = 1e-5  # relative distance to a threshold below which rounding may change a decision
FLAT = 1e-6  # share of k(x, x): a projection with a smaller, nonzero squared norm may be rounding
NOTHING = 1e-30  # share of k(x, x): a projection with a smaller squared norm changes nothing, whatever the step
IN_SPAN = 1e-11  # share of k(x, x): a squared distance that every learner takes for 0


@dataclass(frozen=True, eq=False)
class ProjectronPath:
    """A Projectron's functions f_t, recomputed: `values` are f_t(x_t), `masses` the scales of their rounding errors.

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

    A projection of k(x, .) is sum_j b_j k(z_j, .) with the atoms z_j. Rounding of the kernel values changes its squared
    norm in proportion to `reach`^2, where reach = |k(x, .)| + sum_j |b_j| |k(z_j, .)| is large for nearly dependent
    atoms. `moved` sums the reaches of the steps, each times its length, and the errors of the lengths.
    """
    F, wrong, signs = ambient(run), mistakes_of(run), np.sign(run.labels)
    basis, f, clear, moved = np.empty((0, F.shape[1])), np.zeros(F.shape[1]), True, 0.0
    corner = np.empty((0, 0))  # the coordinates of the atoms in the basis, one row each
    values, masses = np.empty(run.rounds), np.empty(run.rounds)
    for t, phi in enumerate(F):
        own, size = basis @ phi, float(phi @ phi)
        b = scipy.linalg.solve_triangular(corner, own, trans=1, lower=True) if len(own) else own
        reach = math.sqrt(size) + float(np.abs(b) @ np.linalg.norm(corner, axis=1))
        values[t] = phi @ f
        masses[t] = math.sqrt(size) * np.linalg.norm(f) + COORDINATES / ROUNDED * reach * moved
        hinge = 1.0 - signs[t] * float(run.predictions[t])
        strengthens = plus and bool(signs[t]) and hinge > 0.0
        if not (wrong[t] or strengthens):
            continue
        projected = basis.T @ own
        rest = phi - projected
        rest -= basis.T @ (basis @ rest)
        squared, rounded = float(rest @ rest), COORDINATES * reach**2
        clear = clear and not DEPENDENT * size < squared < CLEAR * size
        distance = math.sqrt(squared) if squared >= CLEAR * size else 0.0
        off = rounded / distance if distance else math.sqrt(rounded) if rounded > IN_SPAN * size else 0.0
        if wrong[t]:
            spent = budget is not None and len(own) >= budget
            clear = clear and (spent or abs(distance - threshold) > NEAR * threshold + off)
            joins = not spent and distance > threshold
            f = f + signs[t] * (phi if joins else projected)
            moved += reach
            if joins:
                basis = np.vstack([basis, rest / distance])
                corner = np.block([[corner, np.zeros((len(own), 1))], [own, np.full((1, 1), distance)]])
        else:
            norm, lost = float(projected @ projected), distance / threshold
            clear = clear and abs(hinge - lost) > NEAR + off / threshold and not NOTHING * size < norm < FLAT * size
            if norm > 0.0 and hinge >= lost:
                step = min(hinge / norm, 2.0 * (hinge - lost) / norm, 1.0)
                f = f + signs[t] * step * projected
                moved += step * reach
                if step < 1.0:
                    moved += (2.0 * off / threshold + step * rounded) / math.sqrt(norm) / COORDINATES
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
    version: ClassVar[int] = 2
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
