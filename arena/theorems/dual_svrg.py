"""Theorems on DualSVRG (Le, Nguyen and Phung 2022; theory E19).

The learner moves some points to Fourier features. Two functions have the same coefficients: f has the exact kernel at
every point; f_dual has Fourier features at the moved points, and makes the predictions. Every n rounds the learner
returns to a checkpoint u, the mean of its functions in these n rounds. It remembers the last m points x, and the
derivative of the loss at u(x) for each of them.

The theorems recompute the coefficients from the predictions and the recorded values of the checkpoints.
`dual-svrg-gap`, an inequality of Theorem 1, holds on any sequence. Theorem 2 and Corollary 1 need independent draws,
and conditions on n and on the step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.game.losses import Loss, MarginLoss, SmoothHinge
from arena.record.cached import once_per_match
from arena.record.theorem import Identity, Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_rounds, left_as_evidence
from arena.theorems.recomputed.descent import minimiser
from arena.theorems.recomputed.points import coordinates

MOST_ROUNDS = 3000  # most rounds, since their kernel matrix is in memory
ROUNDED = 1e-12  # allowance for rounding, in units of the sum of |coefficients|
EVIDENCE = ("moved", "checkpoint_values", "memory_values", "dual_frequencies")


@dataclass(frozen=True)
class DualSvrgParameters:
    """Parameters of the learner DualSVRG.

    `strength` is lambda. The learner remembers `memory` rounds, and makes a checkpoint after every `period` rounds.
    """

    loss: Loss
    eta: float
    strength: float
    memory: int
    period: int


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class DualPath:
    """Values of DualSVRG's functions at the points of a match, and the sizes of their coefficients, round by round.

    - `exact`: f_t(x_t), where f_t has the learner's coefficients, but the exact kernel at all points.
    - `dual`: the learner's prediction, recomputed, with Fourier features in place of the kernel at the moved points.
    - `total` and `moved`: the sum of |coefficients| over all points, and over the moved points.
    """

    exact: Array
    dual: Array
    total: Array
    moved: Array
    kernel_error: float  # max |k - k~| between points of the match
    coefficients: Array  # of u at each checkpoint, one row each


@once_per_match
def dual_svrg_path(run: Transcript, settings: DualSvrgParameters) -> DualPath:
    """Return DualSVRG's functions in every round, recomputed from the evidence, as a `DualPath`."""
    T, eta, period = run.rounds, settings.eta, settings.period
    signs, where = np.sign(run.labels), run.evidence["moved"][:T] > 0
    K = run.game.kernel.gram(run.points, run.points)
    features = fourier_features(run.points, run.evidence["dual_frequencies"])
    error = features @ features.T - K
    slopes = settings.loss.derivative(run.predictions, signs)
    slopes_at_checkpoint = settings.loss.derivative(run.evidence["checkpoint_values"][:T], signs)
    memory_values, read = run.evidence["memory_values"], 0
    w, total, remembered = np.zeros(T), np.zeros(T), np.zeros(T)
    exact, dual, sums, moved, averages = np.empty(T), np.empty(T), np.empty(T), np.empty(T), []
    for t in range(T):
        exact[t] = w @ K[:, t]
        dual[t] = exact[t] + w[where] @ error[where, t]
        sums[t], moved[t] = np.abs(w).sum(), np.abs(w[where]).sum()
        size = min(t + 1, settings.memory)
        if t >= settings.memory:
            remembered[t - settings.memory] = 0.0
        remembered[t] = slopes_at_checkpoint[t]
        w = w - eta / size * remembered
        w[t] -= eta * (slopes[t] - slopes_at_checkpoint[t])
        w /= 1.0 + eta * settings.strength
        total += w
        if (t + 1) % period == 0:
            w, total = total / period, np.zeros(T)
            averages.append(w)
            rows = slice(t + 1 - size, t + 1)
            remembered[rows] = settings.loss.derivative(memory_values[read : read + size], signs[rows])
            read += size
    return DualPath(exact, dual, sums, moved, float(np.abs(error).max()), np.array(averages).reshape(-1, T))


def fourier_features(X: Array, frequencies: Array) -> Array:
    """Return the cosines and sines of X @ frequencies.T, divided by the square root of the number of frequencies."""
    phases = X @ frequencies.T
    return np.asarray(np.hstack([np.cos(phases), np.sin(phases)]) * len(frequencies) ** -0.5)


@dataclass(frozen=True)
class _DualSvrg(Theorem):
    """Base class of theorems on DualSVRG: its parameters, and its functions, recomputed from the evidence."""

    loss: Loss = parameter(SmoothHinge(), "the learner's own loss, of label signs")
    regularisation: float | None = parameter(None, "lambda of loss + (lambda / 2) |f|^2 (none: the game's)", above=0)
    rate: float | None = parameter(None, "eta, the step (none: 1/(76 M), M the loss's smoothness)", above=0)
    memory: int = parameter(100, "m, rounds that are remembered", at_least=1)
    period: int = parameter(100, "n, rounds between checkpoints", at_least=1)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        ends = np.arange(self.period, run.rounds + 1, self.period)  # the rounds after which there is a checkpoint
        values = int(np.minimum(ends, self.memory).sum())
        recorded = all(name in run.evidence for name in EVIDENCE) and len(run.evidence["memory_values"]) >= values
        diagonal = run.game.kernel.diagonal(run.points)
        off = float(np.abs(diagonal - 1.0).max())
        smooth = isinstance(self.loss, MarginLoss) and math.isfinite(self.smoothness) and math.isfinite(self.lipschitz)
        return (
            Assumption("the loss is a smooth margin loss with bounded slopes", smooth, f"it is {self.loss.name}"),
            Assumption("k(x, x) is 1", off <= 1e-12, f"off by {off:g}"),
            left_as_evidence(run, "its moves and checkpoints", recorded),
            few_rounds(run, MOST_ROUNDS),
        )

    def path(self, run: Transcript) -> DualPath:
        settings = DualSvrgParameters(self.loss, self.step, self.strength(run), self.memory, self.period)
        return dual_svrg_path(run, settings)

    def scale(self, run: Transcript) -> Array:
        # the sum of |coefficients| bounds |f(x)|, since k(x, x) is 1
        return np.maximum.accumulate(self.path(run).total)

    def strength(self, run: Transcript) -> float:
        """Return lambda of the objective loss + (lambda / 2) |f|^2."""
        return run.game.at(self.regularisation)

    @property
    def lipschitz(self) -> float:
        """L, the largest slope of the loss if labels are -1 or 1."""
        return self.loss.lipschitz(math.inf, 1.0)

    @property
    def smoothness(self) -> float:
        """M, the Lipschitz constant of the loss's derivative if labels are -1 or 1."""
        return self.loss.smoothness(math.inf, 1.0)

    @property
    def step(self) -> float:
        return 1.0 / (76.0 * self.smoothness) if self.rate is None else self.rate


@dataclass(frozen=True)
class DualSvrgCoefficients(_DualSvrg):
    """The sum of |coefficients| of f_t and the |prediction| are at most 3 L / lambda (theory E19).

    L is the largest slope of the loss for labels -1 and 1, and f_t the function of round t with the exact kernel.
    """

    name: ClassVar[str] = "dual-svrg-coefficients"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, from the proof of Theorem 1"
    statement: ClassVar[str] = "|prediction_t| <= sum_i |alpha_i| <= 3 L / lambda for the coefficients of every f_t"
    formula: ClassVar[str] = (
        r"$\lvert \hat y_t \rvert \le \sum_i \lvert \alpha_i \rvert \le \frac{3 L}{\lambda}$ for the coefficients "
        "of every $f_t$"
    )
    quantity: ClassVar[str] = "sum of |coefficients|"

    def measured(self, run: Transcript) -> Array:
        return np.maximum(self.path(run).total, np.abs(run.predictions))

    def allowed(self, run: Transcript) -> Array:
        return np.full(run.rounds, 3.0 * self.lipschitz / self.strength(run))


@dataclass(frozen=True)
class DualSvrgGap(_DualSvrg):
    """|f_t(x_t) - prediction| is at most the largest kernel error times a sum of |coefficients| (theory E19).

    At some points, called moved, the learner uses a kernel k~ of Fourier features in place of the kernel k. The sum is
    over these points. f_t has the learner's coefficients and k at all points. A kernel error is |k - k~| at two points.
    """

    name: ClassVar[str] = "dual-svrg-gap"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, Theorem 1, its deterministic core"
    statement: ClassVar[str] = "|f_t(x_t) - prediction_t| <= max |k - k~| sum of |alpha_i| over the moved points"
    formula: ClassVar[str] = (
        r"$\lvert f_t(x_t) - \hat y_t \rvert \le \max \lvert k - \tilde k \rvert \sum_i \lvert \alpha_i \rvert$ "
        "over the moved points"
    )
    quantity: ClassVar[str] = "gap to the exact kernel"

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.abs(self.path(run).exact - run.predictions))

    def allowed(self, run: Transcript) -> Array:
        path = self.path(run)
        return np.asarray(path.kernel_error * path.moved + ROUNDED * path.total)


@dataclass(frozen=True)
class DualSvrgIdentity(Identity, _DualSvrg):
    """Each prediction equals sum_i alpha_i k(x_i, x_t) with recomputed coefficients alpha_i (theory B13).

    For moved points, k is the kernel of the Fourier features.
    """

    name: ClassVar[str] = "dual-svrg-identity"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, Algorithm 1 in coefficient form"
    statement: ClassVar[str] = "prediction_t = sum of alpha_i k(x_i, x_t), with k~ in the place of k for moved points"
    formula: ClassVar[str] = (
        r"$\hat y_t = \sum_i \alpha_i k(x_i, x_t)$, with $\tilde k$ in the place of $k$ for moved points"
    )

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.abs(self.path(run).dual - run.predictions))


@dataclass(frozen=True)
class DualSvrgApproximation(DualSvrgGap):
    """Theorem 1 (theory E19): with accurate Fourier features, |f_t(x_t) - prediction| is at most the given epsilon.

    f_t is the learner's function with the exact kernel. Accurate means that no kernel value is off by more than lambda
    epsilon / (3 L). Here this is an assumption, checked at the points of the match. The paper (Le, Nguyen and Phung
    2022) bounds its probability.
    """

    name: ClassVar[str] = "dual-svrg-approximation"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, Theorem 1 (1), given its event"
    statement: ClassVar[str] = "|f_t(x_t) - prediction_t| <= epsilon if max |k - k~| <= lambda epsilon / (3 L)"
    formula: ClassVar[str] = (
        r"$\lvert f_t(x_t) - \hat y_t \rvert \le \epsilon$ if $\max \lvert k - \tilde k \rvert \le \frac{\lambda "
        r"\epsilon}{3 L}$"
    )

    epsilon: float = parameter(0.5, "the accuracy", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        others = super().assumptions(run)
        if not all(each.holds for each in others):
            return others
        needed = self.kernel_accuracy(run)
        error = self.path(run).kernel_error
        printed = f"{error:.4g}; the printed probability of failure is {self.failure_probability(run):.2g}"
        return (*others, Assumption(f"no kernel value is off by more than {needed:.4g}", error <= needed, printed))

    def kernel_accuracy(self, run: Transcript) -> float:
        """Return lambda epsilon / (3 L), the largest error of a kernel value that the theorem allows.

        With this accuracy, Fourier features change predictions by at most epsilon.
        """
        return self.strength(run) * self.epsilon / (3.0 * self.lipschitz)

    def failure_probability(self, run: Transcript) -> float:
        """Return the paper's bound on the probability that a kernel value is off by more than a = `kernel_accuracy`.

        It is 2^8 (sigma diam / a)^2 exp(-D a^2 / (4 (d + 2))), with the diameter and the dimension d of the box. Here
        sigma^2 is the mean of w'w over the frequencies w of this match, and D is their number. This corrects the paper,
        in which sigma is this mean, and D the number of features.
        """
        frequencies = run.evidence["dual_frequencies"]
        count, dimension = frequencies.shape
        spread = float(np.square(frequencies).sum(axis=1).mean()) ** 0.5
        accuracy = self.kernel_accuracy(run)
        diameter = float(np.linalg.norm(run.game.high - run.game.low))
        decay = math.exp(-count * accuracy**2 / (4.0 * (dimension + 2)))
        return float(256.0 * (spread * diameter / accuracy) ** 2 * decay)

    def allowed(self, run: Transcript) -> Array:
        return np.full(run.rounds, self.epsilon)


@dataclass(frozen=True)
class DualSvrgConvergence(_DualSvrg):
    """In expectation, the objective at the checkpoints approaches its minimum up to a constant: the paper's Theorem 2.

    The theorem (Le, Nguyen and Phung 2022; theory E19) needs points and labels that are independent draws, which the
    user must declare. The expected objective is measured as the mean over the points of the match. The bound is on a
    mean over matches, so a single match cannot refute it.
    """

    name: ClassVar[str] = "dual-svrg-convergence"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, Theorem 2"
    statement: ClassVar[str] = (
        "E J(w_rn) - J* < rho^r [J(0) - J* - 2 (6 L^2 + 12 M m^2 epsilon^2) eta / (m (1 - rho))] "
        "+ 2 (6 L^2 + 12 M) eta / (m (1 - rho)) for independent draws"
    )
    formula: ClassVar[str] = (
        r"$\mathbb{E}\, J(w_{rn}) - J^\ast < \rho^r \left[ J(0) - J^\ast - \frac{2 (6 L^2 + 12 M m^2 \epsilon^2) "
        r"\eta}{m (1 - \rho)} \right] + \frac{2 (6 L^2 + 12 M) \eta}{m (1 - \rho)}$ for independent draws"
    )
    quantity: ClassVar[str] = "gap of the objective"

    independent: bool = parameter(False, "declare that points and labels are independent draws")
    beta: float = parameter(0.5, "beta of the theorem's conditions", above=0, below=1)
    epsilon: float = parameter(0.005, "accuracy of the Fourier features", above=0)

    @property
    def in_expectation(self) -> bool:
        return True

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        step, M, beta = self.step, self.smoothness, self.beta
        steepest = beta / ((13.0 + 12.0 * beta) * M)
        room = 1.0 - 12.0 * M * step
        shortest = max(1.0 / (step * self.strength(run) * (1.0 - beta) * room), 13.0) if room > 0 else math.inf
        return (
            Assumption("points and labels are independent draws", self.independent, "an adversary chose them"),
            *super().assumptions(run),
            Assumption("m >= 2", self.memory >= 2, f"m = {self.memory}"),
            Assumption(f"eta < {steepest:.4g}", step < steepest, f"eta = {step:.4g}"),
            Assumption(f"n >= {shortest:.4g}", self.period >= shortest, f"n = {self.period}"),
            Assumption(f"epsilon < 1/m = {1 / self.memory:.4g}", self.epsilon < 1 / self.memory, f"{self.epsilon:g}"),
        )

    def measured(self, run: Transcript) -> Array:
        # before the first checkpoint, the zero function takes its place
        return objective_gaps(run, self)[np.arange(1, run.rounds + 1) // self.period]

    def allowed(self, run: Transcript) -> Array:
        return self._bound(run, objective_gaps(run, self)[0])

    def least_excess(self, run: Transcript) -> float:
        # `measured` is at least zero, and `allowed` rises with the excess of the objective J at zero over its minimum.
        # This excess is at most J(0), and at most L^2 / (2 lambda): J is lambda-strongly convex, and its gradient at
        # zero has a norm of at most L, since k(x, x) is 1.
        largest = min(float(self.loss.value(0.0, 1.0)), self.lipschitz**2 / (2.0 * self.strength(run)))
        return -float(self._bound(run, largest)[-1])

    def _bound(self, run: Transcript, first: float) -> Array:
        """Return, for every round, the bound on the excess of the objective at the last checkpoint.

        The excess is the objective minus its minimum; `first` is the excess at the zero function.
        """
        rho, M, m = self._rho(run), self.smoothness, self.memory
        share = 2.0 * self.step / (m * (1.0 - rho))
        floor = share * (6.0 * self.lipschitz**2 + 12.0 * M)
        head = first - share * (6.0 * self.lipschitz**2 + 12.0 * M * m**2 * self.epsilon**2)
        return np.asarray(rho ** (np.arange(1, run.rounds + 1) // self.period) * head + self._last(floor))

    def _last(self, floor: float) -> float:
        return floor

    def _rho(self, run: Transcript) -> float:
        step, M, at = self.step, self.smoothness, self.strength(run)
        room = 1.0 - 12.0 * M * step
        return 13.0 * M * step / ((1.0 + step * at) * room) + 1.0 / (self.period * at * step * room)


@once_per_match
def objective_gaps(run: Transcript, theorem: _DualSvrg) -> Array:
    """Return the objective at the zero function and at every checkpoint, each minus the minimum of the objective.

    The objective at f is the mean loss of f over the points of the match, plus (lambda / 2) |f|^2.
    """
    signs, at = np.sign(run.labels), theorem.strength(run)
    points, which = np.unique(run.points + 0.0, axis=0, return_inverse=True)
    F = coordinates(run.game.kernel, points)[which.reshape(-1)]
    best = minimiser(theorem.loss, F, signs, at * run.rounds)
    functions = np.vstack([np.zeros(F.shape[1]), theorem.path(run).coefficients @ F, best])
    losses = theorem.loss.value(functions @ F.T, signs).mean(axis=1)
    objective = losses + 0.5 * at * np.square(functions).sum(axis=1)
    return np.asarray(objective[:-1] - objective[-1])


@dataclass(frozen=True)
class DualSvrgCorollary(DualSvrgConvergence):
    """Corollary 1: for small steps, the expected objective at the checkpoints approaches its minimum up to epsilon.

    The corollary (Le, Nguyen and Phung 2022) needs points and labels that are independent draws.
    """

    name: ClassVar[str] = "dual-svrg-corollary"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, Corollary 1"
    statement: ClassVar[str] = (
        "E J(w_rn) - J* < rho^r [J(0) - J* - 2 (6 L^2 + 12 M m^2 epsilon^2) eta / (m (1 - rho))] + epsilon "
        "for independent draws and eta < epsilon m (1 - rho) / (2 (6 L^2 + 12 M))"
    )
    formula: ClassVar[str] = (
        r"$\mathbb{E}\, J(w_{rn}) - J^\ast < \rho^r \left[ J(0) - J^\ast - \frac{2 (6 L^2 + 12 M m^2 \epsilon^2) "
        r"\eta}{m (1 - \rho)} \right] + \epsilon$ for independent draws and $\eta < \frac{\epsilon m (1 - \rho)}{2 "
        "(6 L^2 + 12 M)}$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        others = super().assumptions(run)
        curved = 2.0 * (6.0 * self.lipschitz**2 + 12.0 * self.smoothness)
        rho = self._rho(run) if 12.0 * self.smoothness * self.step < 1.0 else 1.0
        steepest = self.epsilon * self.memory * max(1.0 - rho, 0.0) / curved
        return (*others, Assumption(f"eta < {steepest:.4g}", self.step < steepest, f"eta = {self.step:.4g}"))

    def _last(self, floor: float) -> float:
        return self.epsilon
