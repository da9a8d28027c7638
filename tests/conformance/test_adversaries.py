"""Every registered adversary keeps the contract, by being registered."""

import numpy as np
import pytest

from arena import play, registry
from arena.building import build

NEEDS_DATA = {"replay"}
ADVERSARIES = sorted(set(registry.entries("adversary")) - NEEDS_DATA)
GAMES = [
    {"dimension": 1, "box": [3, 4], "label_bound": 0.1},
    {"dimension": 4, "kernel": "linear", "box": [[-1, 1], [0, 1], [2, 5], [-9, 0]]},
    {"dimension": 2, "kernel": "laplacian(bandwidth=0.01)", "regularisation": 1e-4},
]


def test_every_adversary_is_here():
    assert set(registry.entries("adversary")) - set(ADVERSARIES) <= NEEDS_DATA


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ADVERSARIES)
def test_it_stays_in_the_box_and_under_the_bound(name, game):
    run = play("kernel-awv", name, rounds=60, **game)
    assert run.forfeit is None
    assert run.rounds == 60
    assert (run.points >= run.game.low).all()
    assert (run.points <= run.game.high).all()
    assert np.abs(run.labels).max() <= run.game.label_bound


@pytest.mark.parametrize("name", ADVERSARIES)
def test_an_oblivious_one_plays_the_same_against_anybody(name):
    runs = [play(learner, name, rounds=60, seed=4) for learner in ("zero", "kernel-awv")]
    if build("adversary", name).oblivious:
        np.testing.assert_array_equal(runs[0].points, runs[1].points)
        np.testing.assert_array_equal(runs[0].labels, runs[1].labels)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_same_seed_same_moves(name):
    runs = [play("krr", name, rounds=40, seed=9) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].points, runs[1].points)
    np.testing.assert_array_equal(runs[0].labels, runs[1].labels)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_blocks_are_the_same_moves_as_one_by_one(name):
    adversary = build("adversary", name)
    if not adversary.oblivious:
        return
    whole = play("zero", adversary, rounds=50, seed=1)
    single = build("adversary", name)

    class OneByOne:
        oblivious = True
        begin, point, label = single.begin, single.point, single.label

    again = play("zero", OneByOne(), rounds=50, seed=1)
    np.testing.assert_array_equal(whole.points, again.points)
    np.testing.assert_array_equal(whole.labels, again.labels)
