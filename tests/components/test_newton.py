"""Newton steps in R^r equal the recursion with inverse matrices."""

import numpy as np
import pytest

from arena.components.newton import KernelNewton, NewtonSteps, OnlineNewton, clip, clip_all
from arena.game.game import Game
from arena.game.kernels import Linear
from arena.game.losses import EpsilonInsensitive, Hinge, Logistic, SmoothHinge, Squared, SquaredHinge
from arena_tests.slow.newton import on_features

BOUND = 1.3  # not where a loss has its kink: there rounding would decide
SQUARED = Squared()
LOSSES = [Squared(), Hinge(), SmoothHinge(), SquaredHinge(), Logistic(), EpsilonInsensitive()]


def play(newton, F, y, steps, *, loss=SQUARED, bound=1.0, kept=None, **options):
    """Play the rounds as learners do, and return the predictions."""
    predictions = np.empty(len(F))
    for rows, block in newton.blocks(F, **options):
        for i, t in enumerate(range(len(F))[rows]):
            predictions[t] = clip(block.ahead.item(i), bound)
            slope = loss.derivative_at(predictions[t], y[t])
            weight = steps[t] * slope**2 if kept is None or kept[t] else 0.0
            block.step(i, predictions[t], slope, weight)
    return predictions


def features(kind, rounds=200):
    rng = np.random.default_rng(0)
    if kind == "one direction":
        return np.ones((rounds, 1))
    F = rng.normal(size=(rounds, 6))
    if kind == "repeated":
        F = F[rng.integers(3, size=rounds)]
    if kind == "some zero":
        F[rng.random(rounds) < 0.3] = 0.0
    return F


def signs(rounds=200):
    return np.random.default_rng(1).choice([-1.0, 1.0], size=rounds)


def in_coordinates(dimension):
    newton = OnlineNewton(ridge=0.1)
    newton.grow(dimension)
    return newton


def in_kernel_form(dimension):
    return KernelNewton(Linear(), dimension, ridge=0.1)


@pytest.mark.parametrize("form", [in_coordinates, in_kernel_form])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("kind", ["random", "repeated", "one direction", "some zero"])
def test_blocks_and_single_rounds_are_the_recursion(kind, loss, form):
    F, y = features(kind), signs()
    steps = NewtonSteps(Game(loss=loss), None).take(len(F))
    expected, energies = on_features(F, y, loss.derivative, ridge=0.1, bound=BOUND, steps=steps)
    whole, single = (form(F.shape[1]) for _ in range(2))
    np.testing.assert_allclose(play(whole, F, y, steps, loss=loss, bound=BOUND), expected, rtol=0, atol=1e-10)
    for t in range(len(F)):
        rows = slice(t, t + 1)
        assert clip_all(single.ahead(F[rows]), BOUND)[0] == pytest.approx(expected[t], abs=1e-10)
        assert play(single, F[rows], y[rows], steps[rows], loss=loss, bound=BOUND)[0] == pytest.approx(
            expected[t], abs=1e-10
        )
    if form is in_coordinates:
        np.testing.assert_allclose(whole.solution, single.solution, rtol=0, atol=1e-9)
    np.testing.assert_allclose(whole.energies.view(), energies, rtol=0, atol=1e-9)


def test_gradients_may_be_left_out_of_the_matrix():
    F, y = features("random"), signs()
    kept = np.random.default_rng(2).random(len(F)) < 0.3
    steps = np.full(len(F), 0.125)

    newton = KernelNewton(Linear(), 6, ridge=1.0)
    expected, energies = on_features(F, y, Squared().derivative, ridge=1.0, bound=1.0, steps=steps, kept=kept)
    np.testing.assert_allclose(play(newton, F, y, steps, kept=kept), expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(newton.energies.view(), energies, rtol=0, atol=1e-9)
    assert len(newton.gradients.weights) == np.count_nonzero(kept & (energies > 0))


def test_rows_of_equal_points_are_folded():
    """The factor's size depends on the number of different points, and folding equal points changes no prediction."""
    F, y, steps = features("repeated", 3000), signs(3000), np.full(3000, 0.125)
    newton = KernelNewton(Linear(), 6, ridge=1.0)
    expected, _ = on_features(F, y, Squared().derivative, ridge=1.0, bound=1.0, steps=steps)
    np.testing.assert_allclose(play(newton, F, y, steps), expected, rtol=0, atol=1e-10)
    assert len(newton.gradients.weights) == 3
    assert len(newton.gradients) < 200


def test_a_coordinate_added_late_equals_one_that_was_always_there():
    """A coordinate that is zero in all past rounds may be added later without changing a prediction."""
    F, y, steps = features("random"), signs(), np.full(200, 0.125)
    F[:77, 4:] = 0.0
    expected, _ = on_features(F, y, Squared().derivative, ridge=1.0, bound=1.0, steps=steps)
    newton = OnlineNewton(ridge=1.0)
    newton.grow(4)
    first = play(newton, F[:77, :4], y[:77], steps[:77])
    newton.grow(2)
    second = play(newton, F[77:], y[77:], steps[77:])
    np.testing.assert_allclose(np.concatenate([first, second]), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("rounds", [1, 64, 100])
def test_a_restart_forgets_everything(rounds):
    F, y, steps = features("random"), signs(), np.full(200, 0.125)
    used, spared, fresh = (OnlineNewton(ridge=0.5) for _ in range(3))
    for newton in (used, spared, fresh):
        newton.grow(F.shape[1])
    before = play(used, F[:rounds], y[:rounds], steps[:rounds])
    used.restart()
    np.testing.assert_array_equal(play(spared, F[:rounds], y[:rounds], steps[:rounds], restart=True), before)
    expected = play(fresh, F[100:], y[100:], steps[100:])
    for newton in (used, spared):
        newton.grow(2)
        padded = np.hstack([F[100:], np.zeros((100, 2))])
        np.testing.assert_allclose(play(newton, padded, y[100:], steps[100:]), expected, rtol=0, atol=1e-13)


def test_without_coordinates_the_prediction_is_zero():
    newton = OnlineNewton(ridge=1.0)
    assert play(newton, np.empty((3, 0)), np.array([1.0, 0.0, -1.0]), np.ones(3)).tolist() == [0.0, 0.0, 0.0]
    assert newton.energies.view().tolist() == [0.0, 0.0, 0.0]


def test_a_label_at_the_bound_gives_no_nan():
    """If the label is C and the value before projection is above C, the papers' coefficient is 0/0."""
    newton = OnlineNewton(ridge=1.0)
    newton.grow(1)
    predictions = play(newton, np.ones((50, 1)), np.ones(50), np.full(50, 0.125))
    np.testing.assert_array_equal(predictions, [0.0] + [1.0] * 49)


@pytest.mark.parametrize("ridge", [1e-8, 1e8])
@pytest.mark.parametrize("kind", ["random", "repeated", "one direction", "some zero"])
def test_extreme_ridges_survive(kind, ridge):
    F, y, steps = features(kind, 3000), signs(3000), np.full(3000, 0.125)
    newton = OnlineNewton(ridge=ridge)
    newton.grow(F.shape[1])
    assert np.isfinite(play(newton, F, y, steps)).all()
    assert np.isfinite(newton.solution).all()
    in_kernel_form = KernelNewton(Linear(), F.shape[1], ridge=ridge)
    assert np.isfinite(play(in_kernel_form, F[:1000], y[:1000], steps[:1000])).all()


def test_steps_follow_the_curvature_and_shrink_without_it():
    assert NewtonSteps(Game(), None).take(2).tolist() == [0.125, 0.125]
    assert NewtonSteps(Game(), None, share=0.5).take(1).tolist() == [0.0625]
    assert NewtonSteps(Game(), 3.0, share=0.5).take(1).tolist() == [3.0]
    steps = NewtonSteps(Game(loss="hinge", prediction_bound=2.0), None)
    np.testing.assert_allclose([*steps.take(2), *steps.take(2)], 0.5 / np.sqrt([1, 2, 3, 4]))


@pytest.mark.parametrize("loss", ["hinge", "smooth-hinge", "absolute"])
@pytest.mark.parametrize("kind", ["repeated", "one direction"])
def test_rounding_does_not_decide_at_a_kink_on_the_bound(kind, loss):
    """With C = 1 the projection puts predictions on the kink of the hinge loss, where all ways to play must agree."""
    F, y = features(kind, 400), np.tile([1.0, 1.0, -1.0, 1.0], 100)
    loss, steps = Game(loss=loss).loss, NewtonSteps(Game(loss=loss), None).take(400)
    whole, single = (OnlineNewton(ridge=0.1) for _ in range(2))
    in_kernel_form = KernelNewton(Linear(), F.shape[1], ridge=0.1)
    for newton in (whole, single):
        newton.grow(F.shape[1])
    predictions = play(whole, F, y, steps, loss=loss)
    assert (np.abs(predictions) == 1.0).any()
    rounds = [play(single, F[t : t + 1], y[t : t + 1], steps[t : t + 1], loss=loss)[0] for t in range(400)]
    np.testing.assert_allclose(rounds, predictions, rtol=0, atol=1e-9)
    np.testing.assert_allclose(play(in_kernel_form, F, y, steps, loss=loss), predictions, rtol=0, atol=1e-9)
