"""Ridge regression on features equals its definition, round by round and in blocks."""

import numpy as np
import pytest

from arena.components.linear_ridge import LinearRidge
from arena.linalg.cholesky import factor_above
from arena_tests.slow.ridge import on_features


def sequences():
    rng = np.random.default_rng(0)
    yield "random", rng.uniform(-1, 1, (400, 12)) / 12**0.5
    yield "repeated", (rng.uniform(-1, 1, (5, 12)) / 12**0.5)[rng.integers(5, size=400)]
    yield "rank one", np.outer(rng.uniform(-1, 1, 400), rng.standard_normal(12) / 12)
    yield "one feature", rng.uniform(-1, 1, (400, 1))
    wide = rng.standard_normal((400, 150))
    yield "wide", wide / np.linalg.norm(wide, axis=1, keepdims=True)


@pytest.mark.parametrize("regularisation", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("F", [F for _, F in sequences()], ids=[kind for kind, _ in sequences()])
def test_rounds_blocks_and_definition_agree(F, regularisation):
    y = np.random.default_rng(1).choice([-1.0, 1.0], len(F))
    tolerance = 1e-12 / min(regularisation, 1.0)
    alone, together, mixed = (LinearRidge(F.shape[1], regularisation) for _ in range(3))
    means, surprises = np.empty(len(F)), np.empty(len(F))
    for t, (f, label) in enumerate(zip(F, y, strict=True)):
        mean, surprise = alone.at(f[np.newaxis])
        means[t], surprises[t] = mean[0], surprise[0]
        alone.append(f, label)
    blocks = together.extend(F, y)
    pieces = [mixed.extend(F[a:b], y[a:b]) for a, b in [(0, 0), (0, 1), (1, 70), (70, 71), (71, 333), (333, 400)]]
    twin = on_features(F, y, regularisation)
    for mean, surprise in (blocks, np.concatenate(pieces, axis=1), twin):
        np.testing.assert_allclose(mean, means, atol=tolerance)
        np.testing.assert_allclose(mean / (1 + surprise), means / (1 + surprises), atol=tolerance)
        np.testing.assert_allclose(1 / (1 + surprise), 1 / (1 + surprises), atol=tolerance)
    anywhere = np.random.default_rng(2).standard_normal((6, F.shape[1]))
    for other in (together, mixed):
        np.testing.assert_allclose(other.at(anywhere)[0], alone.at(anywhere)[0], atol=10 * tolerance)


@pytest.mark.parametrize("at", [0, 1, 63, 64, 65, 200])
def test_a_feature_added_late_equals_one_that_was_always_there(at):
    rng = np.random.default_rng(at)
    F, y = rng.uniform(-1, 1, (260, 9)) / 3, rng.uniform(-1, 1, 260)
    growing, complete = LinearRidge(6, 0.1), LinearRidge(9, 0.1)
    growing.extend(F[:at, :6], y[:at])
    for width in (6, 7, 8):
        growing.widen(F[:at, :width], y[:at], F[:at, width])
    complete.extend(F[:at], y[:at])
    np.testing.assert_allclose(growing.at(F), complete.at(F), atol=1e-12)
    np.testing.assert_allclose(growing.extend(F[at:], y[at:]), complete.extend(F[at:], y[at:]), atol=1e-12)


def test_no_features_at_all():
    past = LinearRidge(0, 1.0)
    mean, surprise = past.extend(np.empty((100, 0)), np.ones(100))
    np.testing.assert_array_equal([mean, surprise], 0.0)
    past.widen(np.empty((100, 0)), np.ones(100), np.ones(100))
    np.testing.assert_allclose(past.at(np.ones((1, 1)))[0], 100 / 101)


def test_the_factor_survives_a_matrix_that_rounding_makes_indefinite():
    f = np.full(40, 1e3)
    matrix = np.outer(f, f)
    matrix.flat[::41] += 1e-11  # lost in rounding: as given, the matrix has rank one
    factor = factor_above(matrix, 1e-11)
    assert np.isfinite(factor).all()
    assert np.square(factor.diagonal()).min() >= 1e-11 * (1 - 1e-9)
    np.testing.assert_allclose(factor @ factor.T, matrix, rtol=1e-9)


def test_one_repeated_point_with_a_tiny_regularisation():
    """The mean is t y q / (lambda + t q) even where lambda is smaller than the rounding errors of the matrix."""
    f = np.array([0.6, 0.8, 0.0])
    past = LinearRidge(3, 1e-8)
    mean, surprise = past.extend(np.tile(f, (5000, 1)), np.ones(5000))
    rounds = np.arange(5000)
    np.testing.assert_allclose(mean, rounds / (1e-8 + rounds), atol=1e-7)
    np.testing.assert_allclose(surprise[1:], 1 / (1e-8 + rounds[1:]), atol=1e-6)


def in_slices(F):
    """Return the rows as a slice of a larger array in column order, which is contiguous in neither order."""
    table = np.asfortranarray(np.vstack([F, F]))
    return table[: len(F)]


@pytest.mark.parametrize("stored", [np.ascontiguousarray, np.asfortranarray, in_slices])
def test_whole_blocks_equal_the_definition_however_features_are_stored(stored):
    """With 220 features, blocks grow from 1, 1, 2, 4, ..., 64 rounds to 110 rounds."""
    rng = np.random.default_rng(4)
    F, y = rng.standard_normal((400, 220)) / 220**0.5, rng.choice([-1.0, 1.0], 400)
    past = LinearRidge(220, 0.1)
    given, labels = stored(F), y.copy()
    means, surprises = past.extend(given, labels)
    np.testing.assert_array_equal(given, F)  # the caller's features are not overwritten
    expected = on_features(F, y, 0.1)
    np.testing.assert_allclose(means, expected[0], atol=1e-11)
    np.testing.assert_allclose(surprises, expected[1], atol=1e-11)


def test_no_label_of_a_block_changes_earlier_predictions():
    rng = np.random.default_rng(5)
    F, y = rng.standard_normal((320, 30)) / 5, rng.choice([-1.0, 1.0], 320)
    changed = np.where(np.arange(320) >= 250, 1e6, y)
    means = [LinearRidge(30, 0.1).extend(F, labels)[0] for labels in (y, changed)]
    np.testing.assert_array_equal(means[0][:251], means[1][:251])


def test_features_can_be_added_after_whole_blocks():
    """Adding features changes how the matrix factor is stored, from a dense matrix to panels and back."""
    rng = np.random.default_rng(6)
    F, y = rng.uniform(-1, 1, (700, 140)) / 10, rng.uniform(-1, 1, 700)
    growing, complete = LinearRidge(138, 0.1), LinearRidge(140, 0.1)
    growing.extend(F[:300, :138], y[:300])
    growing.widen(F[:300, :138], y[:300], F[:300, 138])
    growing.extend(F[300:600, :139], y[300:600])
    growing.widen(F[:600, :139], y[:600], F[:600, 139])
    complete.extend(F[:600], y[:600])
    np.testing.assert_allclose(growing.extend(F[600:], y[600:]), complete.extend(F[600:], y[600:]), atol=1e-11)
