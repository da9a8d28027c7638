"""Strategies draw legal games and moves with every pattern, and shrink to the simplest example."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from arena import ArenaError, play
from arena.game.game import Game
from arena.game.kernels import Gaussian, Matern, Polynomial
from arena.game.losses import Hinge, SmoothHinge
from arena.specs.building import build
from arena.testing.strategies import (
    PATTERNS,
    Moves,
    games,
    kernels,
    label_sequences,
    losses,
    matches,
    point_sequences,
    points,
    sequences,
)

QUICK = settings(max_examples=60)
SEARCH = settings(
    QUICK, max_examples=1000, phases=[Phase.generate, Phase.shrink]
)  # without explaining, which draws larger examples again
GAME = Game(dimension=2, box=((-1.0, 2.0), (0.5, 0.75)), label_bound=3.0, rounds=9)


def smallest(strategy, condition=lambda _: True):
    return find(strategy, condition, settings=SEARCH)


@QUICK
@given(matches(loss=losses()))
def test_every_match_is_legal_and_can_be_played(match):
    X, y = match.moves
    assert X.shape == (len(y), match.game.dimension)
    assert 1 <= len(y) == match.game.rounds <= 20
    run = play("zero", match.moves, game=match.game)
    assert run.forfeit is None
    np.testing.assert_array_equal(run.points, X)
    np.testing.assert_array_equal(run.labels, y)


@QUICK
@given(st.sampled_from(sorted(PATTERNS)), st.data())
def test_points_and_labels_respect_the_game_and_the_arguments(pattern, data):
    X = data.draw(point_sequences(GAME, min_rounds=2, max_rounds=5, patterns=[pattern]))
    assert 2 <= len(X) <= 5
    assert ((GAME.low <= X) & (GAME.high >= X)).all()
    y = data.draw(label_sequences(GAME, 4))
    assert y.shape == (4,)
    assert (np.abs(y) <= 3.0).all()
    signs = data.draw(label_sequences(GAME.replace(loss="hinge"), 4))
    assert set(np.abs(signs)) == {3.0}


@QUICK
@given(games(dimension=st.integers(2, 4), rounds=7, kernel=kernels(Matern), loss=losses(Hinge), box=(0, 1)))
def test_games_keep_the_given_fields(game):
    assert (game.rounds, game.box, game.loss) == (7, (0.0, 1.0), Hinge())
    assert game.dimension in (2, 3, 4)
    assert isinstance(game.kernel, Matern)


def test_a_box_with_a_pair_for_each_coordinate_fixes_the_dimension():
    assert smallest(games(box=[[0, 1], [2, 3]])).dimension == 2


def test_names_of_coordinates_fix_the_dimension_and_are_kept():
    game = smallest(games(features=("temperature", "price", "hour")))
    assert (game.dimension, game.features) == (3, ("temperature", "price", "hour"))
    assert smallest(matches(features=["a", "b"])).game.feature_names == ("a", "b")
    assert smallest(games(features=st.just(("a",)), box=(0, 1))).features == ("a",)
    assert smallest(games(dimension=2)).features == ()


def test_a_wrong_field_or_pattern_is_refused_before_drawing():
    with pytest.raises(ArenaError, match=r"games: box must be .*, but it is None"):
        games(box=None)
    with pytest.raises(ArenaError, match=r"no field 'dimensoin'. Did you mean 'dimension'"):
        games(dimensoin=2)
    with pytest.raises(ArenaError, match="label_bound must be a finite number > 0"):
        games(label_bound=-1.0)
    with pytest.raises(ArenaError, match=r"no pattern 'cluster'. Did you mean 'clusters'"):
        point_sequences(GAME, patterns=["cluster"])
    with pytest.raises(ArenaError, match="min_rounds <= max_rounds"):
        point_sequences(GAME, min_rounds=3, max_rounds=2)


def test_without_a_condition_the_simplest_is_found():
    assert smallest(kernels()) == Gaussian()
    assert smallest(kernels(Polynomial)) == Polynomial()
    assert smallest(losses(SmoothHinge)) == SmoothHinge()
    assert smallest(games()) == Game(rounds=1, dimension=1)
    assert smallest(points(Game())).tolist() == [0.0, 0.0]
    assert smallest(points(Game(box=(2, 3)))).tolist() == [2.0, 2.0]
    match = smallest(matches())
    assert (match.game, match.moves) == (Game(rounds=1, dimension=1), Moves(X=[[0.0]], y=[0.0]))
    assert smallest(sequences(GAME, min_rounds=3)) == Moves(X=[[0.0, 0.5]] * 3, y=[0.0] * 3)


def test_a_condition_leaves_everything_else_at_its_simplest():
    """The smallest example of a condition has few rounds, one dimension, and simple labels."""
    match = smallest(matches(), lambda match: np.abs(match.moves.labels).sum() > 2.5 * match.game.label_bound)
    assert match.game == Game(rounds=3, dimension=1)
    assert match.moves.X == ([0.0],) * 3
    assert set(match.moves.y) <= {1.0, -1.0}
    twice = smallest(matches(), lambda match: len(np.unique(match.moves.points, axis=0)) < len(match.moves))
    assert twice.moves == Moves(X=[[0.0], [0.0]], y=[0.0, 0.0])
    assert (
        smallest(kernels(), lambda kernel: kernel != Gaussian() and not hasattr(kernel, "degree")).name == "laplacian"
    )


def distances(X):
    return np.array([np.abs(a - b).max() for t, a in enumerate(X) for b in X[:t]])


def is_an_ulp(X):
    return any(
        (a != b).any() and ((a == b) | (a == np.nextafter(b, np.inf)) | (a == np.nextafter(b, -np.inf))).all()
        for a in X for b in X
    )  # fmt: skip


def rank(X):
    return np.linalg.matrix_rank(X - X[0], tol=1e-9) if len(X) else 0


@pytest.mark.parametrize(
    ("pattern", "shortest", "reached"),
    [
        ("repeated", 4, lambda X: len(X) - len(np.unique(X, axis=0)) >= 2 and len(np.unique(X, axis=0)) >= 2),
        ("clusters", 2, lambda X: ((distances(X) > 1e-12) & (distances(X) < 1e-5)).any()),
        ("ulps", 2, is_an_ulp),
        ("collinear", 4, lambda X: rank(X) == 1 and len(np.unique(X, axis=0)) >= 4),
        ("corners", 4, lambda X: len(np.unique(X, axis=0)) == 4),
        ("lattice", 5, lambda X: len(np.unique(X, axis=0)) >= 5),
        ("mixed", 3, lambda X: is_an_ulp(X) and len(X) > len(np.unique(X, axis=0))),
    ],
)
def test_each_pattern_occurs_and_shrinks_to_the_shortest_example(pattern, shortest, reached):
    X = smallest(point_sequences(Game(), max_rounds=12, patterns=[pattern]), reached)
    assert len(X) == shortest


def test_label_sequences_alternate_or_are_equal_but_one():
    game = Game(rounds=12)
    y = smallest(label_sequences(game, 12), lambda y: (y[1:] == -y[:-1]).all() and y[0] != 0)
    assert set(y) == {1.0, -1.0}
    y = smallest(label_sequences(game, 12), lambda y: sorted(np.unique(y, return_counts=True)[1]) == [1, 11])
    assert len(y) == 12


def test_moves_survive_as_a_spec_to_the_last_digit():
    x = np.nextafter(0.1, 1)
    moves = Moves(X=[[x, -5e-324]], y=[1 / 3])
    run = play("zero", moves)
    again = play("zero", run.adversary)
    np.testing.assert_array_equal(again.points, [[x, -5e-324]])
    np.testing.assert_array_equal(again.labels, [1 / 3])
    assert again.adversary == run.adversary
    assert eval(repr(moves)) == moves


def test_moves_that_do_not_fit_are_refused():
    with pytest.raises(ArenaError, match="X has 1 rows, but y has 2 labels"):
        Moves(X=[[0.0]], y=[1.0, 1.0])
    with pytest.raises(ArenaError, match="the points have 1 coordinates, the game's 2"):
        play("zero", Moves(X=[[0.0]], y=[1.0]))
    assert play("zero", Moves()).rounds == 0


@pytest.mark.parametrize(
    "X",
    [
        [[0], [0.5, 1]],
        [[[0.0]], [[1.0]]],
        np.zeros((2, 1, 1)),
        [[0.0], ["a"]],
        [[0.0], 1.0],
        [[10**400], [0]],
    ],
    ids=["ragged", "three axes", "array of three axes", "text", "row and number", "too large"],
)
def test_points_that_are_no_rows_are_refused(X):
    with pytest.raises(ArenaError, match=r"^moves: X must be rows of equally many numbers, .*, but it is \["):
        Moves(X=X, y=[1.0, -1.0])


def test_numbers_stand_for_points_in_one_dimension():
    assert Moves(X=[0.0, 0.5], y=[1.0, -1.0]).points.tolist() == [[0.0], [0.5]]


@pytest.mark.parametrize("y", [[[1.0], [2.0]], ["a", "b"], np.zeros((2, 1)), 1.0])
def test_labels_that_are_no_numbers_are_refused(y):
    with pytest.raises(ArenaError, match=r"Moves: y must be a (finite number|list)"):
        Moves(X=[[0.0], [0.5]], y=y)


def test_points_in_a_spec_that_are_no_rows_are_refused_in_the_same_words():
    with pytest.raises(ArenaError, match=r"^moves: X must be rows of equally many numbers"):
        build("adversary", "arena.testing.moves:Moves(X=[[0], [0.5, 1]], y=[1, -1])")


def test_without_hypothesis_the_rest_works_and_the_strategies_say_what_to_install():
    code = """
import sys
sys.modules["hypothesis"] = None
import arena.testing
for module in ("strategies", "stateful"):
    try:
        __import__(f"arena.testing.{module}")
    except arena.ArenaError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"arena.testing.{module} needs hypothesis: pip install 'regret-arena[hypothesis]'"
        for module in ("strategies", "stateful")
    ]
