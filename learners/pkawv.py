"""Azoury, Warmuth and Vovk's forecaster on explicit features, and ridge regression on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.components.features.embedding import Embedding
from arena.components.features.nystrom import PivotedCholesky
from arena.components.features.taylor import Taylor
from arena.components.linear_ridge import LinearRidge
from arena.game.game import Game
from arena.players.learner import Learner
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.chosen_points import PivotedPoints
from arena.theorems.pkawv import (
    PkawvFeatures,
    PkawvFeaturesLogdet,
    PkawvIdentity,
    PkawvSubspace,
    PkawvSubspaceSharp,
    PkawvTaylor,
    PkrrIdentity,
)


@dataclass
class PKAWV(Learner):
    """Azoury, Warmuth and Vovk's forecaster on r fixed features.

    The forecaster competes with the linear functions of its features. Its regret to functions of the whole RKHS has an
    additional term, an approximation error, from the part of k(x, .) that the features miss. In Algorithm 1 of
    Jezequel, Gaillard and Rudi 2019 predicting changes the state; here it does not.

    >>> from arena import play
    >>> run = play(PKAWV(embedding=Taylor(degree=4)), "alternating", rounds=100)
    >>> bool(run.regret[-1] < np.log(101))
    True
    """

    name: ClassVar[str] = "pkawv"
    formula: ClassVar[str] = (
        r"$\hat y_t = \frac{w_{t-1}^\top z_t}{1 + z_t^\top A_{t-1}^{-1} z_t}$, $w_t = A_t^{-1} \sum_{s \le t} "
        r"y_s z_s$, $A_t = \lambda I + \sum_{s \le t} z_s z_s^\top$, $z_t$ the features of $x_t$"
    )
    family: ClassVar[str] = "second order, projected"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, section 3.1 and Algorithm 1"
    cost: ClassVar[str] = "O(r^2) time a round, O(r^2) memory, and the features' own cost"
    memory_growth: ClassVar[str] = "constant"  # in the number of rounds; the number of features counts

    embedding: Embedding = parameter(Taylor(degree=2), "the features: taylor, fourier, nystrom or pivoted-cholesky")
    regularisation: float | None = parameter(None, "lambda (none: the game's)", above=0)

    @property
    def theorems(self) -> Sequence[Theorem]:
        at = self.regularisation
        taylor = (PkawvTaylor(at),) if isinstance(self.embedding, Taylor) else ()
        # the features are not in the RKHS, so no bound on the regret to its functions applies
        against_all = (PkawvSubspaceSharp(at), PkawvSubspace(at), *taylor) if self.embedding.within else ()
        return (*against_all, PkawvFeatures(at), PkawvFeaturesLogdet(at), PkawvIdentity(at), *self._of_embedding())

    def _of_embedding(self) -> Sequence[Theorem]:
        """Return the theorems that follow from the way in which the embedding chooses its features."""
        chosen = self.embedding
        if isinstance(chosen, PivotedCholesky):
            return (PivotedPoints(chosen.tolerance, chosen.points, chosen.candidates),)
        return ()

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.basis = self.embedding.begun(game, rng)
        self.past = LinearRidge(self.basis.dimension, game.for_ridge(self.regularisation))

    def peek(self, X: Array) -> Array:
        return self._prediction(*self.past.at(self.basis.features(X)))

    def update(self, x: Array, y: float) -> None:
        self.past.append(self.basis.features(x[np.newaxis])[0], y)

    def replay(self, X: Array, y: Array) -> Array:
        return self._prediction(*self.past.replay(X, y, self.basis.features))

    @property
    def dictionary_size(self) -> int:
        """The number of features."""
        return self.basis.dimension

    def evidence(self) -> Mapping[str, Any]:
        """Return the arrays that determine the features."""
        return self.basis.evidence()

    def _prediction(self, mean: Array, surprise: Array) -> Array:
        return np.asarray(mean / (1.0 + surprise))


@dataclass
class PKRR(PKAWV):
    """Ridge regression on r fixed features.

    The learner is `pkawv` without the division of the prediction by 1 + surprise, and so without a regret bound. The
    surprise at a point with features f is f' A^-1 f. The matrix A is lambda I plus the sum of h h' over the features h
    of all past points.

    >>> from arena import play
    >>> game = {"dimension": 1, "rounds": 60, "kernel": "gaussian(bandwidth=4)"}
    >>> projected = play(PKRR(embedding=Taylor(degree=12)), "alternating", **game)
    >>> bool(np.allclose(projected.predictions, play("krr", "alternating", **game).predictions))
    True
    """

    name: ClassVar[str] = "pkrr"
    formula: ClassVar[str] = (
        r"$\hat y_t = w_{t-1}^\top z_t$, $w_t = A_t^{-1} \sum_{s \le t} y_s z_s$, $A_t = \lambda I + \sum_{s "
        r"\le t} z_s z_s^\top$, $z_t$ the features of $x_t$"
    )
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, section 3"

    @property
    def theorems(self) -> Sequence[Theorem]:
        return (PkrrIdentity(self.regularisation), *self._of_embedding())

    def _prediction(self, mean: Array, surprise: Array) -> Array:
        return mean
