"""Regret bounds of KONS with a sketched matrix (Calandriello, Lazaric and Valko 2017, ICML, Theorem 3; theory E12).

The sketched matrix has only the gradients that the learner kept. The published bound is the bound of KONS divided by
max(gamma, beta tau_min), where tau_min is the least leverage, gamma the least probability of keeping a gradient, and
beta the oversampling of KORS. This divisor has two errors. It may exceed one, although no sketch is better than the
whole matrix. And it lacks the factor 1 - epsilon for the accuracy of the sketch. The bound `sketched-kons-gradients`
has no divisor: it is computed from the kept gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import curved, eta_is_sigma, few_rounds, left_as_evidence, until_one_fails
from arena.theorems.kons import NewtonPath, NewtonTheorem, exact_path, newton_path
from arena.theorems.kons_printed import infinite_elsewhere, prefixes_with_small_alpha, printed_bound, published_setting

THEOREM = "Calandriello, Lazaric and Valko 2017 (ICML), Theorem 3"
MOST_ROUNDS = 2000  # most rounds whose energies are computed in both matrices
LEEWAY = 1 + 1e-9  # for the rounding of two factorisations


def kept_rounds(run: Transcript) -> NDArray[np.bool_]:
    """Return a mask of the rounds whose gradients the learner kept in its matrix, according to the evidence."""
    kept = np.zeros(run.rounds + 1, dtype=bool)
    numbers = run.evidence["kept"].astype(int)
    kept[numbers[numbers <= run.rounds]] = True
    return kept[1:]


@once_per_match
def sketched_path(run: Transcript, alpha: float, step: float | None) -> NewtonPath:
    """Return the `NewtonPath` of KONS with the sketched matrix: alpha I plus the gradients that the learner kept.

    `step` is eta, by default the learner's own.
    """
    return newton_path(run, alpha, step, kept=kept_rounds(run))


def kept_gradients_known(run: Transcript) -> Assumption:
    """Assumption: the evidence has the rounds whose gradients the learner kept."""
    return left_as_evidence(run, "the rounds whose gradients it kept", "kept" in run.evidence)


@dataclass(frozen=True)
class SketchedKonsGradients(NewtonTheorem):
    """Half the sum of the gradients' energies in the sketched matrix bounds the regret, whichever gradients are kept.

    The energy of round t is g_t^2 phi_t' A_t^-1 phi_t, where the sketched matrix A_t has only the kept gradients. A
    kept gradient with a step eta_t > sigma adds (eta_t - sigma) g_t^2 (|prediction| + C)^2 / 2 to the bound.
    """

    name: ClassVar[str] = "sketched-kons-gradients"
    paper: ClassVar[str] = f"{THEOREM}: its decomposition, path by path"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= 1/2 sum_t g_t^2 phi_t' A_t^-1 phi_t, A_t with the kept gradients alone "
        "(and R_D / 2 where eta_t > sigma)"
    )
    formula: ClassVar[str] = (
        r"$R_{\alpha/2} \le \frac{1}{2} \sum_t g_t^2 \phi_t^\top A_t^{-1} \phi_t$, $A_t$ with the kept gradients "
        r"alone (and $\frac{R_D}{2}$ where $\eta_t > \sigma$)"
    )

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().premises(run), kept_gradients_known(run))

    def allowed(self, run: Transcript) -> Array:
        path = sketched_path(run, self.alpha, self.step)
        return np.asarray(0.5 * np.cumsum(path.energies + path.drift))


@dataclass(frozen=True)
class SketchedKonsRegret(NewtonTheorem):
    """The bound of `kons-logdet` times 1 / ((1 - epsilon) p), where p is the least probability of keeping a gradient.

    Assumption: each gradient's energy in the sketched matrix is at most 1 / ((1 - epsilon) p) times its energy in the
    whole matrix. The sketched matrix has only the kept gradients. The published theorem assumes more.
    """

    name: ClassVar[str] = "sketched-kons-regret"
    paper: ClassVar[str] = f"{THEOREM}, corrected"
    statement: ClassVar[str] = (
        "R_{alpha/2} <= log det(I + sigma D K D / alpha) / (2 sigma (1 - epsilon) p), "
        "p = max(gamma, min(1, beta tau_min)), for eta = sigma"
    )
    formula: ClassVar[str] = (
        r"$R_{\alpha/2} \le \frac{1}{2 \sigma (1 - \epsilon)\, p} \log\det\left( I + \frac{\sigma}{\alpha} D K D "
        r"\right)$, $p = \max(\gamma, \min(1, \beta \tau_{\min}))$, for $\eta = \sigma$"
    )

    floor: float = parameter(0.1, "gamma: the least probability of keeping a gradient", above=0, at_most=1)
    beta: float = parameter(1.0, "oversampling of KORS", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        steps = super().premises(run)
        return until_one_fails(
            lambda: (*steps, kept_gradients_known(run), curved(run), eta_is_sigma(run, self.step)),
            lambda: (self._accurate(run),),
        )

    def allowed(self, run: Transcript) -> Array:
        path = exact_path(run, self.alpha, self.step)
        return np.asarray(0.5 * energy_factor(run, self) * np.cumsum(path.growth))

    def _accurate(self, run: Transcript) -> Assumption:
        whole = exact_path(run, self.alpha, self.step).energies
        sketched = sketched_path(run, self.alpha, self.step).energies
        share = np.divide(sketched, whole * energy_factor(run, self), out=np.zeros_like(whole), where=whole > 0)
        worst = float(share.max())
        statement = "no energy in the sketch exceeds 1/((1 - epsilon) p) times the one in the whole matrix"
        return Assumption(statement, worst <= LEEWAY, f"at most {worst:.3g} of that")


@dataclass(frozen=True)
class _OfKeptGradients(Theorem):
    """Base class of theorems on the gradients that Sketched-KONS keeps."""

    alpha: float = parameter(1.0, "A_0 = alpha I", above=0)
    step: float | None = parameter(None, "eta (none: that of the learner's theorem)", above=0)
    floor: float = parameter(0.1, "gamma: the least probability of keeping a gradient", above=0, at_most=1)
    beta: float = parameter(1.0, "oversampling of KORS", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)
    delta: float = parameter(0.1, "the probability with which it may fail", above=0, below=1)

    @property
    def confidence(self) -> float:
        return 1.0 - self.delta


@dataclass(frozen=True)
class SketchedKonsAccuracy(_OfKeptGradients):
    """No gradient's energy in the sketched matrix is much larger than in the whole matrix.

    Let A_t be the whole matrix, A~_t the sketched one, which has only the kept gradients, and p a lower bound on the
    probabilities of keeping a gradient. Corollary 1 of Calandriello, Lazaric and Valko 2017 (ICML) states
    (1 - epsilon) p A_t <= A~_t. So the energy of a gradient in A~_t is at most 1 / ((1 - epsilon) p) times its energy
    in A_t. Here p = max(gamma, min(1, beta tau_min)); gamma is the parameter `floor`, and tau_min is the least leverage
    of a gradient.
    """

    name: ClassVar[str] = "sketched-kons-accuracy"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), Corollary 1, for the gradients of the match"
    statement: ClassVar[str] = (
        "g_t' A~_t^-1 g_t <= g_t' A_t^-1 g_t / ((1 - epsilon) p) for all t, p = max(gamma, min(1, beta tau_min)), "
        "with probability 1 - delta if beta >= 3 log(T/delta) / epsilon^2"
    )
    formula: ClassVar[str] = (
        r"$g_t^\top \tilde A_t^{-1} g_t \le \frac{g_t^\top A_t^{-1} g_t}{(1 - \epsilon)\, p}$ for all $t$, $p = "
        r"\max(\gamma, \min(1, \beta \tau_{\min}))$, with probability $1 - \delta$ if $\beta \ge \frac{3 \log(T / "
        r"\delta)}{\epsilon^2}$"
    )
    quantity: ClassVar[str] = "largest energy in the sketch over that in the whole matrix"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (kept_gradients_known(run), beta_suffices(run, self), few_rounds(run, MOST_ROUNDS))

    def scale(self, run: Transcript) -> Array:
        # zeros: the rounding errors that every theorem is allowed in proportion to its bound are enough
        return np.zeros(run.rounds)

    def measured(self, run: Transcript) -> Array:
        whole = exact_path(run, self.alpha, self.step).energies
        sketched = sketched_path(run, self.alpha, self.step).energies
        found = np.divide(sketched, whole, out=np.zeros_like(whole), where=whole > 0)
        return np.asarray(np.maximum.accumulate(found))

    def allowed(self, run: Transcript) -> Array:
        return energy_factor(run, self)


@dataclass(frozen=True)
class SketchedKonsDiscarded(_OfKeptGradients):
    """With probability 1 - delta, at most sum_t (1 - p_t) + (T log(2/delta) / 2)^(1/2) gradients are not kept.

    Here p_t is a lower bound on the probability of keeping gradient t, and the root is from Azuma's inequality. If beta
    is at least 3 log(2 T / delta) / epsilon^2, p_t is max(gamma, min(1, beta tau_t)) with the leverage tau_t. For a
    smaller beta, p_t is gamma, the parameter `floor`.
    """

    name: ClassVar[str] = "sketched-kons-discarded"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), section 6, on space that grows with t min p_s"
    statement: ClassVar[str] = (
        "T - kept <= sum_t (1 - p_t) + (T log(2/delta) / 2)^1/2 over rounds with a gradient, with probability "
        "1 - delta; p_t = max(gamma, min(1, beta tau_t)) if beta >= 3 log(2 T/delta) / epsilon^2, else gamma"
    )
    formula: ClassVar[str] = (
        r"$T - \text{kept} \le \sum_t (1 - p_t) + \sqrt{\frac{T \log(2 / \delta)}{2}}$ over rounds with a "
        r"gradient, with probability $1 - \delta$; $p_t = \max(\gamma, \min(1, \beta \tau_t))$ if $\beta \ge "
        r"\frac{3 \log(2 T / \delta)}{\epsilon^2}$, else $\gamma$"
    )
    quantity: ClassVar[str] = "number of gradients not kept"
    at_the_end: ClassVar[bool] = True

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (kept_gradients_known(run), few_rounds(run, MOST_ROUNDS))

    def scale(self, run: Transcript) -> Array:
        """Return zeros: a number of gradients has no rounding errors."""
        return np.zeros(run.rounds)

    def most(self, run: Transcript) -> float:
        return float(run.rounds)

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(self._has_gradient(run) & ~kept_rounds(run)), dtype=float)

    def allowed(self, run: Transcript) -> Array:
        least = np.full(run.rounds, self.floor)
        if self.beta >= 3.0 * np.log(2.0 * run.rounds / self.delta) / self.epsilon**2:
            found = exact_path(run, self.alpha, self.step).surprises
            least = np.maximum(self.floor, np.minimum(1.0, self.beta * found / (1.0 + found)))
        spread = np.sqrt(np.arange(1.0, run.rounds + 1) * np.log(2.0 / self.delta) / 2.0)
        return np.asarray(np.cumsum(self._has_gradient(run) * (1.0 - least)) + spread)

    def _has_gradient(self, run: Transcript) -> NDArray[np.bool_]:
        return np.asarray(run.slopes != 0.0)


@dataclass(frozen=True)
class SketchedKonsRegretPrinted(NewtonTheorem):
    """Published regret bound of KONS with a sketched matrix (Theorem 3).

    If beta tau_min > 1, it is smaller than the published bound of KONS, which keeps the whole matrix. Here tau_min is
    the least leverage of a gradient in its own round, and beta the oversampling of KORS.
    """

    name: ClassVar[str] = "sketched-kons-regret-printed"
    paper: ClassVar[str] = THEOREM
    statement: ClassVar[str] = (
        "R_alpha <= 2 d_eff(alpha / (sigma L^2)) log(2 sigma L^2 T) / (sigma max(gamma, beta tau_min)), eta = sigma > 0"
    )
    formula: ClassVar[str] = (
        r"$R_\alpha \le \frac{2\, d_{\text{eff}}\left( \frac{\alpha}{\sigma L^2} \right) \log(2 \sigma L^2 "
        r"T)}{\sigma \max(\gamma, \beta \tau_{\min})}$, $\eta = \sigma > 0$"
    )
    quantity: ClassVar[str] = "regret at alpha"

    floor: float = parameter(0.1, "gamma: the least probability of keeping a gradient", above=0, at_most=1)
    beta: float = parameter(1.0, "oversampling of KORS", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)
    delta: float = parameter(0.1, "the probability with which it may fail", above=0, below=1)

    @property
    def confidence(self) -> float:
        return 1.0 - self.delta

    @property
    def comparator_lambda(self) -> float:
        return self.alpha

    def premises(self, run: Transcript) -> Sequence[Assumption]:
        return (
            *super().premises(run),
            *published_setting(run, self.alpha, self.step),
            curved(run),
            beta_suffices(run, self),
        )

    def allowed(self, run: Transcript) -> Array:
        tau_min = least_leverage(run, self.alpha, self.step)
        bound = printed_bound(run, self.alpha) / np.maximum(self.floor, self.beta * tau_min)
        return infinite_elsewhere(run, prefixes_with_small_alpha(run, self.alpha), bound)


def beta_suffices(run: Transcript, theorem: SketchedKonsAccuracy | SketchedKonsRegretPrinted) -> Assumption:
    """Assumption: the oversampling beta is at least 3 log(T / delta) / epsilon^2, as published proofs need."""
    needed = 3.0 * float(np.log(run.rounds / theorem.delta)) / theorem.epsilon**2
    return Assumption("beta >= 3 log(T/delta) / epsilon^2", theorem.beta >= needed, f"{theorem.beta:g} of {needed:g}")


def energy_factor(run: Transcript, theorem: SketchedKonsRegret | SketchedKonsAccuracy) -> Array:
    """Return 1 / ((1 - epsilon) p) for every prefix, where p = max(`floor`, min(1, beta tau)).

    tau is the least leverage that a gradient of the prefix had in its own round. `floor`, beta and epsilon are
    parameters of the theorem.
    """
    tau_min = least_leverage(run, theorem.alpha, theorem.step)
    p = np.maximum(theorem.floor, np.minimum(1.0, theorem.beta * tau_min))
    return np.asarray(1.0 / ((1.0 - theorem.epsilon) * p))


def least_leverage(run: Transcript, alpha: float, step: float | None) -> Array:
    """Return tau_min of every prefix: the least leverage that a gradient had in its own round, at the ridge `alpha`.

    `step` is eta, by default the learner's own.
    """
    found = exact_path(run, alpha, step).surprises
    return np.minimum.accumulate(found / (1.0 + found))
