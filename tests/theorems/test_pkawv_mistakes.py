"""Theorems are violated by mistakes planted in forecasters on features and dictionaries."""

from functools import partial

import numpy as np
import pytest

from arena import play
from arena_tests import judging
from arena_tests.planted.around import Around
from arena_tests.planted.on_features import (
    ForgetsTheOldDictionary,
    LastRoundTwice,
    LosesAFeature,
    NoShrinkage,
    OnFeatures,
    WrongLambda,
    WrongSign,
    WrongSignOnManyFeatures,
)

ADVERSARIES = [
    "alternating(at=[0.6, 0.9])",
    "repeated(points=12)",
    "repeated(points=6, labels=contrary)",
    "greedy(starts=16, polished=0)",
]


caught = partial(judging.caught, adversaries=ADVERSARIES, kernel="gaussian(bandwidth=1.5)")


NAMES = ["pkawv-identity", "pkawv-features", "pkawv-features-logdet", "pkawv-subspace-sharp", "pkawv-subspace"]


def test_the_forecaster_written_out_once_more_is_correct():
    for name in NAMES:
        assert caught(OnFeatures(), name) == [], name


@pytest.mark.parametrize("mistake", [NoShrinkage, WrongLambda, LosesAFeature, WrongSign, LastRoundTwice])
def test_the_identity_sees_every_mistake(mistake):
    assert len(caught(mistake(), "pkawv-identity")) == len(ADVERSARIES)


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_mistake_breaks_each_bound(name):
    assert caught(WrongSign(), name, regularisation=0.5) != []


@pytest.mark.parametrize("name", ["pkawv-features", "pkawv-subspace-sharp"])
def test_plain_ridge_regression_breaks_the_sharp_bounds(name):
    assert caught(NoShrinkage(), name) != []


def test_the_identity_of_projected_ridge_regression():
    assert caught(NoShrinkage(), "pkrr-identity") == []
    for mistake in (OnFeatures, WrongLambda, WrongSign, LosesAFeature):
        assert len(caught(mistake(), "pkrr-identity")) >= 3


def test_enough_taylor_features():
    far = {"kernel": "gaussian(bandwidth=1.5)", "regularisation": 0.5}
    for adversary in ADVERSARIES:
        run = play("pkawv(embedding=taylor(degree=16))", adversary, rounds=150, **far)
        assert run.verdict("pkawv-taylor").holds
    assert caught(WrongSignOnManyFeatures(), "pkawv-taylor", regularisation=0.5) != []


def test_past_rounds_without_the_newcomers_coordinate_violate_the_identity():
    runs = [play(ForgetsTheOldDictionary(), a, rounds=40, regularisation=0.1) for a in ADVERSARIES]
    assert any(run.verdict("pkawv-identity").violated for run in runs)


@pytest.mark.parametrize(
    "name", ["pkawv-growing-sharp", "pkawv-growing", "pkawv-growing-printed", "pkawv-kors-regret(mu=0.001)"]
)
def test_a_mistake_breaks_the_growing_bounds(name):
    run = play(Around("pkawv-kors(beta=1e9)", np.negative), "repeated(points=3)", rounds=300, regularisation=0.1)
    assert run.verdict(name).violated
    assert play("pkawv-kors(beta=1e9)", "repeated(points=3)", rounds=300, regularisation=0.1).verdict(name).holds
