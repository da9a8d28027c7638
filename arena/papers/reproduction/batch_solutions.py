"""Learners of the papers' experiments whose predictions are computed from the whole sequence at once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.components.base_classes import WholeSequenceLearner
from arena.components.kors import Kors
from arena.components.span import Span
from arena.game.game import Game
from arena.game.losses import Squared
from arena.hindsight.certificate import exact_replay
from arena.specs.extras import import_extra
from arena.specs.parameters import parameter

ROWS = 4096  # points whose features are computed at once
SWEEPS = 60  # sweeps of dual coordinate descent; error rates change little after so many


@dataclass
class RidgeThroughFeatures(WholeSequenceLearner):
    """The learner `krr` on a long stream: its predictions are computed through features, with certified error bars.

    `widest_bar` is the largest of these error bars.
    """

    name: ClassVar[str] = "krr-through-features"
    cost: ClassVar[str] = "O(T r^2) time once, O(T r) memory; r is the number of features"

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game = game
        self.widest_bar = 0.0

    @property
    def remark(self) -> str:
        return f"every prediction is within {self.widest_bar:.1e} of exact ridge regression"

    def peek(self, X: Array) -> Array:
        return np.zeros(len(X))

    def replay(self, X: Array, y: Array) -> Array:
        predictions, bars = exact_replay(self.game.kernel, self.game.regularisation, X, y)
        self.widest_bar = float(bars.max())
        return predictions


@dataclass
class BatchInDictionary(WholeSequenceLearner):
    """BATCH of Calandriello et al. 2017: the best function in hindsight in the span of KORS' final dictionary.

    The best function f minimises the sum of all losses + alpha |f|^2. The minimum is exact for the squared loss, and
    approximate for the hinge loss. KORS gives an atom the weight 1 / p^powers, where p is the probability with which
    KORS accepted the atom. powers = 2 is the mistake of the published code (`Misweighted`).
    """

    name: ClassVar[str] = "batch-in-dictionary"
    cost: ClassVar[str] = "O(T j^2) time once, O(T j) memory; j is the size of the dictionary"

    alpha: float = parameter(1.0, "weight of |f|^2", above=0)
    gamma: float = parameter(1.0, "ridge of KORS", above=0)
    powers: int = parameter(1, "power of 1 / p in the weights of atoms", at_least=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng
        self.span, self.weights = Span(game.kernel, game.dimension), np.empty(0)
        self.accepted = 0

    @property
    def dictionary_size(self) -> int:
        """The number of points that KORS has accepted."""
        return self.accepted

    def peek(self, X: Array) -> Array:
        return np.clip(self.span.coordinates(X) @ self.weights, -self.game.clip, self.game.clip)

    def replay(self, X: Array, y: Array) -> Array:
        game, power = self.game, self.powers
        kors = Kors(game.kernel, game.dimension, ridge=self.gamma, beta=1.0, epsilon=0.5, power=power)
        joins, _ = kors.sample(X, self.rng.random(len(X)))
        self.accepted = len(kors)
        for x in X[joins]:
            self.span.add(x)
        features = np.concatenate([self.span.coordinates(X[i : i + ROWS]) for i in range(0, len(X), ROWS)])
        self.weights = self._solve(features, y)
        return np.clip(features @ self.weights, -self.game.clip, self.game.clip)

    def _solve(self, features: Array, y: Array) -> Array:
        if isinstance(self.game.loss, Squared):
            matrix = features.T @ features + self.alpha * np.eye(features.shape[1])
            return np.asarray(scipy.linalg.solve(matrix, features.T @ y, assume_a="pos"))
        svm = import_extra("sklearn.svm", self.name)
        penalty, seed = 0.5 / self.alpha, int(self.rng.integers(2**31))
        machine = svm.LinearSVC(C=penalty, loss="hinge", fit_intercept=False, random_state=seed, max_iter=SWEEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning that the solution is not quite optimal, which does not matter
            return np.asarray(machine.fit(features, np.sign(y)).coef_[0])
