"""Forecasters on fixed features equal their definition, in every way of playing."""

import numpy as np
import pytest

from arena import Game, play
from arena.game.kernels import Gaussian, Linear
from arena.learners.pkawv import PKAWV, PKRR
from arena.specs.building import build
from arena.testing import Moves, OneByOne

ROUNDS = 300


def sequences(rounds=ROUNDS, dimension=3):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (rounds, dimension))
    signs = rng.choice([-1.0, 1.0], rounds)
    line = np.outer(rng.uniform(-1, 1, rounds), np.ones(dimension))
    near = np.where(np.arange(rounds)[:, None] % 2, X[0], X[0] + 1e-3)
    return {
        "random": (X, rng.uniform(-1, 1, rounds)),
        "repeated": (X[rng.integers(12, size=rounds)], signs),
        "one point": (np.tile(X[0], (rounds, 1)), signs),
        "line": (line, signs),
        "near duplicates": (near, np.where(np.arange(rounds) % 2, 1.0, -1.0)),
        "far corner": (np.ones((rounds, dimension)), np.ones(rounds)),
    }


def by_definition(F, y, regularisation, *, forecaster):
    """Return f_t'w for the w that minimises sum_{s<t} (y_s - w'f_s)^2 + lambda |w|^2, solved anew in each round.

    With `forecaster`, (w'f_t)^2 is added to the sum.
    """
    predictions = []
    for t, f in enumerate(F):
        rows = F[: t + 1] if forecaster else F[:t]
        labels = np.append(y[:t], 0.0) if forecaster else y[:t]
        stacked = np.vstack([rows, regularisation**0.5 * np.eye(F.shape[1])])
        predictions.append(f @ np.linalg.lstsq(stacked, np.append(labels, np.zeros(F.shape[1])), rcond=None)[0])
    return np.array(predictions)


EMBEDDINGS = ["taylor(degree=3)", "fourier(frequencies=12)", "nystrom(points=15)", "pivoted-cholesky(points=15)"]


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("kind", sequences())
@pytest.mark.parametrize(
    ("learner", "regularisation"), [("pkawv", 1e-3), ("pkawv", 1.0), ("pkawv", 1e3), ("pkrr", 0.1)]
)
def test_every_way_of_playing_equals_the_definition(learner, embedding, kind, regularisation):
    X, y = sequences(150)[kind]
    learner = build("learner", f"{learner}(embedding={embedding}, regularisation={regularisation})")
    game = {"rounds": 150, "dimension": 3, "kernel": Gaussian(0.9), "seed": 5}
    blocks = play(learner, Moves.of(X, y), **game)
    F = learner.basis.features(X)
    rounds = play(learner, OneByOne(Moves.of(X, y)), **game)
    twin = by_definition(F, y, regularisation, forecaster=learner.name == "pkawv")
    np.testing.assert_allclose(blocks.predictions, rounds.predictions, atol=1e-12 / min(regularisation, 1))
    np.testing.assert_allclose(blocks.predictions, twin, atol=1e-12 / min(regularisation, 1))
    assert rounds.sizes[-1, 1] == F.shape[1]


@pytest.mark.parametrize("learner", [PKAWV(), PKRR()], ids=["pkawv", "pkrr"])
def test_peek_is_predict_and_changes_nothing(learner):
    X, y = sequences()["random"]
    learner.begin(Game(dimension=3), np.random.default_rng(0))
    other = type(learner)()
    other.begin(Game(dimension=3), np.random.default_rng(0))
    for t in range(100):
        peeked = learner.peek(X[t : t + 9])
        singles = [learner.predict(x) for x in X[t : t + 9]]
        np.testing.assert_allclose(peeked, singles, atol=1e-13)
        other.reveal(X[t])
        assert abs(other.predict(X[t]) - peeked[0]) <= 1e-13
        learner.update(X[t], y[t])
        other.update(X[t], y[t])


def test_with_enough_taylor_features_it_is_the_exact_forecaster():
    game = {"rounds": 250, "dimension": 2, "kernel": Gaussian(1.5), "regularisation": 0.05}
    for adversary in ("repeated(points=30, labels=alternating)", "greedy(starts=32)"):
        exact = play("kernel-awv", adversary, **game)
        projected = play("pkawv(embedding=taylor(degree=16))", Moves.of(exact.points, exact.labels), **game)
        np.testing.assert_allclose(projected.predictions, exact.predictions, atol=1e-8)
        ridge = play("krr", Moves.of(exact.points, exact.labels), **game)
        projected = play("pkrr(embedding=taylor(degree=16))", Moves.of(exact.points, exact.labels), **game)
        np.testing.assert_allclose(projected.predictions, ridge.predictions, atol=1e-8)


def test_in_a_space_of_finite_dimension_a_full_dictionary_is_exact():
    game = {"rounds": 200, "dimension": 3, "kernel": Linear(1.0), "regularisation": 0.3}
    exact = play("kernel-awv", "greedy(starts=32)", **game)
    projected = play("pkawv(embedding=nystrom(points=9))", Moves.of(exact.points, exact.labels), **game)
    np.testing.assert_allclose(projected.predictions, exact.predictions, atol=1e-10)
    assert projected.sizes[-1, 1] == 4


def test_against_a_greedy_adversary_rounds_equal_blocks():
    for learner in ("pkawv", "pkawv(embedding=fourier(frequencies=20))", "pkrr"):
        run = play(learner, "greedy(starts=32)", rounds=100, dimension=3)
        again = play(learner, Moves.of(run.points, run.labels), rounds=100, dimension=3)
        np.testing.assert_allclose(run.predictions, again.predictions, atol=1e-12)


def test_long_sequences_cross_every_block_border():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (5000, 2)), rng.choice([-1.0, 1.0], 5000)
    one, other = PKAWV(regularisation=0.1), PKAWV(regularisation=0.1)
    for learner in (one, other):
        learner.begin(Game(), np.random.default_rng(0))
    predictions = np.concatenate([one.replay(X[:4096], y[:4096]), one.replay(X[4096:], y[4096:])])
    alone = []
    for x, label in zip(X, y, strict=True):
        alone.append(other.predict(x))
        other.update(x, label)
    np.testing.assert_allclose(predictions, alone, atol=1e-11)


def test_regret_against_linear_functions_of_the_features_obeys_its_bound():
    """R <= B^2 log det(I + F F' / lambda) holds for every sequence and all features (theory E2)."""
    for embedding in EMBEDDINGS:
        learner = build("learner", f"pkawv(embedding={embedding}, regularisation=0.5)")
        for adversary in ("greedy(starts=32)", "alternating", "repeated(labels=contrary)"):
            run = play(learner, adversary, rounds=120, dimension=2)
            F = learner.basis.features(run.points)
            gram = F @ F.T + 0.5 * np.eye(120)
            optimum = 0.5 * run.labels @ np.linalg.solve(gram, run.labels)
            bound = np.linalg.slogdet(gram / 0.5)[1]
            assert run.loss - optimum <= bound + 1e-8
            if adversary == "alternating" and embedding.startswith("fourier"):
                assert run.loss - optimum >= 0.8 * bound
