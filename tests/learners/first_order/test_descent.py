"""FGD and FOGD equal plain transcriptions of their algorithms, in every way of playing."""

import numpy as np
import pytest

from arena import play
from arena.components.kernel_sums import KernelExpansion
from arena.errors import ArenaError
from arena.game.kernels import Gaussian
from arena.specs.building import build


def test_fgd_is_a_plain_sum_of_kernels(loss, kind, sequence, game, assert_all_ways, plain_fgd, derivatives):
    X, y = sequence(kind)
    expected = plain_fgd(X, y, derivatives[loss], lambda _: len(X) ** -0.5)
    assert_all_ways("fgd", X, y, game(loss), expected)


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
def test_norma_pegasos_and_projection(
    spec, eta, shrinkage, radius, kind, sequence, game, assert_all_ways, plain_fgd, derivatives
):
    X, y = sequence(kind)
    expected = plain_fgd(X, y, derivatives["hinge"], eta, shrinkage, radius)
    assert_all_ways(spec, X, y, game("hinge"), expected)


def test_fgd_refuses_to_shrink_below_nothing(game):
    with pytest.raises(ArenaError, match=r"rate \* shrinkage = 20"):
        build("learner", "fgd(rate=2, shrinkage=10)").begin(game(), np.random.default_rng(0))


def test_fogd_is_descent_on_explicit_features(loss, kind, sequence, game, assert_all_ways, plain_features, derivatives):
    X, y = sequence(kind)
    frequencies = np.random.default_rng(9).standard_normal((40, 2)) / game().kernel.bandwidth
    w, expected = np.zeros(80), []
    for features, label in zip(plain_features(X, frequencies), y, strict=True):
        expected.append(w @ features)
        w = w - 0.4 * derivatives[loss](expected[-1], label) * features
    assert_all_ways("fogd(frequencies=40, rate=0.4)", X, y, game(loss), np.array(expected))


def test_a_large_sum_is_evaluated_in_pieces(game, kernel_matrix):
    rng = np.random.default_rng(2)
    points, weights = rng.uniform(-1, 1, (5000, 2)), rng.standard_normal(5000)
    function = KernelExpansion(game().kernel)
    for x, weight in zip(points, weights, strict=True):
        function.add(x, float(weight))
    X = rng.uniform(-1, 1, (7, 2))
    np.testing.assert_allclose(function.at(X), weights @ kernel_matrix(points, X), rtol=0, atol=1e-10)


@pytest.mark.parametrize("bandwidth", [1e-3, 1e3])
@pytest.mark.parametrize(
    "spec", ["fgd", "fogd(frequencies=20)", "nogd(budget=30)", "bogd(budget=2)", "bsgd", "bsgd(maintenance=remove)",
             "dual-sgd(frequencies=20)"]
)  # fmt: skip
@pytest.mark.parametrize("regularisation", [1e-8, 1e8])
def test_extreme_input_does_no_harm(spec, bandwidth, regularisation):
    for adversary, rounds in (("alternating", 5000), ("repeated(points=130, labels=contrary)", 700)):
        if spec == "bsgd":
            rounds //= 5
        run = play(
            spec, adversary, rounds=rounds, kernel=Gaussian(bandwidth), regularisation=regularisation, hindsight="none"
        )
        assert run.ended == "completed"
        assert np.isfinite(run.predictions).all()
