"""A model that cannot be copied is copied by building it again from its spec and playing its rounds again."""

from __future__ import annotations

import copy
import threading

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import arena
from arena import ArenaError, play
from arena.adversaries.lookahead import Lookahead
from arena.game.game import Game
from arena.learners.late_labels import LateLabels
from arena.players.rebuilt import Rebuilt, begun
from arena.record.remarks import notes
from arena.specs import registry

ALL = sorted(set(registry.entries("adversary")) - {"replay", "from-data"})


class Mean:
    """A model whose prediction moves towards each label, by the share `rate` of the distance."""

    def __init__(self, rate=0.5):
        self.rate, self.mean = rate, 0.0

    def predict(self, x):
        return self.mean

    def update(self, x, y):
        self.mean += self.rate * (y - self.mean)


class Locked(Mean):
    """`Mean` with a lock, which Python cannot copy."""

    def __init__(self, rate=0.5):
        super().__init__(rate)
        self.lock = threading.Lock()


class Random(Locked):
    """A model whose predictions are random numbers from the generator of the match."""

    def begin(self, game, rng):
        self.rng, self.mean = rng, 0.0

    def update(self, x, y):
        self.mean = self.rng.uniform(-1.0, 1.0)


def test_a_copy_continues_as_the_original_does():
    original = begun(Random, Game(), np.random.default_rng(3))
    assert isinstance(original, Rebuilt)
    X = np.zeros((6, 2))
    original.replay(X[:3], np.ones(3))
    twin = copy.deepcopy(original)
    before = original.predict(X[0])
    assert twin.predict(X[0]) == before != 0.0
    after = twin.replay(X[3:], np.ones(3))
    assert original.predict(X[0]) == before
    assert np.array_equal(original.replay(X[3:], np.ones(3)), after)


def test_learners_that_can_be_copied_stay_themselves():
    assert not isinstance(begun("krr", Game(), np.random.default_rng(0)), Rebuilt)
    assert not isinstance(begun(Mean(), Game(), np.random.default_rng(0)), Rebuilt)


def test_plans_against_a_model_that_cannot_be_copied_are_those_against_its_twin():
    plain, locked = (play("krr", Lookahead(against=each, starts=8), rounds=6) for each in (Mean, Locked))
    np.testing.assert_array_equal(plain.points, locked.points)
    np.testing.assert_array_equal(plain.labels, locked.labels)
    assert locked.ended == "completed"


def test_late_labels_of_a_model_that_cannot_be_copied():
    plain, locked = (play(LateLabels(of=each, delay=2), "alternating", rounds=9) for each in (Mean, Locked))
    np.testing.assert_array_equal(plain.predictions, locked.predictions)
    again = play(LateLabels(of=Locked, delay=2), "lookahead(starts=8)", rounds=6)
    assert again.ended == "completed"


@pytest.mark.parametrize("adversary", ALL)
def test_every_adversary_plays_it(adversary):
    plain, locked = (play(each, adversary, rounds=5) for each in (Mean, Locked))
    assert locked.ended == plain.ended
    np.testing.assert_array_equal(plain.predictions, locked.predictions)


@pytest.mark.parametrize(
    "model",
    [
        'vowpalwabbit:Workspace(arg_str="--quiet")',
        "padasip:filters.FilterRLS(n=2, mu=0.99, w=zeros)",
        "sklearn:pipeline.make_pipeline(steps=[sklearn:preprocessing.StandardScaler(), "
        "sklearn:linear_model.SGDRegressor()])",
        "river:compose.Pipeline(steps=[river:preprocessing.StandardScaler(), river:linear_model.LinearRegression()])",
        make_pipeline(StandardScaler(), SGDRegressor()),
    ],
    ids=["vowpal wabbit", "padasip", "sklearn spec", "river spec", "sklearn object"],
)
def test_models_of_every_library_are_copied_in_plans(model):
    module = str(model).partition(":")[0]
    if module in ("vowpalwabbit", "padasip"):
        pytest.importorskip(module)
    assert play("krr", Lookahead(against=model, starts=4), rounds=4).ended == "completed"
    assert play(model, "lookahead(starts=4)", rounds=4).ended == "completed"


def test_an_object_that_cannot_be_copied_plays_itself_and_the_result_says_so():
    model = Locked()
    first, second = (play(model, "alternating", rounds=3) for _ in range(2))
    assert first.predictions[0] == 0.0 != second.predictions[0]
    assert "the object itself played and keeps what it learned; give its class" in "".join(notes(first))
    for copied in (Locked, Mean()):
        assert "itself" not in "".join(notes(play(copied, "alternating", rounds=3)))
    with pytest.raises(ArenaError, match="Locked cannot be copied: give its class or its spec"):
        arena.play("krr", Lookahead(against=model), rounds=3)
