"""Identities of learners that predict the weighted mean of their experts' predictions, or follow the leading expert."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array, delayed
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.experts import expert_losses, experts_recorded, followed
from arena.theorems.recomputed.rates import hedge_step
from arena.theorems.recursions import Recursion


class _Advised(Recursion, abc.ABC):
    """Base class of identities of learners that leave the predictions of their experts as evidence."""

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (experts_recorded(run),)

    def advice(self, run: Transcript) -> Array:
        """Return the experts' predictions: one row for each round, one column for each expert."""
        return np.asarray(run.evidence["expert_predictions"][: run.rounds])


class _Exponential(_Advised, abc.ABC):
    """Base class of identities of learners that give each expert the weight exp(-eta S), where S is its past loss."""

    @abc.abstractmethod
    def eta(self, run: Transcript) -> float:
        """Return eta, the rate of the experts' weights exp(-eta S), where S is the past loss of an expert."""

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        advice, losses, eta = self.advice(run), expert_losses(run), self.eta(run)
        before = delayed(np.cumsum(losses, axis=0))
        before = before - before.min(axis=1, keepdims=True)
        weights = np.exp(-eta * before)
        values = (weights * advice).sum(axis=1) / weights.sum(axis=1)
        # a rounding error r of a sum of losses multiplies its weight by exp(-eta r)
        exponents = eta * np.cumsum(losses.sum(axis=1))
        return values, np.abs(advice).max(axis=1) * (1.0 + exponents)


@dataclass(frozen=True)
class EwaIdentity(_Exponential):
    """Each prediction is a weighted mean of the experts' clipped predictions, with the weights exp(-S / (8 B^2)).

    S is the sum of an expert's losses in all earlier rounds.
    """

    name: ClassVar[str] = "ewa-identity"
    paper: ClassVar[str] = "Cesa-Bianchi and Lugosi 2006, section 2.1"
    statement: ClassVar[str] = "prediction_t = sum_i w_i p_ti / sum_i w_i, w_i = exp(-(losses of expert i) / (8 B^2))"
    formula: ClassVar[str] = (
        r"$\hat y_t = \frac{\sum_i w_i p_{t,i}}{\sum_i w_i}$, $w_i = \exp\left( -\frac{\text{losses of expert } "
        r"i}{8 B^2} \right)$"
    )

    def eta(self, run: Transcript) -> float:
        return 1.0 / (8.0 * run.game.label_bound**2)


@dataclass(frozen=True)
class HedgeIdentity(_Exponential):
    """Each prediction is a weighted mean of the experts' clipped predictions, with the weights exp(-eta S).

    S is the sum of an expert's losses in all earlier rounds. The parameter `rate` is eta.
    """

    name: ClassVar[str] = "hedge-identity"
    paper: ClassVar[str] = "Freund and Schapire 1997; Cesa-Bianchi and Lugosi 2006, section 2.2"
    statement: ClassVar[str] = "prediction_t = sum_i w_i p_ti / sum_i w_i, w_i = exp(-eta (losses of expert i))"
    formula: ClassVar[str] = (
        r"$\hat y_t = \frac{\sum_i w_i p_{t,i}}{\sum_i w_i}$, $w_i = \exp\left( -\eta \cdot \text{losses of expert } "
        r"i \right)$"
    )

    rate: float | None = parameter(None, "eta (none: hedge's own)", above=0)

    def eta(self, run: Transcript) -> float:
        return hedge_step(run.game, self.advice(run).shape[1]) if self.rate is None else self.rate


@dataclass(frozen=True)
class LeaderIdentity(_Advised):
    """Each prediction is the prediction of an expert with the least cumulative loss in the earlier rounds.

    Cumulative losses that differ only by rounding count as equal (`followed`).
    """

    name: ClassVar[str] = "leader-identity"
    paper: ClassVar[str] = "Kalai and Vempala 2005, section 1"
    statement: ClassVar[str] = "prediction_t = p_ti for an i with the least loss so far"
    formula: ClassVar[str] = r"$\hat y_t = p_{t,i}$ for an $i$ with the least loss so far"

    version: ClassVar[int] = 2

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        advice = self.advice(run)
        return advice[np.arange(run.rounds), followed(run)], np.abs(advice).max(axis=1)
