"""The best function for other losses, computed by products, equals interior-point and coordinate-ascent solutions."""

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Laplacian
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, SmoothHinge, Squared, SquaredHinge
from arena.hindsight import newton_products
from arena.hindsight.narrowing import Effort
from arena.hindsight.newton_products import best_by_products
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.smoothing import SMOOTH, Smoothed
from arena.hindsight.spaces import Space
from arena_tests import FULL
from arena_tests.sequences import KINDS, points
from arena_tests.slow.other_losses import coordinate_ascent

LOSSES = [Logistic(), SquaredHinge(), SmoothHinge(0.3), Hinge(), EpsilonInsensitive(0.2), Absolute()]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)


@every_loss
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("regularisation", [1e-2, 1.0, 1e3])
def test_it_agrees_with_an_interior_point_method(loss, kind, regularisation, monkeypatch):
    if type(loss) in SMOOTH or regularisation >= 1.0:
        monkeypatch.setattr(newton_products, "DIRECT", 20)
    rng = np.random.default_rng(0)
    X, y = points(kind, 120, rng), rng.choice([-1.0, -0.5, 0.0, 1.0], 120)
    kernel = Laplacian(0.7) if kind == "random" else Gaussian(0.5)
    effort = Effort(seconds=np.inf, features=20)
    found = best_by_products(kernel, X, y, loss, regularisation, effort)
    twin = best_for_loss(Space.of(kernel, X), loss, y, regularisation=regularisation)
    assert found.relative_width <= 1e-6
    assert found.lower <= twin.upper
    assert twin.lower <= found.upper
    assert found.upper == pytest.approx(twin.upper, rel=2e-6)
    np.testing.assert_allclose(found.predictions, twin.predictions, atol=2e-2)


@every_loss
@pytest.mark.parametrize("kind", ["random", "repeated", "rank one"])
def test_equal_to_the_direct_optimum_in_2000_rounds(loss, kind):
    rounds = 2000 if FULL else 500
    rng = np.random.default_rng(1)
    X, y = points(kind, rounds, rng), rng.choice([-1.0, 1.0], rounds)
    found = best_by_products(Gaussian(0.7), X, y, loss, 1.0, Effort(seconds=np.inf, width=1e-9))
    twin = best_for_loss(Space.of(Gaussian(0.7), X), loss, y, regularisation=1.0)
    assert found.upper == pytest.approx(twin.upper, rel=1e-8)
    assert found.relative_width <= 1e-8


@every_loss
def test_equal_to_coordinate_ascent(loss):
    rng = np.random.default_rng(2)
    X, y = rng.uniform(-1.0, 1.0, (30, 2)), rng.choice([-1.0, 0.5, 1.0], 30)
    found = best_by_products(Gaussian(0.5), X, y, loss, 0.1, Effort(seconds=np.inf, width=1e-8))
    low, high, _ = coordinate_ascent(Gaussian(0.5).gram(X, X), y, loss, regularisation=0.1)
    assert found.lower <= high * (1.0 + 1e-12)
    assert found.upper >= low * (1.0 - 1e-12)
    assert found.relative_width <= 1e-8


def smoothed_loss(smoothed, z):
    """Return the loss of each prediction, with a parabola of the given width in place of the kink."""
    loss, width = smoothed.loss.value(z, smoothed.y), smoothed.width
    return np.where(loss >= width, loss - 0.5 * width, np.square(loss) / (2.0 * width)) if width else loss


@every_loss
def test_derivatives_and_gap_of_smoothed_losses(loss):
    y = np.array([1.0, -1.0, 0.5, 1.0])
    smoothed = Smoothed.of(loss, y)
    z, step = np.array([0.1, 0.3, 1.7, 0.97]), 1e-6
    ends = smoothed_loss(smoothed, z - step), smoothed_loss(smoothed, z + step)
    np.testing.assert_allclose(smoothed.slope(z), (ends[1] - ends[0]) / (2 * step), atol=1e-6)
    slopes = smoothed.slope(z - step), smoothed.slope(z + step)
    np.testing.assert_allclose(smoothed.bend(z), (slopes[1] - slopes[0]) / (2 * step), atol=1e-5)
    if smoothed.width:
        before = smoothed.slope(z)
        ahead = smoothed.narrowed(0.25, z)
        np.testing.assert_allclose(smoothed.slope(ahead), before, atol=1e-12)


class _CacheInMemory(dict):
    """An interval cache in memory that raises `KeyboardInterrupt` when it has kept `most` states."""

    def __init__(self, most):
        self.most = most

    def load(self, key):
        return self.get(key)

    def keep(self, key, arrays):
        self[key] = {name: array.copy() for name, array in arrays.items()}
        self.most -= 1
        if not self.most:
            raise KeyboardInterrupt

    def drop(self, key):
        self.pop(key, None)


@pytest.mark.parametrize("loss", [Logistic(), Hinge()], ids=str)
def test_an_interrupted_run_is_continued(loss):
    rng = np.random.default_rng(3)
    X, y = rng.uniform(-1.0, 1.0, (300, 2)), rng.choice([-1.0, 1.0], 300)
    interval_cache, said = _CacheInMemory(2), []
    effort = Effort(seconds=np.inf, interval_cache=interval_cache, notice=said.append)
    with pytest.raises(KeyboardInterrupt):
        best_by_products(Gaussian(0.5), X, y, loss, 1.0, effort)
    assert len(interval_cache) == 1
    found = best_by_products(Gaussian(0.5), X, y, loss, 1.0, effort)
    assert any("continuing" in each for each in said)
    whole = best_by_products(Gaussian(0.5), X, y, loss, 1.0, Effort(seconds=np.inf))
    assert found.upper == pytest.approx(whole.upper, rel=1e-6)
    assert found.relative_width <= 1e-6
    assert not interval_cache


def test_little_time_and_mistakes():
    X, y = np.random.default_rng(1).uniform(-1, 1, (50, 2)), np.ones(50)
    said = []
    assert best_by_products(Gaussian(), X, y, Logistic(), 1.0, Effort(seconds=1e-9, notice=said.append)) is None
    assert "`Effort(...)`" in said[0]
    with pytest.raises(ArenaError, match="the loss is squared"):
        best_by_products(Gaussian(), X, y, Squared(), 1.0, Effort(1.0))
    with pytest.raises(ArenaError, match="lambda must be"):
        best_by_products(Gaussian(), X, y, Logistic(), 0.0, Effort(1.0))
    assert best_by_products(Gaussian(), X[:0], y[:0], Logistic(), 1.0, Effort(1.0)).upper == 0.0
