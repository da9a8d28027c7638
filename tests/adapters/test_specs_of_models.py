"""A model's spec builds an equal model."""

import numpy as np
import pytest
from river import compose, linear_model, optim, preprocessing
from sklearn.linear_model import SGDClassifier, SGDRegressor

from arena import ArenaError, play
from arena.record.commands import play_command
from arena.specs.building import build
from arena.specs.spelling import spec_text


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
def test_specs_round_trip_and_the_command_repeats_the_match(text, match):
    run = match(text)
    assert run.ended == "completed"
    assert run.learner == text
    assert text in play_command(run).replace("'", "")
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
        (SGDClassifier(class_weight={-1: 1.0, 1: 2.0}), "<sklearn:linear_model.SGDClassifier>"),
    ],
)
def test_objects_have_specs_if_their_parameters_have(model, text, match):
    run = match(model)
    assert text in run.learner
    assert (play_command(run) is None) == text.startswith("<")
    if play_command(run):
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
