"""For every model: predictions do not change the state, matches are independent, and seeds come from the match."""

import copy
import pickle
import random

import numpy as np
import pytest
from river import ensemble, forest, linear_model
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline

from arena import Game
from arena.players.learner import as_learner


def test_predicting_changes_nothing(each_model, learners_rng):
    def trained():
        learner, rng = as_learner(each_model), np.random.default_rng(8)
        learner.begin(Game(), learners_rng())
        for x in rng.uniform(-1, 1, (25, 2)):
            learner.update(x, float(np.sign(x[0] + 1e-9)))
        return learner

    asked, left_alone = trained(), trained()
    X = np.random.default_rng(9).uniform(-1, 1, (20, 2))
    answers = asked.peek(X)
    assert answers.shape == (20,)
    assert np.allclose(answers, [asked.predict(x) for x in X], rtol=1e-12, atol=1e-14)  # blocked sums in matmul
    assert np.array_equal(asked.peek(X), answers)
    for x in X:
        asked.update(x, 1.0)
        left_alone.update(x, 1.0)
    assert np.array_equal(asked.peek(X), left_alone.peek(X))


def test_matches_with_one_object_are_independent_and_leave_it_alone(each_model, match):
    before = pickle.dumps(each_model)
    first, second = match(each_model), match(each_model)
    assert np.array_equal(first.predictions, second.predictions)
    assert pickle.dumps(each_model) == before


def test_the_global_random_states_are_not_touched(each_model, match):
    numpys, pythons = copy.deepcopy(np.random.get_state()), random.getstate()  # noqa: NPY002
    match(each_model, rounds=10)
    assert all(map(np.array_equal, np.random.get_state(), numpys))  # noqa: NPY002
    assert random.getstate() == pythons


@pytest.mark.parametrize(
    "model",
    [
        MLPRegressor(hidden_layer_sizes=[4]),
        make_pipeline(RBFSampler(), SGDRegressor()),
        forest.ARFRegressor(n_models=3),
        ensemble.EWARegressor([forest.ARFRegressor(n_models=2), linear_model.LinearRegression()]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_open_seeds_come_from_the_match(model, match, learners_rng):
    first, second = (match(model, seed=seed, adversary="repeated(points=9)") for seed in (1, 2))
    learner = as_learner(model)
    answers = []
    for seed in (1, 1, 2):
        learner.begin(Game(), learners_rng(seed))
        for x, y in zip(first.points, first.labels, strict=True):
            learner.update(x, y)
        answers.append(learner.peek(second.points))
    assert np.array_equal(answers[0], answers[1])
    assert not np.array_equal(answers[0], answers[2])


def test_a_seed_that_the_user_chose_stays(learners_rng):
    for model in (MLPRegressor(hidden_layer_sizes=[4], random_state=5), forest.ARFRegressor(n_models=3, seed=5)):
        learner, answers = as_learner(model), []
        for seed in (1, 2):
            learner.begin(Game(), learners_rng(seed))
            for x in np.random.default_rng(0).uniform(-1, 1, (20, 2)):
                learner.update(x, float(x[0]))
            answers.append(learner.peek(np.eye(2)))
        assert np.array_equal(*answers)


def test_a_label_of_zero_teaches_a_classifier_nothing(learners_rng):
    for model in (SGDClassifier(random_state=0), linear_model.LogisticRegression()):
        learner = as_learner(model)
        learner.begin(Game(), learners_rng())
        learner.update(np.array([0.5, 0.5]), 1.0)
        before = learner.peek(np.eye(2))
        learner.update(np.array([-0.5, 0.5]), 0.0)
        assert np.array_equal(learner.peek(np.eye(2)), before)
        assert before.any()
