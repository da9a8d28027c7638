"""PKAWV with a KORS dictionary equals its definition, in which projections use the pseudo-inverse."""

import itertools

import numpy as np
import pytest

from arena import ArenaError, Game, play
from arena.game.kernels import Gaussian, Linear
from arena.learners.beforehand import BatchKRR, PKAWVBeforehand
from arena.learners.pkawv_kors import PKAWVKors
from arena.specs.building import build
from arena.testing import Moves, OneByOne
from arena_tests.slow.kors import sample
from arena_tests.slow.ridge import projected


def sequences(rounds):
    rng = np.random.default_rng(8)
    X = rng.uniform(-1, 1, (rounds, 2))
    signs = rng.choice([-1.0, 1.0], rounds)
    return {
        "random": (X, rng.uniform(-1, 1, rounds)),
        "repeated": (X[np.arange(rounds) % 15], signs),
        "one point": (np.tile(X[0], (rounds, 1)), signs),
        "line": (np.outer(np.linspace(0, 0.4, rounds), [1.0, 0.0]), signs),
        "blocks": (X[np.arange(rounds) // 10], np.where(np.arange(rounds) % 20 < 10, 1.0, -1.0)),
    }


def by_definition(K, y, kept, regularisation):
    """Return f(x_t) for the f in H_t that minimises sum_{s<t} (y_s - f(x_s))^2 + lambda |f|^2 + f(x_t)^2.

    H_t is the span of the points accepted up to round t.
    """
    predictions = np.zeros(len(K))
    for t in range(len(K)):
        atoms = [at for at in kept if at <= t]
        if atoms:
            gram = projected(K[: t + 1, : t + 1], atoms)
            labels = np.append(y[:t], 0.0)
            predictions[t] = gram[t] @ np.linalg.solve(gram + regularisation * np.eye(t + 1), labels)
    return predictions


@pytest.mark.parametrize("kind", sequences(4))
@pytest.mark.parametrize("kernel", [Gaussian(0.3), Linear(0.5)], ids=["gaussian", "linear"])
@pytest.mark.parametrize(
    ("regularisation", "mu", "beta"), [(1.0, 1.0, 1.0), (0.05, 0.05, 2.0), (1e-3, 1.0, 0.3), (1e3, 3.0, 5)]
)
def test_every_way_of_playing_equals_the_definition(kind, kernel, regularisation, mu, beta):
    X, y = sequences(120)[kind]
    K = kernel.gram(X, X)
    learner = PKAWVKors(regularisation=regularisation, mu=mu, beta=beta)
    game = {"rounds": 120, "dimension": 2, "kernel": kernel, "seed": 4}
    blocks = play(learner, Moves.of(X, y), **game)
    rounds = play(learner, OneByOne(Moves.of(X, y)), **game)
    coins = np.random.default_rng(np.random.SeedSequence(4).spawn(2)[0]).random(120)
    kept, probabilities = sample(kernel, X, coins, ridge=mu, beta=beta)
    for run in (blocks, rounds):
        np.testing.assert_array_equal(run.evidence["accepted_rounds"], 1.0 + np.array(kept))
        np.testing.assert_allclose(run.evidence["probabilities"], probabilities, atol=1e-10)
        assert run.sizes[-1, 1] == len(kept)
    np.testing.assert_allclose(blocks.predictions, rounds.predictions, atol=1e-8)
    if kind != "line":  # there the pseudo-inverse itself keeps four digits
        np.testing.assert_allclose(blocks.predictions, by_definition(K, y, kept, regularisation), atol=1e-8)


def test_repeated_points_in_a_dictionary_that_accepts_all():
    """Fifteen points are accepted ten times each; coordinates without orthogonalisation would become NaN."""
    X, y = sequences(150)["repeated"]
    kernel = Gaussian(0.3)
    run = play(PKAWVKors(beta=1e6), Moves.of(X, y), rounds=150, dimension=2, kernel=kernel)
    exact = play("kernel-awv", Moves.of(X, y), rounds=150, dimension=2, kernel=kernel)
    assert run.sizes[-1, 1] == 150
    np.testing.assert_allclose(run.predictions, exact.predictions, atol=1e-10)
    np.testing.assert_allclose(run.predictions, by_definition(kernel.gram(X, X), y, list(range(150)), 1.0), atol=1e-10)


def test_peek_tosses_no_coin_and_equals_predict_after_reveal():
    game = Game(dimension=2, kernel=Gaussian(0.5))
    learner = PKAWVKors(beta=0.7)
    learner.begin(game, np.random.default_rng(0))
    X, y = sequences(200)["random"]
    for t in range(200):
        before = learner.peek(X[t : t + 5])
        np.testing.assert_allclose(before, learner.peek(X[t : t + 5]), atol=0)
        joined = len(learner.accepted)
        learner.reveal(X[t])
        prediction = learner.predict(X[t])
        assert prediction == learner.predict(X[t])
        assert abs(prediction - learner.peek(X[t : t + 5])[0]) <= 1e-12
        if len(learner.accepted) == joined:
            np.testing.assert_allclose(learner.peek(X[t : t + 5]), before, atol=1e-12)
        learner.update(X[t], y[t])
    assert 0 < len(learner.accepted) < 200


def test_against_a_greedy_adversary_rounds_equal_blocks_and_the_definition():
    learner = PKAWVKors(mu=0.3, regularisation=0.3)
    game = {"rounds": 80, "dimension": 2, "kernel": Gaussian(0.4), "seed": 2}
    run = play(learner, "greedy(starts=32)", **game)
    again = play(learner, Moves.of(run.points, run.labels), **game)
    np.testing.assert_allclose(run.predictions, again.predictions, atol=1e-10)
    kept = [int(at) - 1 for at in run.evidence["accepted_rounds"]]
    twin = by_definition(game["kernel"].gram(run.points, run.points), run.labels, kept, 0.3)
    np.testing.assert_allclose(run.predictions, twin, atol=1e-8)


def test_chunks_of_a_long_sequence_are_one_sequence():
    X, y = sequences(1500)["random"]
    game = Game(dimension=2, kernel=Gaussian(0.5))
    whole, pieces = PKAWVKors(), PKAWVKors()
    for learner in (whole, pieces):
        learner.begin(game, np.random.default_rng(1))
    expected = whole.replay(X, y)
    borders = [0, 1, 2, 300, 301, 1000, 1500]
    got = [pieces.replay(X[a:b], y[a:b]) for a, b in itertools.pairwise(borders)]
    np.testing.assert_allclose(np.concatenate(got), expected, atol=1e-9)


def test_features_known_beforehand_are_those_of_the_final_dictionary():
    for kind, (X, y) in sequences(150).items():
        if kind == "line":
            continue
        kernel = Gaussian(0.3)
        game = {"rounds": 150, "dimension": 2, "kernel": kernel, "seed": 4}
        run = play(PKAWVBeforehand(beta=0.5), Moves.of(X, y), **game)
        coins = np.random.default_rng(np.random.SeedSequence(4).spawn(2)[0]).random(150)
        kept, probabilities = sample(kernel, X, coins, ridge=1.0, beta=0.5)
        np.testing.assert_array_equal(run.evidence["accepted_rounds"], 1.0 + np.array(kept))
        np.testing.assert_allclose(run.evidence["probabilities"], probabilities, atol=1e-10)
        gram = projected(kernel.gram(X, X), kept)
        for t in range(150):
            labels = np.append(y[:t], 0.0)
            twin = gram[t, : t + 1] @ np.linalg.solve(gram[: t + 1, : t + 1] + np.eye(t + 1), labels)
            assert abs(run.predictions[t] - twin) <= 1e-8


def test_batch_ridge_is_the_best_function_in_the_span():
    X, y = sequences(5000)["random"]  # more rounds than the engine usually plays in one block
    kernel = Gaussian(0.3)
    learner = BatchKRR(regularisation=0.5, mu=100)
    run = play(learner, Moves.of(X, y), rounds=5000, dimension=2, kernel=kernel, hindsight="none")
    kept = run.evidence["accepted_rounds"].astype(int) - 1
    cross, gram = kernel.gram(X, X[kept]), kernel.gram(X[kept], X[kept])
    weights = np.linalg.lstsq(cross.T @ cross + 0.5 * gram, cross.T @ y, rcond=None)[0]
    assert 10 < len(kept) < 100
    np.testing.assert_allclose(run.predictions, cross @ weights, atol=1e-8)
    np.testing.assert_allclose(learner.peek(X[:10]), run.predictions[:10], atol=1e-12)
    online = PKAWVBeforehand(regularisation=0.5, mu=100)
    online = play(online, Moves.of(X, y), rounds=5000, dimension=2, kernel=kernel, hindsight="none")
    assert run.loss < online.loss


@pytest.mark.parametrize("learner", [PKAWVBeforehand, BatchKRR])
def test_learners_with_foresight_refuse_adaptive_adversaries(learner):
    with pytest.raises(ArenaError, match=rf"{learner.name} must know .* greedy, which waits .* oblivious"):
        play(learner(), "greedy", rounds=5)
    playing = learner()
    playing.begin(Game(), np.random.default_rng(0))
    with pytest.raises(ArenaError, match=r"before its first prediction.*replay"):
        playing.predict(np.zeros(2))
    with pytest.raises(ArenaError, match="whole sequences"):
        playing.update(np.zeros(2), 1.0)
    playing.replay(np.zeros((3, 2)), np.ones(3))
    with pytest.raises(ArenaError, match="it has played one"):
        playing.replay(np.zeros((3, 2)), np.ones(3))


def test_close_points_on_a_line_against_explicit_orthogonal_features():
    """The expected values use Gram-Schmidt on explicit features, which is more accurate than a kernel matrix."""
    X = np.linspace(-0.2, 0.2, 150)[np.random.default_rng(0).permutation(150), np.newaxis]
    y = np.random.default_rng(1).choice([-1.0, 1.0], 150)
    game = {"rounds": 150, "dimension": 1, "kernel": Gaussian(0.3), "regularisation": 1e-3}
    run = play(PKAWVKors(beta=1e9), Moves.of(X, y), **game)
    features = build("embedding", "taylor(degree=40)").begun(run.game, None).features(X)
    basis = np.empty((0, 41))
    for t, f in enumerate(features):
        residual = f.copy()
        for _ in range(2):
            residual -= basis.T @ (basis @ residual)
        if residual @ residual > 1e-10:
            basis = np.vstack([basis, residual / np.linalg.norm(residual)])
        F = features[: t + 1] @ basis.T
        twin = F[-1] @ np.linalg.solve(F.T @ F + 1e-3 * np.eye(len(basis)), F[:-1].T @ y[:t])
        assert abs(run.predictions[t] - twin) <= 2e-6  # what rounding would spoil is left out of the span
    assert len(basis) < 12
