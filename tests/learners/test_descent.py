"""Gradient descent in an RKHS against a plain loop over coefficients, and the sum of kernels that it keeps."""

import numpy as np
import pytest

from arena import Gaussian, Linear, play
from arena.components.kernel_sums import KernelExpansion


def slow(kernel, X, y, eta, shrinkage=0.0, radius=None):
    """One coefficient a round, the norm from the whole Gram matrix each time."""
    K, a, predictions = kernel.gram(X, X), np.zeros(len(X)), np.zeros(len(X))
    for t in range(len(X)):
        predictions[t] = K[t] @ a
        a *= 1 - eta(t + 1) * shrinkage
        a[t] -= eta(t + 1) * 2 * (predictions[t] - y[t])
        if radius is not None:
            a *= min(1.0, radius / max(np.sqrt(a @ K @ a), 1e-300))
    return predictions


@pytest.mark.parametrize(
    "adversary", ["repeated(points=9)", "repeated(points=300)", "repeated(points=5, labels=contrary)"]
)
@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ("fgd(rate=0.2)", {"eta": lambda _: 0.2}),
        ("fgd", {"eta": lambda _: 300**-0.5}),
        ("fgd(rate=0.5, steps=square-root)", {"eta": lambda t: 0.5 / np.sqrt(t)}),
        ("fgd(rate=0.3, shrinkage=0.4)", {"eta": lambda _: 0.3, "shrinkage": 0.4}),
        ("fgd(rate=2, steps=inverse, shrinkage=0.5)", {"eta": lambda t: 2 / t, "shrinkage": 0.5}),
        ("fgd(rate=0.3, radius=0.8)", {"eta": lambda _: 0.3, "radius": 0.8}),
        ("fgd(rate=0.3, radius=1.5, shrinkage=0.1)", {"eta": lambda _: 0.3, "radius": 1.5, "shrinkage": 0.1}),
    ],
)
def test_predictions_by_a_plain_loop(spec, rule, adversary):
    run = play(spec, adversary, rounds=300, kernel="gaussian(bandwidth=0.7)")
    expected = slow(run.game.kernel, run.points, run.labels, **rule)
    np.testing.assert_allclose(run.predictions, expected, rtol=0, atol=1e-10)


def test_the_projection_is_felt():
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
def test_shrinking_as_far_as_one_likes(factor):
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
    """With steps of 1/sqrt(T) alone, one corner of the box is enough for an overflow within 400 rounds."""
    run = play(spec, "alternating(at=[1, -1])", rounds=400, kernel=kernel, box=[[-0.5, 1], [-1, 0.5]])
    assert run.forfeit is None
    assert np.abs(run.predictions).max() <= 3.0


def test_default_steps_are_those_that_the_theorem_assumes():
    run = play("fgd", "repeated(points=5)", rounds=100, kernel="polynomial(degree=3)")
    twin = play(f"fgd(rate={0.1 / 27})", "repeated(points=5)", rounds=100, kernel="polynomial(degree=3)")
    np.testing.assert_allclose(run.predictions, twin.predictions, rtol=0, atol=1e-12)
    assert run.verdict("ogd").holds
