"""KONS, online Newton steps in an RKHS, exact and with a sketched second-order matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.game import Game
from arena.joining import join_span
from arena.kors import Kors
from arena.learner import Learner
from arena.newton import Keep, OnlineNewton
from arena.parameters import parameter
from arena.span import Span
from arena.steps import NewtonSteps

BLOCK = 256  # rounds whose features are computed together


@dataclass
class Kons(Learner):
    """Kernel online Newton steps: every gradient met so far tells how far to trust the next; O(r^2) a round.

    The paper's kernel form costs O(t^2) in round t. The same predictions come from Newton steps in orthonormal
    coordinates of the span of the points seen so far, whose dimension r is at most t and often far smaller: one for a
    single point, a few dozens for smooth kernels. A point whose squared distance to the span is below 1e-10 k(x, x)
    counts as lying in it; that moves predictions by about 1e-10 t / alpha at most.

    >>> from arena import play
    >>> round(float(play(Kons(), "alternating", rounds=100, regularisation=0.5).regret[-1]), 1)
    13.5
    """

    name: ClassVar[str] = "kons"
    family: ClassVar[str] = "second order, any loss with curvature"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), algorithm 1"
    cost: ClassVar[str] = "O(r^2) time a round, O(r^2) memory; r <= t is the dimension of the span of the points"

    alpha: float = parameter(1.0, "weight of |w|^2 at the start: A_0 = alpha I", above=0)
    step: float | None = parameter(
        None, "eta (none: the loss's curvature sigma on [-C, C]; if that is zero, 1/(L C sqrt(t)))", above=0
    )

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """No point yet."""
        self.span = Span(game.kernel, game.dimension)
        self.newton = OnlineNewton(game.loss.derivative, ridge=self.alpha, bound=game.clip)
        self.steps = NewtonSteps(game, self.step)

    def peek(self, X: Array) -> Array:
        """Clip(phi(x)' u): what lies outside the span of the past has weight zero."""
        return self.newton.predict(self.span.coordinates(X))

    def update(self, x: Array, y: float) -> None:
        """One Newton step, x having joined the span."""
        self._play(x[np.newaxis], np.array([y]))

    def replay(self, X: Array, y: Array) -> Array:
        """The same rounds, with the features of a block computed together."""
        starts = range(0, len(X), BLOCK)
        return np.concatenate([np.empty(0), *(self._play(X[i : i + BLOCK], y[i : i + BLOCK]) for i in starts)])

    @property
    def dictionary_size(self) -> int:
        """The dimension of the span."""
        return len(self.span)

    def evidence(self) -> Mapping[str, Any]:
        """g_t^2 phi_t' A_t^-1 phi_t of every round, whose sum the regret bound rests on."""
        return {"gradient_energies": self.newton.energies.view()}

    def _play(self, X: Array, y: Array) -> Array:
        features, _ = join_span(self.span, X, np.full(len(X), True), at_once=True)
        self.newton.grow(len(self.span) - len(self.newton))
        steps = self.steps.take(len(X))
        return self.newton.play(features, y, steps, keep=self._sketch(X, steps))

    def _sketch(self, X: Array, steps: Array) -> Keep | None:
        """Which gradients the second-order matrix keeps: all of them."""
        return None


@dataclass
class SketchedKons(Kons):
    """KONS whose second-order matrix keeps a gradient with a probability that follows its leverage; O(r^2) a round.

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

    floor: float = parameter(0.1, "gamma: the least probability of keeping a gradient", above=0, at_most=1)
    beta: float = parameter(1.0, "oversampling of KORS", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """No point yet."""
        super().begin(game, rng)
        self.rng = rng
        self.kors = Kors(game.kernel, game.dimension, ridge=self.alpha, beta=self.beta, epsilon=self.epsilon)
        self.kept = GrowingArray()

    @property
    def dictionary_size(self) -> int:
        """How many gradients the second-order matrix holds."""
        return len(self.kept)

    def evidence(self) -> Mapping[str, Any]:
        """The rounds whose gradients were kept, and what KORS held in the end."""
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
