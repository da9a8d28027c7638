"""Names of features from a file's header, a data frame or an option reach the models and the output."""

from __future__ import annotations

import shlex

import numpy as np
import pandas
import pytest
from click.testing import CliRunner
from river import compose, linear_model
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import SGDRegressor
from sklearn.pipeline import FeatureUnion, make_pipeline

import arena
from arena.adapters.vowpal_wabbit import _without_separators
from arena.adversaries._shared.columns import different_names
from arena.adversaries.replay import Replay
from arena.cli import main
from arena.counterexamples.shrinking import shrink
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.learner import as_learner
from arena.record.commands import match_command, play_command
from arena.record.storage import game_as_json
from arena.reports.film import film_of
from arena.reports.point_figure import plane_of
from arena.specs.building import build
from arena.tournament.plan import Tournament

ROUNDS = 30


@pytest.fixture
def table(tmp_path):
    """A data file in which the label depends on the column `price` alone."""
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (ROUNDS, 2))
    path = tmp_path / "d.csv"
    np.savetxt(path, np.column_stack([points, points[:, 1]]), delimiter=",", header="temp,price,y", comments="")
    return path


class Recorder:
    """A model that keeps the names of the rows that it gets."""

    def __init__(self):
        self.seen = set()

    def learn_one(self, row, y):
        self.seen.add(tuple(row))

    def predict_one(self, row):
        return 0.5 if all(tuple(row) == names for names in self.seen) else 9.0


def selecting(name):
    return make_pipeline(ColumnTransformer([("kept", "passthrough", [name])]), SGDRegressor(random_state=0))


def test_rows_of_river_have_the_names_of_the_header(table):
    replay = f"replay(file={table})"
    by_price, by_temp = (
        arena.play(compose.Select(name) | linear_model.LinearRegression(), replay, rounds=ROUNDS)
        for name in ("price", "temp")
    )
    assert by_price.loss < 0.85 * by_temp.loss
    assert by_price.game.features == ("temp", "price")


def test_models_get_x0_and_x1_without_names():
    run = arena.play(compose.Select("x1") | linear_model.LinearRegression(), "realisable", rounds=ROUNDS)
    assert np.ptp(run.predictions) > 0
    assert run.game.features == ()


def test_pipelines_that_select_columns_by_name_get_data_frames(table):
    found = {
        name: arena.play(selecting(name), f"replay(file={table})", rounds=ROUNDS).predictions
        for name in ("temp", "price")
    }
    alone = arena.play(SGDRegressor(random_state=0), Replay(X=np.loadtxt(table, delimiter=",", skiprows=1)[:, 1:2],
                       y=np.loadtxt(table, delimiter=",", skiprows=1)[:, 2]), rounds=ROUNDS)  # fmt: skip
    assert np.allclose(found["price"], alone.predictions, atol=1e-12)
    assert not np.allclose(found["temp"], alone.predictions, atol=1e-3)
    union = make_pipeline(FeatureUnion([("one", selecting("price")[0])]), SGDRegressor(random_state=0))
    run = arena.play(union, f"replay(file={table})", rounds=ROUNDS)
    assert np.allclose(run.predictions, alone.predictions, atol=1e-12)


def test_an_estimator_may_ask_for_data_frames():
    class Frames(SGDRegressor):
        data_frames = True

        def partial_fit(self, X, y):
            assert list(X.columns) == ["temp", "price"]
            return super().partial_fit(X, y)

    run = arena.play(Frames(), "alternating", rounds=5, features=["temp", "price"])
    assert run.ended == "completed"


def test_a_column_that_no_feature_is_called_is_refused_before_the_match():
    with pytest.raises(ArenaError, match=r"selects a column 'tmp'. Did you mean 'temp'"):
        arena.play(selecting("tmp"), "drift", features=["temp", "price"])
    with pytest.raises(ArenaError, match="A file with a header brings names, and so does `features="):
        arena.play(selecting("tmp"), "drift")


def test_workspaces_of_vowpal_wabbit_get_the_names(table):
    pytest.importorskip("vowpalwabbit")
    spec = 'vowpalwabbit:Workspace(arg_str="--quiet --ignore_linear p")'
    plain = arena.play('vowpalwabbit:Workspace(arg_str="--quiet")', "drift", rounds=8, features=["a b", "c:d|e"])
    assert plain.ended == "completed"
    assert arena.play(spec, f"replay(file={table})", rounds=ROUNDS).ended == "completed"
    adapter = as_learner(build("learner", spec))
    adapter.begin(Game(features=["a b", "c:d|e"]), np.random.default_rng(0))
    assert adapter._features(np.array([1.0, 2.0])) == "| a_b:1.0 c_d_e:2.0"


def test_names_that_differ_in_a_separator_are_two_features_of_vowpal_wabbit():
    pytest.importorskip("vowpalwabbit")
    adapter = as_learner(build("learner", 'vowpalwabbit:Workspace(arg_str="--quiet")'))
    adapter.begin(Game(dimension=3, features=["a b", "a:b", "c"]), np.random.default_rng(0))
    assert adapter._features(np.array([1.0, 2.0, 3.0])) == "| a_b:1.0 a_b_1:2.0 c:3.0"
    assert '["a_b", "a_b_1", "c"]' in adapter.calls(adapter.given, ["a b", "a:b", "c"]).row


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["a b", "a:b", "a|b", "a_b"], ["a_b", "a_b_1", "a_b_2", "a_b_3"]),
        (["a_b_2", "a b", "a:b"], ["a_b_2", "a_b", "a_b_2_2"]),
        (["x0", "x1"], ["x0", "x1"]),
    ],
)
def test_names_without_separators_stay_different(names, wanted):
    assert _without_separators(names) == wanted


def test_names_of_data_frames_and_repeated_or_empty_names():
    frame = pandas.DataFrame({"a": [0.0, 0.5], "b": [0.1, 0.2]})
    assert arena.play("krr", Replay(X=frame, y=[0.0, 1.0]), rounds=2).game.features == ("a", "b")
    assert different_names(("a", " ", "a", "a.2", "a")) == ("a", "x1", "a.2", "a.2.3", "a.4")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a"], "must name each of the 2 coordinates, but there are 1"),
        (["a", "a"], "different names"),
        (["a", " "], "' '"),
    ],
)
def test_wrong_names_are_refused(names, said):
    with pytest.raises(ArenaError, match=said):
        Game(dimension=2, features=names)


def test_names_are_kept_while_the_dimension_is():
    game = Game(features=["a", "b"])
    assert game.replace(rounds=3).features == ("a", "b")
    assert game.replace(dimension=3).features == ()
    assert Game().replace(features=["a", "b", "c"]).dimension == 3
    assert game.feature_names == ("a", "b")
    assert Game().feature_names == ("x0", "x1")


def test_commands_name_the_features_unless_the_data_does(table):
    run = arena.play("krr", "drift", rounds=5, features=["temp", "a, b"])
    command = play_command(run)
    assert "--features '[temp, '\"'\"'a, b'\"'\"']'" in command
    assert "--features" not in play_command(arena.play("krr", f"replay(file={table})", rounds=5))
    assert "--features" not in match_command("krr", f"replay(file={table})", run.game, seed=0)
    again = CliRunner().invoke(main, shlex.split(command)[1:])
    assert command in again.output
    assert "features ('temp', 'a, b')" in again.output


def test_files_of_matches_keep_the_names_and_those_without_are_as_before(tmp_path):
    named, plain = (arena.play("krr", "drift", rounds=5, **more) for more in ({"features": ["a", "b"]}, {}))
    assert "features" not in game_as_json(plain.game)
    for number, run in enumerate((named, plain)):
        run.save(tmp_path / f"{number}.npz")
        assert arena.Transcript.load(tmp_path / f"{number}.npz").game == run.game


def test_a_match_whose_features_the_data_names_is_kept(table, tmp_path):
    run = arena.play("krr", f"replay(file={table})", rounds=5)
    run.save(tmp_path / "run.npz")
    assert play_command(arena.Transcript.load(tmp_path / "run.npz")) == play_command(run)


def test_shrinking_drops_names_with_their_coordinates():
    run = arena.play("krr", "alternating", rounds=20, features=["temp", "price"])
    small = shrink("krr", run, "awv-leverage").smallest
    assert small.game.dimension == 1
    assert small.game.features in (("temp",), ("price",))


def test_summaries_of_stores_keep_the_names(table, tmp_path):
    plan = Tournament(["krr"], [f"replay(file={table})"], [{"rounds": 5}])
    [summary] = plan.run(store=tmp_path / "store", workers=0).summaries()
    assert list(summary.game["features"]) == ["temp", "price"]


def test_pages_name_the_coordinates():
    run = arena.play("krr", "drift", rounds=5, features=["temp", "price"])
    assert plane_of(run).names == ("temp", "price")
    assert film_of(run, run.verdicts())["features"] == ["temp", "price"]
