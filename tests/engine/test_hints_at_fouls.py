"""The message about a foul with a usual cause has a hint at the cause."""

import numpy as np
import pytest

from arena import play
from arena.data.files import _neighbours
from arena.errors import ArenaError


class Loud:
    def __init__(self, point=0.0, label=5.0):
        self.move = point, label

    def point(self, view):
        return np.full(view.game.dimension, self.move[0])

    def label(self, view, x, prediction):
        return self.move[1] + 0.0 * prediction + 0.0 * x[0] + 0.0 * view.game.rounds


class InThree:
    """A model that works with three features only."""

    def __init__(self):
        self.w = np.zeros(3)

    def predict(self, x):
        return float(self.w @ x)

    def update(self, x, y):
        self.w += y * x


class TakesRows:
    def predict(self, X):
        return float(X @ np.ones(X.shape[1]))

    def update(self, X, y):
        pass


class LikeScikitLearn:
    def predict(self, x):
        return 0.0 * float(np.sum(x))

    def partial_fit(self, x, y):
        pass


@pytest.mark.parametrize(
    ("learner", "adversary", "hint"),
    [
        ("zero", Loud(), "beyond the label bound 1 (view.game.label_bound, which `label_bound=...` sets)"),
        ("zero", Loud(3.0, 1.0), "(view.game.low and view.game.high, which `box=...` sets)"),
        (InThree, "alternating", "x is one point, an array of shape (2,); `dimension=...`"),
        (InThree, "greedy", "x is one point, an array of shape (2,); `dimension=...`"),
        (TakesRows, "alternating", "x is one point, an array of shape (2,); `dimension=...`"),
        (LikeScikitLearn, "greedy", "A class that learns one point at a time has update(x, y)"),
    ],
)
def test_the_reason_has_a_hint(learner, adversary, hint):
    run = play(learner, adversary, rounds=5)
    assert hint in run.forfeit.reason


def test_an_exception_about_something_else_has_no_hint():
    class Negative(InThree):
        def predict(self, x):
            raise ValueError("negative price")

    assert play(Negative, "alternating", rounds=3).forfeit.reason.endswith(")")
    assert "one point" not in play(Negative, "alternating", rounds=3).forfeit.reason


def test_a_column_that_a_river_model_does_not_find_names_the_features():
    river = pytest.importorskip("river")
    from river import compose, linear_model

    assert river
    model = compose.Select("temp") | linear_model.LinearRegression()
    reason = play(model, "greedy", rounds=3).forfeit.reason
    assert "KeyError: 'temp'" in reason
    assert "the features are x0, x1: a file with a header names them, and so does `features=...`" in reason


def test_a_missing_file_of_data_is_offered_files_of_data_and_folders(tmp_path):
    for name in ("models.py", "page.html", "LICENSE", "CITATION.cff", "prices.csv", "more.libsvm.gz", ".hidden.csv"):
        (tmp_path / name).write_text("")
    (tmp_path / "older").mkdir()
    assert _neighbours(tmp_path, "xyz") == "There are: more.libsvm.gz, older/, prices.csv."
    with pytest.raises(ArenaError, match=r"there is no file .*price\.csv\. Did you mean 'prices\.csv'\?"):
        play("zero", f"replay(file='{tmp_path}/price.csv')", rounds=3)


def test_a_missing_file_among_none_of_data_is_offered_the_endings_of_data(tmp_path):
    (tmp_path / "LICENSE").write_text("")
    with pytest.raises(ArenaError, match=r"No name there ends as data do, in \.csv, .* or \.scale\."):
        play("zero", f"replay(file='{tmp_path}/price.csv')", rounds=3)
