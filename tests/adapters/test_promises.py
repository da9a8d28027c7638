"""Models of scikit-learn and river obey the theorems of the algorithms that they implement, except two of river's."""

from collections import Counter

import numpy as np
import pytest
from river import linear_model as river
from river import optim
from sklearn.linear_model import SGDClassifier, SGDRegressor

from arena import play
from arena.players.learner import as_learner
from arena.players.moves import GivenMoves
from arena.record.judging import judge, promises_of
from arena.specs.building import build
from arena_tests import FULL

ADVERSARIES = ["alternating", "contrarian", "drift(places=7)", "far-point", "label-blocks(length=7)",
               "repeated(points=5)", "repeated(points=20, labels=contrary)"]  # fmt: skip
MATCHES = 1000 if FULL else 6
FREE = {"loss": "hinge", "prediction_bound": 1e9}  # scores are not clipped
SKLEARN, RIVER = "sklearn:linear_model.", "river:linear_model."
PASSIVE = "loss=hinge, penalty=none, fit_intercept=false, "
MODELS = [  # a model, a theorem (none: its own), and the fields of the game
    (SKLEARN + "SGDRegressor()", "", {}),
    (SKLEARN + "SGDRegressor(eta0=0.2, learning_rate=constant, alpha=0.1, fit_intercept=false)", "", {}),
    (SKLEARN + "SGDClassifier()", "", FREE),
    (SKLEARN + "SGDClassifier(loss=squared_hinge, eta0=0.1, learning_rate=invscaling, penalty=none)", "",
     {"loss": "squared-hinge", "prediction_bound": 1e9}),
    (SKLEARN + "SGDClassifier(loss=log_loss, alpha=0.01)", "", {"loss": "logistic", "prediction_bound": 1e9}),
    (SKLEARN + "Perceptron()", "", {"loss": "hinge"}),
    (SKLEARN + "Perceptron(fit_intercept=false, eta0=3.0)", "", {}),
    (SKLEARN + f"SGDClassifier({PASSIVE} learning_rate=pa1, eta0=1.0)", "", FREE),
    (SKLEARN + "SGDClassifier(loss=hinge, penalty=none, learning_rate=pa1, eta0=0.5)", "", FREE),
    (SKLEARN + "SGDClassifier(loss=hinge, penalty=none, learning_rate=pa2, eta0=2.0)", "", FREE),
    (SKLEARN + "SGDRegressor(loss=epsilon_insensitive, penalty=none, learning_rate=pa2, eta0=1.0)", "", {}),
    (SKLEARN + "SGDRegressor(loss=epsilon_insensitive, penalty=none, learning_rate=pa1, eta0=0.3)", "", {}),
    (SKLEARN + f"SGDClassifier({PASSIVE} learning_rate=pa1, eta0=1.0)", "pa-1-mistakes(kernel=linear)", FREE),
    (SKLEARN + f"SGDClassifier({PASSIVE} learning_rate=pa2, eta0=1.0)", "pa-2(kernel=linear)", FREE),
    (SKLEARN + "SGDRegressor(loss=epsilon_insensitive, penalty=none, fit_intercept=false, learning_rate=pa2, eta0=1.0)",
     "pa-2(kernel=linear, task=regression)", {}),
    (RIVER + "PAClassifier(learn_intercept=false)", "", {"loss": "hinge"}),
    (RIVER + "LinearRegression()", "", {}),
    (RIVER + "LinearRegression(optimizer=river:optim.SGD(lr=0.1), l2=0.3, intercept_lr=0.02)", "", {}),
    (RIVER + "LinearRegression(optimizer=river:optim.SGD(lr=river:optim.schedulers.InverseScaling(learning_rate=0.3)))",
     "", {}),
    (RIVER + "LinearRegression(optimizer=river:optim.AdaGrad(lr=1), l2=0.1)", "", {}),
    (RIVER + "BayesianLinearRegression(alpha=3, beta=2)", "", {}),
]  # fmt: skip


def matches(model, **fields):
    """Yield matches of the model with random adversaries, numbers of rounds and dimensions."""
    rng = np.random.default_rng(0)
    for seed in range(MATCHES):
        game = {"rounds": int(rng.integers(1, 50)), "dimension": int(rng.integers(1, 5)), "hindsight": "none"}
        yield play(model, str(rng.choice(ADVERSARIES)), seed=seed, **game, **fields)


@pytest.mark.parametrize(("model", "claim", "fields"), MODELS, ids=[f"{each[0]} {each[1]}" for each in MODELS])
def test_public_implementations_obey_their_theorems(model, claim, fields):
    outcomes = Counter()
    for run in matches(model, **fields):
        for theorem in [build("theorem", claim)] if claim else promises_of(run):
            verdict = judge(run, theorem)
            assert not verdict.violated, (run.adversary, run.game, str(verdict))
            outcomes[verdict.outcome] += 1
    assert outcomes["holds"] > 0.5 * sum(outcomes.values()), outcomes


@pytest.mark.parametrize(
    ("model", "promise"),
    [
        (SGDRegressor(eta0=0.5), "sgd-scikit-learn(eta0=0.5, loss=squared)"),
        (
            SGDClassifier(penalty=None),
            "sgd-scikit-learn(learning_rate=optimal, power_t=0.5, penalty=none, loss=hinge)",
        ),
        (river.LinearRegression(optim.SGD(0.5)), "sgd-river(lr=0.5)"),
        (river.BayesianLinearRegression(alpha=1, beta=4), "rls-regret(regularisation=0.25)"),
    ],
)
def test_parameters_become_those_of_the_theorem(model, promise):
    first = build("theorem", as_learner(model).theorems[0])
    assert first == build("theorem", promise) or str(vars(first)) == str(vars(build("theorem", promise)))


@pytest.mark.parametrize(
    "model",
    [
        SGDRegressor(average=True),
        SGDRegressor(penalty="l1"),
        SGDRegressor(learning_rate="adaptive"),
        SGDRegressor(loss="huber"),
        SGDClassifier(class_weight={-1: 1.0, 1: 2.0}),
        SGDClassifier(early_stopping=True),
        river.LinearRegression(optim.Adam()),
        river.LinearRegression(l1=0.1),
        river.LinearRegression(intercept_init=1.0),
        river.LinearRegression(clip_gradient=1.0),
        river.LogisticRegression(),
        river.BayesianLinearRegression(smoothing=0.8),
        river.PARegressor(),
        river.PAClassifier(),
        SGDClassifier(loss="hinge", learning_rate="pa1", eta0=1.0),  # its l2 penalty is no part of the algorithm
    ],
)
def test_what_is_not_covered_promises_nothing(model):
    assert as_learner(model).theorems == ()


def test_a_model_promises_what_its_attribute_lists():
    class Mine(SGDRegressor):
        theorems = ("sgd-scikit-learn(eta0=0.1)", "at-most(regret=1000)")

    run = play(Mine(eta0=0.1), "repeated(points=5)", rounds=30)
    assert [verdict.name for verdict in run.verdicts()] == ["sgd-scikit-learn", "at-most"]
    assert all(verdict.holds for verdict in run.verdicts())


def test_a_wrong_parameter_of_a_promise_is_noticed():
    class Mine(SGDRegressor):
        theorems = ("sgd-scikit-learn(eta0=0.1)",)

    moves = GivenMoves(np.ones((30, 2)), np.ones(30))
    assert play(Mine(eta0=0.1), moves, rounds=30).verdicts()[0].holds
    assert play(Mine(eta0=1e-4), moves, rounds=30).verdicts()[0].violated


def test_another_loss_and_clipped_scores_make_it_inapplicable():
    reason = play(SGDRegressor(), "alternating", rounds=10, loss="absolute").verdicts()[0].reason
    assert "the game's loss is that of the model (absolute, not squared)" in reason
    reason = play(SGDClassifier(), "alternating", rounds=10, loss="hinge").verdicts()[0].reason
    assert "choose a larger prediction_bound" in reason


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
def test_an_intercept_that_steps_leave_out_breaks_the_usual_bounds_and_keeps_the_lemma(rate):
    """A step divides by x^2 = 0.01 but moves the intercept, too: the prediction moves by up to 101 times the loss."""
    model = SGDRegressor(loss="epsilon_insensitive", penalty=None, learning_rate=rate, eta0=1e6, epsilon=0.1)
    run = play(model, GivenMoves(np.full((12, 1), 0.1), np.ones(12)), rounds=12, dimension=1)
    assert run.losses[-1] > 1e9 * run.losses[0]
    claim = f"pa-{rate[2:]}(kernel=linear(offset=1), task=regression, aggressiveness=1e6)"
    assert run.verdict(claim).violated
    (lemma,) = run.verdicts()
    assert lemma.name == "pa-steps"
    assert lemma.holds


# ---- two models of river 0.26 that are not the algorithms of their papers


def test_ftrl_of_river_predicts_without_the_last_round_and_violates_the_bound():
    """river computes w before it adds the new gradient, so that after one round only the intercept has moved."""
    model = river.LinearRegression(optim.FTRLProximal())
    assert play(model, GivenMoves(np.ones((2, 1)), np.ones(2)), rounds=2, dimension=1).predictions[1] == 0.01 * 2
    game = {"rounds": 31, "dimension": 4}
    assert play(model, "far-point", **game).verdict("ftrl-proximal").violated
    assert play("ftrl-proximal", "far-point", **game).verdict("ftrl-proximal").holds


def test_the_passive_aggressive_regressor_of_river_doubles_the_labels_and_violates_the_bound():
    """The loss in river takes labels as 0 or 1, and replaces each label y by 2 y - 1."""
    moves = GivenMoves(np.ones((20, 1)), np.full(20, 0.5))
    run = play(river.PARegressor(mode=0, learn_intercept=False), moves, rounds=20, dimension=1)
    assert run.verdict("pa(kernel=linear, task=regression)").violated
    assert play("pa(task=regression)", moves, rounds=20, dimension=1, kernel="linear").verdict("pa").holds


def test_scores_that_are_scaled_to_other_labels_keep_the_promises_about_signs_alone():
    """With labels in [-1.5, 1.5], scores are multiplied by 1.5, so that bounds on losses do not apply."""
    for model, promises in (("SGDClassifier(loss=hinge, penalty=none, learning_rate=pa1)", 0), ("Perceptron()", 1)):
        scaled = play(SKLEARN + model, "repeated(points=5)", rounds=40, label_bound=1.5)
        assert len(promises_of(scaled)) == promises
        assert not any(verdict.violated for verdict in scaled.verdicts())
        assert (
            len(promises_of(play(SKLEARN + model, "repeated(points=5)", rounds=40, label_bound=1.5, loss="hinge"))) == 1
        )
