"""Support vector machines of scikit-learn, trained on the whole sequence before they predict its labels."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from arena.adapters.base import draw_seed, quiet
from arena.adapters.signs import Signs
from arena.arrays import Array
from arena.components.base_classes import WholeSequenceLearner
from arena.components.span import Span
from arena.game.game import Game
from arena.game.kernels import Gaussian, Kernel, Linear, Polynomial
from arena.specs.extras import import_extra
from arena.specs.parameters import parameter

ROWS = 4096  # points whose features are computed together


class BatchClassifier(WholeSequenceLearner, abc.ABC):
    """Base class of classifiers that train on the signs of all labels, and then predict the labels of the same rounds.

    Rounds with the label zero are left out of the training.
    """

    family: ClassVar[str] = "batch"

    def __post_init__(self) -> None:
        super().__post_init__()
        import_extra("sklearn", self.name)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.kernel, self.signs, self.rng = game.kernel, Signs(game), rng
        self.score: Callable[[Array], Array] = lambda X: np.zeros(len(X))

    def peek(self, X: Array) -> Array:
        return self.signs.of_score(self.score(X))

    def replay(self, X: Array, y: Array) -> Array:
        if y.any():
            # a solver that stops early warns; the result shows its poorer scores anyway
            with quiet():
                self.score = self.train(X[y != 0], np.sign(y[y != 0]))
        return self.peek(X)

    @abc.abstractmethod
    def train(self, X: Array, signs: Array) -> Callable[[Array], Array]:
        """Train on the points `X` and their `signs`; return the function that maps rows of points to scores."""


@dataclass
class LibSvm(BatchClassifier):
    """The kernel SVM of LIBSVM: minimises |w|^2 / 2 + C * (sum of the hinge losses) over w and an intercept.

    C is here the weight `penalty`, not the bound of predictions.

    >>> from arena import play
    >>> play(LibSvm(), "repeated", rounds=50, loss="hinge", kernel="gaussian(bandwidth=0.1)").error_rate
    0.0
    """

    name: ClassVar[str] = "libsvm"
    formula: ClassVar[str] = (
        r"$\min_{w, b} \frac{1}{2} \lVert w \rVert^2 + C \sum_t \max(0, 1 - y_t (w^\top \phi(x_t) + b))$"
    )
    paper: ClassVar[str] = "Chang and Lin 2011, the batch reference of Le et al. 2022, table 1"
    cost: ClassVar[str] = "O(T^2) to O(T^3) time once, O(T) memory (O(T^2) unless the kernel is one of LIBSVM's own)"

    penalty: float = parameter(1.0, "C = 1 / lambda: the weight of the losses against |w|^2 / 2", above=0)
    tolerance: float = parameter(1e-3, "LIBSVM's stopping tolerance", above=0)
    steps: int | None = parameter(None, "its iterations at most (none: 20 a point, 100,000 at least)", at_least=1)

    def train(self, X: Array, signs: Array) -> Callable[[Array], Array]:
        # if all signs agree, a constant has no loss, and LIBSVM refuses a single class
        if abs(signs.sum()) == len(signs):
            return lambda Z: np.full(len(Z), signs[0])
        svm = import_extra("sklearn.svm", self.name)
        steps = self.steps or max(100_000, 20 * len(X))
        seed = int(self.rng.integers(2**31))
        machine = svm.SVC(
            C=self.penalty, tol=self.tolerance, max_iter=steps, random_state=seed, **_as_libsvm(self.kernel)
        )
        score: Callable[[Array], Array] = machine.fit(X, signs).decision_function
        return score


@dataclass
class LowRankSvm(BatchClassifier):
    """A linear SVM in the span of landmarks: minimises |w|^2 / 2 + C * (sum of the hinge losses) over w.

    C is here the weight `penalty`, not the bound of predictions. There is no intercept, and dual coordinate descent
    finds w. The landmarks z_1, ..., z_m are some of the points, or centres of clusters of points. The features of x are
    L^-1 (k(z_1, x), ..., k(z_m, x)), where L L' is the Cholesky factorisation of the landmarks' kernel matrix. The
    features of Zhang, Lan, Wang and Moerchen 2012 are other vectors with the same inner products.

    >>> from arena import play
    >>> play(LowRankSvm(), "repeated", rounds=50, loss="hinge", kernel="gaussian(bandwidth=0.1)").error_rate
    0.0
    """

    name: ClassVar[str] = "llsvm"
    formula: ClassVar[str] = (
        r"$\min_w \frac{1}{2} \lVert w \rVert^2 + C \sum_t \max(0, 1 - y_t w^\top z(x_t))$, $z(x) = "
        "K_{zz}^{-1/2} k_z(x)$"
    )
    paper: ClassVar[str] = "Zhang, Lan, Wang and Moerchen 2012 (LLSVM)"
    cost: ClassVar[str] = "O(T m^2) time once, O(T m) memory, with m landmarks"

    landmarks: int = parameter(100, "m: how many landmarks, at most", at_least=1)
    choice: Literal["k-means", "random"] = parameter("k-means", "centres of clusters, or points of the sequence")
    penalty: float = parameter(1.0, "C = 1 / lambda: the weight of the losses against |w|^2 / 2", above=0)
    tolerance: float = parameter(1e-4, "stopping tolerance of the dual coordinate descent", above=0)
    sweeps: int = parameter(1000, "how many passes it makes at most", at_least=1)

    def train(self, X: Array, signs: Array) -> Callable[[Array], Array]:
        span = Span(self.kernel, X.shape[1])
        for landmark in self._choose(X):
            span.add(landmark)
        # empty if the kernel is zero at all landmarks
        if not len(span):
            return lambda Z: np.zeros(len(Z))
        weights = self._linear_machine(_features(span, X), signs)
        return lambda Z: _features(span, Z) @ weights

    def _choose(self, X: Array) -> Array:
        distinct = np.unique(X, axis=0)
        if len(distinct) <= self.landmarks:
            return distinct
        if self.choice == "random":
            return distinct[np.sort(self.rng.choice(len(distinct), self.landmarks, replace=False))]
        cluster = import_extra("sklearn.cluster", self.name)
        clusters = cluster.KMeans(self.landmarks, n_init=1, random_state=draw_seed(self.rng)).fit(X)
        return np.asarray(clusters.cluster_centers_)

    def _linear_machine(self, features: Array, signs: Array) -> Array:
        """Train a linear SVM without an intercept; return its weights."""
        svm = import_extra("sklearn.svm", self.name)
        machine = svm.LinearSVC(
            C=self.penalty,
            loss="hinge",
            dual=True,
            fit_intercept=False,
            tol=self.tolerance,
            max_iter=self.sweeps,
            random_state=draw_seed(self.rng),
        )
        if abs(signs.sum()) < len(signs):
            return np.asarray(machine.fit(features, signs).coef_[0])
        # scikit-learn needs two classes; without an intercept (z, +1) and (-z, -1) are the same example
        both, halves = np.concatenate([features, -features]), np.full(2 * len(signs), 0.5)
        return np.asarray(machine.fit(both, np.concatenate([signs, -signs]), halves).coef_[0])


def _features(span: Span, X: Array) -> Array:
    return np.concatenate([span.coordinates(X[i : i + ROWS]) for i in range(0, len(X), ROWS)])


def _as_libsvm(kernel: Kernel) -> dict[str, Any]:
    """Return the arguments of scikit-learn's `SVC` that select this kernel.

    If LIBSVM does not have the kernel, the argument `kernel` is a function that computes the whole kernel matrix.
    """
    if isinstance(kernel, Gaussian):
        return {"kernel": "rbf", "gamma": 0.5 / kernel.bandwidth**2}
    if isinstance(kernel, (Linear, Polynomial)):
        return {"kernel": "poly", "gamma": 1.0, "coef0": kernel.offset, "degree": getattr(kernel, "degree", 1)}
    return {"kernel": kernel.gram}
