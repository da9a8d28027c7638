"""KONS: online Newton steps in an RKHS, with all gradients or a random part of them in the second-order matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.components.kors import Kors
from arena.components.newton import KernelNewton, NewtonBlock, NewtonSteps, clip, clip_all
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.kons import KonsEffectiveDimension, KonsGradients, KonsLogdet, KonsOnlineDimension, KonsOracleStep
from arena.theorems.kons_printed import KonsHorizon
from arena.theorems.recursions import NewtonIdentity
from arena.theorems.samplers import SketchedKorsIdentity
from arena.theorems.sketched_kons import (
    SketchedKonsAccuracy,
    SketchedKonsDiscarded,
    SketchedKonsGradients,
    SketchedKonsRegret,
)


@dataclass
class _NewtonLearner(Learner):
    """Base class of learners that take Newton steps in an RKHS.

    The method `_keeps` decides which gradients are added to the second-order matrix A_t.
    """

    family: ClassVar[str] = "second order, any loss with curvature"
    memory_growth: ClassVar[str] = "quadratic"

    alpha: float = parameter(1.0, "weight of |w|^2 at the start: A_0 = alpha I", above=0)
    step: float | None = parameter(
        None, "eta (none: the loss's curvature sigma on [-C, C]; if that is zero, 1/(L C sqrt(t)))", above=0
    )

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.derivative, self.bound = game.loss.derivative_at, game.clip
        self.newton = KernelNewton(game.kernel, game.dimension, ridge=self.alpha)
        self.steps = self._steps(game)

    def _steps(self, game: Game) -> NewtonSteps:
        return NewtonSteps(game, self.step)

    def peek(self, X: Array) -> Array:
        return clip_all(self.newton.ahead(X), self.bound)

    def update(self, x: Array, y: float) -> None:
        self.replay(x[np.newaxis], np.array([y]))

    def replay(self, X: Array, y: Array) -> Array:
        predictions, etas = np.empty(len(X)), self.steps.take(len(X))
        for rows, block in self.newton.blocks(X):
            predictions[rows] = self._play(block, X[rows], y[rows], etas[rows])
        return predictions

    def _play(self, block: NewtonBlock, X: Array, y: Array, etas: Array) -> Array:
        """Play each round of a block, with the steps `etas`; return the predictions.

        The code follows lines 6 to 8 of algorithms 1 and 3 of Calandriello, Lazaric and Valko 2017 (ICML).
        """
        predictions = np.empty(len(X))
        for t, (label, eta) in enumerate(zip(y.tolist(), etas.tolist(), strict=True)):
            # line 6: y_bar = phi_t' u_t
            y_bar = block.ahead.item(t)
            # line 7: y_hat = phi_t' w_t, with w_t the projection of u_t
            predictions[t] = y_hat = clip(y_bar, self.bound)
            # line 8: g_t = g phi_t, and A_t = A_{t-1} + eta_t z_t g_t g_t', with z_t = 1 unless A is sketched
            g = self.derivative(y_hat, label)
            z = self._keeps(X[t], g, eta)
            # line 5 of the next round: u_{t+1} = w_t - A_t^-1 g_t
            block.step(t, y_hat, g, eta * g * g if z else 0.0)
        return predictions

    def _keeps(self, x: Array, g: float, eta: float) -> bool:
        """Return whether the gradient g k(x, .) is added to the second-order matrix; here every gradient is added."""
        return True

    @property
    def dictionary_size(self) -> int:
        """The number of different points whose gradients are in the second-order matrix."""
        return len(self.newton.gradients.weights)

    def evidence(self) -> Mapping[str, Any]:
        """Return `gradient_energies`: g_t^2 phi_t' A_t^-1 phi_t for every round t."""
        return {"gradient_energies": self.newton.energies.view()}


@dataclass
class Kons(_NewtonLearner):
    """Online Newton steps in an RKHS, with the second-order matrix of all gradients.

    Calandriello, Lazaric and Valko 2017 (ICML) also state the predictions in a closed form that divides by the loss's
    derivative. This class does not divide by it, because it may be zero.

    >>> from arena import play
    >>> round(float(play(Kons(), "alternating", rounds=100, regularisation=0.5).regret[-1]), 1)
    13.5
    """

    name: ClassVar[str] = "kons"
    formula: ClassVar[str] = (
        r"$u_{t+1} = w_t - A_t^{-1} g_t \phi_t$, $A_t = \alpha I + \sum_{s \le t} \eta_s g_s^2 \phi_s "
        r"\phi_s^\top$, $\hat y_t = \max(-C, \min(C, \phi_t^\top u_t))$, $w_t$ the projection of $u_t$ onto "
        r"$\phi_t^\top w = \hat y_t$"
    )
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), algorithm 1"
    cost: ClassVar[str] = "O(t^2) time a round, O(t^2) memory; t counts different points with a gradient"

    dimension: float | None = parameter(
        None, "d, an effective dimension known in advance: eta_t = sqrt(d / t) / (L C) instead of step", above=0
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        if self.dimension is not None:
            known = {"alpha": self.alpha, "dimension": self.dimension}
            return (KonsGradients(**known), KonsOracleStep(**known), NewtonIdentity(**known))
        bounds = (KonsGradients, KonsLogdet, KonsOnlineDimension, KonsEffectiveDimension, KonsHorizon)
        return (*(bound(self.alpha, self.step) for bound in bounds), NewtonIdentity(self.alpha, self.step))

    def _steps(self, game: Game) -> NewtonSteps:
        return NewtonSteps(game, self.step, dimension=self.dimension)


@dataclass
class SketchedKons(_NewtonLearner):
    """KONS whose second-order matrix has only a random part of the gradients.

    KORS samples the vectors g_t sqrt(eta_t) phi_t in place of points. Let p_t be its probability of accepting the
    vector of round t. The gradient g_t phi_t is added to the matrix with the probability max(`floor`, p_t), and then
    has the same weight as in KONS. Every gradient changes the predicting function, whether it is added or not.

    Calandriello, Lazaric and Valko 2017 (ICML) state the predictions twice: as a recursion, and in closed form. This
    class follows the recursion, because the closed form lacks a factor (theory B8).

    >>> from arena import play
    >>> run = play(SketchedKons(floor=0.3), "alternating", rounds=100)
    >>> run.evidence["kept"].size < 100
    True
    """

    name: ClassVar[str] = "sketched-kons"
    formula: ClassVar[str] = (
        r"$u_{t+1} = w_t - A_t^{-1} g_t \phi_t$, $A_t = \alpha I + \sum_{s \le t} z_s \eta_s g_s^2 \phi_s "
        r"\phi_s^\top$, $z_s$ a coin: 1 if gradient $s$ is kept"
    )
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), algorithm 3"
    cost: ClassVar[str] = (
        "O(r^2 + j^2) time a round; r is the dimension of the span of the points, j the KORS dictionary"
    )
    memory_growth: ClassVar[str] = "quadratic"

    floor: float = parameter(0.1, "gamma: the least probability of keeping a gradient", above=0, at_most=1)
    beta: float = parameter(1.0, "oversampling of KORS", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)

    @property
    def theorems(self) -> Sequence[Theorem]:
        sampling = (self.floor, self.beta, self.epsilon)
        return (
            SketchedKonsGradients(self.alpha, self.step),
            SketchedKonsRegret(self.alpha, self.step, *sampling),
            SketchedKonsAccuracy(self.alpha, self.step, *sampling),
            SketchedKonsDiscarded(self.alpha, self.step, *sampling),
            NewtonIdentity(self.alpha, self.step),
            SketchedKorsIdentity(self.alpha, self.beta, self.epsilon, step=self.step),
        )

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.rng, self.round = rng, 0
        self.kors = Kors(game.kernel, game.dimension, ridge=self.alpha, beta=self.beta, epsilon=self.epsilon)
        self.kept, self.accepted, self.probabilities = GrowingArray(), GrowingArray(), GrowingArray()

    def evidence(self) -> Mapping[str, Any]:
        """Return arrays about the gradients and the sampling.

        - `gradient_energies`: g_t^2 phi_t' A_t^-1 phi_t for every round t.
        - `kept`: the rounds whose gradients were added to the second-order matrix.
        - `accepted`: the rounds t in which KORS accepted the vector g_t sqrt(eta_t) phi_t.
        - `probabilities`: each round's probability of this acceptance.
        """
        sampled = {"accepted": self.accepted.view(), "probabilities": self.probabilities.view()}
        return {**super().evidence(), "kept": self.kept.view(), **sampled}

    def _keeps(self, x: Array, g: float, eta: float) -> bool:
        """Toss two coins, and return whether the gradient is added to the second-order matrix (z_t in the paper).

        The first coin decides whether KORS accepts the vector g_t sqrt(eta_t) phi_t. The second coin decides whether
        the gradient is added. If `g` is 0, the vector is not accepted and the gradient is not added.
        """
        self.round += 1
        for_kors, for_gradient = self.rng.random(2).tolist()
        scale = abs(g) * math.sqrt(eta)
        probability = self.kors.probability(x, scale=scale)
        self.probabilities.append(probability)
        if not g:
            return False
        if for_kors < probability:
            self.accepted.append(self.round)
            self.kors.add(x, probability, scale=scale)
        if for_gradient >= max(self.floor, probability):
            return False
        self.kept.append(self.round)
        return True
