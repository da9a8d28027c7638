"""Exponentially weighted averaging equals two loops, and its theorem is violated by wrong learners."""

import dataclasses
import math

import numpy as np
import pytest

from arena import ArenaError, Game, Learner, Transcript, play
from arena.learners.awv import KernelAWV
from arena.learners.ewa import EWA
from arena.learners.pkawv import PKAWV
from arena.learners.zero import Zero
from arena.specs.building import build


@dataclasses.dataclass
class Constant(Learner):
    value: float = 1.0

    def predict(self, x):
        return self.value

    def update(self, x, y):
        pass


EXPERTS = [Constant(5.0), "kernel-awv(regularisation=0.1)", "krr(regularisation=1e-3)", "pkawv-kors"]


def two_loops(advice, y, bound):
    """Return the predictions with weights proportional to exp(-(loss so far) / (8 B^2)), computed by plain loops."""
    predictions = []
    for t in range(len(y)):
        weights = []
        for expert in range(advice.shape[1]):
            lost = sum((np.clip(advice[s, expert], -bound, bound) - y[s]) ** 2 for s in range(t))
            weights.append(math.exp(-lost / (8 * bound**2)))
        clipped = np.clip(advice[t], -bound, bound)
        predictions.append(sum(w * p for w, p in zip(weights, clipped, strict=True)) / sum(weights))
    return np.array(predictions)


@pytest.mark.parametrize("bound", [0.5, 3.0])
def test_rounds_and_blocks_equal_two_loops(bound):
    game = {"rounds": 60, "label_bound": bound, "kernel": "gaussian(bandwidth=0.5)", "seed": 3}
    adaptive = play(EWA(of=EXPERTS), "repeated(points=7, labels=contrary)", **game)
    oblivious = play(EWA(of=EXPERTS), "repeated(points=7, labels=alternating)", **game)
    for run in (adaptive, oblivious):
        sides = np.random.default_rng(np.random.SeedSequence(3).spawn(2)[0]).spawn(len(EXPERTS))
        advice = []
        for text, rng in zip(EXPERTS, sides, strict=True):
            expert = build("learner", text)
            expert.begin(run.game, rng)
            advice.append(Learner.replay(expert, run.points, run.labels))
        advice = np.array(advice).T
        assert (np.abs(advice) > bound).any()
        np.testing.assert_allclose(run.predictions, two_loops(advice, run.labels, bound), atol=1e-9)
        clipped = np.clip(advice, -bound, bound)
        np.testing.assert_allclose(run.evidence["expert_losses"], (clipped - run.labels[:, None]) ** 2, atol=1e-8)
        assert run.verdict("ewa").holds


def test_peek_is_predict_and_experts_are_its_own():
    expert = PKAWV()
    learner = EWA(of=[expert, "zero"])
    learner.begin(Game(), np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for _ in range(50):
        X = rng.uniform(-1, 1, (4, 2))
        np.testing.assert_allclose(learner.peek(X), [learner.predict(x) for x in X], atol=1e-14)
        learner.reveal(X[0])
        learner.update(X[0], rng.choice([-1.0, 1.0]))
    assert not hasattr(expert, "past")
    assert build("learner", "ewa").of == EWA().of
    play(EWA(), "alternating", rounds=10)
    assert not hasattr(EWA().of[0], "past")


def test_it_finds_the_best_expert_and_its_bound_is_far_below_the_others():
    run = play(EWA(of=["zero", "pkawv"]), "repeated(points=2)", rounds=2000)
    losses = run.evidence["expert_losses"].sum(axis=0)
    assert losses[1] < 10 < 1900 < losses[0]
    verdict = run.verdict("ewa")
    assert verdict.holds
    np.testing.assert_allclose(verdict.measured, run.loss - losses[1], atol=1e-9)
    assert verdict.allowed == 8 * math.log(2)


def test_many_rounds_do_not_underflow():
    learner = EWA(of=["zero", "zero", "pkawv"])
    learner.begin(Game(), np.random.default_rng(0))
    predictions = learner.replay(np.zeros((50_000, 2)), np.ones(50_000))
    assert np.isfinite(predictions).all()
    assert predictions[-1] > 0.999


def test_the_bound_is_close_to_the_regret_of_two_constant_experts():
    """One expert is always right and one always wrong, so the error after t rounds is 2 / (1 + exp(t / 2))."""
    run = play(EWA(of=[Constant(5.0), Constant(-5.0)]), "repeated(points=1)", rounds=500)
    assert run.verdict("ewa").holds
    cost = sum(4 / (1 + math.exp(t / 2)) ** 2 for t in range(500))
    np.testing.assert_allclose(run.verdict("ewa").measured, cost, rtol=1e-12)
    assert 0.37 < run.verdict("ewa").tightness < 0.38


def test_a_learner_above_its_bound_violates_the_theorem():
    run = play(EWA(of=["zero", "pkawv"]), "repeated(points=2)", rounds=200)
    lazy = dataclasses.replace(run, predictions=np.zeros(200))
    verdict = lazy.verdict("ewa")
    assert verdict.violated
    lead = np.cumsum(lazy.losses - run.evidence["expert_losses"][:, 1])
    assert verdict.round == 1 + np.argmax(lead > 8 * math.log(2))


def test_the_theorem_asks_for_its_assumptions():
    run = play(EWA(of=["zero", "pkawv"]), "repeated(points=2)", rounds=50)
    nothing = dataclasses.replace(run, evidence={})
    assert "experts' predictions as evidence" in nothing.verdict("ewa").reason
    # with labels of 1 and -1 a prediction of 3 loses no more than one of -1 may
    unclipped = dataclasses.replace(run, evidence={"expert_predictions": np.stack([run.labels, 3 * run.labels], 1)})
    assert "experts within [-1, 1] (largest 3)" in unclipped.verdict("ewa").reason
    logistic = play(EWA(of=["zero", "pkawv"]), "repeated(points=2)", rounds=50, loss="logistic")
    assert "it is logistic" in logistic.verdict("ewa").reason


def test_the_verdict_survives_saving(tmp_path):
    run = play(EWA(of=["zero", "pkawv"]), "alternating", rounds=50)
    loaded = Transcript.load(run.save(tmp_path / "run.npz"))
    assert loaded.learner == "ewa(of=[zero(), pkawv()])"
    assert loaded.verdicts()[0].measured == run.verdict("ewa").measured


def test_no_experts_and_experts_with_foresight():
    with pytest.raises(ArenaError, match="at least one expert"):
        EWA(of=[])
    with pytest.raises(ArenaError, match="must know the whole sequence"):
        play("ewa(of=[zero, batch-krr])", "greedy", rounds=5)
    assert play("ewa(of=[zero, batch-krr])", "alternating", rounds=5000, hindsight="none").rounds == 5000
    assert EWA(of=[Zero(), KernelAWV()]).foresight is False
