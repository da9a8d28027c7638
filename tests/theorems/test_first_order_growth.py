"""Constants and variants of the regret's growth for first-order learners, beyond the table of growth rates.

The sequences have one point with labels +1 and -1, in turn, in blocks, or constant; or an anchor between new points.
With REGRET_ARENA_FULL=1 the horizons go up to 100,000.
"""

import numpy as np
import pytest

from arena.engine.growth import exponent
from arena.game.game import Game
from arena.game.kernels import Gaussian
from arena.game.losses import SmoothHinge
from arena.specs.building import build
from arena_tests import FULL

HORIZONS = (12_500, 25_000, 50_000, 100_000) if FULL else (1000, 2000, 4000)
MARGIN = 0.15


def replay(spec, game, X, y):
    learner = build("learner", spec)
    learner.begin(game, np.random.default_rng(1))
    return np.concatenate([learner.replay(X[i : i + 4096], y[i : i + 4096]) for i in range(0, len(X), 4096)]), learner


def one_point(rounds, block=1):
    """Return one point with labels +1 and -1 in blocks of `block` rounds, so that the best constant is zero."""
    return np.zeros((rounds, 2)), np.where(np.arange(rounds) // block % 2, -1.0, 1.0)


def alternating_regret(spec, rounds):
    X, y = one_point(rounds)
    predictions, _ = replay(spec, Game(rounds=rounds), X, y)
    return float(np.square(predictions - y).sum()) - rounds


@pytest.mark.parametrize("spec", ["fgd", "fogd(frequencies=50)", "nogd(budget=20)"])
def test_descent_pays_the_square_root_for_alternating_labels(spec):
    regrets = [alternating_regret(spec, rounds) for rounds in HORIZONS]
    assert exponent(HORIZONS, regrets) == pytest.approx(0.5, abs=MARGIN)
    assert regrets[-1] == pytest.approx(2.0 * np.sqrt(HORIZONS[-1]), rel=0.06)  # the constant of theory F2


def constant(rounds):
    """Return a game, and one point with the label 1 (theory F5); the optimum stays bounded."""
    return Game(rounds=rounds), np.ones((rounds, 2)), np.ones(rounds)


def wiped(rounds):
    """Return a game and moves: four rounds of an anchor with the label 1, then a new point with the label 0.

    New points are orthogonal to all others (theory F8).
    """
    X, anchor = np.random.default_rng(2).uniform(-1, 1, (rounds, 2)), np.arange(rounds) % 5 < 4
    X[anchor] = 0.5
    return Game(rounds=rounds, kernel=Gaussian(1e-3)), X, 1.0 * anchor


@pytest.mark.parametrize("sequence", [constant, wiped])
@pytest.mark.parametrize("spec", ["perceptron", "projectron", "rbp(budget=10)", "forgetron(budget=10)"])
def test_perceptrons_err_once_on_one_label(spec, sequence):
    learner = replay(spec, *sequence(HORIZONS[0]))[1]
    np.testing.assert_array_equal(learner.evidence()["mistake_rounds"], [1])


def test_dual_svrg_pays_a_constant_for_one_label():
    spec = "dual-svrg(regularisation=0.001, frequencies=20)"
    game, X, y = constant(HORIZONS[-1])
    losses = SmoothHinge().value(replay(spec, game.replace(loss="smooth-hinge"), X, y)[0], y)
    assert losses[: HORIZONS[0]].sum() > 1.0
    assert losses[HORIZONS[0] :].sum() < 0.01 * losses.sum()


@pytest.mark.parametrize("spec", ["fgd(steps=inverse)", "dual-sgd", "bsgd(budget=10, maintenance=remove)"])
def test_steps_of_one_over_t_pay_a_logarithm_for_alternating_labels(spec):
    assert exponent(HORIZONS, [alternating_regret(spec, rounds) for rounds in HORIZONS]) < MARGIN


@pytest.mark.parametrize("spec", ["perceptron", "projectron", "forgetron(budget=10)", "rbp(budget=10)"])
def test_perceptrons_err_always_or_half_the_time_on_alternating_labels(spec):
    mistakes = []
    for rounds in HORIZONS:
        _, learner = replay(spec, Game(rounds=rounds), *one_point(rounds))
        mistakes.append(len(learner.evidence()["mistake_rounds"]))
    assert exponent(HORIZONS, mistakes) == pytest.approx(1.0, abs=MARGIN)
    assert mistakes[-1] >= HORIZONS[-1] / 2


@pytest.mark.parametrize(
    ("loss", "measured"), [("smooth-hinge", {4000: 213, 8000: 426}), ("logistic", {4000: 317, 8000: 646})]
)
def test_label_blocks_as_long_as_the_memory_defeat_dual_svrg(loss, measured):
    """Blocks of 100 labels cost a constant in each round, and blocks of 10 labels cost nothing (theory F10)."""
    horizons = HORIZONS if FULL else tuple(measured)
    spec = f"dual-svrg(loss={loss}, regularisation=0.001, frequencies=20)"

    def regret(rounds, block):
        game = Game(rounds=rounds, loss=loss)
        X, y = one_point(rounds, block)
        predictions, _ = replay(spec, game, X, y)
        return float((game.loss.value(predictions, y) - game.loss.value(np.zeros(rounds), y)).sum())

    regrets = {rounds: regret(rounds, 100) for rounds in horizons}
    assert exponent(horizons, list(regrets.values())) == pytest.approx(1.0, abs=MARGIN)
    for rounds in set(horizons) & set(measured):
        assert regrets[rounds] == pytest.approx(measured[rounds], abs=1.0)
    assert abs(regret(horizons[0], 10)) < 1.5
    assert abs(regret(horizons[0], 1)) < 0.1
