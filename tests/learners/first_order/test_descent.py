"""FGD and FOGD equal plain implementations of their algorithms, in every way of playing."""

import numpy as np
import pytest

from arena import play
from arena.components.kernel_sums import KernelExpansion
from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Linear
from arena.specs.building import build
from arena_tests.playing import assert_every_way
from arena_tests.slow import gaussian
from arena_tests.slow.descent import DERIVATIVES, fgd
from arena_tests.slow.descent import features as features_of


def test_fgd_is_a_plain_sum_of_kernels(loss, kind, sequence, game):
    X, y = sequence(kind)
    expected = fgd(gaussian(X, X, 0.7), y, DERIVATIVES[loss], lambda _: len(X) ** -0.5)
    assert_every_way("fgd", X, y, game(loss), expected)


@pytest.mark.parametrize(
    ("spec", "eta", "shrinkage", "radius"),
    [
        ("fgd(steps=square-root)", lambda t: t**-0.5, 0.0, None),
        ("fgd(steps=square-root, rate=0.3, shrinkage=0.5)", lambda t: 0.3 * t**-0.5, 0.5, None),
        ("fgd(steps=square-root, shrinkage=4)", lambda t: 0.25 * t**-0.5, 4.0, None),
        ("fgd(steps=inverse)", lambda t: 0.5 / t, 0.0, None),
        ("fgd(steps=inverse, shrinkage=0.4)", lambda t: 1.0 / (0.4 * t), 0.4, None),
        ("fgd(rate=0.2, shrinkage=5)", lambda _: 0.2, 5.0, None),
        ("fgd(shrinkage=1e3)", lambda _: 1e-3, 1e3, None),
        ("fgd(rate=0.3, radius=0.8)", lambda _: 0.3, 0.0, 0.8),
        ("fgd(rate=0.3, radius=0.8, shrinkage=0.5)", lambda _: 0.3, 0.5, 0.8),
    ],
)
def test_norma_pegasos_and_projection(spec, eta, shrinkage, radius, kind, sequence, game):
    X, y = sequence(kind)
    expected = fgd(gaussian(X, X, 0.7), y, DERIVATIVES["hinge"], eta, shrinkage, radius)
    assert_every_way(spec, X, y, game("hinge"), expected)


def test_fgd_refuses_a_negative_shrinking_factor(game):
    with pytest.raises(ArenaError, match=r"rate \* shrinkage = 20"):
        build("learner", "fgd(rate=2, shrinkage=10)").begin(game(), np.random.default_rng(0))


def test_fogd_is_descent_on_explicit_features(loss, kind, sequence, game):
    X, y = sequence(kind)
    frequencies = np.random.default_rng(9).standard_normal((40, 2)) / game().kernel.bandwidth
    w, expected = np.zeros(80), []
    for features, label in zip(features_of(X, frequencies), y, strict=True):
        expected.append(w @ features)
        w = w - 0.4 * DERIVATIVES[loss](expected[-1], label) * features
    assert_every_way("fogd(frequencies=40, rate=0.4)", X, y, game(loss), np.array(expected))


def test_a_large_sum_is_evaluated_in_pieces(game):
    rng = np.random.default_rng(2)
    points, weights = rng.uniform(-1, 1, (5000, 2)), rng.standard_normal(5000)
    function = KernelExpansion(game().kernel)
    for x, weight in zip(points, weights, strict=True):
        function.add(x, float(weight))
    X = rng.uniform(-1, 1, (7, 2))
    np.testing.assert_allclose(function.at(X), weights @ gaussian(points, X, 0.7), rtol=0, atol=1e-10)


def test_the_projection_changes_predictions():
    free, bound = (
        play(spec, "repeated(points=9)", rounds=100).predictions
        for spec in ("fgd(rate=0.3)", "fgd(rate=0.3, radius=0.5)")
    )
    assert np.abs(bound).max() <= 0.5  # |f(x)| <= |f| for a kernel with k(x, x) = 1
    assert np.abs(free).max() > 0.5


def test_a_point_that_comes_again_shares_its_atom_whatever_the_sign_of_its_zeros():
    f = KernelExpansion(Gaussian())
    for x in ([0.0, 1.0], [-0.0, 1.0], [0.0, 1.0]):
        f.add(np.array(x), 1.0)
    f.add(np.array([0.0, np.nextafter(1.0, 2.0)]), 1.0)
    assert len(f) == 2
    assert f.at(np.array([[0.0, 1.0]]))[0] == pytest.approx(4.0)


@pytest.mark.parametrize("factor", [0.0, 1e-60, -0.5, 1e-200])
def test_any_number_of_shrinkings(factor):
    f, weights = KernelExpansion(Linear()), np.zeros(6)
    for t in range(6):
        f.shrink(factor)
        weights *= factor
        f.add(np.array([1.0 + t]), 0.5)
        weights[t] += 0.5
    np.testing.assert_allclose(f.at(np.array([[2.0]])), [2.0 * weights @ np.arange(1.0, 7.0)], rtol=1e-12)


def test_the_zero_function():
    assert KernelExpansion(Linear()).at(np.ones((3, 2))).tolist() == [0, 0, 0]
    assert len(KernelExpansion(Linear())) == 0


@pytest.mark.parametrize("spec", ["fgd", "fgd(steps=square-root)", "fgd(steps=inverse)", "nogd(budget=10)", "bogd"])
@pytest.mark.parametrize("kernel", ["polynomial(degree=5)", "linear(offset=1000)"])
def test_default_steps_do_not_overshoot_where_the_kernel_is_large(spec, kernel):
    """With steps of 1 / sqrt(T), the predictions at one corner of the box would overflow within 400 rounds."""
    run = play(spec, "alternating(at=[1, -1])", rounds=400, kernel=kernel, box=[[-0.5, 1], [-1, 0.5]])
    assert run.forfeit is None
    assert np.abs(run.predictions).max() <= 3.0


@pytest.mark.parametrize("spec", ["fgd", "fgd(steps=square-root)", "fgd(steps=inverse)", "nogd(budget=10)", "bogd",
                                  "fogd(frequencies=50)", "sgd"])  # fmt: skip
@pytest.mark.parametrize("bound", [1.0, 30.0, 1000.0])
def test_default_steps_do_not_overshoot_where_the_loss_is_steep(spec, bound):
    """Descent with steps above 2 / M overshoots further in every round, M = 2 B^2 for the squared hinge loss."""
    for adversary in ("orthogonal", "alternating"):
        game = {"rounds": 400, "dimension": 1, "loss": "squared-hinge", "label_bound": bound, "prediction_bound": 1e4}
        run = play(spec, adversary, **game)
        assert run.forfeit is None
        assert np.abs(run.predictions).max() <= 1e4
        assert not any(verdict.violated for verdict in run.verdicts())


@pytest.mark.parametrize("spec", ["adagrad", "ftrl-proximal"])
def test_a_constant_step_of_the_intercept_that_diverges_is_refused(spec):
    game = {"rounds": 400, "dimension": 1, "loss": "squared-hinge", "label_bound": 1000.0}
    with pytest.raises(ArenaError, match="the intercept diverges if its step intercept_rate is above 1e-06"):
        play(spec, "orthogonal", **game)
    for rate in ("1e-6", "0"):
        assert play(f"{spec}(intercept_rate={rate})", "orthogonal", **game).forfeit is None


def test_newton_steps_whose_default_ridge_overflows_are_refused():
    """With logistic loss on points far from zero the curvature is e^-(B |x|)."""
    game = {"rounds": 5, "dimension": 1, "box": (-91.4, -91.3), "loss": "logistic", "label_bound": 4.0}
    with pytest.raises(ArenaError, match="the default ridge 1"):
        play("ons", "orthogonal", **game)
    assert play("ons(rate=1)", "orthogonal", **game).forfeit is None


def test_default_steps_are_those_that_the_theorem_assumes():
    run = play("fgd", "repeated(points=5)", rounds=100, kernel="polynomial(degree=3)")
    twin = play(f"fgd(rate={0.1 / 27})", "repeated(points=5)", rounds=100, kernel="polynomial(degree=3)")
    np.testing.assert_allclose(run.predictions, twin.predictions, rtol=0, atol=1e-12)
    assert run.verdict("ogd").holds
