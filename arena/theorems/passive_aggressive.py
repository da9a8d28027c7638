"""Loss and mistake bounds of the passive-aggressive algorithms PA, PA-I and PA-II (Crammer et al. 2006).

All three algorithms move f by tau_t k(x_t, .) towards the label. The step size tau_t depends on the loss l_t of round
t. In classification the loss is the hinge loss of the label's sign; in regression it is max(0,
|prediction - label| - epsilon). Every comparator u, with the losses l*_t, obeys

    sum_t tau_t (2 l_t - tau_t k(x_t, x_t) - 2 l*_t) <= |u|^2        (Lemma 1).

C is the parameter `aggressiveness` of PA-I and PA-II: a larger C allows larger steps.

Libraries leave the coordinate of an intercept out of k(x_t, x_t) when they compute the step size. Lemma 1 holds for
their steps (`PaSteps`), but the other bounds do not.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.game.losses import EpsilonInsensitive, Hinge, Loss, Squared, SquaredHinge
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_rounds
from arena.theorems.mistakes import mistakes_of
from arena.theorems.recomputed.descent import tilted_minimiser
from arena.theorems.recomputed.points import orthonormal_functions

Task = Literal["classification", "regression"]
MOST_ROUNDS = 3000  # most rounds, since their kernel matrix is in memory
ROUNDED = 1e-14  # share of k(x, x) below which its part without the intercept counts as zero
MOST_ATOMS = 200  # points whose kernels span the comparators tried
SHARES = (1e-3, 0.1, 0.3, 1.0, 3.0, 100.0)  # multiples of the strength of regularisation of the comparators


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class TriedComparators:
    """Comparators u: the squared norm of each, and the losses, one row for each round and one column for each u."""

    squared_norms: Array
    losses: Array


def loss_of(task: Task, epsilon: float, predictions: Array, labels: Array) -> Array:
    """Return the losses of the task: epsilon-insensitive, or hinge losses of the labels' signs (0 for a label of 0)."""
    if task == "regression":
        return np.asarray(np.maximum(np.abs(predictions - labels) - epsilon, 0.0))
    return np.asarray(np.where(labels != 0, np.maximum(1.0 - np.sign(labels) * predictions, 0.0), 0.0))


@once_per_match
def functions_tried(run: Transcript, kernel: Kernel, task: Task, epsilon: float, strength: float) -> TriedComparators:
    """Return some comparators: zero, and regularised minimisers over the first quarter, the first half and all rounds.

    A minimiser minimises sum loss + s |u|^2 / 2, where s is `strength` times one of several numbers. Two losses are
    used: the hinge loss and its square in classification, the epsilon-insensitive and the squared loss in regression.
    """
    F = orthonormal_functions(kernel, run.points, MOST_ATOMS)
    signs = np.sign(run.labels)
    labelled = run.labels != 0 if task == "classification" else np.ones(run.rounds, dtype=bool)
    losses: Sequence[tuple[Loss, Array]] = ((Hinge(), signs), (SquaredHinge(), signs))
    if task == "regression":
        losses = ((EpsilonInsensitive(epsilon), run.labels), (Squared(), run.labels))
    found, nothing = [np.zeros(F.shape[1])], np.zeros(F.shape[1])
    for rounds in sorted({max(run.rounds // 4, 1), max(run.rounds // 2, 1), run.rounds}) if F.shape[1] else ():
        seen = np.flatnonzero(labelled[:rounds])
        for loss, labels in losses if len(seen) else ():
            for share in SHARES:
                w = tilted_minimiser(loss, F[seen], labels[seen], 0.5 * strength * share, nothing)
                found += [w] if np.isfinite(w).all() else []
    columns = np.array(found).T
    return TriedComparators(
        np.square(columns).sum(axis=0), loss_of(task, epsilon, F @ columns, run.labels[:, np.newaxis])
    )


@dataclass(frozen=True)
class PassiveAggressive(Theorem, abc.ABC):
    """Base class of bounds on a sum over the rounds: the smallest of the bounds that several comparators give."""

    task: Task = parameter("classification", "hinge loss of signs, or epsilon-insensitive loss of labels")
    epsilon: float = parameter(0.1, "a deviation that costs nothing, in regression", at_least=0)
    kernel: Kernel | None = parameter(None, "of the learner (none: the game's)")

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (few_rounds(run, MOST_ROUNDS),)

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(self.counted(run)))

    def allowed(self, run: Transcript) -> Array:
        found = functions_tried(run, self._kernel(run), self.task, self.epsilon, self.strength)
        return np.asarray(self.bounds(run, found.squared_norms, found.losses).min(axis=1))

    def scale(self, run: Transcript) -> Array:
        return np.asarray(self.measured(run) + self.allowed(run))

    @abc.abstractmethod
    def counted(self, run: Transcript) -> Array:
        """Return the terms, one for each round, of the sum that the theorem bounds."""

    @abc.abstractmethod
    def bounds(self, run: Transcript, squared_norms: Array, losses: Array) -> Array:
        """Return the bounds, one row for each round and one column for each comparator.

        `squared_norms` has the squared norm of each comparator, and `losses` its loss in every round.
        """

    @property
    def strength(self) -> float:
        """Strength of the comparators' regularisation: 1 for PA, and 1 / `aggressiveness` for PA-I and PA-II."""
        return 1.0

    def losses(self, run: Transcript) -> Array:
        """Return the learner's loss l_t in every round."""
        return loss_of(self.task, self.epsilon, run.predictions, run.labels)

    def diagonal(self, run: Transcript) -> Array:
        """Return k(x_t, x_t) of every round, with infinity in place of zero.

        If k(x_t, x_t) = 0, every function of the RKHS is zero at x_t, so no step changes the loss there. Division by
        infinity removes such rounds from the sums.
        """
        diagonal = self._kernel(run).diagonal(run.points)
        return np.asarray(np.where(diagonal > 0, diagonal, np.inf))

    def _kernel(self, run: Transcript) -> Kernel:
        return self.kernel or run.game.kernel


@dataclass(frozen=True)
class PaLosses(PassiveAggressive):
    """Bound on the squared losses of PA, whose step makes the loss of the round zero.

    For comparators without any loss it is Theorem 2 of Crammer et al. 2006, and for all others Theorem 3.
    """

    name: ClassVar[str] = "pa"
    paper: ClassVar[str] = "Crammer et al. 2006, Theorems 2 and 3, with each loss over |x_t| instead of |x_t| <= 1"
    statement: ClassVar[str] = "sum_t l_t^2 / k(x_t, x_t) <= (|u| + 2 (sum_t l*_t^2 / k(x_t, x_t))^1/2)^2 for all u"
    formula: ClassVar[str] = (
        r"$\sum_t \frac{\ell_t^2}{k(x_t, x_t)} \le \left( \lVert u \rVert + 2 \sqrt{\sum_t "
        r"\frac{(\ell^\ast_t)^2}{k(x_t, x_t)}} \right)^2$ for all $u$"
    )
    quantity: ClassVar[str] = "sum of squared losses over k(x_t, x_t)"

    def counted(self, run: Transcript) -> Array:
        return np.asarray(np.square(self.losses(run)) / self.diagonal(run))

    def bounds(self, run: Transcript, squared_norms: Array, losses: Array) -> Array:
        theirs = np.cumsum(np.square(losses) / self.diagonal(run)[:, np.newaxis], axis=0)
        return np.asarray(np.square(np.sqrt(squared_norms) + 2.0 * np.sqrt(theirs)))


@dataclass(frozen=True)
class PaOneLosses(PassiveAggressive):
    """Bound on the losses of PA-I, for classification and for regression.

    It is from the proof of Theorem 4 of Crammer et al. 2006. The steps of PA-I are at most C, the parameter
    `aggressiveness`.
    """

    name: ClassVar[str] = "pa-1"
    paper: ClassVar[str] = "Crammer et al. 2006, proof of Theorem 4"
    statement: ClassVar[str] = "sum_t min(C l_t, l_t^2 / k(x_t, x_t)) <= |u|^2 + 2 C sum_t l*_t for all u"
    formula: ClassVar[str] = (
        r"$\sum_t \min\left( C \ell_t, \frac{\ell_t^2}{k(x_t, x_t)} \right) \le \lVert u \rVert^2 + 2 C \sum_t "
        r"\ell^\ast_t$ for all $u$"
    )
    quantity: ClassVar[str] = "sum of min(C l_t, l_t^2 / k(x_t, x_t))"

    aggressiveness: float = parameter(1.0, "C, the largest step", above=0)

    @property
    def strength(self) -> float:
        return 1.0 / self.aggressiveness

    def counted(self, run: Transcript) -> Array:
        losses = self.losses(run)
        return np.asarray(np.minimum(self.aggressiveness * losses, np.square(losses) / self.diagonal(run)))

    def bounds(self, run: Transcript, squared_norms: Array, losses: Array) -> Array:
        movable = np.isfinite(self.diagonal(run))[:, np.newaxis]
        return np.asarray(squared_norms + 2.0 * self.aggressiveness * np.cumsum(losses * movable, axis=0))


@dataclass(frozen=True)
class PaOneMistakes(PaOneLosses):
    """Bound on the number of mistakes of PA-I, from the bound `pa-1` on its losses: a mistake has a hinge loss >= 1."""

    name: ClassVar[str] = "pa-1-mistakes"
    paper: ClassVar[str] = "Crammer et al. 2006, Theorem 4"
    statement: ClassVar[str] = (
        "mistakes <= max(R^2, 1 / C) (|u|^2 + 2 C sum_t l*_t) for all u, R^2 = max k(x_t, x_t), l* the hinge loss"
    )
    formula: ClassVar[str] = (
        r"mistakes $\le \max\left( R^2, \frac{1}{C} \right) \left( \lVert u \rVert^2 + 2 C \sum_t \ell^\ast_t "
        r"\right)$ for all $u$, $R^2 = \max_t k(x_t, x_t)$, $\ell^\ast$ the hinge loss"
    )
    quantity: ClassVar[str] = "mistakes"

    task: Literal["classification"] = parameter("classification", "mistakes are of signs")

    def counted(self, run: Transcript) -> Array:
        wrong = mistakes_of(run, 0.0, self._kernel(run))
        return np.asarray(wrong & np.isfinite(self.diagonal(run)), dtype=float)

    def bounds(self, run: Transcript, squared_norms: Array, losses: Array) -> Array:
        largest = np.maximum.accumulate(self._kernel(run).diagonal(run.points))
        factor = np.maximum(largest, 1.0 / self.aggressiveness)[:, np.newaxis]
        return factor * super().bounds(run, squared_norms, losses)


@dataclass(frozen=True)
class PaTwoLosses(PassiveAggressive):
    """Bound on the squared losses of PA-II.

    The step at a loss l_t is l_t / (k(x_t, x_t) + 1 / (2 C)), where C is the parameter `aggressiveness`.
    """

    name: ClassVar[str] = "pa-2"
    paper: ClassVar[str] = "Crammer et al. 2006, Theorem 5"
    statement: ClassVar[str] = (
        "sum_t l_t^2 <= (R^2 + 1 / (2 C)) (|u|^2 + 2 C sum_t l*_t^2) for all u, R^2 = max k(x_t, x_t)"
    )
    formula: ClassVar[str] = (
        r"$\sum_t \ell_t^2 \le \left( R^2 + \frac{1}{2 C} \right) \left( \lVert u \rVert^2 + 2 C \sum_t "
        r"(\ell^\ast_t)^2 \right)$ for all $u$, $R^2 = \max_t k(x_t, x_t)$"
    )
    quantity: ClassVar[str] = "sum of squared losses"

    aggressiveness: float = parameter(1.0, "C: steps are shortened by 1 / (2 C)", above=0)

    @property
    def strength(self) -> float:
        return 1.0 / self.aggressiveness

    def counted(self, run: Transcript) -> Array:
        return np.asarray(np.square(self.losses(run)))

    def bounds(self, run: Transcript, squared_norms: Array, losses: Array) -> Array:
        largest = np.maximum.accumulate(self._kernel(run).diagonal(run.points))[:, np.newaxis]
        theirs = squared_norms + 2.0 * self.aggressiveness * np.cumsum(np.square(losses), axis=0)
        return np.asarray((largest + 0.5 / self.aggressiveness) * theirs)


# Without the intercept's coordinate a step moves the prediction at x_t by l_t (1 + 1 / |x_t|^2). In regression with
# epsilon = 0 and |x_t| < 1 this is more than twice the loss, so the error at x_t grows and the other bounds fail.
@dataclass(frozen=True)
class PaSteps(PassiveAggressive):
    """Bound on sum_t tau_t (2 l_t - tau_t k(x_t, x_t)) for the steps tau_t of PA, PA-I or PA-II, with the losses l_t.

    It also holds if the steps leave the coordinate of an intercept out of k(x_t, x_t).
    """

    name: ClassVar[str] = "pa-steps"
    paper: ClassVar[str] = "Crammer et al. 2006, Lemma 1, for any step sizes"
    statement: ClassVar[str] = (
        "sum_t tau_t (2 l_t - tau_t k(x_t, x_t)) <= |u|^2 + 2 sum_t tau_t l*_t for all u, with the steps tau_t = "
        "l_t / q_t (pa), min(C, l_t / q_t) (pa-1), l_t / (q_t + 1 / (2 C)) (pa-2), q_t = k(x_t, x_t) - left_out"
    )
    formula: ClassVar[str] = (
        r"$\sum_t \tau_t (2 \ell_t - \tau_t\, k(x_t, x_t)) \le \lVert u \rVert^2 + 2 \sum_t \tau_t "
        r"\ell^\ast_t$ for all $u$, with the steps $\tau_t = \frac{\ell_t}{q_t}$ (pa), $\min\left( C, "
        r"\frac{\ell_t}{q_t} \right)$ (pa-1), $\frac{\ell_t}{q_t + 1 / (2 C)}$ (pa-2), $q_t = k(x_t, x_t) - "
        r"\text{left out}$"
    )
    quantity: ClassVar[str] = "sum of tau_t (2 l_t - tau_t k(x_t, x_t))"

    steps: Literal["pa", "pa-1", "pa-2"] = parameter("pa-1", "the rule of the step sizes")
    aggressiveness: float = parameter(1.0, "C, of pa-1 and pa-2", above=0)
    left_out: float = parameter(0.0, "the part of k(x, x) that steps leave out: 1 for an intercept", at_least=0)

    @property
    def strength(self) -> float:
        return 1.0 if self.steps == "pa" else 1.0 / self.aggressiveness

    def counted(self, run: Transcript) -> Array:
        steps = self.step_sizes(run)
        return np.asarray(steps * (2.0 * self.losses(run) - steps * self._kernel(run).diagonal(run.points)))

    def bounds(self, run: Transcript, squared_norms: Array, losses: Array) -> Array:
        return np.asarray(squared_norms + 2.0 * np.cumsum(self.step_sizes(run)[:, np.newaxis] * losses, axis=0))

    def scale(self, run: Transcript) -> Array:
        # terms of large steps are negative: their absolute values are summed
        steps, diagonal = self.step_sizes(run), self._kernel(run).diagonal(run.points)
        return np.asarray(np.cumsum(steps * (2.0 * self.losses(run) + steps * diagonal)) + self.allowed(run))

    def step_sizes(self, run: Transcript) -> Array:
        """Return the step tau_t of every round.

        Let l_t be the loss, C the parameter `aggressiveness`, and q_t = max(k(x_t, x_t) - `left_out`, 0). The step is

        - l_t / q_t for PA, and the smaller of this and C for PA-I; 0 if q_t = 0;
        - l_t / (q_t + 1 / (2 C)) for PA-II.

        The parameter `left_out` is 1 if the steps leave out the coordinate of an intercept. There is no step if
        k(x_t, x_t) = 0.
        """
        diagonal = self._kernel(run).diagonal(run.points)
        part = np.maximum(diagonal - self.left_out, 0.0)
        part[part <= ROUNDED * diagonal] = 0.0
        losses = self.losses(run) * (diagonal > 0)
        if self.steps == "pa-2":
            return np.asarray(losses / (part + 0.5 / self.aggressiveness))
        steps = np.where(part > 0, losses / np.where(part > 0, part, 1.0), 0.0)
        return np.asarray(steps if self.steps == "pa" else np.minimum(self.aggressiveness, steps))
