"""Theorems on Newton steps for every loss: optima in certified intervals, and verdicts that respect the intervals."""

import dataclasses
from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from arena import play
from arena.game.losses import Logistic, Loss
from arena.hindsight.checkpoints import checkpoints
from arena.hindsight.comparator import Comparator
from arena.learners import Kons, ProsNKons
from arena.record.judging import judge
from arena.specs.building import build
from arena.theorems.epochs import EpochGradients, epochs
from arena.theorems.kons import KonsGradients
from arena.theorems.kons_printed import KonsHorizon
from arena.theorems.kors import dictionary
from arena.theorems.sketched_kons import SketchedKonsRegret
from arena_tests import FULL, judging
from arena_tests.losses import Odd
from arena_tests.planted.built_upon import PredictsTheOpposite, newton_mistakes

SEEDS = range(20 if FULL else 1)
LEARNERS = ["kons", "kons(alpha=0.05)", "sketched-kons(floor=0.3)", "pros-n-kons(gamma=0.1, beta=10)", "con-kons"]
ADVERSARIES = ["alternating", "repeated(points=6)", "repeated(points=6, labels=contrary)", "near-duplicates", "drift"]
CURVED = ["logistic", "squared-hinge"]
FLAT = ["hinge", "smooth-hinge", "absolute"]
GAMES = [{}, {"label_bound": 2.0, "prediction_bound": 1.5}]


@pytest.mark.parametrize("loss", CURVED + FLAT)
@pytest.mark.parametrize("learner", LEARNERS)
def test_promises_are_kept(learner, loss):
    games = [{**game, "loss": loss} for game in GAMES]
    held = judging.names_that_hold(judging.matches(learner, ADVERSARIES, games, SEEDS, rounds=50))
    assert {"kons-gradients", "sketched-kons-gradients", "epoch-gradients"} & held
    curved = {"kons-horizon", "sketched-kons-regret"} & {each.name for each in build("learner", learner).theorems}
    assert curved <= held if loss in CURVED else not curved & held


def plain_optimum(loss, K, y, ridge):
    """Return min over a of sum loss(K a) + ridge a'K a, found by a general optimiser."""
    values, vectors = np.linalg.eigh(K)
    F = vectors * np.sqrt(np.maximum(values, 0.0))

    def objective(w):
        z = F @ w
        return loss.value(z, y).sum() + ridge * w @ w, F.T @ loss.derivative(z, y) + 2 * ridge * w

    found = minimize(objective, np.zeros(len(y)), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-11})
    return found.fun, F @ found.x


@pytest.mark.parametrize("loss", CURVED)
@pytest.mark.parametrize("alpha", [0.02, 2.0])
def test_the_interval_contains_the_optimum(loss, alpha):
    run = play("kons", "repeated(points=7)", rounds=40, loss=loss)
    for t in checkpoints(40):
        X, y = run.points[:t], run.labels[:t]
        best = run.comparator.optimum(alpha, t)
        optimum, fitted = plain_optimum(run.game.loss, run.game.kernel.gram(X, X), y, alpha)
        assert best.lower - 1e-9 <= optimum <= best.upper + 1e-7
        assert best.upper - best.lower <= 1e-6 * (1 + optimum)
        assert best.reached == pytest.approx(np.abs(fitted).max(), rel=1e-3, abs=1e-4)
        assert best.surely >= np.abs(fitted).max() - 1e-5
        shrunk = min(1.0, run.game.clip / best.reached)
        assert best.within >= best.lower
        assert (best.within > best.upper + 1e-9) == (shrunk < 1.0)


def test_the_best_functions_of_epochs():
    run = play(ProsNKons(gamma=0.2, beta=3.0), "repeated(points=6)", rounds=60, loss="logistic")
    measured = EpochGradients().measured(run)
    for t in checkpoints(60):
        total = 0.0
        for epoch in epochs(run).upto(t):
            F = dictionary(run).features(epoch)
            total += plain_optimum(Logistic(), F @ F.T, run.labels[epoch], 0.5)[0]
        assert measured[t - 1] == pytest.approx(run.cumulative_losses[t - 1] - total, abs=1e-5)
    nothing = run.comparator.optimum_of_features(np.empty((3, 0)), slice(0, 3), 0.5)
    assert nothing.lower == pytest.approx(3 * np.log(2))
    assert nothing.upper == pytest.approx(3 * np.log(2))


@pytest.mark.parametrize("theorem", ["kons-gradients", "kons-logdet", "sketched-kons-gradients", "epoch-gradients"])
def test_a_verdict_states_both_ends_of_the_interval(theorem):
    learner = {"k": "kons", "s": "sketched-kons", "e": "pros-n-kons"}[theorem[0]]
    verdict = judge(play(learner, "repeated(points=6)", rounds=40, loss="logistic"), theorem)
    assert verdict.holds
    worst, best = verdict.measured, verdict.other_end[0]
    assert best <= worst <= best + 1e-4
    assert "for every value in the interval" in str(verdict)


@dataclasses.dataclass(frozen=True)
class Wide(KonsGradients):
    """A bound that exceeds the regret's least value by `share` / 2."""

    share: float = 0.0

    def allowed(self, run):
        best = run.comparator.optimum(self.alpha / 2, run.rounds)
        return np.full(run.rounds, run.loss - best.upper + self.share / 2)


def test_a_gap_that_straddles_the_bound_is_undecided(monkeypatch):
    run = play("kons(alpha=2)", "alternating", rounds=32, loss="logistic")
    exact = run.comparator.optimum(1.0, 32)

    computed = Comparator.optimum

    def blurred(comparator, regularisation, rounds):
        found = computed(comparator, regularisation, rounds)
        return dataclasses.replace(found, lower=found.lower - 0.5)

    monkeypatch.setattr(Comparator, "optimum", blurred)
    outcomes = [judge(run, Wide(alpha=2.0, share=share)).outcome for share in (-0.1, 0.5, 1.1)]
    assert exact.upper - exact.lower < 1e-6
    assert outcomes == ["violated", "undecided", "holds"]
    doubtful = judge(run, Wide(alpha=2.0, share=0.5)).reason
    assert "in doubt from round" in doubtful
    assert "--hindsight" not in doubtful


@dataclasses.dataclass(frozen=True)
class Between(KonsGradients):
    """A bound between the regret to the best function and the regret to its multiple within [-C, C]."""

    share: float = 0.0

    def allowed(self, run):
        best = run.comparator.optimum(self.alpha / 2, run.rounds)
        return np.full(run.rounds, run.loss - (self.share * best.within + (1 - self.share) * best.upper))


def test_a_comparator_beyond_the_bound_leaves_the_theorem_not_applicable():
    run = play("kons(alpha=1e-3)", "realisable", rounds=32, loss="logistic")
    assert run.comparator.optimum(5e-4, 32).reached > 1.5
    judged = [judge(run, Between(alpha=1e-3, share=share)) for share in (-0.1, 0.5, 1.5)]
    assert [each.outcome for each in judged] == ["holds", "not applicable", "violated"]
    assert "the best one's reach" in judged[1].reason


# ---- planted mistakes


caught = partial(judging.caught, adversaries=ADVERSARIES, rounds=200)


@pytest.mark.parametrize("loss", CURVED + FLAT)
def test_planted_mistakes_are_caught_under_every_loss(loss):
    wrong = newton_mistakes(Kons)
    assert caught(Kons(), KonsGradients(), loss=loss) == []
    assert caught(wrong["WrongWay"](), KonsGradients(), loss=loss) != []
    assert caught(PredictsTheOpposite(), EpochGradients(), loss=loss) != []
    assert caught(wrong["TooSmallSteps"](), KonsGradients(), loss=loss) != [] or loss in FLAT


# ---- assumptions


def test_when_they_do_not_apply():
    blind = play("kons", "alternating", rounds=5, loss="logistic", hindsight="none")
    assert "the best predictor in hindsight was computed (it is switched off)" in judge(blind, "kons-logdet").reason
    strange = play("kons", "alternating", rounds=5, loss=Odd())
    assert "the loss has a known dual (it is odd)" in judge(strange, "kons-logdet").reason
    for theorem in (KonsHorizon(), SketchedKonsRegret()):
        flat = play("sketched-kons", "alternating", rounds=30, loss="hinge")
        assert "the loss has curvature (sigma 0)" in judge(flat, theorem).reason


def test_longer_matches_are_not_judged(monkeypatch):
    monkeypatch.setattr("arena.theorems.assumptions.MOST_ROUNDS", 30)
    run = play("kons", "alternating", rounds=31, loss="logistic")
    assert "at most 30 rounds (there are 31)" in judge(run, "kons-gradients").reason


def test_the_odd_loss_is_a_loss():
    assert isinstance(Odd(), Loss)
