"""Models of scikit-learn and river in the arena: each equals a plain loop over the library's own methods."""

import copy
import pickle
import random
import subprocess
import sys
import warnings
from unittest.mock import Mock

import numpy as np
import pytest
from river import compose, drift, ensemble, forest, linear_model, naive_bayes, neighbors, optim, preprocessing, tree
from sklearn.base import clone
from sklearn.cluster import MiniBatchKMeans
from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Perceptron, SGDClassifier, SGDOneClassSVM, SGDRegressor
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler

from arena import ArenaError, Game, play
from arena.building import build, spec_text
from arena.learner import as_learner

ROUNDS = 40


def match(model, *, adversary="repeated(points=12, labels=alternating)", seed=3, rounds=ROUNDS, **fields):
    return play(model, adversary, rounds=rounds, seed=seed, **fields)


def learners_rng(seed=3):
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(2)[0])


def passive_aggressive():
    """Deprecated in scikit-learn 1.8 and to be removed."""
    from sklearn import linear_model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            [linear_model.PassiveAggressiveRegressor()] if hasattr(linear_model, "PassiveAggressiveRegressor") else []
        )


# --- scikit-learn against its own methods


def by_hand(model, run, signs=False, answer=lambda model, X: model.predict(X)):
    """The loop that a user of scikit-learn would write; `model` is a pipeline's steps or one estimator."""
    rng = learners_rng()
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
def test_sklearn_regressors(model):
    run = match(model)
    assert np.array_equal(run.predictions, by_hand(model, run))
    assert np.ptp(run.predictions) > 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [SGDClassifier(), SGDClassifier(loss="log_loss"), Perceptron(penalty="l2")])
@pytest.mark.parametrize(("loss", "unit"), [("hinge", 1.0), ("logistic", 1.0), ("squared", 2.0)])
def test_sklearn_scores_are_margins_or_multiples_of_the_label_bound(model, loss, unit):
    run = match(model, loss=loss, label_bound=2.0, prediction_bound=5.0)
    scores = by_hand(model, run, signs=True, answer=lambda model, X: model.decision_function(X))
    assert np.array_equal(run.predictions, np.clip(unit * scores, -5.0, 5.0))
    assert run.predictions.min() < 0 < run.predictions.max()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [MLPClassifier(hidden_layer_sizes=[5]), BernoulliNB()])
@pytest.mark.parametrize(("loss", "unit"), [("hinge", 5.0), ("logistic", 5.0), ("squared", 2.0)])
def test_sklearn_probabilities_are_stretched_to_the_bound(model, loss, unit):
    def balance(model, X):
        return model.predict_proba(X) @ [-1.0, 1.0]

    run = match(model, loss=loss, label_bound=2.0, prediction_bound=5.0)
    assert np.allclose(run.predictions, unit * by_hand(model, run, signs=True, answer=balance), rtol=1e-14, atol=1e-15)
    assert run.predictions.min() < 0 < run.predictions.max()


@pytest.mark.filterwarnings("ignore")
def test_where_probabilities_are_undefined_the_class_counts():
    def balance(model, X):
        values = model.predict_proba(X) @ [-1.0, 1.0]
        return model.predict(X) if np.isnan(values).any() else values

    run = match(GaussianNB(), loss="hinge")
    assert run.ended == "completed"
    assert run.predictions[1] in (-1.0, 1.0)
    assert np.allclose(run.predictions, by_hand(GaussianNB(), run, signs=True, answer=balance), rtol=1e-14)


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


def test_a_label_of_zero_teaches_a_classifier_nothing():
    for model in (SGDClassifier(random_state=0), linear_model.LogisticRegression()):
        learner = as_learner(model)
        learner.begin(Game(), learners_rng())
        learner.update(np.array([0.5, 0.5]), 1.0)
        before = learner.peek(np.eye(2))
        learner.update(np.array([-0.5, 0.5]), 0.0)
        assert np.array_equal(learner.peek(np.eye(2)), before)
        assert before.any()


@pytest.mark.parametrize(
    "steps",
    [
        [RobustScaler(), SGDRegressor()],  # has no partial_fit, and what it fits depends on the point
        [StandardScaler(), SGDRegressor()],
        [RBFSampler(), SGDRegressor()],
        [StandardScaler(), RBFSampler(), SGDRegressor()],
    ],
)
def test_sklearn_pipelines_learn_step_by_step(steps):
    run = match(make_pipeline(*steps))
    assert np.array_equal(run.predictions, by_hand(steps, run))
    seeded = [
        clone(each).set_params(**({"random_state": 1} if "random_state" in each.get_params() else {})) for each in steps
    ]
    flat, nested = (
        match(make_pipeline(*seeded)),
        match(make_pipeline(make_pipeline(*seeded[:-1]), "passthrough", seeded[-1])),
    )
    assert np.array_equal(flat.predictions, nested.predictions)
    assert not np.array_equal(run.predictions, match(SGDRegressor()).predictions)


# --- river against its own methods


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


@pytest.mark.parametrize("model", RIVER_REGRESSORS, ids=str)
def test_river_regressors(model):
    run = match(model)
    assert np.array_equal(run.predictions, river_by_hand(model, run, number))
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
def test_river_classifiers(model, loss, unit):
    run = match(model, loss=loss, label_bound=2.0, prediction_bound=5.0)
    assert np.allclose(run.predictions, unit * river_by_hand(model, run, balance), rtol=1e-12, atol=1e-14)
    assert run.predictions.min() < 0 < run.predictions.max()


def test_river_classifiers_without_probabilities_answer_with_a_class():
    models = [linear_model.LogisticRegression(), linear_model.PAClassifier(), naive_bayes.GaussianNB()]
    run = match(ensemble.VotingClassifier(models), loss="hinge", adversary="alternating")
    assert run.ended == "completed"
    assert set(run.predictions) <= {-1.0, 0.0, 1.0}
    assert set(run.predictions) >= {-1.0, 1.0}


def test_no_answer_before_the_first_label_is_zero():
    says_none, says_nan = forest.AMFRegressor(n_estimators=2), preprocessing.MinMaxScaler() | linear_model.PARegressor()
    for model in (says_none, says_nan):
        run = match(model)
        assert run.ended == "completed"
        assert run.predictions[0] == 0.0
        assert run.predictions[1:].any()


def test_nan_after_the_first_label_is_a_foul():
    class SaysNan:
        def learn_one(self, row, y):
            pass

        def predict_one(self, row):
            return np.nan

    run = match(SaysNan())
    assert (run.ended, run.forfeit.side, run.forfeit.round) == ("forfeit", "learner", 2)


# --- what holds for all


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
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


@each_model
def test_predicting_changes_nothing(model):
    def trained():
        learner, rng = as_learner(model), np.random.default_rng(8)
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


@each_model
def test_matches_with_one_object_are_independent_and_leave_it_alone(model):
    before = pickle.dumps(model)
    first, second = match(model), match(model)
    assert np.array_equal(first.predictions, second.predictions)
    assert pickle.dumps(model) == before


@each_model
def test_the_global_random_states_are_not_touched(model):
    numpys, pythons = copy.deepcopy(np.random.get_state()), random.getstate()  # noqa: NPY002
    match(model, rounds=10)
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
def test_open_seeds_come_from_the_match(model):
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


def test_a_seed_that_the_user_chose_stays():
    for model in (MLPRegressor(hidden_layer_sizes=[4], random_state=5), forest.ARFRegressor(n_models=3, seed=5)):
        learner, answers = as_learner(model), []
        for seed in (1, 2):
            learner.begin(Game(), learners_rng(seed))
            for x in np.random.default_rng(0).uniform(-1, 1, (20, 2)):
                learner.update(x, float(x[0]))
            answers.append(learner.peek(np.eye(2)))
        assert np.array_equal(*answers)


# --- specs


@pytest.mark.parametrize(
    "text",
    [
        "sklearn:linear_model.SGDRegressor(eta0=0.1)",
        "sklearn:linear_model.SGDRegressor",
        "sklearn:linear_model.SGDClassifier(loss=log_loss, average=true)",
        "sklearn:neural_network.MLPRegressor(hidden_layer_sizes=[5, 5], random_state=3)",
        "sklearn:pipeline.Pipeline(steps=[[scale, sklearn:preprocessing.StandardScaler(with_mean=false)], "
        "[skip, passthrough], [model, sklearn:linear_model.SGDRegressor()]])",
        "sklearn:pipeline.Pipeline(steps=[[impute, sklearn:impute.SimpleImputer()], "
        "[model, sklearn:linear_model.SGDRegressor()]])",  # one of its defaults is NaN
        "river:linear_model.LinearRegression",
        "river:linear_model.LinearRegression(optimizer=river:optim.Adam(), l2=0.1)",
        "river:tree.HoeffdingTreeRegressor(grace_period=50)",
        "river:neighbors.KNNRegressor(n_neighbors=3)",
        "river:compose.Pipeline(steps=[river:preprocessing.StandardScaler(), river:linear_model.LinearRegression()])",
        "river:compose.Pipeline(steps=[river:compose.TransformerUnion(transformers=["
        "river:preprocessing.MinMaxScaler(), [other, river:preprocessing.StandardScaler()]]), "
        "river:linear_model.LogisticRegression(l2=0.5)])",
        "river:ensemble.EWARegressor(models=[river:linear_model.PARegressor(), river:linear_model.LinearRegression()])",
        "river:compat.SKL2RiverRegressor(estimator=sklearn:linear_model.SGDRegressor(eta0=0.2))",
    ],
)
def test_specs_round_trip_and_the_command_repeats_the_match(text):
    run = match(text)
    assert run.ended == "completed"
    assert run.learner == text
    assert text in run.command.replace("'", "")
    assert spec_text(build("learner", text)) == text
    assert np.array_equal(match(build("learner", text)).predictions, run.predictions)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (SGDRegressor(alpha=np.float64(0.5), max_iter=np.int64(7)), "SGDRegressor(alpha=0.5, max_iter=7)"),
        (preprocessing.StandardScaler() | linear_model.PARegressor(), "StandardScaler(), river:linear_model.PAReg"),
        (compose.Select("x1", "x0") | linear_model.PARegressor(), "river:compose.Select(keys=[x0, x1])"),
        (
            linear_model.LinearRegression(optim.SGD(0.5)),
            "river:linear_model.LinearRegression(optimizer=river:optim.SGD(",
        ),
        (SGDClassifier(class_weight={-1: 1.0, 1: 2.0}), "<SGDClassifier>"),
    ],
)
def test_objects_have_specs_if_their_parameters_have(model, text):
    run = match(model)
    assert text in run.learner
    assert (run.command is None) == text.startswith("<")
    if run.command:
        assert np.array_equal(match(run.learner).predictions, run.predictions)


def test_one_class_has_one_address():
    by_hand = "sklearn.linear_model._stochastic_gradient:SGDRegressor(eta0=0.1)"
    assert spec_text(build("learner", by_hand)) == "sklearn:linear_model.SGDRegressor(eta0=0.1)"


def test_one_item_stands_for_a_list_of_one():
    one, listed = (
        build(
            "learner",
            f"river:compose.Pipeline(steps=[river:compose.Select(keys={keys}), river:linear_model.PARegressor()])",
        )
        for keys in ("x0", "[x0]")
    )
    assert spec_text(one) == spec_text(listed)
    assert "keys=[x0]" in spec_text(one)


def test_a_parameters_own_type_decides_what_an_address_builds(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from collections.abc import Sequence\nfrom dataclasses import dataclass\nfrom typing import Any\n"
        "from arena import Learner\n"
        "@dataclass\nclass Team(Learner):\n    of: Sequence[Learner] = ()\n    more: Any = None\n"
        "    def peek(self, X): return X[:, 0]\n    def update(self, x, y): pass\n"
    )
    text = f"{tmp_path}/mine.py:Team(of=[sklearn:linear_model.SGDRegressor()], more=river:optim.SGD(lr=0.5))"
    team = build("learner", text)
    assert [type(each) for each in team.of] == [SGDRegressor]
    assert isinstance(team.more, optim.SGD)
    with pytest.raises(ArenaError, match="StandardScaler is not a learner"):
        build("learner", text.replace("linear_model.SGDRegressor", "preprocessing.StandardScaler"))


def test_the_commands_of_the_documentation():
    assert play("sklearn:linear_model.SGDRegressor(eta0=0.1)", "greedy", rounds=8).loss > 0
    assert play("river:linear_model.LinearRegression()", "alternating", rounds=8).loss > 0
    assert play(SGDRegressor, "greedy", rounds=8).learner == "sklearn:linear_model.SGDRegressor"


# --- what goes wrong


class FitsPartially:
    """Not from any library: partial_fit and predict are enough."""

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


def test_a_diverging_regressor_forfeits_or_pays():
    run = match(SGDRegressor(eta0=1e6, learning_rate="constant"), adversary="greedy(starts=32)", rounds=60)
    assert run.ended == "forfeit" or run.loss > 1e6


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
        ("river:optim.SGD()", "not a learner"),
        ("sklearn:linear_model.SGDRegressor(eta=1)", "Did you mean 'eta0'"),
        ("sklearn:linear_model.SGDRegressor(loss=foo)", "SGDRegressor: The 'loss' parameter"),
        ("sklearn:linear_model.SGDRegresor()", "Did you mean 'SGDRegressor'"),
        ("river:linear_model.LinearRegression(optimizer=river:optim.SDG(lr=0.1))", "Did you mean 'SGD'"),
        ("river:linear_model.LinearRegression(optimizer=river:optim.SGD(rate=0.1))", "no parameter 'rate'"),
        ("river:compose.Pipeline(stepps=[])", "Did you mean 'steps'"),
    ],
)
def test_what_cannot_play_is_told_why(given, message):
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
        "import sys, arena; from arena import registry; registry.entries('learner');"
        "arena.play('kernel-awv', 'alternating', rounds=5);"
        "assert not {'sklearn', 'river'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
