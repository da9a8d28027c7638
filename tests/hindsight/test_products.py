"""Products with a kernel matrix that is not stored equal products with the stored matrix."""

import numpy as np
import pytest

from arena.game.kernels import Gaussian, Laplacian, Linear, Matern, Polynomial
from arena.hindsight import products
from arena.hindsight.pivots import UNIT
from arena.hindsight.products import KernelProducts
from arena_tests.sequences import KINDS, points

KERNELS = [Gaussian(1.0), Gaussian(0.05), Gaussian(1e-4), Laplacian(0.5), Matern(1.0, 2.5), Polynomial(3), Linear(0.5)]


def stored(kernel, X, V):
    """Return K V, computed in long double from kernel values in double precision."""
    return kernel.gram(X, X).astype(np.longdouble) @ V.astype(np.longdouble)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_products_are_within_their_bound(kernel, kind, threads, monkeypatch):
    monkeypatch.setattr(products, "TILE", 32)
    rng = np.random.default_rng(0)
    X = points(kind, 150, rng) + 3.0
    V = rng.normal(size=(150, 3)) * 10.0 ** rng.uniform(-3, 3, 150)[:, np.newaxis]
    made = KernelProducts(kernel, X, threads=threads)
    exact, root = stored(kernel, X, V), np.sqrt(kernel.diagonal(X))
    mass = root[:, np.newaxis] * (root @ np.abs(V))
    own = kernel.roundings(X.shape[1]) * UNIT * mass  # of the stored matrix
    assert (np.abs(made.times(V) - exact) <= made.roundings() * UNIT * mass + own).all()
    assert (np.abs(made.times(V, single=True) - exact) <= 1e-2 * mass).all()
    assert made.roundings() * UNIT < 1e-10


def test_single_precision_is_used_and_is_less_precise():
    rng = np.random.default_rng(1)
    X, V = rng.uniform(-1, 1, (300, 4)), rng.normal(size=(300, 1))
    made = KernelProducts(Gaussian(), X, threads=1)
    off = np.abs(made.times(V, single=True) - stored(Gaussian(), X, V)).max()
    assert 1e-8 < off < 1e-4
    far = KernelProducts(Gaussian(1e-5), X, threads=1)  # its exponents would be noise in single precision
    np.testing.assert_array_equal(far.times(V, single=True), far.times(V))


def test_a_subclass_keeps_its_own_values():
    class Half(Gaussian):
        def gram(self, X, Z):
            return 0.5 * super().gram(X, Z)

    X = np.random.default_rng(2).uniform(-1, 1, (40, 2))
    np.testing.assert_allclose(KernelProducts(Half(), X).times(np.eye(40)), 0.5 * Gaussian().gram(X, X), atol=1e-14)


def test_progress_and_interruptions(monkeypatch):
    monkeypatch.setattr(products, "TILE", 16)
    X, seen = np.random.default_rng(3).uniform(-1, 1, (200, 2)), []
    made = KernelProducts(Gaussian(), X, threads=2, watch=lambda work, done, rows: seen.append((work, done, rows)))
    made.times(np.ones((200, 1)), work="a product")
    assert seen[-1] == ("a product", 200, 200)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)

    def stop(*_):
        raise KeyboardInterrupt

    made.watch = stop
    with pytest.raises(KeyboardInterrupt):
        made.times(np.ones((200, 1)), work="a product")


def test_no_rows():
    assert KernelProducts(Gaussian(), np.empty((0, 2))).times(np.empty((0, 1))).shape == (0, 1)
    assert KernelProducts(Gaussian(), np.empty((0, 2))).seconds() == 0.0


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Laplacian(0.5), Linear(0.5)], ids=str)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("ends", [[5, 32, 33, 100], [64], [1, 2, 149]])
def test_sums_before_against_the_stored_matrix(kernel, threads, ends, monkeypatch):
    monkeypatch.setattr(products, "TILE", 32)
    rng = np.random.default_rng(1)
    X, B = rng.uniform(-1, 1, (150, 2)), rng.normal(size=(150, len(ends)))
    K = kernel.gram(X, X)
    said = []
    made = KernelProducts(kernel, X, threads=threads, watch=lambda *given: said.append(given))
    sums, forms = made.sums_before(B, ends, work="sums")
    for t in range(150):
        own = [j for j, end in enumerate(ends) if end <= t]
        expected = K[t, :t] @ B[:t, own[-1]] if own else 0.0
        assert sums[t] == pytest.approx(expected, abs=1e-10)
    for j, end in enumerate(ends):
        assert forms[j] == pytest.approx(B[:end, j] @ K[:end, :end] @ B[:end, j], abs=1e-9)
    assert said[-1] == ("sums", 150, 150)
