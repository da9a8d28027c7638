"""In games with extreme numbers, correct learners violate no theorem, and bounds are computed exactly."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from arena import play
from arena.game.kernels import Gaussian
from arena.hindsight.exact import ridge_hindsight
from arena.linalg.posterior import RidgePosterior
from arena.record.judging import judge
from arena.testing import Moves
from arena.theorems.multiplicative import entropy
from arena.theorems.recomputed.points import ridge_on_features, surprises
from arena.theorems.recomputed.subspaces import ridge_in_subspaces, subspaces_of

LOGISTIC = {"loss": "logistic", "rounds": 60}


@pytest.mark.parametrize("prediction_bound", [0.1, 0.99])
def test_ridge_clipped_below_the_labels_has_no_bound(prediction_bound):
    verdict = play("clipped-krr", "far-point", rounds=100, prediction_bound=prediction_bound).verdict("clipped-krr")
    assert verdict.outcome == "not applicable"
    assert verdict.reason == f"C >= B: no label lies beyond the clipped predictions (C = {prediction_bound:g}, B = 1)"


@pytest.mark.parametrize("prediction_bound", [1.0, 1.5, 10.0])
@pytest.mark.parametrize("adversary", ["contrarian", "far-point", "greedy(starts=16, polished=0)", "alternating"])
def test_ridge_clipped_beyond_the_labels_has_a_bound_as_much_larger(adversary, prediction_bound):
    game = {"rounds": 60, "prediction_bound": prediction_bound, "regularisation": 0.1}
    run = play("clipped-krr", adversary, **game)
    verdict = run.verdict("clipped-krr")
    assert verdict.holds
    np.testing.assert_allclose(verdict.allowed_curve, (1 + prediction_bound) ** 2 * run.hindsight().online_dimension)


@pytest.mark.parametrize(
    ("learner", "adversary", "prediction_bound", "rounds", "name", "measured", "allowed"),
    [
        ("con-kons", "alternating", 33, 60, "epoch-gradients", 8.79587, 9.43223),
        ("con-kons", "alternating", 33, 60, "epoch-logdet", 8.79587, 9.43223),
        ("b-kons", "leverage", 25, 60, "epoch-gradients", 5.60461, 6.77974),
        ("kons", "alternating", 33, 2000, "kons-gradients", 305.669, 325.884),
        ("kons", "alternating", 40, 60, "kons-effective-dimension", 9.10161, 30.0),
    ],
)
def test_a_curvature_of_nearly_zero_costs_no_digits(
    learner, adversary, prediction_bound, rounds, name, measured, allowed
):
    run = play(learner, adversary, loss="logistic", prediction_bound=prediction_bound, rounds=rounds)
    verdict = run.verdict(name)
    assert verdict.holds
    assert (verdict.measured, verdict.allowed) == pytest.approx((measured, allowed), rel=1e-5)


def test_the_energies_of_one_point_sum_as_they_do_by_hand():
    """With all gradients at one point, A_t = alpha + sigma sum g^2, so the bound is a sum of fractions."""
    run = play("kons", "alternating", prediction_bound=33, **LOGISTIC)
    squares = np.square(run.game.loss.derivative(run.predictions, run.labels))
    by_hand = 0.5 * np.cumsum(squares / (1.0 + np.exp(-33.0) * np.cumsum(squares)))
    np.testing.assert_allclose(run.verdict("kons-gradients").allowed_curve, by_hand, rtol=1e-12)


@pytest.mark.parametrize("ridge", [1e-2, 1.0, 1e8, 1e14])
def test_surprises_and_dimensions_at_any_ridge(ridge):
    rng = np.random.default_rng(0)
    F, y = rng.standard_normal((300, 3)), rng.standard_normal(300)
    expected, A = np.empty(300), ridge * np.eye(3)
    for t, f in enumerate(F):
        expected[t] = f @ np.linalg.solve(A, f)
        A += np.outer(f, f)
    np.testing.assert_allclose(ridge_on_features(F, y, ridge)[1], expected, rtol=1e-9)
    X = rng.uniform(-1, 1, (300, 2))[rng.integers(0, 40, 300)]  # with repeated points, which share rows
    K = Gaussian().gram(X, X)
    past = RidgePosterior(Gaussian(), ridge)
    past.extend(X, y)
    dimensions = []
    for t in (1, 7, 200, 300):
        values = np.linalg.eigvalsh(K[:t, :t]).clip(0.0)
        dimensions.append(float((values / (values + ridge)).sum()))
    np.testing.assert_allclose(past.effective_dimensions()[[0, 6, 199, 299]], dimensions, rtol=1e-8)
    found = ridge_hindsight(Gaussian(), ridge, X, y)
    np.testing.assert_allclose(found.variance / ridge, surprises(Gaussian(), X, ridge), rtol=1e-7)
    logdet = np.log1p(np.linalg.eigvalsh(K).clip(0.0) / ridge).sum()
    assert found.log_determinant[-1] == pytest.approx(logdet, rel=1e-9)


def test_features_at_a_large_ridge_keep_their_digits():
    run = play("pkawv(regularisation=1e12)", "repeated(points=20)", rounds=60, kernel="gaussian(bandwidth=0.5)")
    subspaces = subspaces_of(run)
    norms = np.square(subspaces.coordinates).sum(axis=1)
    np.testing.assert_allclose(ridge_in_subspaces(run, 1e12).surprise, norms / 1e12, rtol=1e-9)
    assert run.verdict("pkawv-features-logdet").holds


SMALL = {"rounds": 60, "dimension": 1, "label_bound": 1e-8, "kernel": "linear", "regularisation": 1e8}


@pytest.mark.parametrize("name", ["log-determinant", "log-determinant-trace", "online-dimension"])
def test_dimensions_are_compared_in_their_own_size(name):
    run = play("kernel-awv", "repeated(points=7, labels=contrary)", seed=60, **SMALL)
    assert run.verdict(name).holds


def test_the_objective_of_a_learner_is_compared_in_its_own_size():
    game = {"rounds": 20, "dimension": 1, "label_bound": 1e-6, "regularisation": 1e4}
    run = play("bsgd(budget=5)", "restart-forcer", seed=61, **game)
    assert {verdict.outcome for verdict in run.verdicts()} == {"holds"}


def test_overflow_inside_a_theorem_is_no_violation():
    with np.errstate(over="ignore"):  # a warning would be a foul of the learner here
        run = play("fgd(rate=0.13)", "contrarian", rounds=60, label_bound=100, loss="squared-hinge")
    for name in ("ogd", "ogd-any-loss"):
        verdict = run.verdict(name)
        assert verdict.outcome == "not applicable"
        assert verdict.reason.startswith("the numbers are beyond double precision from round ")


def test_a_violation_before_the_overflow_is_one():
    """With steps of 5 instead of at most 1 the predictions overflow, but they violate the bound long before."""
    run = play("fgd(rate=5)", "alternating", rounds=300)
    assert np.isinf(run.loss)
    assert run.verdict("awv-leverage").violated


def test_a_matrix_that_cannot_be_factorised_is_no_stack_trace():
    game = {"rounds": 60, "dimension": 5, "label_bound": 1e8, "kernel": "gaussian(bandwidth=0.1)",
            "regularisation": 1e-12, "loss": "squared-hinge"}  # fmt: skip
    run = play("con-kons(alpha=0.001, beta=120)", "repeated(points=7, labels=contrary)", seed=48, **game)
    verdict = judge(run, "epoch-gradients(alpha=0.001)")
    assert verdict.outcome == "not applicable"
    assert "the numbers are beyond double precision" in verdict.reason


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_the_best_function_of_a_ball_where_every_function_is_zero(kernel):
    run = play("fgd", "alternating(at=[0, 0])", kernel=kernel, rounds=20)
    assert run.verdict("ogd-ball").holds


def outcomes(learner, adversary, seed, **game):
    return {verdict.name: verdict.outcome for verdict in play(learner, adversary, seed=seed, **game).verdicts()}


def test_predictions_are_compared_in_their_own_size():
    """The loss is zero for small errors, so the tolerance cannot be computed from the size of the loss."""
    game = {"rounds": 49, "dimension": 3, "label_bound": 0.016, "kernel": "gaussian(bandwidth=0.1)",
            "regularisation": 1.41e-07, "loss": "epsilon-insensitive"}  # fmt: skip
    found = outcomes("dual-svrg(frequencies=400, regularisation=4.0)", "drawn", 10649, **game)
    assert found["dual-svrg-identity"] == "holds"


def test_labels_within_the_width_of_a_kink():
    """A prediction within 1e-10 of the label counts as right, which may cost 1e-10 in each round."""
    game = {"rounds": 5, "dimension": 5, "label_bound": 1.18e-08, "kernel": "gaussian(bandwidth=0.1)",
            "regularisation": 99.3, "loss": "absolute"}  # fmt: skip
    assert outcomes("dual-sgd", "realisable", 9515, **game)["ogd-two-spaces"] == "holds"


def test_newton_steps_whose_matrix_has_lost_its_ridge_to_rounding():
    game = {"rounds": 20, "dimension": 3, "label_bound": 32700000.0, "regularisation": 1.16e-08,
            "loss": "squared-hinge"}  # fmt: skip
    run = play("sketched-kons(floor=0.479, epsilon=0.149)", "alternating", seed=11723, **game)
    verdict = run.verdict("sketched-kons-gradients")
    assert verdict.outcome == "not applicable"
    assert "alpha stands out of the rounding errors" in verdict.reason


def test_weights_of_experts_whose_losses_differ_by_little():
    """With labels of 1e-8 all logistic losses are about 0.69, and 8 B^2 is as small as their rounding errors."""
    game = {"rounds": 5, "label_bound": 4.78e-08, "kernel": "gaussian(bandwidth=3.0)", "loss": "logistic"}
    assert outcomes("ewa", "alternating", 5437, regularisation=24800000.0, **game)["ewa-identity"] == "holds"


def test_steps_that_a_cap_nearly_undoes_keep_their_size():
    """Each step adds 3e7 to a coefficient, of which the cap leaves 0.142."""
    game = {"rounds": 15, "label_bound": 3.83e7, "kernel": "gaussian(bandwidth=0.1)", "loss": "logistic"}
    run = play("bogd(budget=10, rate=1.58, cap=0.142)", "kors-evader", seed=39334, **game)
    verdict = run.verdict("ogd-perturbed(rate=1.58)")
    assert verdict.holds
    assert verdict.allowed_curve[0] == pytest.approx(0.142**2 / (2 * 1.58), rel=1e-6)


@pytest.mark.parametrize("name", ["pa-1", "pa-1-mistakes", "pa-steps"])
def test_passive_aggressive_steps_after_labels_of_zero_alone(name):
    """A label of zero belongs to neither class, so the first rounds have no minimiser of the hinge loss."""
    run = play("pa-1", Moves([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], y=[0.0, 0.0, 1.0]), loss="hinge")
    assert run.verdict(name).holds


@pytest.mark.parametrize(
    ("learner", "adversary", "seed", "game"),
    [
        # each removal multiplies the others by 5/4, and with them what rounding left of steps of 1e8
        ("bogd(budget=5, cap=0.116)", "orthogonal", 78349,
         {"rounds": 45, "dimension": 3, "label_bound": 8.51e7, "kernel": "linear(offset=1.0)"}),
        ("bogd(budget=2, cap=0.026)", "restart-forcer", 125959,
         {"rounds": 46, "dimension": 3, "label_bound": 7.86e7, "kernel": "gaussian(bandwidth=0.1)"}),
        # a loss of 6e7 for each unit of the prediction, which is known to 1e-9
        ("bogd(budget=13, rate=0.0813, shrinkage=0.0144, cap=0.0184)", "repeated(points=20, labels=contrary)", 122134,
         {"rounds": 20, "dimension": 1, "label_bound": 5.82e7, "kernel": "gaussian(bandwidth=3)", "loss": "hinge"}),
        # k(x, x') = 6e-20, and coordinates of the points in an orthonormal basis
        ("kons(alpha=0.679, step=0.157)", "realisable", 94609,
         {"rounds": 20, "label_bound": 1.41e-6, "prediction_bound": 1.41e-8, "regularisation": 4.1e-6,
          "kernel": "gaussian(bandwidth=0.1)", "loss": "absolute"}),
        # two points 3e-12 from each other; comparators w with |w| up to 1e24
        ("winnow", "near-duplicates", 80093, {"rounds": 5, "kernel": "laplacian", "regularisation": 1.05e-11}),
        ("winnow(rate=0.0124)", "near-duplicates", 121583,
         {"rounds": 21, "dimension": 3, "label_bound": 1.44e4, "kernel": "laplacian", "regularisation": 1.82e-8}),
    ],
)  # fmt: skip
def test_rounding_alone_violates_nothing(learner, adversary, seed, game):
    run = play(learner, adversary, seed=seed, **game)
    assert run.promised
    for verdict in run.verdicts():
        assert not verdict.violated, verdict


@pytest.mark.parametrize("learner", ["pkawv(embedding=nystrom)", "pkawv(embedding=fourier)", "pkawv-kors(beta=120)",
                                     "pkawv-beforehand"])  # fmt: skip
@pytest.mark.parametrize("kernel", ["laplacian", "gaussian(bandwidth=0.1)"])
@pytest.mark.parametrize("regularisation", [1e-12, 3e-11])
def test_first_labels_of_zero_leave_room_for_stretches_that_are_rounded(learner, kernel, regularisation):
    """The stretch 1 + v / lambda of a point that repeats has 12 digits fewer than v; a loss of zero allows no error."""
    X = [[0.9, -0.4], [0.3, 0.7], [0.9, -0.4], [0.3, 0.7], [0.9, -0.4]]
    for y in ([0.0, 0.0, 1.0, -1.0, 0.5], [0.0, 0.0, -0.2, 1.0, 1.0], [0.0, 0.0, 0.3, 0.4, -1.0]):
        run = play(learner, Moves(X, y=y), kernel=kernel, regularisation=regularisation)
        found = [verdict for verdict in run.verdicts() if verdict.applicable]
        assert found
        assert not [verdict for verdict in found if verdict.violated]


def test_weights_that_are_nearly_equal_have_a_positive_entropy():
    rng = np.random.default_rng(0)
    for size in 10.0 ** np.arange(-12, 0):
        v = rng.uniform(1.0 - size, 1.0 + size, size=10)
        v /= v.sum()
        slow = float(np.mean(np.array([relative_entropy_of_share(10 * Decimal(each)) for each in v.tolist()], float)))
        assert entropy(v) == pytest.approx(slow, rel=1e-6)
        assert entropy(v) > 0.0


def relative_entropy_of_share(share):
    """Return s log(s) - s + 1 in 50 digits."""
    with localcontext(prec=50):
        return share * share.ln() - share + 1


def test_coefficients_that_are_nearly_zero_beside_another_are_equally_light():
    """DualSGD moves the older one of two atoms whose coefficients differ by 1e-65 of the largest one."""
    X = [[20.0 * t, 0.0] for t in range(8)]
    moves = Moves(X, y=[1.0, 1e-65, 1e-284, 1e-303, 1e-80, 1e-90, 1e-100, 1.0])
    run = play("dual-sgd(budget=4, moved=1, frequencies=20)", moves, box=(0.0, 200.0), label_bound=1.0)
    assert run.evidence["removed_weights"][0] > 1e-70  # not the lightest
    assert run.verdict("two-spaces-identity").holds
