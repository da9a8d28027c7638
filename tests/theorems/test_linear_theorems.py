"""Theorems on linear predictors: their values are computed in other ways, and tried with many comparators."""

import math

import numpy as np
import pytest

from arena import play
from arena.game.losses import Absolute, Hinge, Logistic, Squared
from arena.players.moves import GivenMoves
from arena.testing import transcript
from arena_tests import FULL

AFFINE = {"kernel": "linear(offset=1)", "dimension": 2}
LINEAR = {"kernel": "linear", "dimension": 2}
OPPONENTS = ["far-point", "repeated(points=5)", "drift(places=7)", "contrarian"]


# ---- values


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_descent_with_constant_steps_is_that_of_the_affine_kernel(opponent):
    run = play("sgd(rate=0.2)", opponent, rounds=64, **AFFINE)
    ours, known = run.verdict("sgd"), run.verdict("ogd(rate=0.2)")
    np.testing.assert_allclose(ours.allowed_curve, known.allowed_curve, rtol=1e-12)
    assert ours.measured == pytest.approx(known.measured, rel=1e-9)
    assert (ours.measured_curve <= known.measured_curve + 1e-9).all()  # between checkpoints some w are tried


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_least_squares_are_ridge_regression_with_the_linear_kernel(opponent):
    run = play("rls(regularisation=0.3)", opponent, rounds=50, **LINEAR)
    assert run.verdict("ridge-identity(regularisation=0.3)").holds
    found = run.verdict("rls-regret")
    hindsight = run.hindsight(0.3)
    np.testing.assert_allclose(found.measured_curve, run.regret_against(0.3), atol=1e-9)
    worst = np.maximum.accumulate(np.square(run.labels - run.predictions))
    np.testing.assert_allclose(found.allowed_curve, worst * hindsight.log_determinant, rtol=1e-9)


def test_the_identity_sees_a_changed_prediction_with_forgetting_too():
    run = play("rls(forgetting=0.8)", "repeated(points=5)", rounds=40)
    assert run.verdict("rls-identity").holds
    changed = run.predictions.copy()
    changed[20] += 1e-4
    spoilt = transcript(run.points, run.labels, changed)
    assert spoilt.verdict("rls-identity(forgetting=0.8)").round == 21
    assert spoilt.verdict("rls-identity").round < 21  # another forgetting


def test_adagrad_by_hand():
    """At one point, the step of round t is eta / sqrt(t) times the sign of the gradient."""
    run = play("adagrad(rate=0.5, epsilon=0, intercept_rate=0)", GivenMoves(np.ones((4, 1)), np.ones(4)), rounds=4,
               dimension=1, loss="absolute")  # fmt: skip
    np.testing.assert_allclose(run.predictions, 0.5 * np.cumsum([0.0, 1.0, 2**-0.5, 3**-0.5]))
    found = run.verdict("adagrad(rate=0.5, epsilon=0, intercept_rate=0)")
    # g = -1, -1, -1 and +1; H_t = 2 t^1/2
    np.testing.assert_allclose(found.allowed_curve, 0.25 * np.cumsum([1.0, 2**-0.5, 3**-0.5, 0.5]))


@pytest.mark.parametrize("schedule", ["constant", "invscaling", "optimal"])
@pytest.mark.parametrize("penalty", ["l2", "none"])
@pytest.mark.parametrize("intercept", ["true", "false"])
def test_the_weights_of_scikit_learns_descent_are_those_of_the_theorem(schedule, penalty, intercept):
    options = (
        f"alpha=0.1, eta0=0.3, learning_rate={schedule}, penalty={penalty}, fit_intercept={intercept}, power_t=0.7"
    )
    for loss, model in (
        ("squared", "SGDRegressor(loss=squared_error, "),
        ("logistic", "SGDClassifier(loss=log_loss, "),
    ):
        game = {"rounds": 40, "loss": loss, "prediction_bound": 1e3}
        run = play(f"sklearn:linear_model.{model}{options})", "repeated(points=5)", **game)
        path = run.promised[0].trajectory(run)
        np.testing.assert_allclose((path.features * path.weights).sum(axis=1), run.predictions, atol=1e-10)


def test_exponentiated_gradient_against_a_grid_of_all_weights():
    """In one dimension w = U (2 v - 1), with the entropy of v and 1 - v."""
    run = play("eg(radius=1.5, rate=0.1)", "repeated(points=5)", rounds=32, dimension=1)
    v = np.linspace(1e-9, 1 - 1e-9, 20_001)
    losses = np.cumsum(np.square(1.5 * (2 * v - 1) * run.points - run.labels[:, None]), axis=0)
    entropies = v * np.log(2 * v) + (1 - v) * np.log(2 * (1 - v))
    worst = (run.cumulative_losses[:, None] - losses - entropies / 0.1).max(axis=1)
    found = run.verdict("eg")
    assert (found.measured_curve <= worst + 1e-6).all()
    assert found.measured == pytest.approx(worst[-1], abs=1e-4)
    steepest = np.abs(2.0 * (run.predictions - run.labels) * run.points[:, 0])
    np.testing.assert_allclose(found.allowed_curve, 0.05 * 1.5**2 * np.cumsum(np.square(steepest)))


def test_passive_aggressive_bounds_by_a_grid_of_all_functions():
    for learner, name, bound in (
        ("pa-1(aggressiveness=0.5)", "pa-1", lambda w2, hinges: w2 + 2 * 0.5 * hinges.sum(axis=0)),
        (
            "pa-2(aggressiveness=0.5)",
            "pa-2",
            lambda w2, hinges: (1 + 1) * (w2 + 2 * 0.5 * np.square(hinges).sum(axis=0)),
        ),
    ):
        moves = GivenMoves(np.ones((20, 1)), np.resize([1.0, 1.0, -1.0], 20))
        run = play(learner, moves, rounds=20, dimension=1, kernel="linear")
        w = np.linspace(-2.0, 2.0, 4001)
        least = bound(np.square(w), np.maximum(1.0 - run.labels[:, None] * w, 0.0)).min()
        found = run.verdict(name)
        assert found.holds
        assert found.allowed == pytest.approx(least, rel=1e-4)


def test_experts_by_hand():
    """The bound adds a difference of losses whenever the leading one of two experts changes."""
    run = play("follow-the-leader(of=[zero, 'rls(intercept=true)'])", "alternating", rounds=12)
    advice = run.evidence["expert_predictions"]
    losses = np.square(advice - run.labels[:, None])
    totals, leader, allowed = np.zeros(2), 0, 0.0
    for t in range(12):
        assert run.predictions[t] == advice[t, leader]
        totals = totals + losses[t]
        after = int(totals.argmin())
        allowed += losses[t, leader] - losses[t, after]
        leader = after
    assert run.verdict("leader-changes").allowed == pytest.approx(allowed)
    hedge = play("hedge(of=[zero, 'rls(intercept=true)'], rate=0.7)", "alternating", rounds=12)
    losses = np.square(hedge.evidence["expert_predictions"] - hedge.labels[:, None])
    ranges = np.square(losses[:, 0] - losses[:, 1]).sum()
    assert hedge.verdict("hedge").allowed == pytest.approx(np.log(2) / 0.7 + 0.7 / 8 * ranges)


def test_leaders_that_are_tied_up_to_rounding_may_be_followed_in_any_order():
    """The experts have the same losses in different orders, so their sums differ by rounding, and by the summation."""
    different = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        losses = np.array([rng.permutation([0.1, 0.1, 0.2, 0.3, 0.3, 0.7, 0.7]) for _ in range(3)]).T
        rounds, experts = losses.shape
        exact = [[math.fsum(losses[:t, i]) for i in range(experts)] for t in range(rounds)]
        leaders = np.argmin(exact, axis=1)
        advice = 1.0 - np.sqrt(losses)
        run = transcript(np.zeros((rounds, 1)), np.ones(rounds), advice[np.arange(rounds), leaders])
        run.evidence["expert_predictions"] = advice
        assert run.verdict("leader-changes").holds
        assert run.verdict("leader-identity").holds
        different += bool((np.cumsum(losses, axis=0)[:-1].argmin(axis=1) != leaders[1:]).any())
        wrong = transcript(np.zeros((rounds, 1)), np.ones(rounds), advice[np.arange(rounds), np.argmax(exact, axis=1)])
        wrong.evidence["expert_predictions"] = advice
        assert wrong.verdict("leader-identity").violated
    assert different > 10


def test_points_that_the_coverage_oracle_keeps():
    run = play("dual-svrg(oracle=coverage, radius=0.5)", "drift(places=7)", rounds=60)
    kept = run.points[run.evidence["moved"] == 0]
    distances = np.linalg.norm(kept[:, None] - kept, axis=2)[~np.eye(len(kept), dtype=bool)]
    assert (distances > 0.5).all()
    found = run.verdict("dual-svrg-core")
    assert found.measured == len(kept) <= found.allowed
    assert run.verdict("dual-svrg-core(radius=1.5)").violated


# ---- any comparator, any steps


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Hinge(), Absolute()], ids=lambda loss: loss.name)
def test_no_comparator_breaks_the_inequality_of_descent(loss):
    """Steps, features, labels and comparators are random."""
    for seed in range(500 if FULL else 60):
        rng = np.random.default_rng(seed)
        rounds, width, shrinkage = 15, 3, float(rng.choice([0.0, 0.05]))
        F, y = rng.normal(size=(rounds, width)), np.sign(rng.normal(size=rounds))
        H = (
            np.maximum.accumulate(rng.uniform(0.5, 30.0, (rounds, width)), axis=0)
            + shrinkage * np.arange(rounds)[:, None]
        )
        w, comparators = np.zeros(width), rng.normal(size=(200, width)) * rng.choice([0.1, 1.0, 10.0], (200, 1))
        regret, before = np.zeros(200), np.zeros(width)
        for t in range(rounds):
            p = float(F[t] @ w)
            gradient = float(loss.derivative(p, y[t])) * F[t] + shrinkage * w
            ours = float(loss.value(p, y[t])) + 0.5 * shrinkage * w @ w
            theirs = loss.value(comparators @ F[t], y[t]) + 0.5 * shrinkage * np.square(comparators).sum(axis=1)
            pull = 0.5 * np.square(w - comparators) @ (H[t] - before - shrinkage)
            regret += ours - theirs - pull - 0.5 * np.sum(np.square(gradient) / H[t])
            assert regret.max() <= 1e-9
            w, before = w - gradient / H[t], H[t]


def test_the_capacity_condition_is_that_of_the_eigenvalues():
    run = play("pkawv-kors(beta=120, mu=0.1)", "alternating", rounds=30)
    assert run.verdict("pkawv-capacity(mu=0.1, capacity=0.01)").holds  # one point: T / (T + l) <= (T / l)^g
    far = {"rounds": 30, "kernel": "gaussian(bandwidth=0.01)"}
    spread = play("pkawv-kors(beta=120, mu=0.1)", "orthogonal", **far)
    reason = spread.verdict("pkawv-capacity(mu=0.1)").reason
    # K = I: d_eff(l) = T / (1 + l) exceeds (T / l)^1/2 most at l = 1, T^1/2 / 2 = 2.739 times
    assert "up to 2.73" in reason


@pytest.mark.parametrize("theorem", ["sgd", "adagrad", "adagrad-norms", "ftrl-proximal", "eg"])
@pytest.mark.parametrize("loss", ["absolute", "hinge", "epsilon-insensitive(epsilon=0)"])
def test_labels_that_no_prediction_misses_by_more_than_rounding_are_no_violation(theorem, loss):
    """With labels of 1e-28, predictions of zero are at the kink of the loss up to rounding, and count as right."""
    run = transcript([[36.0, 46.0]] * 5, labels=[1e-28] * 5, predictions=[0.0] * 5, loss=loss, box=(3.0, 63.0))
    assert run.verdict(theorem).holds


def test_labels_of_no_class_are_counted():
    run = transcript(np.zeros((3, 2)), [1.0, 0.0, -0.5], [0.5, 0.5, 0.5], loss="hinge", kernel="linear")
    assert "a classifier's labels are -1 or 1 (2 are not)" in run.verdict("sgd-scikit-learn").reason
