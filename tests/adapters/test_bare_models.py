"""Models that belong to no library are recognised by their methods; their wrong answers are fouls."""

import warnings
from unittest.mock import Mock

import numpy as np
import pytest

from arena import play


class FitsPartially:
    """A model with `partial_fit` and `predict` alone, which belongs to no library."""

    last = 0.0

    def partial_fit(self, X, y, classes=None):
        self.last = y[-1]

    def predict(self, X):
        return np.full((len(X), 1), self.last)


def test_methods_are_enough():
    model = FitsPartially()
    run = play(model, "alternating", rounds=6)
    assert run.predictions.tolist() == [0, 1, -1, 1, -1, 1]
    assert model.last == 0.0


def test_bare_classes_are_certainties():
    class SaysClass(FitsPartially):
        _estimator_type = "classifier"

    class SaysProbability(FitsPartially):
        def predict_proba(self, X):
            return np.full((len(X), 2), [0.5 - 0.5 * self.last, 0.5 + 0.5 * self.last])

    class RiverClass:
        last = None

        def learn_one(self, row, y):
            self.last = y

        def predict_proba_one(self, row):
            raise NotImplementedError

        def predict_one(self, row):
            return self.last

    for model in (SaysClass(), SaysProbability(), RiverClass()):
        run = play(model, "alternating", rounds=6, loss="hinge", label_bound=2.0, prediction_bound=5.0)
        assert run.predictions.tolist() == [0, 5, -5, 5, -5, 5]


@pytest.mark.parametrize("name", ["partial_fit", "predict"])
@pytest.mark.parametrize("adversary", ["alternating", "greedy(starts=8)"])
def test_a_model_that_raises_forfeits(name, adversary):
    model = FitsPartially()
    setattr(model, name, Mock(side_effect=RuntimeError("out of order")))
    run = play(model, adversary, rounds=6)
    assert (run.ended, run.forfeit.side) == ("forfeit", "learner")
    assert "out of order" in run.forfeit.reason


@pytest.mark.parametrize(
    "answer", [lambda X: np.full(len(X), np.nan), lambda X: np.zeros((len(X), 2)), lambda X: ["a"] * len(X)]
)
@pytest.mark.parametrize("adversary", ["alternating", "greedy(starts=8)"])
def test_a_model_that_answers_nonsense_forfeits(answer, adversary):
    model = FitsPartially()
    model.predict = answer
    run = play(model, adversary, rounds=6)
    assert (run.ended, run.forfeit.side, run.forfeit.round) == ("forfeit", "learner", 2)


def test_warnings_are_silenced(recwarn):
    class Warns(FitsPartially):
        def partial_fit(self, X, y):
            warnings.warn("round and round", FutureWarning, stacklevel=1)
            super().partial_fit(X, y)

        def predict(self, X):
            warnings.warn("again", UserWarning, stacklevel=1)
            return super().predict(X)

    assert play(Warns(), "alternating", rounds=20).ended == "completed"
    assert not recwarn.list
