"""KONS, online Newton steps in an RKHS, exact and with a sketched second-order matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.components.kernel_newton import KernelNewton
from arena.components.kors import Kors
from arena.components.newton import Keep
from arena.components.newton_steps import NewtonSteps
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.kons import KonsEffectiveDimension, KonsGradients, KonsHorizon, KonsLogdet
from arena.theorems.sketched_kons import SketchedKonsGradients, SketchedKonsRegret


@dataclass
class Kons(Learner):
    """Kernel online Newton steps: every gradient met so far tells how far to trust the next; O(t^2) a round.

    This is the paper's one-shot form with coefficients that are not divided by the gradient, which may be zero, and
    with one Cholesky factor that gets a row in each round. Rounds without gradient get none, and gradients at the same
    point share one: t counts different points.

    >>> from arena import play
    >>> round(float(play(Kons(), "alternating", rounds=100, regularisation=0.5).regret[-1]), 1)
    13.5
    """

    name: ClassVar[str] = "kons"
    family: ClassVar[str] = "second order, any loss with curvature"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), algorithm 1"
    cost: ClassVar[str] = "O(t^2) time a round, O(t^2) memory; t counts different points with a gradient"
    memory_growth: ClassVar[str] = "quadratic"

    alpha: float = parameter(1.0, "weight of |w|^2 at the start: A_0 = alpha I", above=0)
    step: float | None = parameter(
        None, "eta (none: the loss's curvature sigma on [-C, C]; if that is zero, 1/(L C sqrt(t)))", above=0
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        """The sharpest first."""
        bounds = (KonsGradients, KonsLogdet, KonsEffectiveDimension, KonsHorizon)
        return tuple(bound(self.alpha, self.step) for bound in bounds)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """No point yet."""
        derivative = game.loss.derivative
        self.newton = KernelNewton(derivative, game.kernel, game.dimension, ridge=self.alpha, bound=game.clip)
        self.steps = NewtonSteps(game, self.step)

    def peek(self, X: Array) -> Array:
        """Clip(phi(x)' u) at each row."""
        return self.newton.predict(X)

    def update(self, x: Array, y: float) -> None:
        """One Newton step."""
        self.replay(x[np.newaxis], np.array([y]))

    def replay(self, X: Array, y: Array) -> Array:
        """The same rounds, in blocks of matrix-matrix work."""
        steps = self.steps.take(len(X))
        return self.newton.play(X, y, steps, keep=self._sketch(X, steps))

    @property
    def dictionary_size(self) -> int:
        """How many different points have left a gradient in the second-order matrix."""
        return len(self.newton.gradients.weights)

    def evidence(self) -> Mapping[str, Any]:
        """g_t^2 phi_t' A_t^-1 phi_t of every round, whose sum the regret bound rests on."""
        return {"gradient_energies": self.newton.energies.view()}

    def _sketch(self, X: Array, steps: Array) -> Keep | None:
        """Which gradients the second-order matrix keeps: all of them."""
        return None


@dataclass
class SketchedKons(Kons):
    """KONS whose matrix keeps a gradient with a probability that follows its leverage; O(t + m^2) a round.

    The leverages come from a KORS run of its own on the gradients g_t sqrt(eta) phi_t; no gradient is kept with less
    than the probability `floor`. Kept gradients get no weight, and the others still move w. The paper's one-shot form
    lacks the coin z_t in one term (theory B8); this is the recursion itself.

    >>> from arena import play
    >>> run = play(SketchedKons(floor=0.3), "alternating", rounds=100)
    >>> run.evidence["kept"].size < 100
    True
    """

    name: ClassVar[str] = "sketched-kons"
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
        """The sharpest first."""
        sampling = (self.floor, self.beta, self.epsilon)
        return (
            SketchedKonsGradients(self.alpha, self.step),
            SketchedKonsRegret(self.alpha, self.step, *sampling),
        )

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """No point yet."""
        super().begin(game, rng)
        self.rng = rng
        self.kors = Kors(game.kernel, game.dimension, ridge=self.alpha, beta=self.beta, epsilon=self.epsilon)
        self.kept = GrowingArray()

    def evidence(self) -> Mapping[str, Any]:
        """Also the rounds whose gradients were kept, and the probabilities of the points that KORS held in the end."""
        return {**super().evidence(), "kept": self.kept.view(), "kors_probabilities": self.kors.probabilities}

    def _sketch(self, X: Array, steps: Array) -> Keep:
        """Two coins a round: one for KORS, one for the gradient."""
        before, scales = self.steps.round - len(X), np.sqrt(steps)
        coins = self.rng.random((len(X), 2))

        def keep(row: int, slope: float) -> bool:
            scale = abs(slope) * float(scales[row])
            probability = self.kors.probability(X[row], scale=scale)
            if coins[row, 0] < probability:
                self.kors.add(X[row], probability, scale=scale)
            kept = bool(coins[row, 1] < max(self.floor, probability))
            if kept:
                self.kept.append(before + row + 1)
            return kept

        return keep
