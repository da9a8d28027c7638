"""PROS-N-KONS, CON-KONS and B-KONS equal Newton steps in an embedding that is computed by an SVD."""

import dataclasses

import numpy as np
import pytest

from arena.game.game import Game
from arena.game.kernels import Gaussian, Linear, Polynomial
from arena.learners import BKons, ConKons, Kons, ProsNKons
from arena_tests import FULL
from arena_tests.playing import begun, one_by_one
from arena_tests.sequences import against, moves
from arena_tests.slow.newton import InTheSpan

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


def sequence(kind, rounds=250 if FULL else 150):
    if kind == "greedy":
        return against("con-kons", "greedy(starts=32, polished=1)", Game(rounds=60, kernel=Gaussian(bandwidth=0.5)))
    X, y = moves(kind, rounds, distinct=4 if kind == "near duplicates" else 9, apart=1e-8)
    # on a grid: the twin's eigenvalues do not tell points apart that are closer
    return (np.outer(np.round(X[:, 0], 1), [1.0, 0.5]) if kind == "rank one" else X), y


def fresh(learner, game):
    return begun(dataclasses.replace(learner), game, seed=3)


@pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_is_newton_in_the_dictionarys_span_with_the_same_coins(kind, learner):
    X, y = sequence(kind)
    game = Game(kernel=Gaussian(bandwidth=0.15))
    slow = InTheSpan(learner, game)
    expected = slow.play(X, y)
    whole, single, cut = (fresh(learner, game) for _ in range(3))
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
    learner = dataclasses.replace(learner, step=0.1)
    for kernel in (Linear(offset=1.0), Polynomial(degree=2)):
        game = Game(kernel=kernel, loss=loss, prediction_bound=1.3)
        expected = InTheSpan(learner, game).play(X, y)
        np.testing.assert_allclose(fresh(learner, game).replay(X, y), expected, rtol=0, atol=1e-8)
        np.testing.assert_allclose(one_by_one(fresh(learner, game), X, y), expected, rtol=0, atol=1e-8)


def test_con_kons_with_all_points_in_its_dictionary_is_kons():
    """When the dictionary has every point, CON-KONS with the step of KONS makes the predictions of KONS."""
    X, y = np.array([[-0.5], [0.5]])[np.arange(100) % 2], np.tile([1.0, -1.0, -1.0, 1.0, 1.0], 20)
    y[:2] = 0.0  # the rounds that CON-KONS spends on filling its dictionary leave no trace in KONS
    game = Game(dimension=1)
    con = begun(ConKons(beta=1000.0, step=0.125), game)
    np.testing.assert_allclose(con.replay(X, y), begun(Kons(), game).replay(X, y), rtol=0, atol=1e-12)


def test_the_round_after_an_acceptance_uses_the_new_point():
    """With beta = 1000 the first point is accepted in round 1, and used from round 2 on, after a restart."""
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
