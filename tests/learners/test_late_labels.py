"""`late-labels` equals a loop that gives the learner its labels late."""

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from arena import ArenaError, play
from arena.game.game import Game
from arena.learners.awv import KernelAWV
from arena.learners.late_labels import LateLabels


def by_hand(run, delay, batch):
    """Return the predictions of Kernel-AWV that learns labels in full batches, when they are `delay` rounds old."""
    learner, heard, predictions = KernelAWV(), 0, []
    learner.begin(Game(rounds=run.rounds), np.random.default_rng(0))
    for t in range(run.rounds):
        due = max(t - delay, 0) // batch * batch  # labels of whole batches that are `delay` rounds old
        for late in range(heard, due):
            learner.update(run.points[late], run.labels[late])
        heard = max(heard, due)
        predictions.append(learner.predict(run.points[t]))
    return np.array(predictions)


@pytest.mark.parametrize("adversary", ["greedy", "repeated(points=4)"])
@pytest.mark.parametrize(("delay", "batch"), [(0, 1), (3, 1), (0, 4), (5, 3)])
def test_labels_arrive_late_and_in_batches(adversary, delay, batch):
    run = play(f"late-labels(of=kernel-awv, delay={delay}, batch={batch})", adversary, rounds=25)
    np.testing.assert_allclose(run.predictions, by_hand(run, delay, batch), rtol=1e-12, atol=1e-12)


def test_without_delay_it_is_the_other_learner():
    late = play("late-labels(of=pros-n-kons, delay=0)", "alternating", rounds=30)
    known = play("late-labels(of=kernel-awv, delay=0)", "alternating", rounds=30)
    assert late.ended == known.ended == "completed"
    at_once = play("kernel-awv", "alternating", rounds=30)
    np.testing.assert_allclose(known.predictions, at_once.predictions, atol=1e-12)


@pytest.mark.parametrize("learner", ["pkawv-kors", "ewa(of=[pkawv-kors, zero])", "con-kons", "sketched-kons"])
def test_without_delay_coins_are_tossed_once_and_before_the_prediction(learner):
    late = play(f"late-labels(of={learner}, delay=0)", "realisable", rounds=30)
    at_once = play(learner, "realisable", rounds=30)
    np.testing.assert_allclose(late.predictions, at_once.predictions, atol=1e-12)


def test_it_plays_models_of_others_and_keeps_its_spec():
    spec = "late-labels(of=river:linear_model.LinearRegression(), delay=2)"
    run = play(spec, "alternating", rounds=10)
    assert run.ended == "completed"
    again = play(run.learner, "alternating", rounds=10)
    np.testing.assert_array_equal(run.predictions, again.predictions)


def test_a_learner_that_must_know_all_moves_is_refused():
    with pytest.raises(ArenaError, match="must know all moves beforehand"):
        play("late-labels(of=batch-krr)", "alternating", rounds=5)


def test_a_model_of_scikit_learn_learns_mini_batches_in_one_call():
    pipeline = make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=[3], random_state=0))
    run = play(LateLabels(of=pipeline, delay=0, batch=4), "realisable", rounds=16)
    scaler, model, expected = StandardScaler(), MLPRegressor(hidden_layer_sizes=[3], random_state=0), np.zeros(4)
    for start in range(0, 12, 4):
        rows = slice(start, start + 4)
        scaled = scaler.partial_fit(run.points[rows]).transform(run.points[rows])
        model.partial_fit(scaled, run.labels[rows])
        expected = np.append(expected, model.predict(scaler.transform(run.points[start + 4 : start + 8])))
    np.testing.assert_allclose(run.predictions, expected, rtol=1e-12, atol=1e-14)
    signs = play(LateLabels(of=SGDClassifier(random_state=0), delay=0, batch=3), "drift", rounds=12, loss="hinge")
    assert signs.ended == "completed"


def test_a_class_with_update_many_gets_the_batches():
    class Batches:
        def __init__(self):
            self.sizes = []

        def predict(self, x):
            return float(len(self.sizes))

        def update(self, x, y):
            raise AssertionError("not in batches")

        def update_many(self, X, y):
            assert len(X) == len(y) == 5
            self.sizes.append(len(y))

    run = play(LateLabels(of=Batches(), delay=0, batch=5), "alternating", rounds=12)
    assert run.predictions.tolist() == [0] * 5 + [1] * 5 + [2] * 2
