"""Weighted means of other learners' predictions: the base class, and exponential weights for the squared loss."""

from __future__ import annotations

import abc
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from arena.arrays import Array, GrowingArray
from arena.errors import ArenaError
from arena.game.game import Game
from arena.learners.awv import KernelAWV
from arena.players.learner import Learner, as_learner
from arena.specs.parameters import parameter
from arena.theorems.aggregation import EwaBound
from arena.theorems.expert_recursions import EwaIdentity

GRID = tuple(KernelAWV(regularisation=at) for at in (0.01, 0.1, 1.0, 10.0, 100.0))


@dataclass
class OfExperts(Learner):
    """Base class of learners that predict the weighted mean of the predictions of other learners, the experts.

    The experts' predictions are clipped to [-B, B].
    """

    family: ClassVar[str] = "aggregation"
    cost: ClassVar[str] = (
        "its experts' time and memory, and O(N) a round; it keeps N losses and predictions of each round"
    )

    of: Sequence[Learner] = parameter(GRID, "the experts (default: kernel-awv for lambda = 0.01, 0.1, 1, 10, 100)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.of):
            raise ArenaError(f"{self.name} needs at least one expert: {self.name}(of=[kernel-awv, zero])")
        self.of = tuple(map(as_learner, self.of))

    @property
    def memory_growth(self) -> str | None:
        """The memory growth of the expert whose memory grows fastest; None if an expert's growth is unknown.

        The value is at least "linear", since the experts' losses of all rounds are kept.
        """
        growths = ["linear", *(getattr(expert, "memory_growth", None) for expert in self.of)]
        return None if None in growths else max(growths, key=("constant", "linear", "quadratic").index)

    @property
    def foresight(self) -> bool:
        return any(expert.foresight for expert in self.of)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game = game
        self.experts = copy.deepcopy(tuple(self.of))
        for expert, own in zip(self.experts, rng.spawn(len(self.experts)), strict=True):
            expert.begin(game, own)
        self.loss_so_far = np.zeros(len(self.experts))
        self.losses, self.advice = GrowingArray((len(self.experts),)), GrowingArray((len(self.experts),))

    def reveal(self, x: Array) -> None:
        for expert in self.experts:
            expert.reveal(x)

    def peek(self, X: Array) -> Array:
        return self._advice([expert.peek(X) for expert in self.experts]) @ self._weights(self.loss_so_far)

    def update(self, x: Array, y: float) -> None:
        self._charge(self._advice([np.array([expert.predict(x)]) for expert in self.experts]), np.array([y]))
        for expert in self.experts:
            expert.update(x, y)

    def replay(self, X: Array, y: Array) -> Array:
        advice = self._advice([expert.replay(X, y) for expert in self.experts])
        before = self._charge(advice, y)
        return np.asarray(np.einsum("ij,ij->i", advice, self._weights(before)))

    def evidence(self) -> Mapping[str, Any]:
        """Return `expert_losses` and the clipped `expert_predictions`, with a row per round and a column per expert."""
        return {"expert_losses": self.losses.view(), "expert_predictions": self.advice.view()}

    def _advice(self, predictions: Sequence[Array]) -> Array:
        """Return the experts' predictions clipped to [-B, B], in one column for each expert."""
        return np.clip(np.stack(predictions, axis=1), -self.game.label_bound, self.game.label_bound)

    @abc.abstractmethod
    def _weights(self, losses: Array) -> Array:
        """Return the experts' weights after these cumulative losses.

        Along the last axis, both arrays have one entry for each expert.
        """

    def _charge(self, advice: Array, y: Array) -> Array:
        """Add the losses of some rounds to the experts' total losses; return the totals before each of the rounds.

        `advice` has the experts' clipped predictions, and `y` the labels. `advice` and the result have a row for each
        round and a column for each expert.
        """
        losses = np.asarray(self.game.loss.value(advice, y[:, np.newaxis]))
        self.losses.extend(losses)
        self.advice.extend(advice)
        totals = np.cumsum(np.concatenate([self.loss_so_far[np.newaxis], losses]), axis=0)
        self.loss_so_far = totals[-1]
        return np.asarray(totals[:-1])


@dataclass
class EWA(OfExperts):
    """The mean of several learners' predictions, weighted by exp(-eta loss so far).

    The learners are called experts. The loss of the mean is nearly as small as the loss of the best expert. In
    section 3.1 of Jezequel et al. 2019 the experts are one learner with lambda = T, T/2, T/4, ..., 1. The experts'
    predictions are clipped to the labels' range [-B, B], where the squared loss is exp-concave, and eta = 1 / (8 B^2).

    >>> from arena import play
    >>> learner = EWA(of=["kernel-awv(regularisation=0.1)", "kernel-awv(regularisation=10)", "zero"])
    >>> play(learner, "alternating", rounds=100).verdict("ewa").holds
    True
    """

    name: ClassVar[str] = "ewa"
    formula: ClassVar[str] = (
        r"$\hat y_t = \frac{\sum_i e^{-\eta L_{t-1,i}} \hat y_{t,i}}{\sum_i e^{-\eta L_{t-1,i}}}$, $L_{t,i}$ "
        r"the loss of expert $i$ so far, $\eta = \frac{1}{8 B^2}$"
    )
    paper: ClassVar[str] = "Cesa-Bianchi and Lugosi 2006, Proposition 3.1; Jezequel et al. 2019, section 3.1"

    theorems = (EwaBound(), EwaIdentity())

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.eta = 1.0 / (8.0 * game.label_bound**2)

    def _weights(self, losses: Array) -> Array:
        return np.asarray(scipy.special.softmax(-self.eta * losses, axis=-1))
