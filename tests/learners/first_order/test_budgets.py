"""NOGD, DualSGD and BOGD equal plain implementations of their algorithms, in every way of playing."""

import numpy as np
import pytest

from arena.components.kernel_sums import BudgetedSum
from arena.errors import ArenaError
from arena.game.kernels import Linear
from arena.specs.building import build
from arena_tests.playing import assert_every_way
from arena_tests.slow import gaussian
from arena_tests.slow.descent import DERIVATIVES, bogd, dual_sgd, fgd, nogd
from arena_tests.slow.descent import features as features_of


@pytest.fixture(params=[(20, 4), (150, 12)], ids=["20-4", "150-12"])
def budget_and_rank(request):
    return request.param


def test_nogd_is_descent_with_the_low_rank_kernel(budget_and_rank, loss, kind, sequence, game):
    budget, rank = budget_and_rank
    X, y = sequence(kind)
    expected = nogd(gaussian(X, X, 0.7), y, DERIVATIVES[loss], 0.3, budget, rank)
    assert_every_way(f"nogd(budget={budget}, rank={rank}, rate=0.3)", X, y, game(loss), expected)


def test_nogd_refuses_a_rank_above_its_budget(game):
    with pytest.raises(ArenaError, match="rank 30 is more than the budget 20"):
        build("learner", "nogd(budget=20, rank=30)").begin(game(), np.random.default_rng(0))


def test_dual_sgd_moves_the_lightest_atoms(loss, kind, sequence, game):
    X, y = sequence(kind)
    ball = 2.0 / 0.05 if loss == "squared" else np.inf
    frequencies = np.random.default_rng(9).standard_normal((15, 2)) / game().kernel.bandwidth
    features = features_of(X, frequencies)
    expected = dual_sgd(gaussian(X, X, 0.7), features, y, DERIVATIVES[loss], 0.05, 20, 7, ball)
    spec = "dual-sgd(budget=20, moved=7, frequencies=15, regularisation=0.05)"
    assert_every_way(spec, X, y, game(loss), expected)


def test_bogd_forgets_at_random(loss, kind, sequence, game):
    X, y = sequence(kind)
    K, derivative = gaussian(X, X, 0.7), DERIVATIVES[loss]
    assert_every_way("bogd(budget=30)", X, y, game(loss), bogd(K, y, derivative, len(X) ** -0.5, 30))
    expected = bogd(K, y, derivative, 0.2, 15, shrinkage=0.5, cap=0.3)
    assert_every_way("bogd(budget=15, rate=0.2, shrinkage=0.5, cap=0.3)", X, y, game(loss), expected)


def test_bogd_is_unbiased(sequence, game):
    """The mean of BOGD's prediction over many seeds is the prediction of gradient descent without a budget."""
    X, y = sequence("random")
    derivative = DERIVATIVES["hinge"]  # all margins stay below 1 with this rate, so its steps do not depend on f
    X, y = X[:13], y[:13]
    without = fgd(gaussian(X, X, 0.7), y, derivative, lambda _: 0.05)[-1]
    last = []
    for seed in range(1500):
        learner = build("learner", "bogd(budget=10, rate=0.05)")
        learner.begin(game("hinge"), np.random.default_rng(seed))
        last.append(learner.replay(X, y)[-1])
    assert np.mean(last) == pytest.approx(without, abs=4 * np.std(last) / np.sqrt(1500))
    assert np.std(last) > 1e-3


@pytest.mark.parametrize(
    "spec",
    [
        "bogd(budget=15, shrinkage=0.5)",
        "bogd(budget=15, shrinkage=0.5, cap=0.1)",
        "bsgd(budget=15, maintenance=remove)",
        "bsgd(budget=9)",
    ],
)
def test_evidence_of_removals_rebuilds_the_function(spec, sequence, game):
    """Gradient steps without a budget, minus the removals in the evidence, give the learner's predictions."""
    X, y = sequence("random")
    playing = game("hinge")
    learner = build("learner", spec)
    learner.begin(playing, np.random.default_rng(9))
    predictions = learner.replay(X, y)
    evidence = learner.evidence()
    points, weights, steps = np.empty((0, 2)), np.empty(0), 0
    for t in range(1, len(X) + 1):
        prediction = float(weights @ playing.kernel.gram(points, X[t - 1 : t])[:, 0])
        assert prediction == pytest.approx(predictions[t - 1], abs=1e-8)
        slope = DERIVATIVES["hinge"](prediction, y[t - 1])
        step, shrink = (1 / t, 1 - 1 / t) if "bsgd" in spec else (len(X) ** -0.5, 1 - 0.5 * len(X) ** -0.5)
        here = evidence["removed_rounds"] == t
        weights = weights * shrink
        new, out = -step * slope, -evidence["removed_weights"][here]
        steps += bool(slope)
        if "bogd" in spec and slope and steps > 15:  # the budget was full: all atoms grow before one goes
            weights = weights * 15 / 14
        points = np.concatenate([points, X[t - 1 : t], evidence["removed_points"][here]])
        weights = np.concatenate([weights, [new], out])


def test_a_budgeted_sum_survives_any_number_of_shrinkings():
    function = BudgetedSum(Linear(), dimension=1, capacity=3)
    function.look_at(np.array([[1.0]]))
    for factor in (1e-70, 1e70, 1e70, 1e-70, 1e-60, 1e60):
        function.put(0, 2.0)
        for _ in range(5):
            function.shrink(factor)
        for _ in range(5):
            function.shrink(1 / factor)
        assert function.value(0) == pytest.approx(2.0, rel=1e-12)
        function.remove(0)
