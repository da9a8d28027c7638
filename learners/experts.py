"""Hedge and follow-the-leader, which combine the predictions of other learners, the experts, for any convex loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.game import Game
from arena.learners.ewa import OfExperts
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.expert_recursions import HedgeIdentity, LeaderIdentity
from arena.theorems.experts import TIED, FirstOrderHedge, HedgeBound, LeaderChanges, hedge_rate


@dataclass
class Hedge(OfExperts):
    """The mean of the experts' predictions, weighted by exp(-eta loss so far), for any convex loss.

    The experts are other learners, and their predictions are clipped to [-B, B]. If no rate is given, eta = (8 log N /
    T)^(1/2) / M for N experts, where M is the largest difference between the losses of two predictions in [-B, B]. For
    a single expert the formula has N = 2, so that eta is positive.

    >>> from arena import play
    >>> play(Hedge(of=["kernel-awv()", "zero()"]), "alternating", rounds=50, loss="hinge").verdict("hedge").holds
    True
    """

    name: ClassVar[str] = "hedge"
    formula: ClassVar[str] = (
        r"$\hat y_t = \frac{\sum_i e^{-\eta L_{t-1,i}} \hat y_{t,i}}{\sum_i e^{-\eta L_{t-1,i}}}$, $L_{t,i}$ "
        "the loss of expert $i$ so far"
    )
    paper: ClassVar[str] = "Freund and Schapire 1997; Cesa-Bianchi and Lugosi 2006, Theorem 2.2"

    rate: float | None = parameter(None, "eta (none: (8 log N / T)^1/2 / M)", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (HedgeBound(self.rate), FirstOrderHedge(self.rate), HedgeIdentity(self.rate))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.eta = hedge_rate(game, len(self.experts)) if self.rate is None else self.rate

    def _weights(self, losses: Array) -> Array:
        return np.asarray(scipy.special.softmax(-self.eta * losses, axis=-1))


@dataclass
class FollowTheLeader(OfExperts):
    """Predicts like the expert with the least loss so far; if several experts have the least loss, like the first.

    Losses that differ only by rounding count as equal. The experts are other learners, and their predictions are
    clipped to [-B, B].

    >>> from arena import play
    >>> play(FollowTheLeader(of=["kernel-awv()", "zero()"]), "far-point", rounds=50).verdict("leader-changes").holds
    True
    """

    name: ClassVar[str] = "follow-the-leader"
    formula: ClassVar[str] = (
        r"$\hat y_t = \hat y_{t,i}$, $i = \operatorname{argmin}_j L_{t-1,j}$, $L_{t,j}$ the loss of expert $j$ so far"
    )
    paper: ClassVar[str] = "Hannan 1957; Cesa-Bianchi and Lugosi 2006, section 3.2; Kalai and Vempala 2005"

    theorems = (LeaderChanges(), LeaderIdentity())

    def _weights(self, losses: Array) -> Array:
        # half of what the theorems allow, so that their own rounding does not matter
        leading = losses <= (1.0 + TIED / 2) * losses.min(axis=-1, keepdims=True)
        return np.asarray(np.arange(losses.shape[-1]) == leading.argmax(axis=-1)[..., np.newaxis], dtype=float)
