"""Ridge regression, the forecaster of Azoury, Warmuth and Vovk, and Newton steps, as their papers print them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from arena import Game
from arena.arrays import Array
from arena.learners.batch_svm import LowRankSvm
from arena.learners.late_labels import LateLabels
from arena.learners.pros_n_kons import ConKons
from arena.specs.building import build
from arena_tests.slow import dual_svrg, kors, newton, ridge

from .transcription import Transcription, whole

REGULARISATION = 1.0


class DenseRidge(Transcription):
    """Kernel ridge regression by one dense solve in each round."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.X, self.y = np.empty((0, game.dimension)), np.empty(0)

    def play(self, x: Array, y: float) -> float:
        prediction = self.answer(*ridge.posterior(self.game.kernel, REGULARISATION, self.X, self.y, x[np.newaxis]))
        self.X, self.y = np.vstack([self.X, x]), np.append(self.y, y)
        return prediction

    def answer(self, mean: Array, variance: Array) -> float:
        """Return the prediction for this mean and variance of ridge regression at the point."""
        return float(mean[0])


class ClippedRidge(DenseRidge):
    """Kernel ridge regression, with predictions clipped to [-C, C]."""

    def answer(self, mean: Array, variance: Array) -> float:
        return float(np.clip(mean[0], -self.game.clip, self.game.clip))


class DenseForecaster(DenseRidge):
    """Kernel-AWV: Jezequel, Gaillard and Rudi 2019, equation 3."""

    def answer(self, mean: Array, variance: Array) -> float:
        return float(mean[0] / (1.0 + variance[0] / REGULARISATION))


def products(x: Array, degree: int) -> Array:
    """Return the features of x: the ordered products of at most `degree` coordinates.

    A product of k coordinates is divided by sqrt(k!) and multiplied by exp(-|x|^2 / 2).
    """
    blocks, block = [np.ones(1)], np.ones(1)
    for k in range(1, degree + 1):
        block = np.outer(block, x).ravel()
        blocks.append(block / math.sqrt(math.factorial(k)))
    return np.exp(-0.5 * x @ x) * np.concatenate(blocks)


class OnFeatures(Transcription):
    """Algorithm 1 of Jezequel, Gaillard and Rudi 2019 (PKAWV), with rank-one updates of the inverse matrix.

    There is one feature for every ordered product of at most three coordinates. The kernel is Gaussian with bandwidth
    1.
    """

    forecaster, degree = True, 3

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.begin(sum(game.dimension**k for k in range(self.degree + 1)))

    def begin(self, size: int) -> None:
        """Prepare round 1 with this number of features."""
        self.inverse, self.b = np.eye(size) / REGULARISATION, np.zeros(size)

    def embed(self, x: Array) -> Array:
        """Return the features of x."""
        return products(x, self.degree)

    def play(self, x: Array, y: float) -> float:
        f = self.embed(x)
        q = self.inverse @ f
        before = float(f @ self.inverse @ self.b)
        self.inverse = self.inverse - np.outer(q, q) / (1.0 + f @ q)
        prediction = float(f @ self.inverse @ self.b) if self.forecaster else before
        self.b = self.b + y * f
        return prediction


class RidgeOnFeatures(OnFeatures):
    """Ridge regression on the features of `OnFeatures`."""

    forecaster = False


class LowerDegree(OnFeatures):
    """PKAWV on products of at most two coordinates."""

    degree = 2


class OnWaves(OnFeatures):
    """PKAWV on 300 cosines and 300 sines of random frequencies."""

    waves = 300

    def __init__(self, game: Game, rng: np.random.Generator):
        Transcription.__init__(self, game, rng)
        self.frequencies = rng.standard_normal((self.waves, game.dimension)) / game.kernel.bandwidth  # type: ignore[attr-defined]
        self.begin(2 * self.waves)

    def embed(self, x: Array) -> Array:
        phases = self.frequencies @ x
        return np.concatenate([np.cos(phases), np.sin(phases)]) / np.sqrt(self.waves)


class BeforehandForecaster(OnFeatures):
    """PKAWV on a dictionary that KORS samples from all points before the first round."""

    def __init__(self, game: Game, rng: np.random.Generator):
        Transcription.__init__(self, game, rng)

    def run(self, X: Array, y: Array) -> Array:
        kept, _ = kors.sample(self.game.kernel, X, self.rng.random(len(X)), ridge=1.0, beta=1.0)
        self.atoms = X[kept]
        values, vectors = np.linalg.eigh(self.game.kernel.gram(self.atoms, self.atoms))
        self.root = vectors / np.sqrt(values)
        self.begin(len(kept))
        return super().run(X, y)

    def embed(self, x: Array) -> Array:
        return np.asarray(self.game.kernel.gram(x[np.newaxis], self.atoms)[0] @ self.root)


class Batch(BeforehandForecaster):
    """Ridge regression in the span of a dictionary of KORS, fitted to all rounds at once."""

    forecaster = False

    def run(self, X: Array, y: Array) -> Array:
        super().run(X, y)
        weights = self.inverse @ self.b
        return np.array([self.embed(x) @ weights for x in X])


class GrowingForecaster(Transcription):
    """PKAWV in the span of a growing dictionary, by its definition: one dense solve in each round."""

    def play(self, x: Array, y: float) -> float:
        raise NotImplementedError

    def run(self, X: Array, y: Array) -> Array:
        K = self.game.kernel.gram(X, X)
        kept, _ = kors.sample(self.game.kernel, X, self.rng.random(len(X)), ridge=1.0, beta=1.0)
        predictions = np.zeros(len(X))
        for t in range(len(X)):
            gram = ridge.projected(K[: t + 1, : t + 1], [at for at in kept if at <= t])
            labels = np.append(y[:t], 0.0)
            predictions[t] = gram[t] @ np.linalg.solve(gram + REGULARISATION * np.eye(t + 1), labels)
        return predictions


def newton_rate(game: Game) -> float:
    """Return the step size eta of KONS: the curvature of the loss."""
    return float(game.loss.curvature(game.clip, game.label_bound))


Kons = whole(lambda game, X, y: newton.one_shot(X, y, game, alpha=1.0, eta=newton_rate(game)))


class SketchedKons(Transcription):
    """Sketched KONS as printed: a coin decides whether a round's gradient enters the matrix.

    The part of the algorithm that samples by KORS is left out.
    """

    def play(self, x: Array, y: float) -> float:
        raise NotImplementedError

    def run(self, X: Array, y: Array) -> Array:
        kept = self.rng.random(len(X)) < 0.5
        return newton.one_shot(X, y, self.game, alpha=1.0, eta=newton_rate(self.game), kept=kept)


def in_the_span(spec: str) -> Callable[[Game, np.random.Generator], Transcription]:
    """Return the class of PROS-N-KONS, CON-KONS or B-KONS as printed; each round inverts every matrix again."""

    class Printed(Transcription):
        def __init__(self, game: Game, rng: np.random.Generator):
            super().__init__(game, rng)
            self.twin = newton.InTheSpan(build("learner", spec), game)
            self.twin.rng = rng

        def play(self, x: Array, y: float) -> float:
            return float(self.run(x[np.newaxis], np.array([y]))[0])

        def run(self, X: Array, y: Array) -> Array:
            return np.asarray(self.twin.play(X, y))

        def take_over(self, learner: ConKons) -> None:
            """Start an epoch with the dictionary of another learner."""
            twin = self.twin
            twin.I, twin.p = learner.kors.atoms.copy(), learner.kors.probabilities.copy()
            twin.E = twin.embedding()
            twin.u, twin.A = np.zeros(len(twin.E)), twin.settings.alpha * np.eye(len(twin.E))

    return Printed


class Variance(Transcription):
    """DualSVRG with one coefficient for every point."""

    def play(self, x: Array, y: float) -> float:
        raise NotImplementedError

    def run(self, X: Array, y: Array) -> Array:
        D, bandwidth = 200, self.game.kernel.bandwidth  # type: ignore[attr-defined]
        phases = X @ self.rng.standard_normal((self.game.dimension, D)) / bandwidth
        features = np.hstack([np.cos(phases), np.sin(phases)]) / np.sqrt(D)
        keep = lambda core, _: len(core) < 100
        twin = dual_svrg.DualSvrg(
            X,
            self.game.kernel.gram(X, X),
            features,
            y,
            keep,
            loss="smooth-hinge(tau=0.5)",
            memory=100,
            period=100,
            strength=REGULARISATION,
        )
        return np.array(twin.predictions)


class Late(DenseForecaster):
    """Kernel-AWV with labels that arrive some rounds late."""

    def __init__(self, game: Game, rng: np.random.Generator):
        super().__init__(game, rng)
        self.waiting: list[tuple[Array, float]] = []

    def play(self, x: Array, y: float) -> float:
        prediction = self.answer(*ridge.posterior(self.game.kernel, REGULARISATION, self.X, self.y, x[np.newaxis]))
        self.waiting.append((x, y))
        if len(self.waiting) > LateLabels().delay:
            late, label = self.waiting.pop(0)
            self.X, self.y = np.vstack([self.X, late]), np.append(self.y, label)
        return prediction


def support_vectors(game: Game, X: Array, y: Array) -> Array:
    """Return the scores of all points by a support vector machine of scikit-learn (LIBSVM), trained on all rounds."""
    from sklearn.svm import SVC

    gamma = 0.5 / game.kernel.bandwidth**2  # type: ignore[attr-defined]
    score = SVC(C=1.0, gamma=gamma, max_iter=100_000).fit(X, y).decision_function(X)
    return np.asarray(score)


def landmarks(game: Game, X: Array, y: Array) -> Array:
    """Return the scores of all points by a linear support vector machine of scikit-learn, trained on all rounds.

    The machine is linear in Nyström features, whose landmarks are cluster centres of the points.
    """
    from sklearn.cluster import KMeans
    from sklearn.svm import LinearSVC

    centres = KMeans(LowRankSvm().landmarks, n_init=1, random_state=0).fit(X).cluster_centers_
    values, vectors = np.linalg.eigh(game.kernel.gram(centres, centres))
    features = game.kernel.gram(X, centres) @ (vectors / np.sqrt(np.maximum(values, 1e-12)))
    machine = LinearSVC(C=1.0, loss="hinge", dual=True, fit_intercept=False, max_iter=1000, random_state=0)
    return np.asarray(machine.fit(features, y).decision_function(features))


LibSvm, LowRank = whole(support_vectors), whole(landmarks)
