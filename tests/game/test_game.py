"""The class `Game`: which values it accepts, how it is printed, and how it is changed."""

import copy
import pickle

import numpy as np
import pytest

from arena import ArenaError, Game, Gaussian, Laplacian, Linear
from arena.game.losses import Hinge, Squared
from arena.specs.spelling import changed_fields


def test_default_values():
    game = Game()
    assert (game.dimension, game.label_bound, game.clip, game.regularisation) == (2, 1.0, 1.0, 1.0)
    assert game.kernel == Gaussian()
    assert game.loss == Squared()
    assert game.low.tolist() == [-1, -1]
    assert game.high.tolist() == [1, 1]


def test_the_box_may_be_one_pair_or_one_for_each_coordinate():
    assert Game(dimension=3, box=(0, 2)).high.tolist() == [2, 2, 2]
    game = Game(dimension=2, box=[[0, 1], (-5, 5)])
    assert game.low.tolist() == [0, -5]
    assert game.high.tolist() == [1, 5]
    assert Game(dimension=2, box=np.array([[0, 1], [-5, 5]])) == game
    assert Game(dimension=2, box=[(0, 2), (0, 2)]) == Game(dimension=2, box=(0, 2))
    assert Game(dimension=1, box=[(0, 2)]) == Game(dimension=1, box=(0, 2))
    assert hash(Game(box=np.array([0, 2]))) == hash(Game(box=(0.0, 2.0)))


@pytest.mark.parametrize(
    "box",
    [
        (1, 1),
        (1, -1),
        (0, np.inf),
        (np.nan, 1),
        ("a", "b"),
        (None, 1),
        (0, 1, 2),
        [(0, 1)] * 3,
        [0, (0, 1)],
        (),
        (0, 1j),
    ],
)
def test_boxes_that_are_none(box):
    with pytest.raises(ArenaError, match="box"):
        Game(dimension=2, box=box)


@pytest.mark.parametrize("box", [7, "word", None])
def test_boxes_of_another_type(box):
    with pytest.raises(ArenaError, match="a list such as"):
        Game(box=box)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("rounds", 0, ">= 1"),
        ("rounds", 2.5, "a whole number"),
        ("rounds", True, "a whole number"),
        ("dimension", 0, ">= 1"),
        ("label_bound", 0, "> 0"),
        ("label_bound", np.inf, "finite"),
        ("prediction_bound", 0, "> 0"),
        ("regularisation", 0, "> 0"),
        ("regularisation", float("nan"), "finite"),
        ("regularisation", "much", "a finite number"),
        ("kernel", 5, "a kernel"),
        ("kernel", "gausian", "Did you mean 'gaussian'"),
        ("loss", "gaussian", "there is no loss named"),
        ("loss", Gaussian(), "a loss"),
    ],
)
def test_fields_are_checked(field, value, message):
    with pytest.raises(ArenaError, match=message):
        Game(**{field: value})
    with pytest.raises(ArenaError, match=message):
        Game().replace(**{field: value})


def test_kernels_and_losses_may_be_given_by_their_specs():
    assert Game(kernel="laplacian(bandwidth=2)", loss="hinge") == Game(kernel=Laplacian(2.0), loss=Hinge())


def test_numbers_take_their_own_types():
    game = Game(rounds=np.int64(5), label_bound=2, regularisation=np.float32(0.5))
    assert (type(game.rounds), type(game.label_bound), type(game.regularisation)) == (int, float, float)


def test_the_clipping_bound_defaults_to_the_label_bound():
    assert Game(label_bound=3).clip == 3
    assert Game(label_bound=3, prediction_bound=1).clip == 1


def test_replacing_fields():
    game = Game(dimension=2, box=[(0, 1), (0, 2)])
    assert game.replace() == game
    assert game.replace(rounds=7).box == game.box
    assert game.replace(dimension=2).box == game.box
    assert game.replace(dimension=3).box == (-1, 1)
    assert game.replace(dimension=3, box=(0, 9)).box == (0, 9)
    assert Game(box=(0, 5)).replace(dimension=7).high.tolist() == [5] * 7
    with pytest.raises(ArenaError, match="no field 'size'"):
        game.replace(size=3)


def test_a_game_cannot_be_changed():
    game = Game()
    with pytest.raises(AttributeError):
        game.rounds = 3
    with pytest.raises(ValueError, match="read-only"):
        game.low[0] = 5


@pytest.mark.parametrize("copier", [copy.deepcopy, copy.copy, lambda game: pickle.loads(pickle.dumps(game))])
def test_copies_are_equal(copier):
    game = Game(dimension=2, box=[(0, 1), (0, 2)], kernel=Linear(), loss="hinge")
    assert game.high[1] == 2
    twin = copier(game)
    assert twin == game
    assert hash(twin) == hash(game)
    assert twin.high.tolist() == [1, 2]


def test_what_changed():
    assert changed_fields(Game()) == {}
    changed = changed_fields(Game(rounds=5, kernel=Linear(), prediction_bound=2))
    assert changed == {"rounds": 5, "kernel": Linear(), "prediction_bound": 2.0}


@pytest.mark.parametrize("box", [[[0, 1], [0, 1, 2]], [[0, 1], 2], [0, [1, 2]]])
def test_a_box_whose_rows_differ_in_length_is_refused(box):
    with pytest.raises(ArenaError, match="box must be one pair"):
        Game().replace(box=box)


def test_many_names_of_features_are_checked_fast():
    """Comparing each name with each would take half an hour."""
    names = [f"gene_{i}" for i in range(300_000)]
    assert Game(dimension=300_000, features=names).feature_names == tuple(names)
    with pytest.raises(ArenaError, match=r"different names, but .* has 'gene_7'"):
        Game(dimension=300_000, features=[*names[:-1], "gene_7"])


def test_a_box_with_a_pair_for_each_coordinate_sets_the_dimension():
    assert Game().replace(box=[(0, 1), (0, 2), (0, 3)]).dimension == 3
    assert Game(dimension=3).replace(box=(0, 1)).dimension == 3
    with pytest.raises(ArenaError, match="one for each of the 4 coordinates"):
        Game().replace(box=[(0, 1), (0, 2)], dimension=4)
