"""Models of scikit-learn equal a plain loop over the library's own methods."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler


def passive_aggressive():
    """Return the passive-aggressive regressor in a list; an empty list if scikit-learn has removed it."""
    from sklearn import linear_model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            [linear_model.PassiveAggressiveRegressor()] if hasattr(linear_model, "PassiveAggressiveRegressor") else []
        )


def by_hand(model, run, rng, signs=False, answer=lambda model, X: model.predict(X)):
    """Return the predictions of a plain loop over scikit-learn's methods.

    `model` is an estimator, or a list of the steps of a pipeline.
    """
    *transformers, model = [clone(each) for each in model] if isinstance(model, list) else [clone(model)]
    for each in sorted([*transformers, model], key=lambda each: type(each).__name__.lower()):
        if each.get_params().get("random_state", 0) is None:
            each.set_params(random_state=int(rng.integers(2**31)))
    predictions = []
    for t, (x, y) in enumerate(zip(run.points, run.labels, strict=True)):
        X = x[np.newaxis]
        if t == 0:
            predictions.append(0.0)
        else:
            Z = X
            for each in transformers:
                Z = each.transform(Z)
            predictions.append(np.ravel(answer(model, Z))[0])
        for each in transformers:
            if hasattr(each, "partial_fit"):
                each.partial_fit(X)
            elif t == 0:
                each.fit(X)
            X = each.transform(X)
        model.partial_fit(X, [np.sign(y) if signs else y], **({"classes": [-1, 1]} if signs and t == 0 else {}))
    return np.array(predictions)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model",
    [
        SGDRegressor(),
        SGDRegressor(eta0=0.3, learning_rate="constant", penalty="elasticnet", average=True),
        MLPRegressor(hidden_layer_sizes=[7]),
        *passive_aggressive(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_sklearn_regressors(model, match, learners_rng):
    run = match(model)
    assert np.array_equal(run.predictions, by_hand(model, run, learners_rng()))
    assert np.ptp(run.predictions) > 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [SGDClassifier(), SGDClassifier(loss="log_loss"), Perceptron(penalty="l2")])
@pytest.mark.parametrize(("loss", "unit"), [("hinge", 1.0), ("logistic", 1.0), ("squared", 2.0)])
def test_sklearn_scores_are_margins_or_multiples_of_the_label_bound(model, loss, unit, match, learners_rng):
    run = match(model, loss=loss, label_bound=2.0, prediction_bound=5.0)
    scores = by_hand(model, run, learners_rng(), signs=True, answer=lambda model, X: model.decision_function(X))
    assert np.array_equal(run.predictions, np.clip(unit * scores, -5.0, 5.0))
    assert run.predictions.min() < 0 < run.predictions.max()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [MLPClassifier(hidden_layer_sizes=[5]), BernoulliNB()])
@pytest.mark.parametrize(("loss", "unit"), [("hinge", 5.0), ("logistic", 5.0), ("squared", 2.0)])
def test_sklearn_probabilities_are_stretched_to_the_bound(model, loss, unit, match, learners_rng):
    def balance(model, X):
        return model.predict_proba(X) @ [-1.0, 1.0]

    run = match(model, loss=loss, label_bound=2.0, prediction_bound=5.0)
    assert np.allclose(
        run.predictions, unit * by_hand(model, run, learners_rng(), signs=True, answer=balance), rtol=1e-14, atol=1e-15
    )
    assert run.predictions.min() < 0 < run.predictions.max()


@pytest.mark.filterwarnings("ignore")
def test_where_probabilities_are_undefined_the_class_counts(match, learners_rng):
    def balance(model, X):
        values = model.predict_proba(X) @ [-1.0, 1.0]
        return model.predict(X) if np.isnan(values).any() else values

    run = match(GaussianNB(), loss="hinge")
    assert run.ended == "completed"
    assert run.predictions[1] in (-1.0, 1.0)
    assert np.allclose(
        run.predictions, by_hand(GaussianNB(), run, learners_rng(), signs=True, answer=balance), rtol=1e-14
    )


@pytest.mark.parametrize(
    "steps",
    [
        [RobustScaler(), SGDRegressor()],  # has no partial_fit, and what it fits depends on the point
        [StandardScaler(), SGDRegressor()],
        [RBFSampler(), SGDRegressor()],
        [StandardScaler(), RBFSampler(), SGDRegressor()],
    ],
)
def test_sklearn_pipelines_learn_step_by_step(steps, match, learners_rng):
    run = match(make_pipeline(*steps))
    assert np.array_equal(run.predictions, by_hand(steps, run, learners_rng()))
    seeded = [
        clone(each).set_params(**({"random_state": 1} if "random_state" in each.get_params() else {})) for each in steps
    ]
    flat, nested = (
        match(make_pipeline(*seeded)),
        match(make_pipeline(make_pipeline(*seeded[:-1]), "passthrough", seeded[-1])),
    )
    assert np.array_equal(flat.predictions, nested.predictions)
    assert not np.array_equal(run.predictions, match(SGDRegressor()).predictions)
