"""Theorems on the oracles and the checkpoints of DualSVRG (Le, Nguyen and Phung 2022).

An oracle decides for each point whether the learner keeps it as an atom or moves it to Fourier features.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Identity, Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_rounds, left_as_evidence
from arena.theorems.dual_svrg import MOST_ROUNDS, ROUNDED, DualSvrgApproximation


@dataclass(frozen=True)
class DualSvrgMoved(DualSvrgApproximation):
    """|f_t(x_t) - prediction| is at most lambda epsilon / (3 L) times a sum of |coefficients|: Theorem 1 (2).

    The sum is over the moved points, at which DualSVRG uses Fourier features in place of the exact kernel. f_t has the
    learner's coefficients, but the exact kernel at all points. It is assumed that no kernel value is off by more than
    lambda epsilon / (3 L). The theorem is of Le, Nguyen and Phung (2022).
    """

    name: ClassVar[str] = "dual-svrg-moved"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, Theorem 1 (2), given its event"
    statement: ClassVar[str] = (
        "|f_t(x_t) - prediction_t| <= lambda epsilon / (3 L) sum of |alpha_i| over the moved points "
        "if max |k - k~| <= lambda epsilon / (3 L)"
    )
    formula: ClassVar[str] = (
        r"$\lvert f_t(x_t) - \hat y_t \rvert \le \frac{\lambda \epsilon}{3 L} \sum_i \lvert \alpha_i \rvert$ over "
        r"the moved points if $\max \lvert k - \tilde k \rvert \le \frac{\lambda \epsilon}{3 L}$"
    )

    def allowed(self, run: Transcript) -> Array:
        path = self.path(run)
        return np.asarray(self.kernel_accuracy(run) * path.moved + ROUNDED * path.total)


@dataclass(frozen=True)
class DualSvrgCheckpoints(DualSvrgApproximation):
    """Fourier features at the moved points change the value of the last checkpoint u by at most epsilon: Theorem 1 (3).

    Moved points are points at which DualSVRG uses Fourier features in place of the exact kernel. The value u(x_t) is
    compared with the value that the exact kernel gives. It is assumed that no kernel value is off by more than
    lambda epsilon / (3 L). The theorem is of Le, Nguyen and Phung (2022).
    """

    name: ClassVar[str] = "dual-svrg-checkpoints"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, Theorem 1 (3), given its event"
    statement: ClassVar[str] = "|u(x_t) - u_dual(x_t)| <= epsilon for the last checkpoint u, if max |k - k~| is small"
    formula: ClassVar[str] = (
        r"$\lvert u(x_t) - u_{\text{dual}}(x_t) \rvert \le \epsilon$ for the last checkpoint $u$, if $\max \lvert k "
        r"- \tilde k \rvert$ is small"
    )
    quantity: ClassVar[str] = "gap of the checkpoint to the exact kernel"

    def measured(self, run: Transcript) -> Array:
        K = run.game.kernel.gram(run.points, run.points)
        last = np.arange(run.rounds) // self.period
        functions = np.vstack([np.zeros(run.rounds), self.path(run).coefficients])
        exact = np.einsum("ij,ji->i", functions[last], K)
        return np.asarray(np.abs(exact - run.evidence["checkpoint_values"][: run.rounds]))


def _moves_are_known(run: Transcript) -> tuple[Assumption, ...]:
    recorded = "moved" in run.evidence and len(run.evidence["moved"]) >= run.rounds
    return (left_as_evidence(run, "its moves", recorded), few_rounds(run, MOST_ROUNDS))


@dataclass(frozen=True)
class CoverageCore(Theorem):
    """The number of points that the coverage oracle keeps is at most a covering number of the match's points.

    The parameter `radius` is theta. The oracle keeps a point as an atom if no earlier atom is within this distance. The
    covering number is the least number of balls of radius theta / 2 that cover the points. The theorem allows the
    smaller of two upper bounds on it: the number of cubes of diagonal theta that contain points, and the number of
    balls in a greedy cover.
    """

    name: ClassVar[str] = "dual-svrg-core"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, section 3.6.3"
    statement: ClassVar[str] = "points kept <= N({x_1, ..., x_t}, theta / 2), the least number of balls that cover them"
    formula: ClassVar[str] = (
        r"points kept $\le N\left( \lbrace x_1, \dots, x_t \rbrace, \frac{\theta}{2} \right)$, the least number of "
        "balls that cover them"
    )
    quantity: ClassVar[str] = "points kept"

    radius: float = parameter(1.0, "theta", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return _moves_are_known(run)

    def scale(self, run: Transcript) -> Array:
        return np.zeros(run.rounds)

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(run.evidence["moved"][: run.rounds] == 0), dtype=float)

    def allowed(self, run: Transcript) -> Array:
        within = self.radius * (1.0 - 1e-9)
        with np.errstate(over="ignore"):
            cells = np.floor(run.points / (within / math.sqrt(run.points.shape[1])))
        met: set[bytes] = set()
        centres: list[Array] = []
        allowed = np.empty(run.rounds)
        for t, x in enumerate(run.points):
            met.add((cells[t] + 0.0).tobytes())
            if not centres or np.square(np.array(centres) - x).sum(axis=1).min() > (0.5 * within) ** 2:
                centres.append(x)
            allowed[t] = min(len(met), len(centres))
        return allowed


@dataclass(frozen=True)
class OracleMoves(Identity):
    """The learner moves to Fourier features exactly the points that its oracle moves.

    The oracle is a rule that decides which points are moved and which stay as atoms. A round in which the learner
    decides otherwise has the deviation 1. The coverage oracle moves every point whose distance to the nearest atom is
    at most `radius`. If rounding hides whether the distance exceeds `radius`, both decisions count as right.
    """

    name: ClassVar[str] = "dual-svrg-oracle"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, Algorithms 2 to 4"
    statement: ClassVar[str] = (
        "x_t stays an atom if B have not stayed before (budget), if no atom is within theta (coverage), never "
        "(always-move)"
    )
    formula: ClassVar[str] = (
        r"$x_t$ stays an atom if $B$ have not stayed before (budget), if no atom is within $\theta$ (coverage), never "
        "(always-move)"
    )

    oracle: Literal["budget", "coverage", "always-move"] = parameter("budget", "which points stay as atoms")
    budget: int = parameter(100, "B", at_least=1)
    radius: float = parameter(1.0, "theta", at_least=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return _moves_are_known(run)

    def scale(self, run: Transcript) -> Array:
        return np.zeros(run.rounds)

    def measured(self, run: Transcript) -> Array:
        moved = run.evidence["moved"][: run.rounds] != 0
        atoms: list[Array] = []
        wrong = np.zeros(run.rounds)
        for t, x in enumerate(run.points):
            stays = self._stays(x, atoms)
            wrong[t] = float(stays is not None and stays == moved[t])
            if not moved[t]:
                atoms.append(x)
        return wrong

    def _stays(self, x: Array, atoms: list[Array]) -> bool | None:
        """Return whether the oracle keeps the point x as an atom; None if rounding hides the answer.

        The oracle is the rule that chooses the atoms; `atoms` has the atoms of earlier rounds.
        """
        if self.oracle == "budget":
            return len(atoms) < self.budget
        if self.oracle == "always-move" or not atoms:
            return self.oracle == "coverage"
        squared = np.square(np.array(atoms) - x).sum(axis=1)
        nearest = int(squared.argmin())
        gap = float(squared[nearest]) - self.radius**2
        if abs(gap) > 1e-12 * (self.radius**2 + float(squared[nearest])):
            return gap > 0.0
        exact = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(atoms[nearest].tolist(), x.tolist(), strict=True))
        return False if exact == Fraction(self.radius) ** 2 else None
