"""Identities of passive-aggressive, Nyström, clipped, budgeted and batch kernel learners.

As in `arena.theorems.recursions`, each algorithm is run again on the moves and the predictions of the match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import left_as_evidence
from arena.theorems.mistakes import mistakes_of
from arena.theorems.passive_aggressive import PaSteps, Task
from arena.theorems.recomputed.rates import descent_step
from arena.theorems.recursions import CONDITION, Recursion, gram, misnoted, not_too_long

FEATURES_OFF = 1e-6  # larger deviations from orthonormal features of the leading eigenvectors are not rounding
INDEPENDENT = 1e-14  # share of the largest eigenvalue below which an eigenvalue counts as zero
CLEARLY = 1e-8  # share of the largest k(x, x) above which rounding does not blur an eigenvalue
INSIDE = 1e-5  # times `ROUNDED`: relative rounding error of a prediction from which a step is computed


@dataclass(frozen=True)
class PaIdentity(Recursion):
    """The predictions are those of PA, PA-I or PA-II: every round moves f by tau_t k(x_t, .) towards the label.

    Here f is the learner's function. The size tau_t follows from the loss of round t, by the rule that the parameter
    `steps` names.
    """

    name: ClassVar[str] = "pa-identity"
    paper: ClassVar[str] = "Crammer et al. 2006, Figures 1 and 3"
    statement: ClassVar[str] = (
        "prediction_t = sum over s < t of tau_s k(x_s, x_t) towards y_s, with the steps tau_s = l_s / k(x_s, x_s) "
        "(pa), min(C, l_s / k(x_s, x_s)) (pa-1), l_s / (k(x_s, x_s) + 1 / (2 C)) (pa-2)"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = \sum_{s < t} \pm \tau_s\, k(x_s, x_t)$ towards $y_s$, with the steps $\tau_s = "
        r"\frac{\ell_s}{k(x_s, x_s)}$ (pa), $\min\left( C, \frac{\ell_s}{k(x_s, x_s)} \right)$ (pa-1), "
        r"$\frac{\ell_s}{k(x_s, x_s) + 1 / (2 C)}$ (pa-2)"
    )

    steps: Literal["pa", "pa-1", "pa-2"] = parameter("pa-1", "the rule of the step sizes")
    aggressiveness: float = parameter(1.0, "C, of pa-1 and pa-2", above=0)
    task: Task = parameter("classification", "hinge loss of signs, or epsilon-insensitive loss of labels")
    epsilon: float = parameter(0.1, "a deviation that costs nothing, in regression", at_least=0)

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        rule = PaSteps(self.task, self.epsilon, None, self.steps, self.aggressiveness)
        towards = np.sign(run.labels if self.task == "classification" else run.labels - run.predictions)
        return sums_of_steps(run, towards * rule.step_sizes(run))


def sums_of_steps(run: Transcript, steps: Array) -> tuple[Array, Array]:
    """Return, for each round t, the sum over s < t of steps[s] k(x_s, x_t), and the size of this sum.

    The size is the sum of the terms' absolute values, enlarged by an allowance for the rounding of the steps.
    """
    K = gram(run)
    diagonal = np.where(K.diagonal() > 0, K.diagonal(), np.inf)
    values, masses, sizes = np.empty(run.rounds), np.empty(run.rounds), np.abs(steps)
    for t in range(run.rounds):
        values[t], masses[t] = K[t, :t] @ steps[:t], np.abs(K[t, :t]) @ sizes[:t]
        sizes[t] += INSIDE * masses[t] / diagonal[t]
    return values, masses


@dataclass(frozen=True)
class NystromDescentIdentity(Recursion):
    """The predictions are those of Nyström descent with `budget` support vectors and `rank` features.

    The support vectors are the points of the first `budget` rounds in which the slope of the loss is not zero. Until
    all of them are known, the learner's function takes gradient steps in the RKHS. Then it is projected onto the span
    of the `rank` leading eigenvectors of the support vectors' kernel matrix, and takes its steps in this span.

    The identity is violated if the evidence has other support vectors, or features that are no orthonormal basis of
    this span.
    """

    name: ClassVar[str] = "nogd-identity"
    paper: ClassVar[str] = "Lu, Hoi, Wang, Zhao and Liu 2016, Algorithm 2, begun at the projection"
    statement: ClassVar[str] = (
        "prediction_t = f_t(x_t), f_{t+1} = f_t - eta g_t k(x_t, .); from B support vectors on f_{t+1} = f_t - eta g_t "
        "k~(x_t, .), after a projection onto the span of k leading eigenvectors of their kernel matrix"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = f_t(x_t)$, $f_{t+1} = f_t - \eta g_t\, k(x_t, \cdot)$; from $B$ support vectors on $f_{t+1} = "
        r"f_t - \eta g_t\, \tilde k(x_t, \cdot)$, after a projection onto the span of $k$ leading eigenvectors of "
        "their kernel matrix"
    )

    budget: int = parameter(100, "B, the support vectors that fix the features", at_least=1)
    rank: int | None = parameter(None, "k, the number of features (none: a fifth of the budget)", at_least=1)
    rate: float | None = parameter(None, "eta, the constant step (none: nogd's own)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        fixed = len(self._atoms(run)) == self.budget
        recorded = "atoms" in run.evidence and ("transform" in run.evidence or not fixed)
        return (not_too_long(run), left_as_evidence(run, "its support vectors and features", recorded))

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        atoms, steps, K = self._atoms(run), self._steps(run), gram(run)
        start = int(atoms[-1]) + 1 if len(atoms) == self.budget else run.rounds
        before = np.tril(K[:start, :start], -1)
        values, masses = np.zeros(run.rounds), np.zeros(run.rounds)
        values[:start], masses[:start] = before @ steps[:start], np.abs(before) @ np.abs(steps[:start])
        kept = run.evidence["atoms"]
        other = kept.shape != (len(atoms), run.points.shape[1]) or bool((kept != run.points[atoms]).any())
        if other or start == run.rounds:
            return values + float(other), masses  # adding 1 violates the identity
        among, T = K[np.ix_(atoms, atoms)], run.evidence["transform"]
        Z, w = K[start:][:, atoms] @ T, T.T @ (among @ steps[atoms])
        sizes = np.abs(T).T @ (np.abs(among) @ np.abs(steps[atoms]))
        later = np.tril(Z @ Z.T, -1)
        values[start:] = Z @ w + later @ steps[start:]
        rough = np.abs(K[start:][:, atoms]) @ np.abs(T)
        masses[start:] = rough @ sizes + np.tril(rough @ rough.T, -1) @ np.abs(steps[start:])
        values[start:] += float(self._not_leading(among, T))
        return values, masses

    def _steps(self, run: Transcript) -> Array:
        eta = descent_step(run.game) if self.rate is None else self.rate
        return -eta * run.slopes

    def _atoms(self, run: Transcript) -> Array:
        """Return the rounds, counted from 0, whose points are the support vectors.

        They are the first `budget` rounds in which the gradient step is not zero.
        """
        return np.asarray(np.flatnonzero(self._steps(run))[: self.budget])

    def _not_leading(self, K: Array, T: Array) -> bool:
        """Return whether the features are not an orthonormal basis of the span of the leading eigenvectors of K.

        `K` is the kernel matrix of the support vectors. The features are the kernel values at the support vectors,
        multiplied by the matrix `T`.
        """
        values = scipy.linalg.eigvalsh(K)
        rank = max(self.budget // 5, 1) if self.rank is None else self.rank
        leading = values[len(values) - min(rank, len(values)) :]
        leading = leading[leading > INDEPENDENT * max(float(values[-1]), 0.0)]
        inner = K @ T
        # rounding of K is amplified by the inverse of the smallest eigenvalue that is kept
        amplified = 1e-13 * len(K) * float(values[-1] / leading[0]) if len(leading) else 0.0
        skewed = np.abs(T.T @ inner - np.eye(T.shape[1])).max(initial=0.0) > FEATURES_OFF + amplified
        energy = float(np.square(inner).sum())
        return bool(skewed) or abs(energy - float(leading.sum())) > FEATURES_OFF * float(leading.sum())


@dataclass(frozen=True)
class ClippedRidgeIdentity(Recursion):
    """The predictions are those of ridge regression on the earlier rounds, clipped to [-C, C]."""

    name: ClassVar[str] = "clipped-krr-identity"
    paper: ClassVar[str] = "Zhdanov and Kalnishkan 2013, section 2"
    statement: ClassVar[str] = "prediction_t = clip(k_t' (K_{t-1} + lambda I)^-1 y), clipped to [-C, C]"
    formula: ClassVar[str] = (
        r"$\hat y_t = \operatorname{clip}\left( k_t^\top (K_{t-1} + \lambda I)^{-1} y \right)$, clipped to $[-C, C]$"
    )

    regularisation: float | None = parameter(None, "lambda of the learner (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        worst = float(run.game.kernel.diagonal(run.points).sum()) / run.game.at(self.regularisation)
        condition = Assumption(
            f"K + lambda I has a condition of at most {CONDITION:g}", worst <= CONDITION, f"{worst:.3g}"
        )
        return (not_too_long(run), condition)

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        at = run.game.at(self.regularisation)
        lower = np.linalg.cholesky(gram(run) + at * np.eye(run.rounds))
        whitened = scipy.linalg.solve_triangular(lower, run.labels, lower=True)
        past = np.tril(lower, -1)
        condition = 1.0 + np.cumsum(run.game.kernel.diagonal(run.points)) / at
        masses = np.abs(past) @ np.abs(whitened) + 1e-4 * condition * np.abs(run.labels).max()
        return np.clip(past @ whitened, -run.game.clip, run.game.clip), masses


@dataclass(frozen=True)
class RandomBudgetIdentity(Recursion):
    """The predictions are those of a Perceptron on a budget; the evidence says which atoms it removed."""

    name: ClassVar[str] = "rbp-identity"
    paper: ClassVar[str] = "Cavallanti, Cesa-Bianchi and Gentile 2007, Figure 2"
    statement: ClassVar[str] = (
        "prediction_t = sum of sign(y_s) k(x_s, x_t) over the mistakes s < t that are kept; from B of them on, each "
        "mistake removes an earlier one"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = \sum_s \operatorname{sign}(y_s)\, k(x_s, x_t)$ over the mistakes $s < t$ that are kept; from $B$ "
        "of them on, each mistake removes an earlier one"
    )

    budget: int = parameter(100, "B, the largest number of atoms", at_least=1)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (not_too_long(run), left_as_evidence(run, "what it removed", "removed_mistakes" in run.evidence))

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        K, wrong = gram(run), mistakes_of(run)
        removed = iter(np.asarray(run.evidence["removed_mistakes"]).astype(int).tolist())
        made, kept = np.flatnonzero(wrong), np.zeros(run.rounds, dtype=bool)
        values, masses, off = np.empty(run.rounds), np.empty(run.rounds), 0.0
        signs = np.sign(run.labels)
        for t in range(run.rounds):
            values[t], masses[t] = K[t, kept] @ signs[kept] + off, np.abs(K[t, kept]).sum()
            if wrong[t]:
                if kept.sum() >= self.budget:
                    gone = next(removed, -1)
                    if 0 <= gone < len(made) and kept[made[gone]]:
                        kept[made[gone]] = False
                    else:  # no removal was recorded, or one of an atom that is not in f
                        off = 1.0
                kept[t] = True
        return values + misnoted(run) * (1.0 + masses), masses


@dataclass(frozen=True)
class BatchRidgeIdentity(Recursion):
    """The predictions are the values of one function: ridge regression on the whole match, in a dictionary's span."""

    name: ClassVar[str] = "batch-krr-identity"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), section 5"
    statement: ClassVar[str] = (
        "prediction_t = f(x_t), f the minimiser of sum_t (f(x_t) - y_t)^2 + lambda |f|^2 in the span"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = f(x_t)$, $f$ the minimiser of $\sum_t (f(x_t) - y_t)^2 + \lambda \lVert f \rVert^2$ in the span"
    )

    regularisation: float | None = parameter(None, "lambda of the learner (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        at, size = run.game.at(self.regularisation), float(run.game.kernel.diagonal(run.points).sum())
        recorded = "atoms" in run.evidence and "accepted_rounds" in run.evidence
        clear = not recorded or spectrum_is_clear(run)
        return (
            not_too_long(run),
            left_as_evidence(run, "its dictionary", recorded),
            Assumption("the dictionary's points are clearly independent, or dependent", clear),
            Assumption(
                f"the matrix has a condition of at most {CONDITION:g}", size / at <= CONDITION, f"{size / at:.3g}"
            ),
        )

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        atoms, kernel, at = run.evidence["atoms"], run.game.kernel, run.game.at(self.regularisation)
        if not len(atoms):
            return np.zeros(run.rounds), np.zeros(run.rounds)
        values, vectors = scipy.linalg.eigh(kernel.gram(atoms, atoms))
        kept = values > INDEPENDENT * max(float(values[-1]), 0.0)
        F = kernel.gram(run.points, atoms) @ (vectors[:, kept] / np.sqrt(values[kept]))
        w = np.linalg.solve(F.T @ F + at * np.eye(F.shape[1]), F.T @ run.labels)
        condition = 1.0 + float(np.square(F).sum()) / at
        sizes = np.abs(F) @ np.abs(w) + np.abs(run.labels).max()
        return F @ w, np.asarray(sizes * (1.0 + 1e-2 * condition))


def spectrum_is_clear(run: Transcript) -> bool:
    """Return whether each eigenvalue of the dictionary's kernel matrix is clearly zero or clearly positive."""
    atoms = run.evidence["atoms"]
    if not len(atoms):
        return True
    values = scipy.linalg.eigvalsh(run.game.kernel.gram(atoms, atoms)) / float(run.game.kernel.diagonal(atoms).max())
    zero = max(INDEPENDENT, len(atoms) * np.finfo(float).eps * float(values[-1]))  # the errors of eigenvalues
    return not bool(((values > zero) & (values < CLEARLY)).any())
