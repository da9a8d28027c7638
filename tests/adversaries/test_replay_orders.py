"""The orders in which `replay` plays a data set, and the noise that it adds to labels."""

import numpy as np
import pytest

from arena import ArenaError, play
from arena.adversaries._shared.orders import main_direction
from arena.adversaries.replay import Replay
from arena.specs.building import build

RNG = np.random.default_rng(5)
X = RNG.uniform(-1, 1, size=(60, 3)) * [0.1, 1.0, 0.2]
Y = np.round(RNG.uniform(-1, 1, size=60), 1)  # with ties


def moves(**parameters):
    run = play("zero", Replay(X=X, y=Y, **parameters), rounds=60, seed=3, hindsight="none")
    assert run.ended == "completed", run.forfeit
    return run.points, run.labels


def rows_of(points):
    return [int(np.flatnonzero((x == X).all(axis=1))[0]) for x in points]


@pytest.mark.parametrize("order", ["given", "shuffled", "by-label", "by-coordinate", "blocks", "drift"])
def test_every_order_plays_every_row_once_with_its_own_label(order):
    points, labels = moves(order=order)
    rows = rows_of(points)
    assert sorted(rows) == list(range(60))
    np.testing.assert_array_equal(labels, Y[rows])
    assert (rows == list(range(60))) == (order == "given")


def test_sorted_orders_are_sorted_and_keep_ties_in_their_order():
    points, labels = moves(order="by-label")
    assert (np.diff(labels) >= 0).all()
    assert rows_of(points) == sorted(range(60), key=lambda i: Y[i])
    points, _ = moves(order="by-coordinate", coordinate=2)
    assert (np.diff(points[:, 2]) >= 0).all()


def test_blocks_hold_neighbouring_labels_and_come_at_random():
    _, labels = moves(order="blocks", block_size=10)
    pieces = labels.reshape(6, 10)
    np.testing.assert_array_equal(sorted(map(tuple, pieces)), np.sort(Y).reshape(6, 10))
    assert not (np.diff(labels) >= 0).all()


def test_drift_follows_the_axis_of_the_largest_variance():
    points, _ = moves(order="drift")
    axis = np.linalg.svd(X - X.mean(axis=0))[2][0]
    along = points @ axis * np.sign(axis[1])
    assert (np.diff(along) >= -1e-12).all()
    np.testing.assert_allclose(np.abs(main_direction(X)), np.abs((X - X.mean(axis=0)) @ axis), atol=1e-12)


def test_flips_change_signs_at_their_rate_and_noise_stays_within_the_bound():
    data = {"X": np.zeros((4000, 1)), "y": np.full(4000, 0.5)}
    flipped = play("zero", Replay(**data, flips=0.2), rounds=4000, hindsight="none").labels
    assert set(np.abs(flipped)) == {0.5}
    assert (flipped < 0).mean() == pytest.approx(0.2, abs=0.03)
    noisy = play("zero", Replay(**data, noise=0.3), rounds=4000, hindsight="none", label_bound=2.0).labels
    assert np.abs(noisy).max() <= 2.0
    assert noisy.mean() == pytest.approx(0.5, abs=0.05)
    assert noisy.std() == pytest.approx(0.6, abs=0.05)
    plain = play("zero", Replay(**data), rounds=4000, hindsight="none").labels
    assert set(plain) == {0.5}


def test_shuffle_is_the_order_of_that_name():
    for mine, theirs in zip(moves(shuffle=True), moves(order="shuffled"), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_mistakes_are_named():
    with pytest.raises(ArenaError, match="shuffle and order=drift exclude each other"):
        Replay(X=X, y=Y, shuffle=True, order="drift")
    with pytest.raises(ArenaError, match="coordinate must be below 3"):
        play("zero", Replay(X=X, y=Y, order="by-coordinate", coordinate=3), rounds=5)
    with pytest.raises(ArenaError, match="one of given, shuffled, by-label"):
        build("adversary", "replay(file=x.csv, order=backwards)")
