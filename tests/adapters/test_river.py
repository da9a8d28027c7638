"""Models of river equal a plain loop over the library's own methods."""

import numpy as np
import pytest
from river import ensemble, forest, linear_model, naive_bayes, optim, preprocessing, tree


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
