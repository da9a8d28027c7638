"""Three learners that play KONS in the span of a KORS dictionary.

When the dictionary grows, PROS-N-KONS restarts, CON-KONS continues, and B-KONS restarts until its dictionary is full.
An epoch is the rounds between two restarts. The line numbers in comments refer to PROS-N-KONS (Calandriello, Lazaric
and Valko 2017, NIPS, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, GrowingArray
from arena.components.kors import Kors
from arena.components.newton import NewtonSteps, OnlineNewton, clip, clip_all
from arena.components.span import Span
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.epochs import EpochGradients, EpochLogdet
from arena.theorems.kors import EpochsInEffectiveDimension, KorsAccuracy, KorsOverestimation, KorsProjection, KorsSize
from arena.theorems.pros_n_kons import ProsNKonsRegret, ProsNKonsSquaredRegret
from arena.theorems.recursions import EpochIdentity
from arena.theorems.samplers import KorsIdentity

BLOCK = 512  # rounds whose features and coins are computed together
Rows = NDArray[np.bool_]


@dataclass
class ConKons(Learner):
    """Newton steps in the span of a KORS dictionary, without a restart when the dictionary grows.

    KORS decides by a coin whether the point of a round joins the dictionary; the point then belongs to the dictionary
    from the next round on. A new point adds a coordinate and does not change the other coordinates. The weight of the
    new coordinate starts at zero, and its diagonal entry in the matrix of the Newton steps starts at `alpha`.

    >>> from arena import play
    >>> bool(play(ConKons(), "alternating", rounds=1000).loss < 1100)
    True
    """

    name: ClassVar[str] = "con-kons"
    formula: ClassVar[str] = (
        r"$u_{t+1} = w_t - A_t^{-1} g_t \phi_t$, $A_t = \alpha I + \sum_{s \le t} \eta_s g_s^2 \phi_s "
        r"\phi_s^\top$, $\phi_t$ the coordinates of $x_t$ in the span of the dictionary"
    )
    family: ClassVar[str] = "second order, any loss with curvature"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), section 5"
    cost: ClassVar[str] = "O(j^2) time a round, O(j^2) memory; j is the size of the dictionary without repeated points"
    memory_growth: ClassVar[str] = "quadratic"  # quadratic if every point is new and joins the dictionary

    alpha: float = parameter(1.0, "weight of |w|^2 at the start: A_0 = alpha I", above=0)
    gamma: float = parameter(1.0, "ridge of KORS: how much of a point may stay unexplained", above=0)
    beta: float = parameter(1.0, "oversampling of KORS; its theorem wants 3 log(T/delta) / epsilon^2", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)
    step: float | None = parameter(
        None, "eta (none: sigma / 2, the loss's curvature on [-C, C]; if that is zero, 1/(2 L C sqrt(t)))", above=0
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (*self._about_steps(), *self._about_sampling())

    def _about_steps(self) -> Sequence[Theorem]:
        about = (EpochGradients, EpochLogdet, EpochIdentity)
        return tuple(theorem(self.alpha, self.step) for theorem in about)

    def _about_sampling(self) -> Sequence[Theorem]:
        promised = (KorsAccuracy, KorsProjection, KorsOverestimation, KorsSize, EpochsInEffectiveDimension)
        sampling = (self.gamma, self.beta, self.epsilon)
        limit = self._limit()
        coins = KorsIdentity(*sampling, limit=None if limit == np.inf else int(limit))
        return (*(promise(*sampling) for promise in promised), coins)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.rng, self.derivative, self.bound = rng, game.loss.derivative_at, game.clip
        self.kors = Kors(game.kernel, game.dimension, ridge=self.gamma, beta=self.beta, epsilon=self.epsilon)
        self.span = Span(game.kernel, game.dimension)
        self.newton = OnlineNewton(ridge=self.alpha)
        self.steps = NewtonSteps(game, self.step, share=0.5)
        self.probabilities, self.accepted, self.restarts = GrowingArray(), GrowingArray(), GrowingArray()
        self.revealed: Rows | None = None

    def reveal(self, x: Array) -> None:
        self.revealed = self._sample(x[np.newaxis])

    def peek(self, X: Array) -> Array:
        return clip_all(self.newton.ahead(self.span.coordinates(X)), self.bound)

    def update(self, x: Array, y: float) -> None:
        joins = self._sample(x[np.newaxis]) if self.revealed is None else self.revealed
        self._play(x[np.newaxis], np.array([y]), joins)
        self.revealed = None

    def replay(self, X: Array, y: Array) -> Array:
        predictions = np.empty(len(X))
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            predictions[rows] = self._play(X[rows], y[rows], self._sample(X[rows]))
        return predictions

    def _sample(self, X: Array) -> Rows:
        """Sample the rows of `X` by KORS, which adds accepted rows to its dictionary; return a mask of these rows.

        The mask is z_t in line 4 of PROS-N-KONS (Calandriello, Lazaric and Valko 2017, NIPS). The accepted rounds and
        the probabilities of all rounds are recorded for `evidence`.
        """
        joins, probabilities = self.kors.sample(X, self.rng.random(len(X)), limit=self._limit())
        self.accepted.extend(np.flatnonzero(joins).astype(float) + (len(self.probabilities) + 1))
        self.probabilities.extend(probabilities)
        return joins

    def _play(self, X: Array, y: Array, joins: Rows) -> Array:
        """Play rounds of a match, epoch after epoch; return the predictions.

        `joins` marks the rounds whose points join the dictionary. The code follows lines 5 to 17 of PROS-N-KONS
        (Calandriello, Lazaric and Valko 2017, NIPS).
        """
        first, etas = self.steps.round + 1, self.steps.take(len(X))
        # line 11: phi~_t, zero in the coordinates of points that join later
        features, grew = self.span.add_rows(X, joins)
        self.newton.grow(len(self.span) - len(self.newton))
        predictions, start = np.empty(len(X)), 0
        for last in np.flatnonzero(self._ends_epoch(joins, grew)).tolist():
            epoch = slice(start, last + 1)
            predictions[epoch] = self._play_epoch(features[epoch], y[epoch], etas[epoch], restart=True)
            self.restarts.append(first + last)
            start = last + 1
        predictions[start:] = self._play_epoch(features[start:], y[start:], etas[start:])
        return predictions

    def _play_epoch(self, features: Array, y: Array, etas: Array, *, restart: bool = False) -> Array:
        """Play the rounds of an epoch; return the predictions.

        With `restart` the Newton steps start again after the last round. The code follows lines 12 to 17 of PROS-N-KONS
        (Calandriello, Lazaric and Valko 2017, NIPS), and lines 8 and 9 for the restart.
        """
        predictions, derivative, bound = np.empty(len(y)), self.derivative, self.bound
        for rows, block in self.newton.blocks(features, restart=restart):
            for t, (label, eta) in enumerate(zip(y[rows].tolist(), etas[rows].tolist(), strict=True)):
                # line 12: y_bar = phi~_t' v_t
                y_bar = block.ahead.item(t)
                # lines 13 and 15: y_hat = phi~_t' w_t, with w_t the projection of v_t
                predictions[rows.start + t] = y_hat = clip(y_bar, bound)
                # line 16: g_t = g phi~_t
                g = derivative(y_hat, label)
                # line 17: A_t = A_{t-1} + eta_t g_t g_t', and line 12 of the next round: v_{t+1} = w_t - A_t^-1 g_t
                block.step(t, y_hat, g, eta * g * g)
        return predictions

    @property
    def dictionary_size(self) -> int:
        """The number of points that KORS has accepted; a repeated point counts each time."""
        return len(self.kors)

    def evidence(self) -> Mapping[str, Any]:
        """Return arrays about the sampling, the restarts and the gradients.

        - `probabilities`: each round's probability of acceptance by KORS.
        - `accepted`: the rounds whose points KORS accepted.
        - `restarts`: the rounds after which the Newton steps restarted.
        - `gradient_energies`: g_t^2 phi_t' A_t^-1 phi_t for every round t, with phi_t projected onto the dictionary's
          span.
        """
        return {
            "probabilities": self.probabilities.view(),
            "accepted": self.accepted.view(),
            "restarts": self.restarts.view(),
            "gradient_energies": self.newton.energies.view(),
        }

    def _limit(self) -> float:
        """Return the largest size that the dictionary may have; here there is no limit."""
        return np.inf

    def _ends_epoch(self, joins: Rows, grew: Rows) -> Rows:
        """Return a mask of the rounds after which the Newton steps restart; here they never restart.

        `joins` marks the rounds whose points joined the dictionary, and `grew` the rounds in which the dictionary's
        span grew.
        """
        return np.zeros_like(grew)


@dataclass
class ProsNKons(ConKons):
    """Newton steps in the span of a KORS dictionary, restarted when the dictionary grows.

    The dictionary of a round has all points that KORS accepted in earlier rounds. An epoch is the rounds between two
    restarts; in the proof of Calandriello, Lazaric and Valko 2017 (NIPS), epochs begin one round earlier (theory B9).

    >>> from arena import play
    >>> run = play(ProsNKons(), "alternating", rounds=1000)
    >>> run.evidence["restarts"].size == run.evidence["accepted"].size
    True
    """

    name: ClassVar[str] = "pros-n-kons"
    formula: ClassVar[str] = (
        r"$u_{t+1} = w_t - A_t^{-1} g_t \phi_t$, $A_t = \alpha I + \sum_{r \le s \le t} \eta_s g_s^2 \phi_s "
        r"\phi_s^\top$, $r$ the first round with the present dictionary, $\phi_t$ the coordinates of $x_t$ in "
        "its span"
    )
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), algorithm 2"

    restart_on_duplicate: bool = parameter(
        True, "start afresh also when the accepted point lies in the dictionary's span already, as published"
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        fields = (self.alpha, self.gamma, self.epsilon, self.step)
        own = (ProsNKonsSquaredRegret(*fields), ProsNKonsRegret(*fields))
        return (*self._about_steps(), *own, *self._about_sampling())

    def _ends_epoch(self, joins: Rows, grew: Rows) -> Rows:
        return joins if self.restart_on_duplicate else grew


@dataclass
class BKons(ProsNKons):
    """PROS-N-KONS until the dictionary holds `max_size` points; from then on the dictionary does not change.

    PROS-N-KONS takes Newton steps that restart when the dictionary grows.

    >>> from arena import play
    >>> play(BKons(max_size=3), "repeated(points=9)", rounds=500).evidence["accepted"].size
    3
    """

    name: ClassVar[str] = "b-kons"
    formula: ClassVar[str] = r"the rule of `pros-n-kons`, with a dictionary of at most $N$ points, $N$ the `max_size`"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), section 5"
    cost: ClassVar[str] = "O(max_size^2) time a round and memory"
    memory_growth: ClassVar[str] = "constant"

    max_size: int = parameter(100, "J_max, the largest dictionary", at_least=1)

    def _limit(self) -> float:
        return self.max_size
