"""Gradient descent on Nyström features, which are made from the learner's first support vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.components.base_classes import BLOCK, SequentialLearner
from arena.components.gradient_descent import LinearDescent, gradient_rate
from arena.components.kernel_sums import BudgetedSum
from arena.components.span import INDEPENDENT
from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.descent_features import NystromAgainstTheSpace, OgdInFeatures
from arena.theorems.kernel_recursions import NystromDescentIdentity


@dataclass
class NystromOnlineGradientDescent(SequentialLearner[BudgetedSum]):
    """Kernel gradient descent up to a budget of support vectors, then gradient descent on Nyström features.

    The support vectors are the atoms of the function. When their number reaches the budget, the leading eigenvectors of
    their kernel matrix, except those with eigenvalue zero, give one feature each. Gradient descent on the features
    starts at the projection of the function found so far; the code of Lu, Hoi, Wang, Zhao and Liu 2016 starts at zero
    (theory B11). Any loss is allowed.

    >>> from arena import play
    >>> play(NystromOnlineGradientDescent(budget=20), "repeated(points=40)", rounds=100).rounds
    100
    """

    name: ClassVar[str] = "nogd"
    formula: ClassVar[str] = (
        r"$w_{t+1} = w_t - \eta g_t z(x_t)$, $z(x) = \Lambda_k^{-1/2} V_k^\top k_I(x)$, $\Lambda_k$ and $V_k$ "
        "the leading eigenvalues and eigenvectors of the kernel matrix of the support vectors"
    )
    family: ClassVar[str] = "first order"
    paper: ClassVar[str] = "Lu, Hoi, Wang, Zhao and Liu 2016"
    cost: ClassVar[str] = "O(B d + B k) time a round, O(B^3) once, O(B d + B k) memory"
    memory_growth: ClassVar[str] = "constant"

    budget: int = parameter(100, "B, the support vectors that fix the features", at_least=1)
    rank: int | None = parameter(None, "k, the number of features (none: a fifth of the budget)", at_least=1)
    rate: float | None = parameter(
        None, "eta, the constant step (none: 1/sqrt(T), over the largest k(x, x) if above 1)", above=0
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        own = NystromDescentIdentity(self.budget, self.rank, self.rate)
        return (OgdInFeatures(self.rate), NystromAgainstTheSpace(self.rate), own)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if self.rank is not None and self.rank > self.budget:
            raise ArenaError(f"nogd: rank {self.rank} is more than the budget {self.budget}: {self.budget} is the most")
        self.loss = game.loss
        self.eta = gradient_rate(game) if self.rate is None else self.rate
        self.function = BudgetedSum(game.kernel, game.dimension, self.budget)
        self.descent: LinearDescent | None = None

    def peek(self, X: Array) -> Array:
        return self.function.at(X) if self.descent is None else self.descent.at(self.embed(X))

    def update(self, x: Array, y: float) -> None:
        if self.descent is None:
            super().update(x, y)
        else:
            self.descent.step(self.embed(x[np.newaxis])[0], y)

    def replay(self, X: Array, y: Array) -> Array:
        start, parts = 0, []
        while self.descent is None and start < len(X):
            parts.append(self.play_block(X[start : start + BLOCK], y[start : start + BLOCK]))
            start += len(parts[-1])
        if self.descent is not None:
            parts.append(self.descent.replay(X[start:], y[start:], self.embed))
        return np.concatenate(parts) if parts else np.empty(0)

    def play_block(self, X: Array, y: Array) -> Array:
        """Play the rounds of a block by kernel gradient descent; stop when the budget is spent.

        The result has the predictions of the rounds that were played.
        """
        self.function.look_at(X)
        predictions = np.empty(len(X))
        for i, label in enumerate(y.tolist()):
            predictions[i] = prediction = self.function.value(i)
            self.learn(i, prediction, label)
            if self.function.full:
                self._fix_features()
                return predictions[: i + 1]
        return predictions

    def learn(self, i: int, prediction: float, y: float) -> None:
        weight = -self.eta * self.loss.derivative_at(prediction, y)
        if weight:
            self.function.put(i, weight)

    def evidence(self) -> Mapping[str, Any]:
        """Return `atoms`, the support vectors; once the budget is spent, also `transform`.

        The features of x are k_I(x) times `transform`, where k_I(x) has the kernels of x with the support vectors.
        """
        atoms = {"atoms": self.function.points.copy()}
        return atoms if self.descent is None else {**atoms, "transform": self._transform}

    def embed(self, X: Array) -> Array:
        """Return the features Lambda^(-1/2) V' k_I(x) of each row x of `X`, in one row each.

        V has the leading eigenvectors of the support vectors' kernel matrix as columns, and the diagonal matrix Lambda
        has their eigenvalues. k_I(x) is the vector of the kernels of x with the support vectors.
        """
        return np.asarray(self.function.kernel.gram(X, self.function.points) @ self._transform)

    def _fix_features(self) -> None:
        """Compute the features, and project the function found so far onto them."""
        points = self.function.points
        rank = max(self.budget // 5, 1) if self.rank is None else self.rank
        values, vectors = scipy.linalg.eigh(self.function.kernel.gram(points, points))
        kept = np.arange(len(values)) >= len(values) - rank
        kept &= values > INDEPENDENT * max(values[-1], 0.0)
        root = np.sqrt(values[kept])
        self._transform = vectors[:, kept] / root
        self.descent = LinearDescent(root * (self.function.weights @ vectors[:, kept]), self.loss, self.eta)
