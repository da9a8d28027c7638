"""A model that cannot play is refused with a reason; the engine itself needs neither library."""

import subprocess
import sys

import pytest
from river import compose
from sklearn.cluster import MiniBatchKMeans
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import SGDOneClassSVM, SGDRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from arena import ArenaError, play


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (RandomForestRegressor(), "no partial_fit: choose an estimator that learns round by round"),
        (MiniBatchKMeans(), "no labels: it is of the kind clusterer"),
        (SGDOneClassSVM(), "no labels: it is of the kind outlier_detector"),
        (make_pipeline(StandardScaler(), RandomForestRegressor()), "no partial_fit"),
        (StandardScaler(), "predict and update"),
        ("river:cluster.KMeans()", "no part that learns from labels"),
        ("river:compose.Pipeline(steps=[river:preprocessing.StandardScaler()])", "no part that learns from labels"),
        ("river:optim.SGD()", "not a learner: a class with the methods predict and update is needed"),
        (
            Pipeline([]),
            r"^Pipeline\(steps=\[\]\) is not a learner: the pipeline has no steps: its last step must be a model",
        ),
        (compose.Pipeline(), "^Pipeline is not a learner: the pipeline has no steps: its last step must be a model"),
        ("sklearn:linear_model.SGDRegressor(eta=1)", "Did you mean 'eta0'"),
        ("padasip:", "needs the name of a class or a function after the colon, such as 'padasip:filters.FilterNLMS"),
        ("sklearn:linear_model.SGDRegressor(loss=foo)", "SGDRegressor: The 'loss' parameter"),
        ("sklearn:linear_model.SGDRegresor()", "Did you mean 'SGDRegressor'"),
        ("river:linear_model.LinearRegression(optimizer=river:optim.SDG(lr=0.1))", "Did you mean 'SGD'"),
        ("river:linear_model.LinearRegression(optimizer=river:optim.SGD(rate=0.1))", "no parameter 'rate'"),
        ("river:compose.Pipeline(stepps=[])", "Did you mean 'steps'"),
    ],
)
def test_models_that_cannot_play_are_refused_with_a_reason(given, message):
    with pytest.raises(ArenaError, match=message):
        play(given, "alternating", rounds=3)


@pytest.mark.parametrize(
    ("text", "package", "advice"),
    [
        (
            "sklearn:linear_model.SGDRegressor()",
            "sklearn",
            r"needs scikit-learn: pip install 'regret-arena\[sklearn\]'",
        ),
        ("river:linear_model.LinearRegression()", "river", r"needs river: pip install 'regret-arena\[river\]'"),
        ("libsvm", "sklearn", r"libsvm needs scikit-learn: pip install 'regret-arena\[sklearn\]'"),
        ("nosuchpackage:Model()", "nosuchpackage", "no module 'nosuchpackage'"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, text, package, advice):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ArenaError, match=advice):
        play(text, "alternating", rounds=3)


def test_the_engine_imports_neither_library():
    program = (
        "import sys, arena; from arena.specs import registry; registry.entries('learner');"
        "arena.play('kernel-awv', 'alternating', rounds=5);"
        "assert not {'sklearn', 'river'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_diverging_regressor_forfeits_or_pays(match):
    run = match(SGDRegressor(eta0=1e6, learning_rate="constant"), adversary="greedy(starts=32)", rounds=60)
    assert run.ended == "forfeit" or run.loss > 1e6
