"""The growing Cholesky factor equals NumPy's factorisation of the whole matrix."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.kernels import Gaussian, Linear
from arena.linalg import cholesky
from arena.linalg.cholesky import PANEL, GrowingCholesky, triangular_solve

quick = settings(max_examples=60)
KINDS = ("random", "repeated", "rank one", "near duplicates", "one point")
SIZES = (1, 2, 127, 128, 129, 300)


def points(kind, size, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(size, 3))
    if kind == "repeated":
        return X[rng.integers(min(size, 5), size=size)]
    if kind == "rank one":
        return X[:1] * rng.uniform(0.5, 2, size=(size, 1))
    if kind == "near duplicates":
        X = X[rng.integers(min(size, 3), size=size)]
        return np.where(rng.random(X.shape) < 0.5, np.nextafter(X, 2.0), X)
    if kind == "one point":
        return np.tile(X[0], (size, 1))
    return X


def matrix(kind, size, regularisation, seed=0):
    X = points(kind, size, seed)
    kernel = Linear() if kind == "rank one" else Gaussian()
    return kernel.gram(X, X) + regularisation * np.eye(size)


def grown(A, floor, cuts=()):
    """Return the factor of A, grown in several parts that are separated by `cuts`."""
    factor = GrowingCholesky(floor)
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < len(A)}), len(A)]
    for start, stop in itertools.pairwise(edges):
        if stop - start == 1:
            factor.append(factor.solve(A[:start, start]), A[start, start])
        else:
            factor.extend(A[:start, start:stop], A[start:stop, start:stop])
    return factor


def tolerance(regularisation):
    """Return the allowed error; rounding errors grow with the condition number, which grows with 1 / lambda."""
    return 1e-12 * max(1.0, 1.0 / regularisation)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_the_factor_multiplies_back_to_the_matrix(kind, size):
    for regularisation in (1e-6, 1.0, 1e6):
        A = matrix(kind, size, regularisation)
        factor = grown(A, regularisation).dense()
        assert np.array_equal(factor, np.tril(factor))
        assert (factor.diagonal() ** 2 >= regularisation * (1 - 1e-15)).all()
        np.testing.assert_allclose(factor @ factor.T, A, rtol=1e-13, atol=1e-14 * A.max())


@pytest.mark.parametrize("kind", KINDS)
def test_the_factor_is_that_of_numpy_where_the_matrix_is_well_conditioned(kind):
    A = matrix(kind, 200, 0.5)
    np.testing.assert_allclose(grown(A, 0.5, range(0, 200, 7)).dense(), np.linalg.cholesky(A), rtol=0, atol=1e-12)


@quick
@given(
    kind=st.sampled_from(KINDS),
    size=st.sampled_from(SIZES),
    exponent=st.integers(-6, 6),
    cuts=st.lists(st.integers(1, 299), max_size=8),
    singles=st.integers(0, 40),
)
def test_any_way_of_chunking_gives_the_same_factor(kind, size, exponent, cuts, singles):
    regularisation = 10.0**exponent
    A = matrix(kind, size, regularisation)
    at_once = grown(A, regularisation).dense()
    in_chunks = grown(A, regularisation, [*cuts, *range(1, singles)]).dense()
    scale = np.sqrt(A.diagonal().max())
    np.testing.assert_allclose(in_chunks, at_once, rtol=0, atol=tolerance(regularisation) * scale)


@quick
@given(
    kind=st.sampled_from(KINDS),
    size=st.sampled_from((2, 128, 129, 300)),
    share=st.floats(0.01, 1.0),
    exponent=st.integers(-6, 6),
    columns=st.integers(0, 3),
)
def test_solves_with_every_leading_block(kind, size, share, exponent, columns):
    regularisation = 10.0**exponent
    A = matrix(kind, size, regularisation)
    factor = grown(A, regularisation)
    prefix = max(1, int(share * size))
    shape = (prefix, columns) if columns else (prefix,)
    B = np.random.default_rng(1).standard_normal(shape)
    kept = B.copy()
    solution = factor.solve_transposed(factor.solve(B, size=prefix), size=prefix)
    assert np.array_equal(B, kept)
    expected = np.linalg.solve(A[:prefix, :prefix], B)
    np.testing.assert_allclose(
        solution, expected, rtol=0, atol=100 * tolerance(regularisation) * np.abs(expected).max()
    )
    block = A[:prefix, :prefix]
    residual = block @ solution - B  # backward stable: small whatever the condition number
    np.testing.assert_allclose(residual, 0, atol=1e-13 * np.abs(block).sum(axis=1).max() * np.abs(solution).max())


@pytest.mark.parametrize("size", SIZES)
def test_the_pieces_of_a_solve(size):
    A = matrix("random", size, 0.1)
    factor, L = grown(A, 0.1), np.linalg.cholesky(A)
    b = np.random.default_rng(2).standard_normal(size)
    np.testing.assert_allclose(factor.solve(b), np.linalg.solve(L, b), atol=1e-10)
    np.testing.assert_allclose(factor.solve_transposed(b), np.linalg.solve(L.T, b), atol=1e-10)
    np.testing.assert_allclose(factor.rows(size // 2, size), L[size // 2 :], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prefix", [1, 127, 128, 129, 300])
def test_row_norms_of_the_inverse_add_up_to_the_trace_of_every_inverse(kind, prefix):
    regularisation = 1e-2
    A = matrix(kind, 300, regularisation)
    factor = grown(A, regularisation)
    _, norms = factor.off_diagonal_norms(prefix)
    assert norms.shape == (prefix,)
    norms = norms + factor.dense().diagonal()[:prefix] ** -2.0  # which the function leaves out
    for t in {1, prefix // 2, prefix} - {0}:
        trace = np.trace(np.linalg.inv(A[:t, :t]))
        assert norms[:t].sum() == pytest.approx(trace, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prefix", [1, 127, 129, 300])
def test_row_norms_are_those_left_of_the_pivots(kind, prefix):
    factor = grown(matrix(kind, 300, 1e-2), 1e-2)
    expected = np.square(np.tril(factor.dense(), -1)).sum(axis=1)[:prefix]
    np.testing.assert_allclose(factor.off_diagonal_norms(prefix)[0], expected, rtol=1e-12)


def test_appending_leaves_every_earlier_row_as_it_is_to_the_bit():
    A = matrix("near duplicates", 300, 1e-6)
    factor, before = GrowingCholesky(1e-6), np.zeros((0, 0))
    for start, stop in [(0, 100), (100, 101), (101, 129), (129, 130), (130, 300)]:
        if stop == start + 1:
            factor.append(factor.solve(A[:start, start]), A[start, start])
        else:
            factor.extend(A[:start, start:stop], A[start:stop, start:stop])
        after = factor.dense()
        assert np.array_equal(after[:start, :start], before)
        before = after


def test_nothing_is_factorised_again(factorised):
    """The sizes of the matrices that LAPACK factorises sum to the number of rows."""
    A = matrix("random", 700, 1.0)
    factor = GrowingCholesky(1.0)
    for start in range(0, 700, 50):
        factor.extend(A[:start, start : start + 50], A[start : start + 50, start : start + 50])
    assert sum(factorised) == 700
    assert max(factorised) <= PANEL
    factorised.clear()
    factor.append(factor.solve(np.zeros(700)), 2.0)
    assert factorised == []


def test_a_solve_reads_every_entry_of_the_factor_once(monkeypatch):
    """The sizes of the triangles that are solved sum to the number of rows, so that the work is quadratic."""
    rows = []

    def counted(lower, B, *, transposed=False):
        rows.append(len(lower))
        return triangular_solve(lower, B, transposed=transposed)

    monkeypatch.setattr(cholesky, "triangular_solve", counted)
    factor = grown(matrix("random", 300, 1.0), 1.0)
    rows.clear()
    factor.solve(np.ones(300))
    assert rows == [128, 128, 44]
    rows.clear()
    factor.solve(np.ones(129), size=129)
    assert rows == [128, 1]


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 200])
def test_a_truncated_copy_goes_its_own_way(size):
    A = matrix("random", 200, 0.1)
    factor = grown(A, 0.1)
    before = factor.dense()
    copied = factor.truncated(size)
    assert np.array_equal(copied.dense(), before[:size, :size])
    copied.append(np.zeros(size), 7.0)
    copied.append(np.full(size + 1, 0.01), 9.0)
    assert np.array_equal(factor.dense(), before)
    factor.append(np.zeros(200), 5.0)
    assert copied.size == size + 2
    assert copied.dense()[size, size] == pytest.approx(np.sqrt(7.0))


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda factor: pickle.loads(pickle.dumps(factor))])
def test_copies_are_whole_and_independent(copier):
    factor = grown(matrix("random", 150, 0.1), 0.1)
    before = factor.dense()
    twin = copier(factor)
    assert np.array_equal(twin.dense(), before)
    twin.append(np.zeros(150), 1.0)
    assert factor.size == 150
    assert np.array_equal(factor.dense(), before)


@pytest.mark.parametrize("kind", ["one point", "near duplicates", "repeated"])
@pytest.mark.parametrize("regularisation", [1e-12, 1e-10, 1e-8])
def test_repeated_points_do_not_break_the_factor_at_small_lambda(kind, regularisation):
    A = matrix(kind, 300, regularisation)
    for cuts in ((), range(1, 300), (5, 140)):
        L = grown(A, regularisation, cuts).dense()
        assert np.isfinite(L).all()
        assert (L.diagonal() ** 2 >= regularisation * (1 - 1e-15)).all()


def test_no_pivot_falls_below_the_floor_by_either_way_of_growing():
    """The pivot 1 - 0.9^2 = 0.19 takes the place of one that rounding has made smaller than the floor of 0.25."""
    by_rows = GrowingCholesky(floor=0.25)
    by_rows.append(np.empty(0), 1.0)
    by_rows.append(by_rows.solve(np.array([0.9])), 1.0)
    by_block = GrowingCholesky(floor=0.25)
    by_block.extend(np.empty((0, 3)), np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 4.0]]))
    np.testing.assert_allclose(by_rows.dense(), [[1.0, 0.0], [0.9, 0.5]])
    np.testing.assert_allclose(by_block.dense(), [[1.0, 0.0, 0.0], [0.9, 0.5, 0.0], [0.0, 0.0, 2.0]])
    indefinite = GrowingCholesky(floor=0.25)
    indefinite.extend(np.empty((0, 2)), np.array([[1.0, 1.1], [1.1, 1.0]]))  # LAPACK gives up here
    np.testing.assert_allclose(indefinite.dense(), [[1.0, 0.0], [1.0, 0.5]])


def test_rounding_errors_beyond_the_floor_do_not_grow():
    """Each pivot of the floor's size would make errors larger; they overflowed on some processors, not on others."""
    rng = np.random.default_rng(0)
    noise = rng.integers(-2, 3, size=(300, 300)) * 2.0**-12  # in the last digits of 2^40
    A = 2.0**40 + np.tril(noise) + np.tril(noise, -1).T
    for cuts in ((), range(1, 300), range(7, 300, 7), (5, 140)):
        L = grown(A, 1e-4, cuts).dense()
        assert np.abs(L[:, 1:]).max() <= 0.1
        np.testing.assert_allclose(L @ L.T, A, rtol=1e-10)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("floor", [1e-3, 1e-6, 1e-12])
def test_a_floor_far_below_the_rounding_errors_does_not_overflow(floor, seed):
    """Rounding errors of 1e-4, which no BLAS orders alike, would grow by a factor of 1e7 in each row."""
    rng = np.random.default_rng(seed)
    ones = np.full((50, 50), 1.1e12) + np.tril(rng.uniform(-2e-4, 2e-4, (50, 50)), -1)
    noisy = np.tril(ones) + np.tril(ones, -1).T
    factor = GrowingCholesky(floor=floor)
    factor.extend(np.empty((0, 50)), noisy + floor * np.eye(50))
    L = factor.dense()
    assert (L.diagonal() ** 2 >= floor * (1 - 1e-15)).all()
    np.testing.assert_allclose(L @ L.T, noisy, rtol=1e-9)


def test_an_empty_factor():
    factor = GrowingCholesky(1.0)
    assert factor.dense().shape == (0, 0)
    assert factor.solve(np.empty(0)).shape == (0,)
    assert factor.solve(np.empty((0, 3))).shape == (0, 3)
    assert [norms.shape for norms in factor.off_diagonal_norms(0)] == [(0,), (0,)]
    factor.extend(np.empty((0, 2)), np.eye(2) * 4.0)
    assert np.array_equal(factor.dense(), 2 * np.eye(2))


@pytest.mark.parametrize("transposed", [False, True])
def test_triangular_solve_does_not_read_above_the_diagonal(transposed):
    rng = np.random.default_rng(3)
    lower = np.tril(rng.uniform(1, 2, size=(6, 6)))
    dirty = lower + np.triu(np.full((6, 6), np.nan), 1)
    for B in (rng.standard_normal(6), rng.standard_normal((6, 2))):
        expected = np.linalg.solve(lower.T if transposed else lower, B)
        np.testing.assert_allclose(triangular_solve(dirty, B, transposed=transposed), expected, atol=1e-12)
