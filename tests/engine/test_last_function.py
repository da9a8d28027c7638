"""Notes about the last function of a learner, such as on matches that teach a linear model little."""

import numpy as np
import pytest

from arena import play
from arena.adversaries.replay import Replay
from arena.engine.last_function import shows_little
from arena.papers.tightness import example, theorem_names
from arena.record.remarks import notes

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (20, 2))
DATA = Replay(X=X, y=X @ [0.5, -0.3])
LINEAR = "the learner ends with a linear function of x"
LITTLE = "the learner ends with the same prediction everywhere"


class Regression:
    """Recursive least squares as a user may write it; with `sign` -1 its steps have the wrong sign."""

    def __init__(self, sign=1.0):
        self.sign = sign

    def begin(self, game, rng):
        self.P, self.w = np.eye(game.dimension), np.zeros(game.dimension)

    def predict(self, x):
        return float(self.w @ x)

    def update(self, x, y):
        gain = self.P @ x / (1.0 + x @ self.P @ x)
        self.w, self.P = self.w + self.sign * gain * (y - self.w @ x), self.P - np.outer(gain, self.P @ x)


def said(learner, adversary, **fields):
    return " ".join(notes(play(learner, adversary, rounds=20, dimension=2, **fields)))


@pytest.mark.parametrize("learner", [Regression, "rls", "sgd", "ftrl-proximal", "eg"])
def test_a_linear_function_is_compared_with_those_of_the_kernel(learner):
    note = said(learner, DATA)
    assert LINEAR in note
    assert "`kernel='linear" in note
    assert "`comparators=['linear']`" in note
    assert said(learner, DATA, kernel="linear(offset=1)") == said(learner, DATA, hindsight="none") == ""


def test_the_kernel_of_the_note_has_an_intercept_if_the_model_has():
    assert "`kernel='linear'`" in said("rls", DATA)
    assert "`kernel='linear(offset=1)'`" in said("sgd", DATA)


@pytest.mark.parametrize("learner", ["krr", "kernel-awv", "fgd", "pkawv", "pa"])
@pytest.mark.parametrize("adversary", [DATA, "alternating", "repeated(points=3)"])
def test_other_functions_get_no_note(learner, adversary):
    assert said(learner, adversary) == ""


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_a_match_at_the_origin_teaches_a_linear_model_nothing(kernel):
    for wrong in (1.0, -1.0):
        run = play(Regression(wrong), "alternating(at=[0, 0])", rounds=20, dimension=2, kernel=kernel)
        assert shows_little(run)
        assert "alternating(at=[1, 1])" in notes(run)[0]
    at_corner = play(Regression(), "alternating(at=[1, 1])", rounds=21, dimension=2, kernel="linear")
    assert not notes(at_corner)


def test_a_pipeline_that_scales_hides_any_repeated_point():
    pytest.importorskip("sklearn")
    steps = "[a, sklearn:preprocessing.StandardScaler()], [b, sklearn:linear_model.SGDRegressor(random_state=0)]"
    pipeline = f"sklearn:pipeline.Pipeline(steps=[{steps}])"
    note = said(pipeline, "alternating(at=[1, 1])")
    assert "all points are the same" in note
    assert LITTLE in note


def test_predictions_that_fail_after_the_match_change_nothing():
    class Finishes(Regression):
        def predict(self, x):
            if self.P[0, 0] < 0.22:
                raise RuntimeError("no more")
            return 0.0

    run = play(Finishes, "alternating(at=[1, 0])", rounds=4, dimension=2)
    assert run.forfeit is None
    assert run.rounds == 4
    assert notes(run) == []


def test_predictions_that_are_not_finite_after_the_match_get_no_note():
    class Overflows(Regression):
        def peek(self, X):
            return np.where(X[:, 0] > 0.5, np.nan, X @ self.w)

    assert LINEAR in said(Regression, DATA)
    assert said(Overflows, DATA) == ""


@pytest.mark.parametrize(
    "name", [name for name in theorem_names() if name.startswith(("rls", "sgd", "eg", "ons", "ada"))]
)
def test_examples_of_theorems_teach_the_learner_something(name):
    run = example(name).run
    assert run.predictions.any()
    assert not shows_little(run)
