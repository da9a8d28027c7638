"""PROS-N-KONS, CON-KONS and B-KONS against Newton steps in an embedding by SVD, rebuilt when the dictionary grows."""

import dataclasses

import numpy as np
import pytest

from arena import play
from arena.game.game import Game
from arena.game.kernels import Gaussian, Linear, Polynomial
from arena.learners import BKons, ConKons, Kons, ProsNKons

KINDS = ["random", "repeated", "one point", "rank one", "near duplicates", "greedy"]
LEARNERS = [
    ProsNKons(),
    ProsNKons(restart_on_duplicate=False, gamma=0.2),
    ConKons(gamma=0.05, alpha=0.3),
    BKons(max_size=7, gamma=0.05),
    BKons(max_size=7, gamma=0.05, restart_on_duplicate=False),
    ProsNKons(beta=4.0),
    ConKons(beta=4.0, step=0.3),
]
NAMES = [f"{i} {learner.name}" for i, learner in enumerate(LEARNERS)]


def sequence(kind, rounds=250):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, size=(rounds, 2)), rng.choice([-1.0, 1.0], size=rounds)
    if kind == "repeated":
        X = X[rng.integers(9, size=rounds)]
    if kind == "one point":
        X, y = np.full((rounds, 2), 0.5), np.where(np.arange(rounds) % 2, -1.0, 1.0)
    if kind == "rank one":
        X = np.outer(np.linspace(-1, 1, 21)[rng.integers(21, size=rounds)], [1.0, 0.5])
    if kind == "near duplicates":
        X = X[rng.integers(4, size=rounds)] + 1e-8 * rng.normal(size=(rounds, 2))
    if kind == "greedy":
        run = play("con-kons", "greedy(starts=32, polished=1)", rounds=60, kernel=Gaussian(bandwidth=0.5))
        X, y = run.points, run.labels
    return X, y


def fresh(learner):
    return dataclasses.replace(learner)


def begun(learner, game, seed=3):
    learner = fresh(learner)
    learner.begin(game, np.random.default_rng(seed))
    return learner


class Slow:
    """The algorithm as it is printed, with theory B9's rule for the round after a restart; every matrix anew."""

    def __init__(self, settings, game, seed=3):
        self.settings, self.game, self.rng = settings, game, np.random.default_rng(seed)
        self.I, self.p = np.empty((0, game.dimension)), np.empty(0)
        self.E, self.u, self.A = np.zeros((0, 0)), np.zeros(0), np.zeros((0, 0))
        self.eta = settings.step or game.loss.curvature(game.clip, game.label_bound) / 2
        self.restarts = []

    def embedding(self):
        values, vectors = np.linalg.eigh(self.game.kernel.gram(self.I, self.I))
        keep = values > 1e-12 * values.max()
        return (vectors[:, keep] / np.sqrt(values[keep])).T

    def accepts(self, x):
        coin = self.rng.random()
        if len(self.I) >= getattr(self.settings, "max_size", np.inf):
            return False, 0.0
        points, weights = np.vstack([self.I, x]), np.append(1 / np.sqrt(self.p), 1.0)
        K = weights[:, np.newaxis] * self.game.kernel.gram(points, points) * weights
        k = K[:, -1]
        ridge = self.settings.gamma
        explained = k @ np.linalg.solve(K + ridge * np.eye(len(points)), k)
        estimate = (1 + self.settings.epsilon) / ridge * (K[-1, -1] - explained)
        probability = min(1.0, self.settings.beta * estimate)
        return coin < probability, probability

    def play(self, X, y):
        predictions = np.empty(len(X))
        for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
            accepted, probability = self.accepts(x)
            predictions[t] = self.step(x, label)
            if accepted:
                self.join(x, probability, t + 1)
        return predictions

    def step(self, x, label):
        if not len(self.I):
            return 0.0
        f = self.E @ self.game.kernel.gram(self.I, x[np.newaxis])[:, 0]
        inverse = np.linalg.inv(self.A)
        ahead, bound = f @ self.u, self.game.clip
        prediction = min(max(ahead, -bound), bound)
        w = self.u - (ahead - prediction) / (f @ inverse @ f) * inverse @ f
        g = float(self.game.loss.derivative(prediction, label))
        self.A = self.A + self.eta * g**2 * np.outer(f, f)
        self.u = w - np.linalg.solve(self.A, g * f)
        return prediction

    def join(self, x, probability, number):
        old, E_old, alpha = self.I, self.E, self.settings.alpha
        self.I, self.p = np.vstack([self.I, x]), np.append(self.p, probability)
        self.E = self.embedding()
        size = len(self.E)
        grew = size > len(E_old)
        if isinstance(self.settings, ProsNKons) and (grew or self.settings.restart_on_duplicate):
            self.u, self.A = np.zeros(size), alpha * np.eye(size)
            self.restarts.append(number)
            return
        T = self.E @ self.game.kernel.gram(self.I, old) @ E_old.T
        self.u = T @ self.u
        self.A = T @ self.A @ T.T + alpha * (np.eye(size) - T @ T.T)


def one_by_one(learner, X, y):
    predictions = np.empty(len(X))
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        before = learner.peek(X[[0, t]])
        learner.reveal(x)
        predictions[t] = learner.predict(x)
        assert before[1] == pytest.approx(predictions[t], abs=1e-12)
        np.testing.assert_array_equal(learner.peek(X[[0, t]]), before)  # the coin of a round counts from the next on
        learner.update(x, label)
    return predictions


@pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_is_newton_in_the_dictionarys_span_with_the_same_coins(kind, learner):
    X, y = sequence(kind)
    game = Game(kernel=Gaussian(bandwidth=0.15))
    slow = Slow(learner, game)
    expected = slow.play(X, y)
    whole, single, cut = (begun(learner, game) for _ in range(3))
    np.testing.assert_allclose(whole.replay(X, y), expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(one_by_one(single, X, y), expected, rtol=0, atol=1e-8)
    pieces = [cut.replay(X[i : i + 23], y[i : i + 23]) for i in range(0, len(X), 23)]
    np.testing.assert_allclose(np.concatenate(pieces), expected, rtol=0, atol=1e-8)
    for played in (whole, single, cut):
        assert played.dictionary_size == len(slow.I)
        np.testing.assert_array_equal(played.kors.atoms, slow.I)
        np.testing.assert_array_equal(played.evidence()["restarts"], slow.restarts)
        np.testing.assert_array_equal(X[played.evidence()["accepted"].astype(int) - 1], slow.I)
        np.testing.assert_allclose(
            played.evidence()["probabilities"][played.evidence()["accepted"].astype(int) - 1], slow.p, rtol=1e-8
        )


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge", "absolute"])
@pytest.mark.parametrize("learner", LEARNERS[-2:] + LEARNERS[:1], ids=["pros", "con", "pros"])
def test_other_losses_and_kernels(learner, loss):
    X, y = sequence("repeated")
    learner = fresh(learner)
    learner.step = 0.1
    for kernel in (Linear(offset=1.0), Polynomial(degree=2)):
        game = Game(kernel=kernel, loss=loss, prediction_bound=1.3)
        expected = Slow(learner, game).play(X, y)
        np.testing.assert_allclose(begun(learner, game).replay(X, y), expected, rtol=0, atol=1e-8)
        np.testing.assert_allclose(one_by_one(begun(learner, game), X, y), expected, rtol=0, atol=1e-8)


def test_con_kons_with_all_points_in_its_dictionary_is_kons():
    """Once every point is in the dictionary, CON-KONS with KONS' step is KONS on the same past."""
    X, y = np.array([[-0.5], [0.5]])[np.arange(100) % 2], np.tile([1.0, -1.0, -1.0, 1.0, 1.0], 20)
    y[:2] = 0.0  # the rounds that CON-KONS spends on filling its dictionary leave no trace in KONS
    game = Game(dimension=1)
    con = begun(ConKons(beta=1000.0, step=0.125), game)
    np.testing.assert_allclose(con.replay(X, y), begun(Kons(), game).replay(X, y), rtol=0, atol=1e-12)


def test_the_round_after_an_acceptance_uses_the_new_point():
    """beta = 1000 accepts at once: round 1 knows nothing, round 2 has the point, from a fresh start."""
    game = Game(dimension=1)
    learner = begun(ProsNKons(beta=1000.0, gamma=1.0), game)
    x = np.zeros(1)
    learner.reveal(x)
    learner.update(x, 1.0)
    assert len(learner.span) == 1
    assert learner.evidence()["restarts"].tolist() == [1]
    learner.reveal(x)
    assert learner.predict(x) == 0.0
    learner.update(x, 1.0)
    assert learner.predict(x) == 0.0  # accepted once more, as a duplicate: published as a restart
    kind = begun(ProsNKons(beta=1000.0, restart_on_duplicate=False), game)
    kind.replay(np.zeros((2, 1)), np.ones(2))
    assert kind.predict(x) == 1.0


def test_update_without_reveal_tosses_its_own_coin():
    X, y = sequence("repeated")
    game = Game()
    told, untold = (begun(ConKons(), game) for _ in range(2))
    for x, label in zip(X, y.tolist(), strict=True):
        told.reveal(x)
        told.update(x, label)
        untold.update(x, label)
    np.testing.assert_array_equal(told.peek(X), untold.peek(X))
    assert untold.dictionary_size > 5


def test_b_kons_never_exceeds_its_size_and_then_keeps_learning():
    X, y = sequence("random")
    learner = begun(BKons(max_size=4, gamma=0.01), Game())
    learner.replay(X, y)
    assert learner.dictionary_size == 4
    before = learner.peek(X)
    learner.replay(X[:1], -y[:1])
    assert np.abs(learner.peek(X) - before).max() > 1e-6
    assert learner.evidence()["probabilities"].size == len(X) + 1


@pytest.mark.parametrize("learner", [ProsNKons, ConKons, BKons])
@pytest.mark.parametrize("alpha", [1e-8, 1e8])
@pytest.mark.parametrize("bandwidth", [1e-3, 1e3])
def test_extreme_but_legal_input_survives(learner, alpha, bandwidth):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((3000, 3)) < 0.5, -1.0, 1.0)
    X[1000:2000] = X[0]
    X[2000:2200] = rng.uniform(-1, 1, size=(200, 3))
    played = begun(learner(alpha=alpha, gamma=alpha), Game(dimension=3, kernel=Gaussian(bandwidth=bandwidth)))
    predictions = played.replay(X, rng.choice([-1.0, 1.0], size=3000))
    assert np.isfinite(predictions).all()
    assert np.abs(predictions).max() <= 1.0
