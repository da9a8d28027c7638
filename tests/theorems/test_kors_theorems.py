"""Theorems on KORS as verdicts on matches, and the relations of dimensions (theory E3, E9, E10)."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from arena import play
from arena.components.kors import Kors
from arena.game.kernels import Gaussian, Linear
from arena.players.moves import GivenMoves
from arena.record.judging import judge, promises_of
from arena.theorems.dimensions import LogDeterminant, LogDeterminantTrace, OnlineDimension
from arena.theorems.kors import (
    KorsAccuracy,
    KorsOverestimation,
    KorsProjection,
    KorsSize,
    projection_errors,
    sketch_errors,
)
from arena.theorems.kors_printed import KorsSizeLogPrinted, KorsSizePrinted, KorsSizeSquaredLogPrinted
from arena_tests import FULL
from arena_tests.sequences import points

SEEDS = 200 if FULL else 40
PROMISES = [KorsAccuracy, KorsProjection, KorsOverestimation, KorsSize]
PRINTED = [KorsSizePrinted, KorsSizeLogPrinted, KorsSizeSquaredLogPrinted]


def sampled(X, kernel="gaussian", ridge=1.0, seed=0, **sampling):
    """Return a match at these points with the evidence of KORS."""
    run = play(
        "zero",
        GivenMoves(X, np.zeros(len(X))),
        rounds=len(X),
        dimension=X.shape[1],
        kernel=kernel,
        box=(-1e9, 1e9),
        hindsight="none",
    )
    kors = Kors(run.game.kernel, X.shape[1], ridge=ridge, **sampling)
    accepted, probabilities = kors.sample(X, np.random.default_rng(seed).random(len(X)))
    run.evidence.update(accepted=np.flatnonzero(accepted) + 1.0, probabilities=probabilities)
    return run


def without(run, evidence):
    """Return the match with this evidence in place of its own."""
    return dataclasses.replace(run, evidence=evidence)


# ---- against dense matrices


@settings(max_examples=100 if FULL else 25)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["random", "repeated", "rank one"]))
def test_errors_by_their_definition(seed, kind):
    rng = np.random.default_rng(seed)
    X, kernel = points(kind, 25, rng, distinct=4), Linear(offset=1.0) if seed % 2 else Gaussian(bandwidth=0.3)
    run = sampled(X, kernel, ridge=0.2, seed=seed, beta=0.5, epsilon=0.5)
    K, p = kernel.gram(X, X), run.evidence["probabilities"]
    accepted = np.zeros(25, dtype=bool)
    accepted[run.evidence["accepted"].astype(int) - 1] = True
    U, values, _ = np.linalg.svd(K)
    features = U * np.sqrt(values)
    rounds = [1, 6, 25]
    for t, sketch, left in zip(rounds, sketch_errors(run, 0.2, rounds), projection_errors(run, rounds), strict=True):
        exact = features[:t].T @ features[:t] + 0.2 * np.eye(25)
        own = np.flatnonzero(accepted[:t])
        estimate = (features[own] / p[own, np.newaxis]).T @ features[own] + 0.2 * np.eye(25)
        whiten = np.linalg.inv(np.linalg.cholesky(exact))
        assert sketch == pytest.approx(np.abs(np.linalg.eigvalsh(whiten @ estimate @ whiten.T) - 1).max(), abs=1e-7)
        # A nearly dependent point adds a direction to the span or not, as rounding decides; more directions leave less.
        # The direction itself is known to few digits.
        least, most = (unexplained(features[:t], own, smallest=smallest) for smallest in (1e-8, 1e-5))
        nearly = 1e-4 if most - least < 1e-4 else 1e-3
        assert least - nearly <= left <= most + 1e-4


def unexplained(features, own, *, smallest):
    """Return the largest eigenvalue of K - P K P, where P projects onto the features of the points `own`.

    Directions with a relative singular value below `smallest` do not count.
    """
    _, sizes, directions = np.linalg.svd(features[own], full_matrices=False)
    span = directions[sizes > smallest * sizes.max(initial=0.0)]
    return np.linalg.norm(features - features @ span.T @ span, 2) ** 2


@settings(max_examples=300 if FULL else 60)
@given(
    seed=st.integers(0, 10_000),
    rounds=st.integers(1, 40),
    ridge=st.floats(1e-6, 1e6),
    kind=st.sampled_from(["random", "repeated", "rank one", "nothing"]),
)
def test_dimensions_are_ordered(seed, rounds, ridge, kind):
    X = points("random" if kind == "nothing" else kind, rounds, np.random.default_rng(seed)) * (kind != "nothing")
    kernel = Linear() if kind in ("rank one", "nothing") else Gaussian(bandwidth=0.4)
    run = play(
        "zero", GivenMoves(X, np.zeros(len(X))), rounds=rounds, kernel=kernel, loss="hinge" if seed % 2 else "squared"
    )
    for theorem in (OnlineDimension(ridge), LogDeterminant(ridge), LogDeterminantTrace(ridge)):
        assert judge(run, theorem).holds
    K = kernel.gram(X, X)
    eigenvalues = np.maximum(np.linalg.eigvalsh(K), 0.0)
    determinant = np.log1p(eigenvalues / ridge).sum()
    bound = (eigenvalues / (eigenvalues + ridge)).sum() * (1 + np.log1p(eigenvalues[-1] / ridge))
    assert judge(run, OnlineDimension(ridge)).allowed == pytest.approx(determinant, rel=1e-6, abs=1e-9)
    assert judge(run, LogDeterminant(ridge)).allowed == pytest.approx(bound, rel=1e-6, abs=1e-9)


def test_dimensions_nearly_meet():
    """With a large lambda, the online dimension is nearly the log-determinant, which is nearly its upper bound."""
    run = play("zero", "alternating", rounds=100)
    assert 0.98 < judge(run, OnlineDimension(2500.0)).tightness < 1
    assert judge(run, LogDeterminant(2500.0)).tightness > 0.97
    assert judge(run, "log-determinant-trace").tightness > 0.8


def test_dimensions_of_a_tiny_lambda_are_not_judged():
    run = play("zero", "alternating", rounds=50)
    for theorem in (OnlineDimension, LogDeterminant, LogDeterminantTrace):
        assert "lambda stands out of the rounding errors" in judge(run, theorem(1e-15)).reason
        assert judge(run, theorem(1e-12)).holds


# ---- at the promised rate


ROUNDS, DELTA, EPSILON = 400, 0.2, 0.9
BETA = 3 * np.log(ROUNDS / DELTA) / EPSILON**2


def three_points(seed, beta):
    centres = np.array([[0.0, 0.0], [0.4, 0.0], [2.0, 0.0]])
    X = centres[np.random.default_rng(seed + 1000).integers(3, size=ROUNDS)]
    return sampled(X, "gaussian(bandwidth=0.5)", seed=seed, beta=beta, epsilon=EPSILON)


@pytest.mark.parametrize("promise", PROMISES)
def test_promises_hold_at_their_rate(promise):
    theorem = promise(1.0, None, EPSILON, DELTA)
    verdicts = [judge(three_points(seed, BETA), theorem) for seed in range(SEEDS)]
    assert all(verdict.applicable for verdict in verdicts)
    failures = sum(verdict.violated for verdict in verdicts)
    assert binomtest(failures, SEEDS, 1 - theorem.confidence, alternative="greater").pvalue > 1e-3


def test_confidence():
    assert KorsAccuracy(delta=0.2).confidence == 0.8
    assert KorsSize(delta=0.2).confidence == pytest.approx(0.6)


class Sloppy(KorsAccuracy):
    """`KorsAccuracy` without its assumption about beta."""

    def assumptions(self, run):
        return ()


def test_with_a_hundredth_of_beta_the_sketch_is_wrong_too_often():
    theorem = Sloppy(1.0, BETA / 100, EPSILON, DELTA)
    broken = sum(judge(three_points(seed, BETA / 100), theorem).violated for seed in range(SEEDS))
    assert binomtest(broken, SEEDS, DELTA, alternative="greater").pvalue < 1e-3


@pytest.mark.parametrize("learner", ["con-kons", "pros-n-kons", "b-kons"])
def test_learners_promise_it_with_their_own_parameters(learner):
    beta = 12 * np.log(150 / 0.1)
    for adversary in ("alternating", "repeated(points=5)"):
        run = play(f"{learner}(beta={beta}, gamma=0.5)", adversary, rounds=150)
        verdicts = {theorem.name: judge(run, theorem) for theorem in promises_of(run)}
        for promise in PROMISES:
            if learner == "b-kons" and run.evidence["probabilities"].min() == 0:
                assert "no limit stopped the sampling" in verdicts[promise.name].reason
            else:
                assert verdicts[promise.name].holds
                assert "ridge=0.5" in verdicts[promise.name].theorem


# ---- assumptions and planted mistakes


@pytest.mark.parametrize("promise", PROMISES + PRINTED)
def test_when_they_do_not_apply(promise):
    theorem = promise(ridge=1.0, epsilon=0.5)
    beta = 12 * np.log(60 / 0.1)
    fair = sampled(np.zeros((60, 1)), beta=beta, epsilon=0.5)
    assert judge(fair, theorem).applicable
    assert "as evidence" in judge(without(fair, {}), theorem).reason
    assert "as evidence" in judge(without(fair, {"accepted": np.array([1.0])}), theorem).reason
    small = promise(ridge=1.0, beta=1.0)
    assert "beta >= 3 log(T/delta) / epsilon^2 (1 of 76.7" in judge(fair, small).reason
    full = fair.evidence["probabilities"].copy()
    full[-1] = 0.0
    limited = without(fair, {**fair.evidence, "probabilities": full})
    assert "no limit stopped the sampling" in judge(limited, theorem).reason


@pytest.mark.parametrize("promise", PROMISES + PRINTED[1:2])
def test_points_without_features_are_no_sign_of_a_limit(promise):
    run = sampled(np.array([[0.0], [1.0], [0.5], [0.0]]), kernel="linear", beta=12 * np.log(4 / 0.1), epsilon=0.5)
    assert run.evidence["probabilities"][[0, 3]].tolist() == [0.0, 0.0]
    theorem = promise(ridge=1.0, epsilon=0.5)
    assert judge(run, theorem).holds
    impossible = {**run.evidence, "probabilities": np.full(4, 0.0)}
    assert "no limit stopped the sampling (least 0)" in judge(without(run, impossible), theorem).reason


@pytest.mark.parametrize("theorem", [KorsSizePrinted, KorsSizeSquaredLogPrinted])
def test_constants_without_beta_need_the_least_beta(theorem):
    fair = sampled(np.zeros((60, 1)), beta=500.0, epsilon=0.5)
    assert "beta = 3 log(T/delta) / epsilon^2" in judge(fair, theorem(ridge=1.0, beta=500.0)).reason
    if theorem is KorsSizePrinted:
        assert "epsilon = 1/2 (0.9)" in judge(fair, theorem(ridge=1.0, epsilon=0.9)).reason


@pytest.mark.parametrize(("power", "outcome"), [(1, "holds"), (2, "violated")])
def test_weights_that_are_squared_are_caught(power, outcome):
    """A public implementation has the weights 1 / p^2 instead of 1 / p, so leverages are too small (theory B4)."""
    beta, weight, probabilities = 3 * np.log(4000 / 0.1) / 0.25, 0.0, []
    coins = np.random.default_rng(0).random(4000)
    for coin in coins:
        probabilities.append(min(1.0, beta * 1.5 / (weight + 1.0 + 1.0)))
        weight += (coin < probabilities[-1]) / probabilities[-1] ** power
    accepted = np.flatnonzero(coins < probabilities) + 1.0
    run = sampled(np.zeros((4000, 1)), beta=beta, epsilon=0.5)
    if power == 1:
        np.testing.assert_allclose(run.evidence["probabilities"], probabilities, rtol=1e-9)
    made = without(run, {"accepted": accepted, "probabilities": np.array(probabilities)})
    assert judge(made, KorsOverestimation(ridge=1.0)).outcome == outcome


def test_false_evidence_about_the_coins_is_caught():
    beta = 3 * np.log(4000 / 0.1) / 0.25
    run = sampled(np.zeros((4000, 1)), beta=beta, epsilon=0.5)
    evidence = run.evidence
    halved = without(run, {**evidence, "probabilities": evidence["probabilities"] / 4})
    assert judge(halved, KorsOverestimation(ridge=1.0)).violated
    assert judge(halved, KorsAccuracy(ridge=1.0)).violated
    dropped = without(run, {**evidence, "accepted": evidence["accepted"][::3]})
    assert judge(dropped, KorsAccuracy(ridge=1.0)).violated
    nothing = without(run, {**evidence, "accepted": np.empty(0)})
    assert judge(nothing, KorsProjection(ridge=1.0)).violated
    larger = without(run, {**evidence, "probabilities": np.ones(4000)})
    assert judge(larger, KorsOverestimation(ridge=1.0)).violated


def test_a_dictionary_of_everything_is_too_large():
    run = sampled(np.zeros((15_000, 1)), beta=115.0, epsilon=0.05)
    everything = without(run, {**run.evidence, "accepted": np.arange(1.0, 15_001.0)})

    class Any(KorsSize):
        def assumptions(self, run):
            return ()

    assert judge(everything, Any(1.0, 115.0, 0.05)).violated
    assert judge(run, Any(1.0, 115.0, 0.05)).holds


# ---- as printed


@pytest.mark.parametrize("seed", range(20 if FULL else 1))
def test_proposition_5_is_false_on_a_single_point(seed):
    """With n = 10^5 and delta = 1/2, about 1570 points are accepted in every run, and 1497 are allowed."""
    n = 100_000
    run = sampled(np.zeros((n, 1)), seed=seed, beta=12 * np.log(n / 0.5), epsilon=0.5)
    verdict = judge(run, KorsSizePrinted(ridge=1.0, delta=0.5))
    assert verdict.violated
    assert verdict.allowed == pytest.approx(1497, abs=1)
    assert verdict.measured == pytest.approx(1570, abs=40)
    for theorem in (KorsSize, KorsSizeLogPrinted, KorsSizeSquaredLogPrinted):
        assert judge(run, theorem(ridge=1.0, delta=0.5)).holds


@pytest.mark.parametrize("theorem", [KorsSizeLogPrinted, KorsSizePrinted])
def test_sizes_are_false_where_less_than_one_point_is_expected(theorem):
    """With a huge ridge the bound is below 1, but a point is accepted with a probability larger than delta."""
    n, delta, epsilon = 10, 0.01, 0.5 if theorem is KorsSizePrinted else 0.02
    beta = 3 * np.log(n / delta) / epsilon**2
    expected = 0.06 if theorem is KorsSizePrinted else 0.042
    ridge = n * beta * (1 + epsilon) / expected
    sampling = {"ridge": ridge, "beta": beta, "epsilon": epsilon}
    runs = [sampled(np.zeros((n, 1)), seed=seed, **sampling) for seed in range(600 if FULL else 250)]
    printed, sound = theorem(ridge, beta, epsilon, delta), KorsSize(ridge, beta, epsilon, delta)
    broken = sum(judge(run, printed).violated for run in runs)
    assert binomtest(broken, len(runs), delta, alternative="greater").pvalue < 1e-3, broken
    assert not any(judge(run, sound).violated for run in runs)
