"""The best function for smooth losses by products, beside interior-point solutions with all features."""

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Laplacian
from arena.game.losses import Hinge, Logistic, SquaredHinge
from arena.hindsight.narrowing import Effort
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.smooth_losses import best_by_products
from arena.hindsight.spaces import Space
from arena_tests.sequences import KINDS, points


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()], ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("regularisation", [1e-2, 1.0, 1e3])
def test_it_agrees_with_an_interior_point_method(loss, kind, regularisation):
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


def test_little_time_and_mistakes():
    X, y = np.random.default_rng(1).uniform(-1, 1, (50, 2)), np.ones(50)
    said = []
    assert best_by_products(Gaussian(), X, y, Logistic(), 1.0, Effort(seconds=1e-9, notice=said.append)) is None
    assert "--hindsight-time" in said[0]
    with pytest.raises(ArenaError, match="the loss is hinge"):
        best_by_products(Gaussian(), X, y, Hinge(), 1.0, Effort(1.0))
    with pytest.raises(ArenaError, match="lambda must be"):
        best_by_products(Gaussian(), X, y, Logistic(), 0.0, Effort(1.0))
    assert best_by_products(Gaussian(), X[:0], y[:0], Logistic(), 1.0, Effort(1.0)).upper == 0.0
