"""Fixtures that play matches of models, and models of many kinds from scikit-learn and river."""

import numpy as np
import pytest
from river import compose, drift, ensemble, forest, linear_model, neighbors, optim, preprocessing, tree
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from arena import play

ROUNDS = 40
RIVER_REGRESSORS = [
    linear_model.LinearRegression(optimizer=optim.SGD(0.1)),
    linear_model.PARegressor(),
    tree.HoeffdingTreeRegressor(grace_period=5),
    neighbors.KNNRegressor(n_neighbors=3),
    forest.ARFRegressor(n_models=3, seed=4),
    preprocessing.StandardScaler() | linear_model.LinearRegression(),
    compose.Select("x1") | preprocessing.MinMaxScaler() | linear_model.BayesianLinearRegression(),
    preprocessing.TargetStandardScaler(linear_model.LinearRegression()),
]
MODELS = [
    SGDRegressor(),
    SGDClassifier(),
    MLPRegressor(hidden_layer_sizes=[4]),
    MLPClassifier(hidden_layer_sizes=[4]),
    GaussianNB(),
    make_pipeline(StandardScaler(), RBFSampler(n_components=5), SGDRegressor()),
    *RIVER_REGRESSORS,
    linear_model.LogisticRegression(),
    forest.ARFRegressor(n_models=3),
    forest.ARFRegressor(n_models=2, drift_detector=drift.DummyDriftDetector(trigger_method="random", t_0=5, w=5)),
    ensemble.BaggingRegressor(linear_model.LinearRegression(), n_models=3),
    ensemble.EWARegressor([forest.ARFRegressor(n_models=2), linear_model.LinearRegression()]),
]


def _match(model, *, adversary="repeated(points=12, labels=alternating)", seed=3, rounds=ROUNDS, **fields):
    return play(model, adversary, rounds=rounds, seed=seed, **fields)


def _learners_rng(seed=3):
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(2)[0])


@pytest.fixture(scope="session")
def match():
    """Play a short match, by default with repeated points."""
    return _match


@pytest.fixture(scope="session")
def learners_rng():
    """Return a function that makes the generator that a learner gets in a match with a given seed."""
    return _learners_rng


@pytest.fixture(params=RIVER_REGRESSORS, ids=str)
def river_regressor(request):
    """Each of several regressors of river."""
    return request.param


@pytest.fixture(params=MODELS, ids=lambda model: type(model).__name__)
def each_model(request):
    """A model of each kind of both libraries."""
    return request.param
