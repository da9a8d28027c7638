"""Scripts that need only the model's library make the predictions that the model made in the match."""

import re

import numpy as np
import pytest

from arena import play
from arena.counterexamples.shrinking import shrink
from arena.counterexamples.standalone import standalone

LIMIT = "at-most(regret=3)"
OWN = '''\
import math

import numpy as np


class Base:
    def predict(self, x):
        return float(self.w @ x)


class Overshoots(Base):
    """Its step is too long."""

    theorems = ("at-most(regret=3)",)

    def __init__(self, n=2, step=1.0):
        self.w, self.step = np.zeros(n), step

    def update(self, x, y):
        self.w = self.w + self.step * math.pi * (y - self.predict(x)) * x
'''


@pytest.fixture
def predictions(run_script):
    """Return a function that runs a script without the arena and returns the predictions that it prints."""

    def predicted(script):
        assert "arena" not in script
        return [float(found) for found in re.findall(r"prediction (\S+)", run_script(script))]

    return predicted


@pytest.mark.parametrize(
    "model",
    [
        "river:linear_model.LinearRegression(optimizer=river:optim.SGD(lr=1.5), intercept_lr=0.0)",
        "river:compose.Pipeline(steps=[river:preprocessing.MinMaxScaler(), river:linear_model.PARegressor()])",
        "sklearn:linear_model.SGDRegressor(learning_rate=constant, eta0=2.5, random_state=0)",
        "sklearn:linear_model.SGDClassifier(loss=log_loss, random_state=0)",
        "padasip:filters.FilterLMS(n=2, mu=1.5, w=zeros)",
        'vowpalwabbit:Workspace(arg_str="--quiet -l 5 --sgd")',
    ],
)
def test_a_librarys_model_predicts_the_same_without_the_arena(model, predictions):
    worst = play(model, "minimax", rounds=20, dimension=2)
    shrunk = shrink(model, worst, LIMIT, budget=5.0)
    script = standalone(shrunk)
    assert LIMIT.replace("3)", "3.0)") in script
    found = predictions(script)
    if "SGDClassifier" in model:  # the script prints the scores that the match clips
        found = np.clip(found, -1.0, 1.0)
    np.testing.assert_allclose(found, shrunk.smallest.predictions, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "model",
    ["river:linear_model.LinearRegression(optimizer=river:optim.SGD(lr=1.5))",
     'vowpalwabbit:Workspace(arg_str="--quiet -l 5 --sgd")'],
)  # fmt: skip
def test_features_have_their_names_in_the_script(model, predictions):
    shrunk = shrink(model, play(model, "minimax", rounds=20, features=["out temp", "price"]), LIMIT, budget=5.0)
    script = standalone(shrunk)
    assert "temp" in script or "price" in script or shrunk.smallest.game.dimension < 2
    np.testing.assert_allclose(predictions(script), shrunk.smallest.predictions, rtol=1e-6, atol=1e-8)


def test_a_class_in_a_file_is_written_into_the_script(tmp_path, predictions):
    (tmp_path / "own.py").write_text(OWN)
    model = f"{tmp_path}/own.py:Overshoots(n=2)"
    shrunk = shrink(model, play(model, "drawn", rounds=20, dimension=2), LIMIT)
    script = standalone(shrunk)
    assert "class Base" in script
    assert "theorems" not in script
    assert "import math" in script
    np.testing.assert_allclose(predictions(script), shrunk.smallest.predictions, rtol=1e-6)


def test_a_filter_with_two_weights_keeps_them_where_one_would_do():
    model = "padasip:filters.FilterLMS(n=2, mu=0.5, w=zeros)"
    shrunk = shrink(model, play(model, "drawn", rounds=20, dimension=2), "rls-identity(regularisation=1)")
    assert shrunk.finished
    assert shrunk.smallest.game.dimension == 2
    assert shrunk.rounds == 2


def test_moves_that_come_again_are_written_once():
    model = "padasip:filters.FilterLMS(n=1, mu=0.01, w=zeros)"
    shrunk = shrink(model, play(model, "far-point", rounds=60, dimension=1), "at-most(regret=6)")
    script = standalone(shrunk)
    assert re.search(r"moves = \[\(\[0\.0\], 1\.0\)\] \* \d+\n", script)


def test_the_arenas_own_learners_have_no_such_script():
    assert standalone(shrink("krr", play("krr", "greedy", rounds=20), "awv-logdet")) is None


UNLIKE = """\
import arena

RATE = 2.0


class Constant:
    def predict(self, x):
        return 2.0

    def update(self, x, y):
        pass


class Promises(Constant):
    \"\"\"Only a docstring and a promise.\"\"\"

    theorems = ("at-most(regret=3)",)


if RATE:

    class Indented(Constant):
        def predict(self, x):
            return 3.0


class Begins(Constant):
    def begin(self, game, rng):
        self.rate = 2.0

    def predict(self, x):
        return self.rate


class NeedsItsFile(Constant):
    def predict(self, x):
        return RATE


class NeedsTheArena(Constant):
    def predict(self, x):
        return float(len(arena.__name__))
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Promises", 2.0), ("Indented", 3.0), ("Begins", None), ("NeedsItsFile", None), ("NeedsTheArena", None)],
)
def test_a_script_of_a_class_can_be_run_or_is_none(name, expected, tmp_path, predictions):
    (tmp_path / "unlike.py").write_text(UNLIKE)
    model = f"{tmp_path}/unlike.py:{name}"
    script = standalone(shrink(model, play(model, "drift", rounds=5), LIMIT))
    assert script is None if expected is None else predictions(script)[0] == expected
