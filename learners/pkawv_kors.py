"""Azoury, Warmuth and Vovk's forecaster in the span of a dictionary that KORS chooses during the match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.components.kors import Kors
from arena.components.linear_ridge import GrowingTable, LinearRidge
from arena.components.span import Span
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.capacity import PkawvCapacity
from arena.theorems.pkawv import PkawvIdentity
from arena.theorems.pkawv_growing import PkawvGrowing, PkawvGrowingSharp, PkawvKorsRegret
from arena.theorems.samplers import KorsIdentity


@dataclass
class PKAWVKors(Learner):
    """Azoury, Warmuth and Vovk's forecaster in the span of a growing dictionary.

    KORS decides by a coin whether the point of a round joins the dictionary. The forecaster then predicts as if it had
    played in the span of this dictionary from the beginning (theory B5). The features are orthonormal coordinates in
    the span. In Algorithm 2 of Jezequel, Gaillard and Rudi 2019 the features are the kernels of the dictionary's
    points: if a point repeats, the predictions of that algorithm are NaN.

    >>> from arena import play
    >>> run = play(PKAWVKors(), "alternating", rounds=100)
    >>> bool(run.regret[-1] < np.log(101))
    True
    """

    name: ClassVar[str] = "pkawv-kors"
    formula: ClassVar[str] = (
        r"$\hat y_t = \frac{w_{t-1}^\top z_t}{1 + z_t^\top A_{t-1}^{-1} z_t}$, $w_t = A_t^{-1} \sum_{s \le t} "
        r"y_s z_s$, $A_t = \lambda I + \sum_{s \le t} z_s z_s^\top$, $z_s$ the coordinates of $x_s$ in the "
        "span of the dictionary of round $t$"
    )
    family: ClassVar[str] = "second order, projected"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, section 3.2 and Algorithm 2"
    cost: ClassVar[str] = "O(r^2) time a round, O(t (r + d)) for each point that joins, O(t (r + d)) memory"
    memory_growth: ClassVar[str] = "quadratic"  # quadratic if every point joins the dictionary

    regularisation: float | None = parameter(None, "lambda (none: the game's)", above=0)
    mu: float = parameter(1.0, "ridge at which KORS measures leverage; the theory wants at most lambda", above=0)
    beta: float = parameter(1.0, "oversampling of KORS; the theory wants 12 log(T / delta)", above=0)
    epsilon: float = parameter(0.5, "accuracy of KORS", above=0, below=1)

    @property
    def theorems(self) -> Sequence[Theorem]:
        at = self.regularisation
        bounds = (PkawvGrowingSharp(at), PkawvGrowing(at))
        sampled = (PkawvKorsRegret(at, mu=self.mu), PkawvCapacity(at, mu=self.mu))
        return (*bounds, *sampled, PkawvIdentity(at), KorsIdentity(self.mu, self.beta, self.epsilon))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.kernel, self.rng = game.kernel, rng
        self.kors = Kors(game.kernel, game.dimension, ridge=self.mu, beta=self.beta, epsilon=self.epsilon)
        self.span = Span(game.kernel, game.dimension)
        self.past = LinearRidge(0, game.for_ridge(self.regularisation))
        self.points, self.labels = GrowingArray((game.dimension,)), GrowingArray()
        self.coordinates = GrowingTable(np.empty((0, 0)))
        self.probabilities, self.accepted = GrowingArray(), GrowingArray()

    def reveal(self, x: Array) -> None:
        coin, probability = self.rng.random(), self.kors.probability(x)
        self.probabilities.append(probability)
        if coin < probability:
            self.kors.add(x, probability)
            self._join(x)

    def peek(self, X: Array) -> Array:
        mean, surprise = self.past.at(self.span.coordinates(X))
        return np.asarray(mean / (1.0 + surprise))

    def update(self, x: Array, y: float) -> None:
        self._play(x[np.newaxis], np.array([y]))

    def replay(self, X: Array, y: Array) -> Array:
        # KORS needs no labels, so it samples all points first. Rounds between two accepted points are played in blocks.
        accepted, probabilities = self.kors.sample(X, self.rng.random(len(X)))
        self.probabilities.extend(probabilities)
        predictions, start = [np.empty(0)], 0
        for at in np.flatnonzero(accepted).tolist():
            predictions.append(self._play(X[start:at], y[start:at]))
            self._join(X[at])
            start = at
        return np.concatenate([*predictions, self._play(X[start:], y[start:])])

    @property
    def dictionary_size(self) -> int:
        """The number of points that KORS has accepted; a repeated point counts each time."""
        return len(self.accepted)

    def evidence(self) -> Mapping[str, Any]:
        """Return arrays about the dictionary.

        - `accepted_rounds`: the rounds whose points KORS accepted.
        - `probabilities`: each round's probability of acceptance by KORS.
        """
        return {"accepted_rounds": self.accepted.view(), "probabilities": self.probabilities.view()}

    def _join(self, x: Array) -> None:
        """Add the point `x` to the dictionary; if its span grows, all past points get a new coordinate."""
        self.accepted.append(len(self.labels) + 1)
        if not self.span.add(x):
            return
        own, past = self.span.newest(), self.coordinates.view()
        # k(x_s, x) is the inner product of the coordinates of x_s and of x (`own`): solve for the last coordinate of
        # x_s.
        covariance = self.kernel.gram(self.points.view(), x[np.newaxis])[:, 0]
        column = (covariance - past @ own[:-1]) / own[-1]
        self.past.widen(past, self.labels.view(), column)
        self.coordinates.append_column(column)

    def _play(self, X: Array, y: Array) -> Array:
        """Play rounds in which no point joins the dictionary; return the predictions."""
        mean, surprise = self.past.replay(X, y, self._embed)
        self.points.extend(X)
        self.labels.extend(y)
        return np.asarray(mean / (1.0 + surprise))

    def _embed(self, X: Array) -> Array:
        """Return the coordinates of k(x, .) in the dictionary's span, for each row x of `X`.

        They are also appended to the coordinates of the past rounds.
        """
        coordinates = self.span.coordinates(X)
        self.coordinates.extend_rows(coordinates)
        return coordinates
