"""Models of padasip and Vowpal Wabbit, and plain functions, predict as a loop over the library's own methods does."""

import copy

import numpy as np
import padasip
import pytest
import vowpalwabbit

from arena import ArenaError, play
from arena.adapters.vowpal_wabbit import VowpalWabbitAdapter
from arena.game.game import Game


def row(x):
    return "| " + " ".join(f"x{i}:{value!r}" for i, value in enumerate(x))


def by_vowpal_wabbit(options, run):
    workspace, predictions = vowpalwabbit.Workspace(options), []
    for x, y in zip(run.points.tolist(), run.labels.tolist(), strict=True):
        predictions.append(workspace.predict(row(x)))
        workspace.learn(f"{y!r} {row(x)}")
    return np.array(predictions)


@pytest.mark.parametrize("options", ["--quiet", "--quiet -l 0.2 --l2 0.01", "--quiet --interactions ::"])
def test_a_workspace_learns_round_by_round(options, match):
    run = match(vowpalwabbit.Workspace(options))
    np.testing.assert_array_equal(run.predictions, by_vowpal_wabbit(options, run))
    assert np.ptp(run.predictions) > 0


def test_a_workspace_of_the_logistic_loss_answers_with_its_margin(match):
    options = "--quiet --loss_function logistic"
    run = match(vowpalwabbit.Workspace(options), loss="logistic", prediction_bound=50)
    np.testing.assert_array_equal(run.predictions, by_vowpal_wabbit(options, run))
    balanced = match(vowpalwabbit.Workspace(f"{options} --link logistic"), loss="logistic")
    np.testing.assert_allclose(balanced.predictions, np.tanh(run.predictions / 2), atol=1e-6)


def test_the_copy_of_a_workspace_knows_its_rounds_and_learns_alone():
    learner = VowpalWabbitAdapter(vowpalwabbit.Workspace("--quiet"))
    learner.begin(Game(), np.random.default_rng(0))
    x = np.array([0.5, -1.0])
    for _ in range(5):
        learner.update(x, 1.0)
    before = learner.predict(x)
    twin = copy.deepcopy(learner)
    assert twin.predict(x) == before > 0
    twin.update(x, -1.0)
    assert twin.predict(x) < before == learner.predict(x)


def test_labels_of_a_copy_are_not_counted_in_the_remark():
    learner = VowpalWabbitAdapter(vowpalwabbit.Workspace("--quiet --loss_function logistic"))
    learner.begin(Game(), np.random.default_rng(0))
    learner.update(np.zeros(2), 0.0)
    twin = copy.deepcopy(learner)
    twin.update(np.zeros(2), 1.0)
    assert "nothing from 1 of 1 labels" in learner.remark
    assert "nothing from 1 of 2 labels" in twin.remark


def test_a_match_leaves_the_given_workspace_untrained_and_writes_no_file(tmp_path, monkeypatch, match):
    monkeypatch.chdir(tmp_path)
    workspace = vowpalwabbit.Workspace("--quiet -f model.vw")
    first, second = match(workspace), match(workspace)
    np.testing.assert_array_equal(first.predictions, second.predictions)
    assert workspace.predict("| x0:1") == 0
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_for_costs_is_refused(match):
    with pytest.raises(ArenaError, match="its labels are costs, rewards or several classes"):
        match(vowpalwabbit.Workspace("--quiet --oaa 3"))


def by_padasip(model, run):
    model, predictions = copy.deepcopy(model), []
    for x, y in zip(run.points, run.labels, strict=True):
        predictions.append(model.predict(x))
        model.adapt(y, x.copy())
    return np.array(predictions)


@pytest.mark.parametrize(
    "model",
    [
        padasip.filters.FilterRLS(n=2, mu=0.95, w="zeros"),
        padasip.filters.FilterNLMS(n=2, w="zeros"),
        padasip.filters.FilterLMS(n=2, mu=0.05, w=[0.5, -0.5]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_filter_adapts_round_by_round(model, match):
    weights = model.w.copy()
    run = match(model)
    np.testing.assert_array_equal(run.predictions, by_padasip(model, run))
    assert np.ptp(run.predictions) > 0
    np.testing.assert_array_equal(model.w, weights)


def test_recursive_least_squares_of_padasip_obeys_its_identity():
    spec = "padasip:filters.FilterRLS(n=2, mu=1, eps=0.5, w=zeros)"
    run = play(spec, "greedy", rounds=30, kernel="linear", regularisation=0.5)
    assert run.verdict("ridge-identity").holds
    assert not play(spec, "greedy", rounds=30, kernel="linear", regularisation=0.6).verdict("ridge-identity").holds


def test_a_filter_of_another_size_is_refused():
    with pytest.raises(ArenaError, match=r"FilterLMS has 3 weights.*write FilterLMS\(n=2\), or `dimension=3`"):
        play("padasip:filters.FilterLMS(n=3, mu=0.1, w=zeros)", "greedy", rounds=3)


def test_a_function_of_a_point_is_a_predictor_that_learns_nothing(tmp_path):
    run = play(lambda x: 0.5 * x[0], "alternating", rounds=6)
    np.testing.assert_array_equal(run.predictions, 0.5 * run.points[:, 0])
    file = tmp_path / "rules.py"
    file.write_text("def rule(x):\n    return 0.5 * x[0]\n\n\ndef factory():\n    return rule\n")
    for name in ("rule", "factory"):
        again = play(f"{file}:{name}", "alternating", rounds=6)
        np.testing.assert_array_equal(again.predictions, run.predictions)


def test_a_function_of_two_arguments_is_refused():
    with pytest.raises(ArenaError, match="a function plays if it needs one argument, the point"):
        play(lambda x, y: x[0] * y, "alternating", rounds=2)


def test_a_function_that_answers_with_nonsense_forfeits():
    run = play(lambda x: f"{x}", "alternating", rounds=2)
    assert run.forfeit is not None
    assert run.forfeit.side == "learner"
