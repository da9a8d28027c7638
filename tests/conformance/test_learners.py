"""Every registered learner keeps the contract, by being registered."""

import copy
import pickle

import numpy as np
import pytest

from arena import Game, play, registry
from arena.adversary import Adversary
from arena.building import build
from arena.learner import as_learner

EVERYBODY = sorted(registry.entries("learner"))
LEARNERS = [
    name for name in EVERYBODY if not build("learner", name).foresight
]  # those that can be played round by round
GAME = Game(rounds=40, dimension=3, label_bound=1.5)


class Watching(Adversary):
    """Plays a given sequence, but as an adaptive adversary: round by round."""

    def __init__(self, X, y):
        self.X, self.y = X, y

    def point(self, view):
        return self.X[view.round - 1]

    def label(self, view, x, prediction):
        return self.y[view.round - 1]


class Announced(Watching):
    """Plays a given sequence in blocks."""

    oblivious = True

    def block(self, view, rounds):
        start = view.round - 1
        return self.X[start : start + rounds], self.y[start : start + rounds]


def sequence(kind, rounds=GAME.rounds):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(rounds, 3))
    if kind == "repeated":
        X = X[rng.integers(5, size=rounds)]
    if kind == "rank one":
        X = np.outer(rng.uniform(-1, 1, rounds), [1.0, 0.5, -0.5])
    return X, 1.5 * rng.choice([-1.0, 1.0], size=rounds)


def begun(name, rounds=12):
    """A learner in mid-match, and a few rows to ask about."""
    learner = build("learner", name)
    learner.begin(GAME, np.random.default_rng(1))
    X, y = sequence("random")
    learner.replay(X[:rounds], y[:rounds])
    return learner, X[rounds:]


def state(learner):
    return pickle.dumps(learner)


@pytest.mark.parametrize("kind", ["random", "repeated", "rank one"])
@pytest.mark.parametrize("name", LEARNERS)
def test_replay_equals_round_by_round(name, kind):
    X, y = sequence(kind, rounds=300)
    fields = {"rounds": 300, "dimension": 3, "label_bound": 1.5, "seed": 3}
    together = play(name, Announced(X, y), **fields)
    one_by_one = play(name, Watching(X, y), **fields)
    assert together.forfeit is None
    np.testing.assert_allclose(together.predictions, one_by_one.predictions, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", LEARNERS)
def test_predict_is_pure_and_equals_peek(name):
    learner, X = begun(name)
    before = state(learner)
    first = [learner.predict(x) for x in X]
    assert [learner.predict(x) for x in X] == first
    np.testing.assert_allclose(learner.peek(X), first, rtol=0, atol=1e-12)
    assert state(learner) == before


@pytest.mark.parametrize("name", LEARNERS)
def test_nothing_of_the_callers_is_kept_or_changed(name):
    learner, X = begun(name)
    twin, _ = begun(name)
    x = X[0].copy()
    for each, argument in ((learner, x), (twin, X[0])):
        each.reveal(argument)
        each.predict(argument)
        each.update(argument, 1.0)
    np.testing.assert_array_equal(x, X[0])
    x[:] = 77.0
    np.testing.assert_array_equal(learner.peek(X[1:]), twin.peek(X[1:]))


@pytest.mark.parametrize("name", LEARNERS)
def test_copies_are_independent(name):
    learner, X = begun(name)
    for twin in (copy.deepcopy(learner), pickle.loads(state(learner))):
        before = learner.peek(X)
        np.testing.assert_array_equal(twin.peek(X), before)
        twin.reveal(X[0])
        twin.predict(X[0])
        twin.update(X[0], 1.5)
        np.testing.assert_array_equal(learner.peek(X), before)


@pytest.mark.parametrize("name", LEARNERS)
def test_predictions_do_not_depend_on_labels_not_yet_seen(name):
    X, y = sequence("random")
    other = y.copy()
    other[20:] *= -1
    runs = [play(name, Announced(X, labels), rounds=40, dimension=3, label_bound=1.5) for labels in (y, other)]
    np.testing.assert_array_equal(runs[0].predictions[:21], runs[1].predictions[:21])


@pytest.mark.parametrize("name", EVERYBODY)
def test_same_seed_same_run_and_the_global_random_state_untouched(name):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    runs = [play(name, "repeated(points=7)", rounds=60, seed=5) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].predictions, runs[1].predictions)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize("name", EVERYBODY)
def test_it_keeps_its_promises_and_its_spec(name):
    learner = as_learner(build("learner", name))
    adversaries = ["alternating", "repeated(points=5)"]
    if not learner.foresight:
        adversaries += ["repeated(points=5, labels=contrary)", "greedy(starts=16, polished=1)"]
    kept = []
    for adversary, loss in [*((each, "squared") for each in adversaries), ("repeated(points=5)", "hinge")]:
        run = play(learner, adversary, rounds=60, seed=2, loss=loss)
        assert run.forfeit is None
        assert run.learner == name
        verdicts = run.verdicts()
        assert not [str(verdict) for verdict in verdicts if verdict.violated]
        kept += [verdict.holds for verdict in verdicts]
    assert any(kept) or not kept, "nothing that it promises applies to any of these matches"


@pytest.mark.parametrize("name", EVERYBODY)
@pytest.mark.parametrize("kernel", ["gaussian(bandwidth=0.001)", "gaussian(bandwidth=1000)"])
@pytest.mark.parametrize("regularisation", [1e-8, 1e8])
def test_it_survives_extreme_but_legal_input(name, kernel, regularisation):
    corners = np.where(np.random.default_rng(0).random((400, 3)) < 0.5, -1.0, 1.0)
    corners[200:] = corners[0]
    labels = np.where(np.arange(400) % 3, 1.5, -1.5)
    run = play(name, Announced(corners, labels), rounds=400, dimension=3, label_bound=1.5, kernel=kernel,
               regularisation=regularisation)  # fmt: skip
    assert run.forfeit is None
    assert np.isfinite(run.predictions).all()
