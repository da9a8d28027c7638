"""What KORS promises of its dictionary (Calandriello, Lazaric and Valko 2017, ICML, Theorem 2; theory E9).

With beta >= 3 log(T/delta) / epsilon^2 and epsilon < 1 (printed: <= 1, where everything divides by zero), with
probability 1 - delta and for all t: the sketch is accurate, leverages are overestimated but not by much, and the
dictionary is small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.hindsight.checkpoints import checkpoints, held
from arena.record.theorem import Assumption, Theorem
from arena.record.transcript import Transcript
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_points, until_one_fails
from arena.theorems.dimensions import few_enough, point_surprises
from arena.theorems.recomputed.kors import kors_evidence, kors_path, projection_errors, sketch_errors

THEOREM = "Calandriello, Lazaric and Valko 2017 (ICML), Theorem 2"
COINS = 2.4  # (e - 1) S + log(1/delta) <= max(3 S, 2.4 log(1/delta)) for every S


@dataclass(frozen=True)
class KorsTheorem(Theorem):
    """KORS' parameters, and what they must be."""

    ridge: float | None = parameter(None, "gamma, the ridge of KORS (none: the game's lambda)", above=0)
    beta: float | None = parameter(None, "oversampling (none: the least that the theorem allows)", above=0)
    epsilon: float = parameter(0.5, "accuracy", above=0, below=1)
    delta: float = parameter(0.1, "the probability with which it may fail", above=0, below=1)

    @property
    def confidence(self) -> float:
        return 1.0 - self.delta

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return self.sampled_as_needed(run, few_points)

    def sampled_as_needed(
        self, run: Transcript, computable: Callable[[Transcript], Assumption]
    ) -> tuple[Assumption, ...]:
        """The evidence, an unlimited dictionary, a beta that is large enough, and what makes the bound computable."""
        return until_one_fails(
            lambda: (kors_evidence(run),),
            lambda: (never_limited(run), self._beta_suffices(run), computable(run)),
        )

    def least_beta(self, run: Transcript) -> float:
        """3 log(T/delta) / epsilon^2."""
        return 3.0 * float(np.log(run.rounds / self.delta)) / self.epsilon**2

    def sampling(self, run: Transcript) -> float:
        """Beta."""
        return self.least_beta(run) if self.beta is None else self.beta

    def gamma(self, run: Transcript) -> float:
        """The ridge."""
        return run.game.regularisation if self.ridge is None else self.ridge

    @property
    def rho(self) -> float:
        """(1 + epsilon) / (1 - epsilon)."""
        return (1.0 + self.epsilon) / (1.0 - self.epsilon)

    def _beta_suffices(self, run: Transcript) -> Assumption:
        given, needed = self.sampling(run), self.least_beta(run)
        statement = "beta >= 3 log(T/delta) / epsilon^2"
        return Assumption(statement, given >= needed * (1 - 1e-12), f"{given:g} of {needed:g}")


def never_limited(run: Transcript) -> Assumption:
    """KORS tossed a coin for every point: a full dictionary gives the probability zero."""
    least = kors_path(run).probabilities.min()
    return Assumption("no limit stopped the sampling", bool(least > 0), f"least {least:g}")


def dictionary_sizes(run: Transcript) -> Array:
    """How many points were accepted up to each round, repeated ones too."""
    return np.asarray(np.cumsum(kors_path(run).accepted, dtype=float))


@dataclass(frozen=True)
class KorsAccuracy(KorsTheorem):
    """The sketch is as large as the matrix it stands for, in every direction; judged at checkpoints."""

    name: ClassVar[str] = "kors-accuracy"
    paper: ClassVar[str] = f"{THEOREM} (1)"
    statement: ClassVar[str] = "(1 - epsilon) A_t <= A_t^I <= (1 + epsilon) A_t for all t, with probability 1 - delta"
    quantity: ClassVar[str] = "relative error of the sketch"

    def measured(self, run: Transcript) -> Array:
        """The largest |eigenvalue of A_t^-1/2 A_t^I A_t^-1/2 - 1|."""
        rounds = checkpoints(run.rounds, ratio=1.5)
        return held(run.rounds, rounds, sketch_errors(run, self.gamma(run), rounds))

    def allowed(self, run: Transcript) -> Array:
        return np.full(run.rounds, self.epsilon)


@dataclass(frozen=True)
class KorsProjection(KorsTheorem):
    """The dictionary's span explains all points, up to a part of the ridge; judged at checkpoints."""

    name: ClassVar[str] = "kors-projection"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), Proposition 1 (1)"
    statement: ClassVar[str] = "|K_t - P K_t P| <= gamma epsilon / (1 - epsilon) for all t, with probability 1 - delta"
    quantity: ClassVar[str] = "largest unexplained eigenvalue"

    def measured(self, run: Transcript) -> Array:
        """The largest eigenvalue of K_t minus its projection."""
        rounds = checkpoints(run.rounds, ratio=1.5)
        return held(run.rounds, rounds, projection_errors(run, rounds))

    def allowed(self, run: Transcript) -> Array:
        return np.full(run.rounds, self.gamma(run) * self.epsilon / (1.0 - self.epsilon))


@dataclass(frozen=True)
class KorsOverestimation(KorsTheorem):
    """No leverage is underestimated, and none is overestimated by more than rho."""

    name: ClassVar[str] = "kors-overestimation"
    paper: ClassVar[str] = f"{THEOREM} (2)"
    statement: ClassVar[str] = (
        "min(1, beta tau_t) <= p_t <= min(1, beta rho tau_t) for all t, rho = (1 + epsilon)/(1 - epsilon), "
        "with probability 1 - delta"
    )
    quantity: ClassVar[str] = "largest factor beyond the limits"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return self.sampled_as_needed(run, few_enough)

    def measured(self, run: Transcript) -> Array:
        """How far a probability has been below the lower limit or above the upper one, as a factor."""
        found = point_surprises(run, self.gamma(run))
        leverage, p = self.sampling(run) * found / (1.0 + found), kors_path(run).probabilities
        below, above = np.minimum(1.0, leverage) / p, p / np.minimum(1.0, self.rho * leverage)
        return np.maximum.accumulate(np.maximum(below, above))

    def allowed(self, run: Transcript) -> Array:
        return np.ones(run.rounds)


@dataclass(frozen=True)
class KorsSize(KorsTheorem):
    """The dictionary is as small as the online dimension says, or as coins say where next to nothing is expected.

    |I_t| <= (e - 1) sum_s p_s + log(1/delta) for all t with probability 1 - delta, by the supermartingale
    exp(|I_t| - (e - 1) sum_s p_s); and p_s <= beta rho tau_s unless over-estimation fails. The papers' 3 sum_s p_s
    alone is false where sum_s p_s is far below one: one point in the dictionary is then too many.
    """

    name: ClassVar[str] = "kors-size"
    paper: ClassVar[str] = f"{THEOREM} (3), with the constants that its proof gives"
    statement: ClassVar[str] = (
        "|I_t| <= max(3 rho beta d_onl(gamma), 2.4 log(1/delta)) for all t, with probability 1 - 2 delta"
    )
    quantity: ClassVar[str] = "size of the dictionary"

    @property
    def confidence(self) -> float:
        """1 - 2 delta: over-estimation may fail, and so may the coins."""
        return max(0.0, 1.0 - 2.0 * self.delta)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return self.sampled_as_needed(run, few_enough)

    def measured(self, run: Transcript) -> Array:
        return dictionary_sizes(run)

    def allowed(self, run: Transcript) -> Array:
        """3 rho beta d_onl, at least what coins alone may do."""
        found = point_surprises(run, self.gamma(run))
        dimension = np.cumsum(found / (1.0 + found))
        few = COINS * np.log(1.0 / self.delta)
        return np.asarray(np.maximum(3.0 * self.rho * self.sampling(run) * dimension, few))
