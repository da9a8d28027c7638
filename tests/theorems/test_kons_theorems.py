"""The bounds of KONS and Sketched-KONS hold, are tight, find mistakes, and are false as printed (theory E11, E12)."""

import dataclasses
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from arena import Kernel, Linear, play
from arena.game.kernels import Gaussian
from arena.game.losses import Loss
from arena.learners import Kons, SketchedKons
from arena.record.judging import judge
from arena.testing.moves import Moves
from arena.theorems.kons import KonsEffectiveDimension, KonsGradients, KonsLogdet, exact_path
from arena.theorems.kons_printed import KonsHorizon, KonsPrinted
from arena.theorems.recomputed.points import Grouped, surprises
from arena.theorems.sketched_kons import (
    SketchedKonsGradients,
    SketchedKonsRegret,
    SketchedKonsRegretPrinted,
    sketched_path,
)
from arena_tests import FULL, judging
from arena_tests.planted.around import Around
from arena_tests.planted.built_upon import newton_mistakes
from arena_tests.sequences import points

CONTRARY = "repeated(points=6, labels=contrary)"
ADVERSARIES = ["alternating", "repeated(points=6)", CONTRARY, "greedy(starts=16, polished=0)"]
LEARNERS = [
    "kons",
    "kons(alpha=0.05)",
    "kons(alpha=20, step=0.5)",
    "sketched-kons",
    "sketched-kons(alpha=0.3, floor=0.5)",
]


def naive_surprises(kernel, X, ridge, scales, kept):
    """Return f_t' A^-1 f_t of each round, computed with dense matrices; only rounds in `kept` enter A."""
    root = np.linalg.svd(kernel.gram(X, X))
    features = scales[:, np.newaxis] * (root[0] * np.sqrt(root[1]))
    A, found = ridge * np.eye(len(X)), []
    for feature, keep in zip(features, kept, strict=True):
        found.append(feature @ np.linalg.solve(A, feature))
        A += keep * np.outer(feature, feature)
    return np.array(found)


@pytest.mark.parametrize("kind", ["random", "repeated", "rank one"])
@pytest.mark.parametrize(
    ("kernel", "rounds"), [(Gaussian(), 1), (Linear(), 7), (Gaussian(bandwidth=0.1), 50), (Gaussian(), 270)]
)
def test_surprises(kernel, kind, rounds):
    rng = np.random.default_rng(rounds)
    X, scales, kept = points(kind, rounds, rng, distinct=4), rng.uniform(0, 2, rounds), rng.random(rounds) < 0.6
    scales[::5] = 0.0
    masks = [kept, np.ones(rounds, dtype=bool), np.zeros(rounds, dtype=bool)]
    for mask in masks if FULL or rounds < 200 else masks[:1]:  # one dense solution for each round
        found = surprises(kernel, X, 0.3, scales=scales, kept=mask)
        np.testing.assert_allclose(found, naive_surprises(kernel, X, 0.3, scales, mask), rtol=1e-8, atol=1e-9)


def test_surprises_of_a_long_sequence_of_few_points():
    rng = np.random.default_rng(0)
    rounds = 2_500 if FULL else 1_000
    X, scales = points("repeated", rounds, rng, distinct=4), rng.uniform(0, 2, rounds)
    every = np.ones(rounds, dtype=bool)
    folded, plain = (surprises(Gaussian(), X, 0.3, scales=scales, kept=kept) for kept in (None, every))
    np.testing.assert_allclose(folded, plain, rtol=1e-8, atol=1e-11)


@settings(max_examples=200 if FULL else 40)
@given(
    seed=st.integers(0, 10_000), ridge=st.floats(1e-3, 1e3), kind=st.sampled_from(["random", "repeated", "rank one"])
)
def test_equal_points_as_one(seed, ridge, kind):
    rng = np.random.default_rng(seed)
    rounds = int(rng.integers(1, 30))
    X, y = points(kind, rounds, rng, distinct=4), rng.uniform(-2, 2, rounds)
    kernel: Kernel = Gaussian(bandwidth=0.5)
    K, group = kernel.gram(X, X), Grouped.of(kernel, X, y)
    inverse = np.linalg.inv(K + ridge * np.eye(rounds))
    assert group.effective_dimension(ridge) == pytest.approx(np.trace(K @ inverse), abs=1e-8)
    assert group.optimum(ridge) == pytest.approx(ridge * y @ inverse @ y, rel=1e-8, abs=1e-10)
    best = group.best(ridge, 0.1)
    largest, within = best.reached, best.within
    fitted = K @ inverse @ y
    assert largest == pytest.approx(np.abs(fitted).max(), rel=1e-7)
    scale = min(1.0, 0.1 / largest)
    norm = y @ inverse @ fitted
    assert within == pytest.approx(np.square(scale * fitted - y).sum() + ridge * scale**2 * norm, rel=1e-7)


@settings(max_examples=200 if FULL else 40)
@given(seed=st.integers(0, 10_000), alpha=st.floats(1e-3, 1e3))
def test_energies_growth_and_dimension(seed, alpha):
    """The sum of energies is at most log det(I + sigma D K D / alpha) / sigma, which the effective dimension bounds."""
    rng = np.random.default_rng(seed)
    kind = ["random", "repeated"][seed % 2]
    X, y = points(kind, 20, rng, distinct=4), rng.uniform(-1, 1, 20)
    run = play(Kons(alpha=alpha), Moves.of(X, y), rounds=20)
    path, sigma = exact_path(run, alpha, None), 1 / 8
    slopes = 2 * (run.predictions - run.labels)
    K = run.game.kernel.gram(X, X)
    determinant = np.linalg.slogdet(np.eye(20) + sigma * slopes[:, np.newaxis] * K * slopes / alpha)[1]
    assert path.growth.sum() == pytest.approx(determinant / sigma, rel=1e-8)
    assert (path.energies <= path.growth + 1e-12).all()
    assert (KonsLogdet(alpha).allowed(run) <= KonsEffectiveDimension(alpha).allowed(run) * (1 + 1e-9)).all()
    np.testing.assert_allclose(path.energies, run.evidence["gradient_energies"], rtol=1e-6, atol=1e-9)


def test_most_matches_are_judged():
    runs = [play(learner, adversary, rounds=40) for learner in LEARNERS for adversary in ADVERSARIES]
    assert all(run.verdicts()[0].holds for run in runs)


@pytest.mark.parametrize(
    ("alpha", "adversary", "rounds", "gradients", "logdet"),
    [(10, "alternating", 100, 0.980, 0.968), (100, "alternating", 1000, 0.998, 0.997), (1, CONTRARY, 100, 0.936, 0.81)],
)
def test_tightness(alpha, adversary, rounds, gradients, logdet):
    run = play(Kons(alpha=alpha), adversary, rounds=rounds)
    assert judge(run, "kons-gradients").tightness == pytest.approx(gradients, abs=6e-4)
    assert judge(run, "kons-logdet").tightness == pytest.approx(logdet, abs=6e-3)


@pytest.mark.parametrize(("rounds", "regret", "allowed"), [(100, 13.5, 16.2), (1_000, 22.2, 25.0)])
def test_alternating_labels(rounds, regret, allowed):
    verdict = judge(play("kons", "alternating", rounds=rounds), "kons-logdet")
    assert f"{verdict.measured:.1f}" == f"{regret}"
    assert verdict.allowed == pytest.approx(allowed, abs=0.06)


def test_sketching_is_as_tight():
    for floor in (1.0, 0.3, 0.1):
        run = play(SketchedKons(floor=floor, alpha=10.0), "alternating", rounds=1_000)
        assert 0.97 < judge(run, "sketched-kons-gradients").tightness < 1.0
        assert 0 < judge(run, "sketched-kons-regret").tightness < 1.0


def test_the_sketched_path_is_the_learners():
    run = play("sketched-kons(floor=0.2)", CONTRARY, rounds=200)
    assert 0 < run.evidence["kept"].size < 200
    np.testing.assert_allclose(sketched_path(run, 1.0, None).energies, run.evidence["gradient_energies"], atol=1e-10)


def test_drift_is_paid_for_steps_above_the_curvature_only():
    """The bounds have a drift term for steps above the curvature, and none for smaller steps."""
    for step, drift in ((1 / 8, False), (1 / 20, False), (1.0, True)):
        run = play(Kons(step=step), CONTRARY, rounds=80)
        assert all(verdict.holds for verdict in run.verdicts()[:3])
        assert (exact_path(run, 1.0, step).drift.sum() > 0) == drift


# ---- planted mistakes


caught = partial(judging.caught, adversaries=ADVERSARIES, rounds=120)


@pytest.mark.parametrize(
    "mistake", ["TooSmallSteps", "WrongWay", "TooSmallRidge", "StartsAgainAfterTen", "OneRoundLate"]
)
def test_a_planted_mistake_violates_the_sharp_bound(mistake):
    learners = newton_mistakes(Kons)
    assert caught(learners["Stepping"](), KonsGradients()) == []
    assert caught(learners[mistake](), KonsGradients()) != []


def test_without_evidence_no_violation_is_reported():
    assert caught(newton_mistakes(Kons)["WrongWay"](), SketchedKonsGradients()) == []


def test_a_sketch_that_hides_what_it_left_out_is_caught():
    """The changed evidence has every gradient as kept in the matrix."""
    run = play(SketchedKons(floor=0.01, beta=1e-9), "alternating", rounds=300)
    assert judge(run, "sketched-kons-gradients").holds
    run.evidence["kept"] = np.arange(1.0, 301.0)
    lied = dataclasses.replace(run)
    assert judge(lied, SketchedKonsGradients()).violated


# ---- assumptions


ALL = [KonsGradients, KonsLogdet, KonsEffectiveDimension, KonsPrinted, KonsHorizon]
SKETCHED = [SketchedKonsGradients, SketchedKonsRegret, SketchedKonsRegretPrinted]


@pytest.mark.parametrize("theorem", ALL + SKETCHED)
def test_when_they_do_not_apply(theorem):
    judged = theorem(beta=1e4) if theorem is SketchedKonsRegretPrinted else theorem()
    learner = "sketched-kons" if theorem in SKETCHED else "kons"
    fair = play(learner, "alternating", rounds=20)
    assert judge(fair, judged).applicable
    odd = play(learner, "alternating", rounds=5, loss=Scaled())
    assert "the loss has a known dual (it is scaled-squared)" in judge(odd, judged).reason
    blind = play(learner, "alternating", rounds=5, hindsight="none")
    assert "the best predictor in hindsight was computed" in judge(blind, judged).reason
    loud = dataclasses.replace(fair, labels=2 * fair.labels)
    assert "labels within [-1, 1] (largest 2)" in judge(loud, judged).reason
    wide = dataclasses.replace(fair, predictions=fair.predictions + 1.0)
    assert "predictions within [-1, 1]" in judge(wide, judged).reason
    if theorem in SKETCHED[:2]:
        assert "as evidence" in judge(play("kons", "alternating", rounds=5), judged).reason
    if theorem in (KonsPrinted, KonsHorizon, SketchedKonsRegretPrinted):
        steep = play(learner, "alternating", rounds=20, kernel="linear(offset=2)")
        assert "k(x, x) = 1 (off by up to" in judge(steep, judged).reason
        assert "eta is sigma" in judge(fair, dataclasses.replace(judged, step=0.3)).reason


def test_alpha_in_the_papers_setting():
    run = play("kons(alpha=5)", "alternating", rounds=16)
    assert "alpha <= sqrt(T) (5, T = 16)" in judge(run, KonsPrinted(5.0)).reason
    assert judge(run, KonsHorizon(5.0)).holds
    assert "1 + log(1 + sigma L^2 T / alpha)" in judge(run, KonsHorizon(1e-6)).reason


def test_the_sketchs_accuracy_is_measured():
    run = play(SketchedKons(floor=0.02, beta=1e-9), "alternating", rounds=400)
    assert judge(run, SketchedKonsRegret(floor=0.02, beta=1e-9)).applicable
    reason = judge(run, SketchedKonsRegret(floor=1.0)).reason
    assert "no energy in the sketch exceeds" in reason


def test_a_comparator_beyond_the_bound_leaves_the_theorem_not_applicable():
    """Labels are within [-1, 1], but the best predictor reaches 1.1; the bound is about comparators within [-1, 1]."""
    X = np.array([[-0.5, 0.0], [0.0, 0.0], [0.5, 0.0]] * 10)
    y = np.array([1.0, 0.6, 1.0] * 10)

    @dataclasses.dataclass(frozen=True)
    class Between(KonsGradients):
        share: float = 0.0

        def allowed(self, run):
            best = Grouped.of(run.game.kernel, run.points, run.labels)
            free, bound = best.optimum(self.alpha / 2), best.best(self.alpha / 2, run.game.clip).within
            return np.full(run.rounds, run.loss - (self.share * bound + (1 - self.share) * free))

    run = play("kons(alpha=1e-4)", Moves.of(X, -2.0 + 3.0 * y), rounds=30, prediction_bound=0.9)
    judged = [judge(run, Between(alpha=1e-4, share=share)) for share in (-0.1, 0.5, 1.5)]
    assert [each.outcome for each in judged] == ["holds", "not applicable", "violated"]
    assert "the best one's reach" in judged[1].reason


# ---- as printed


class Scaled(Loss):
    """The loss 0.2 (z - y)^2, with its constants of theory A."""

    name = "scaled-squared"

    def value(self, prediction, label):
        return 0.2 * np.square(prediction - label)

    def derivative(self, prediction, label):
        return np.asarray(0.4 * (prediction - label))

    def lipschitz(self, prediction_bound, label_bound):
        return 0.4 * (prediction_bound + label_bound)

    def smoothness(self, prediction_bound, label_bound):
        return 0.4

    def curvature(self, prediction_bound, label_bound):
        return 2.5 / (prediction_bound + label_bound) ** 2


def test_theorem_1_is_false_where_the_losses_are_flat():
    """After one round with the loss 0.2 (z - 1)^2 and alpha = 0.01, the printed bound is negative."""
    run = play(Kons(alpha=0.01), "alternating", rounds=1, loss=Scaled())
    assert run.loss == pytest.approx(0.2)
    # min over w of 0.2 (w - 1)^2 + ridge w^2 is 0.2 ridge / (0.2 + ridge)
    regret = {ridge: 0.2 - 0.2 * ridge / (0.2 + ridge) for ridge in (0.01, 0.005)}
    printed, corrected = KonsPrinted(0.01).allowed(run)[-1], KonsLogdet(0.01).allowed(run)[-1]
    assert printed == pytest.approx(-0.697, abs=1e-3)
    assert corrected == pytest.approx(1.92, abs=5e-3)
    assert printed < regret[0.01] < regret[0.005] < corrected
    assert "1 + log(1 + sigma L^2 T / alpha)" in judge(run, KonsHorizon(0.01)).reason


def test_theorem_1_is_false_without_curvature_too():
    """After one round with the loss 0.2 |z - 1|, the printed bound has log(2 L^2 T) < 0."""

    class Flat(Scaled):
        """The loss 0.2 |z - y|."""

        def value(self, prediction, label):
            return 0.2 * np.abs(prediction - label)

        def derivative(self, prediction, label):
            return 0.2 * np.sign(prediction - label)

        def lipschitz(self, prediction_bound, label_bound):
            return 0.2

        def curvature(self, prediction_bound, label_bound):
            return 0.0

    run = play(Kons(alpha=0.01), "alternating", rounds=1, loss=Flat())
    regret = 0.2 - 0.01  # against w = 1, with all of alpha |w|^2
    printed = KonsPrinted(0.01).allowed(run)[-1]
    assert printed == pytest.approx(-1.62, abs=0.02)
    assert printed < regret
    for theorem in (KonsGradients(0.01), KonsLogdet(0.01), KonsEffectiveDimension(0.01)):
        assert theorem.allowed(run)[-1] > regret + 0.005


@pytest.mark.parametrize(("rounds", "regret", "printed"), [(1, 0.990, 0.0326), (10, 9.90, 0.45)])
def test_theorem_3_promises_less_regret_than_kons_has(rounds, regret, printed):
    """Each round has a new orthogonal point with the label 1, and beta tau_min > 1."""
    beta = 3 * np.log(rounds / 0.1) / 0.1**2
    X = 100.0 * np.arange(rounds)[:, np.newaxis]
    fields = {"rounds": rounds, "dimension": 1, "box": (0.0, 1e4)}
    run = play(SketchedKons(alpha=0.01, epsilon=0.1, beta=beta), Moves.of(X, np.ones(rounds)), **fields)
    sampling = {"alpha": 0.01, "epsilon": 0.1, "beta": beta}
    verdict = judge(run, SketchedKonsRegretPrinted(**sampling))
    assert verdict.violated
    assert verdict.measured == pytest.approx(regret, rel=1e-2)
    assert verdict.allowed == pytest.approx(printed, rel=0.05)
    assert verdict.measured > 20 * verdict.allowed
    assert judge(run, SketchedKonsRegret(**sampling)).holds
    assert judge(run, SketchedKonsGradients(0.01)).holds


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("name", ["kons-gradients", "kons-logdet"])
def test_round_and_margin_are_those_of_the_comparator_that_decides(name, loss):
    """The best predictor exceeds C and breaks the bound early; one within [-C, C] breaks it later and by less."""
    game = {"kernel": "gaussian(bandwidth=0.5)", "prediction_bound": 0.2, "loss": loss}
    run = play(Around("kons(alpha=0.01)", lambda p: -p), "far-point", rounds=120, **game)
    verdict = judge(run, f"{name}(alpha=0.01)")
    assert verdict.violated
    excess = verdict.measured_curve - verdict.allowed_curve
    first_of_all = int((excess > verdict.tolerance_curve).argmax()) + 1
    assert verdict.round > first_of_all
    # by hand: the largest multiple of the best predictor of these rounds that stays within [-C, C]
    X, y = run.points[: verdict.round], run.labels[: verdict.round]
    values, vectors = np.linalg.eigh(run.game.kernel.gram(X, X))
    F = (vectors * np.sqrt(values.clip(0.0)))[:, values > 1e-12]

    def objective(w):
        return run.game.loss.value(F @ w, y).sum() + 0.005 * w @ w

    def gradient(w):
        return F.T @ run.game.loss.derivative(F @ w, y) + 0.01 * w

    w = minimize(objective, np.zeros(F.shape[1]), jac=gradient, method="L-BFGS-B", options={"ftol": 1e-15}).x
    w = w * min(1.0, 0.2 / np.abs(F @ w).max())
    regret = run.losses[: verdict.round].sum() - objective(w)
    assert verdict.margin == pytest.approx(regret - verdict.allowed_curve[verdict.round - 1], rel=1e-3)
    assert f"in round {verdict.round}" in verdict.reason
