"""The cost of projections: an exact identity for growing subspaces, and a bound for fixed ones."""

import numpy as np
import pytest

from arena import Game, play
from arena.game.kernels import Gaussian
from arena.learners.pkawv_kors import PKAWVKors
from arena.specs.building import build
from arena_tests.slow.ridge import optimum, projected


def sequences(rounds):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (rounds, 2))
    signs = rng.choice([-1.0, 1.0], rounds)
    greedy = play(
        PKAWVKors(regularisation=0.5), "greedy(starts=32)", rounds=80, kernel=Gaussian(0.4), regularisation=0.5
    )
    return {
        "random": (X, signs),
        "repeated": (X[np.arange(rounds) % 20], signs),
        "one after the other": (X[np.arange(rounds) // 15], signs),
        "greedy": (np.array(greedy.points), np.array(greedy.labels)),
    }


@pytest.mark.parametrize("mu", [0.5, 10.0])
@pytest.mark.parametrize("kind", ["random", "repeated", "one after the other", "greedy"])
def test_regret_is_estimation_plus_what_each_newcomer_reveals(kind, mu):
    """R = sum (1 - 1/s_t)(y_t^2 - s_t prediction_t^2) plus the falls of the prefix optimum (theory E6).

    The s_t are computed in the span at round t. The optimum falls whenever the span grows, and from the last span to
    the whole RKHS.
    """
    X, y = sequences(250)[kind]
    kernel, regularisation = Gaussian(0.4), 0.5
    learner = PKAWVKors(regularisation=regularisation, mu=mu)
    learner.begin(Game(dimension=2, kernel=kernel), np.random.default_rng(7))
    K = kernel.gram(X, X)
    identity = loss = 0.0
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        before = [int(at) - 1 for at in learner.accepted.view()]
        learner.reveal(x)
        after = [int(at) - 1 for at in learner.accepted.view()]
        if before != after:
            old = projected(K, before)[:t, :t] if before else np.zeros((t, t))
            identity += optimum(old, y[:t], regularisation)
            identity -= optimum(projected(K, after)[:t, :t], y[:t], regularisation)
        prediction = learner.predict(x)
        stretch = 1.0 + learner.past.at(learner.span.coordinates(x[np.newaxis]))[1][0]
        identity += (1 - 1 / stretch) * (label**2 - stretch * prediction**2)
        loss += (prediction - label) ** 2
        learner.update(x, label)
    best = optimum(K, y, regularisation)
    identity += optimum(projected(K, after), y, regularisation) - best
    np.testing.assert_allclose(loss - best, identity, atol=1e-9)


@pytest.mark.parametrize("embedding", ["taylor(degree=2)", "nystrom(points=6)", "pivoted-cholesky(points=6)"])
@pytest.mark.parametrize("adversary", ["greedy(starts=32)", "repeated(points=12)", "alternating(at=[1, 1])"])
def test_a_fixed_subspace_costs_at_most_what_it_misses(embedding, adversary):
    """R <= B^2 log det(I + K / lambda) + B^2 T m / (lambda + m) (theory E4').

    m is the largest eigenvalue of K minus the projected kernel matrix.
    """
    learner = build("learner", f"pkawv(embedding={embedding})")
    run = play(learner, adversary, rounds=120, kernel=Gaussian(0.7))
    F = learner.basis.features(run.points)
    K = run.game.kernel.gram(run.points, run.points)
    missing = np.linalg.eigvalsh(K - F @ F.T)
    assert missing[0] >= -1e-9  # the features lie in the RKHS
    logdet = np.linalg.slogdet(np.eye(120) + K)[1]
    assert run.regret[-1] <= logdet + 120 * missing[-1] / (1 + missing[-1])
    if adversary == "repeated(points=12)":
        assert run.regret[-1] > 0.3 * 120 * missing[-1] / (1 + missing[-1])  # and not much less


def test_fourier_features_are_no_subspace_and_say_so():
    learner = build("learner", "pkawv(embedding=fourier(frequencies=10))")
    run = play(learner, "repeated(points=30)", rounds=30, kernel=Gaussian(0.7))
    F = learner.basis.features(run.points)
    assert np.linalg.eigvalsh(run.game.kernel.gram(run.points, run.points) - F @ F.T)[0] < -0.1
    assert not learner.basis.within
    assert build("embedding", "taylor").within
