"""Models of river equal a plain loop over the library's own methods."""

import numpy as np
import pandas
import pytest
from river import ensemble, forest, linear_model, naive_bayes, optim, preprocessing, tree

from arena.learners.late_labels import LateLabels


def river_by_hand(model, run, answer):
    model, predictions = model.clone(), []
    for x, y in zip(run.points.tolist(), run.labels.tolist(), strict=True):
        row = {f"x{i}": value for i, value in enumerate(x)}
        predictions.append(answer(model, row) or 0.0)
        model.learn_one(row, y if answer is number else y > 0)
    return np.array(predictions)


def number(model, row):
    return model.predict_one(row)


def balance(model, row):
    probability = model.predict_proba_one(row)
    return probability.get(True, 0.0) - probability.get(False, 0.0)


def test_river_regressors(river_regressor, match):
    run = match(river_regressor)
    assert np.array_equal(run.predictions, river_by_hand(river_regressor, run, number))
    assert np.ptp(run.predictions) > 0


@pytest.mark.parametrize(
    "model",
    [
        linear_model.LogisticRegression(optimizer=optim.SGD(1.0)),
        naive_bayes.GaussianNB(),
        preprocessing.StandardScaler() | tree.HoeffdingTreeClassifier(grace_period=5),
    ],
    ids=str,
)
@pytest.mark.parametrize(("loss", "unit"), [("hinge", 5.0), ("squared", 2.0)])
def test_river_classifiers(model, loss, unit, match):
    run = match(model, loss=loss, label_bound=2.0, prediction_bound=5.0)
    assert np.allclose(run.predictions, unit * river_by_hand(model, run, balance), rtol=1e-12, atol=1e-14)
    assert run.predictions.min() < 0 < run.predictions.max()


def test_river_classifiers_without_probabilities_answer_with_a_class(match):
    models = [linear_model.LogisticRegression(), linear_model.PAClassifier(), naive_bayes.GaussianNB()]
    run = match(ensemble.VotingClassifier(models), loss="hinge", adversary="alternating")
    assert run.ended == "completed"
    assert set(run.predictions) <= {-1.0, 0.0, 1.0}
    assert set(run.predictions) >= {-1.0, 1.0}


@pytest.mark.parametrize(
    ("model", "loss", "answer"),
    [
        (preprocessing.StandardScaler() | linear_model.LinearRegression(optimizer=optim.SGD(0.1)), "squared", number),
        (linear_model.LogisticRegression(optimizer=optim.SGD(1.0)), "hinge", balance),
    ],
    ids=["regressor", "classifier"],
)
def test_a_batch_is_one_learn_many(model, loss, answer, match):
    run = match(LateLabels(of=model, delay=0, batch=7), loss=loss)
    by_hand, expected = model.clone(), []
    for start in range(0, run.rounds, 7):
        rows = pandas.DataFrame(run.points[start : start + 7], columns=["x0", "x1"])
        expected += [answer(by_hand, row) or 0.0 for row in rows.to_dict("records")]
        labels = pandas.Series(run.labels[start : start + 7])
        by_hand.learn_many(rows, labels if answer is number else labels > 0)
    np.testing.assert_allclose(run.predictions, expected, rtol=1e-12, atol=1e-14)
    assert not np.allclose(run.predictions, match(LateLabels(of=model, delay=0, batch=1), loss=loss).predictions)


@pytest.mark.parametrize(
    "model",
    [
        tree.HoeffdingTreeRegressor(grace_period=5),
        preprocessing.AdaptiveStandardScaler() | linear_model.LinearRegression(),
        preprocessing.AdaptiveStandardScaler() + preprocessing.StandardScaler() | linear_model.LinearRegression(),
    ],
    ids=["model", "pipeline", "union"],
)
def test_models_without_learn_many_learn_a_batch_row_by_row(model, match):
    run = match(LateLabels(of=model, delay=0, batch=7))
    by_hand, expected = model.clone(), []
    for start in range(0, run.rounds, 7):
        rows = [{"x0": a, "x1": b} for a, b in run.points[start : start + 7].tolist()]
        expected += [number(by_hand, row) or 0.0 for row in rows]
        for row, y in zip(rows, run.labels[start : start + 7].tolist(), strict=True):
            by_hand.learn_one(row, y)
    np.testing.assert_array_equal(run.predictions, expected)


def test_no_answer_before_the_first_label_is_zero(match):
    says_none, says_nan = forest.AMFRegressor(n_estimators=2), preprocessing.MinMaxScaler() | linear_model.PARegressor()
    for model in (says_none, says_nan):
        run = match(model)
        assert run.ended == "completed"
        assert run.predictions[0] == 0.0
        assert run.predictions[1:].any()


def test_nan_after_the_first_label_is_a_foul(match):
    class SaysNan:
        def learn_one(self, row, y):
            pass

        def predict_one(self, row):
            return np.nan

    run = match(SaysNan())
    assert (run.ended, run.forfeit.side, run.forfeit.round) == ("forfeit", "learner", 2)
