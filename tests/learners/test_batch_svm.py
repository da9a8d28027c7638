"""The batch support vector machines equal a general solver and scikit-learn."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize
from sklearn.cluster import KMeans
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import SVC, LinearSVC

from arena import ArenaError, Gaussian, Laplacian, Linear, Matern, Polynomial, play
from arena.learners import LibSvm, LowRankSvm

KERNELS = [Gaussian(0.7), Laplacian(0.5), Matern(0.8), Linear(0.5), Polynomial(degree=3, offset=0.5)]
TOLERANCE = 1e-6  # of LIBSVM, where it is compared with the optimum; the gap is of second order
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


def classification(learner, kernel=KERNELS[0], *, rounds=30, adversary="repeated(points=25)", clip=100.0, **fields):
    fields = {"loss": "hinge", "kernel": kernel, "prediction_bound": clip, "seed": 2} | fields
    return play(learner, adversary, rounds=rounds, **fields)


def hinge_dual(Q, penalty, constraints=()):
    """Return the a in [0, penalty]^n that maximises sum(a) - a'Qa / 2, found by SciPy."""
    n = len(Q)
    found = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.full(n, penalty / 2) if not constraints else np.zeros(n),
        jac=lambda a: Q @ a - 1.0,
        bounds=[(0.0, penalty)] * n,
        constraints=list(constraints),
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return found.x


@each_kernel
@pytest.mark.parametrize("penalty", [0.3, 5.0])
def test_libsvm_solves_the_svm_with_an_intercept(kernel, penalty):
    run = classification(LibSvm(penalty=penalty, tolerance=TOLERANCE), kernel)
    K, y = kernel.gram(run.points, run.points), run.labels
    a = hinge_dual(K * np.outer(y, y), penalty, [LinearConstraint(y[np.newaxis], 0.0, 0.0)])
    f = K @ (a * y)
    intercepts = (1.0 - y * f) * y  # the objective is piecewise linear in the intercept, with kinks here
    cost = [np.maximum(0.0, 1.0 - y * (f + b)).sum() for b in intercepts]
    best = 0.5 * (a * y) @ f + penalty * min(cost)
    w = np.linalg.lstsq(K, run.predictions - intercept_of(run, kernel, penalty), rcond=None)[0]
    ours = 0.5 * w @ K @ w + penalty * run.loss
    assert ours == pytest.approx(best, rel=1e-5)
    assert run.loss > 0 or penalty > 1


def intercept_of(run, kernel, penalty):
    K = kernel.gram(run.points, run.points)
    return SVC(C=penalty, tol=TOLERANCE, kernel="precomputed").fit(K, run.labels).intercept_[0]


@each_kernel
def test_libsvm_is_scikit_learns_svc_on_the_games_kernel(kernel):
    run = classification("libsvm(penalty=2)", kernel, adversary="repeated(points=60)", rounds=200)
    K = kernel.gram(run.points, run.points)
    by_hand = SVC(C=2.0, kernel="precomputed").fit(K, run.labels).decision_function(K)
    assert np.allclose(run.predictions, by_hand, atol=2e-3)  # the solver stops at 1e-3, by another path
    assert run.error_rate == np.mean(np.sign(by_hand) != run.labels)


@each_kernel
@pytest.mark.parametrize("penalty", [0.3, 5.0])
def test_llsvm_solves_the_svm_in_the_span_of_its_landmarks(kernel, penalty):
    rounds = 40
    run = classification(
        LowRankSvm(landmarks=6, choice="random", penalty=penalty, tolerance=1e-9), kernel, rounds=rounds
    )
    distinct = np.unique(run.points, axis=0)
    rng = np.random.default_rng(np.random.SeedSequence(2).spawn(2)[0])
    Z = distinct[np.sort(rng.choice(len(distinct), 6, replace=False))]
    cross = kernel.gram(run.points, Z)
    K = cross @ np.linalg.pinv(kernel.gram(Z, Z), rcond=1e-9, hermitian=True) @ cross.T
    a = hinge_dual(K * np.outer(run.labels, run.labels), penalty)
    assert np.allclose(run.predictions, K @ (a * run.labels), atol=1e-4)


def test_with_all_points_as_landmarks_nothing_is_approximated():
    run = classification(LowRankSvm(landmarks=25, penalty=2.0, tolerance=1e-9), rounds=25)
    K = KERNELS[0].gram(run.points, run.points)
    a = hinge_dual(K * np.outer(run.labels, run.labels), 2.0)
    assert np.allclose(run.predictions, K @ (a * run.labels), atol=1e-4)


def test_its_landmarks_are_the_centres_of_clusters():
    run = classification(
        LowRankSvm(landmarks=8, penalty=2.0, tolerance=1e-9), rounds=200, adversary="repeated(points=60)"
    )
    rng = np.random.default_rng(np.random.SeedSequence(2).spawn(2)[0])
    seeds = [int(rng.integers(2**31)) for _ in range(2)]
    Z = KMeans(8, n_init=1, random_state=seeds[0]).fit(run.points).cluster_centers_
    nystroem = Nystroem(kernel="rbf", gamma=0.5 / 0.7**2, n_components=8)  # K_zz^(-1/2) k_z(x)
    features = nystroem.fit(Z).transform(run.points)
    machine = LinearSVC(C=2.0, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=100_000, random_state=seeds[1])
    assert np.allclose(run.predictions, features @ machine.fit(features, run.labels).coef_[0], atol=1e-4)
    assert np.ptp(run.predictions) > 0


@pytest.mark.parametrize("learner", [LibSvm(), LowRankSvm(penalty=0.05, tolerance=1e-9)])
@pytest.mark.parametrize("rounds", [1, 20])
def test_a_single_class_is_learnt(learner, rounds):
    class AllNegative:
        oblivious = True

        def point(self, view):
            return np.array([0.1 * (view.round % 5), 0.0])

        def label(self, view, x, prediction):
            return -1.0

    run = classification(learner, adversary=AllNegative(), rounds=rounds)
    if isinstance(learner, LibSvm):
        assert np.array_equal(run.predictions, np.full(rounds, -1.0))
    else:
        a = hinge_dual(KERNELS[0].gram(run.points, run.points), 0.05)
        expected = -KERNELS[0].gram(run.points, run.points) @ a
        assert np.allclose(run.predictions, expected, atol=1e-3)
    assert run.error_rate == 0.0


@pytest.mark.parametrize("learner", ["libsvm", "llsvm"])
def test_labels_of_zero_are_left_out(learner):
    class Some:
        oblivious = True

        def point(self, view):
            return np.array([np.cos(view.round), np.sin(view.round)])

        def label(self, view, x, prediction):
            return 0.0 if view.round % 3 == 0 else float(np.sign(x[0]))

    run = classification(learner, adversary=Some(), rounds=30)
    kept = run.labels != 0
    assert np.array_equal(np.sign(run.predictions[kept]), run.labels[kept])
    nothing = classification(learner, adversary=type("None", (Some,), {"label": lambda *_: 0.0})(), rounds=5)
    assert not nothing.predictions.any()


@pytest.mark.parametrize("learner", ["libsvm", "llsvm(landmarks=10)", "llsvm(landmarks=10, choice=random)"])
@pytest.mark.parametrize("kernel", ["gaussian(bandwidth=1e-3)", "gaussian(bandwidth=1e3)", "linear"])
def test_same_seed_same_run_and_extremes_are_survived(learner, kernel):
    runs = [classification(learner, kernel, rounds=120, adversary="repeated(points=40)") for _ in range(2)]
    assert runs[0].ended == "completed"
    assert np.array_equal(runs[0].predictions, runs[1].predictions)


@pytest.mark.parametrize("name", ["libsvm", "llsvm"])
@pytest.mark.parametrize("penalty", [1e-8, 1e8])
def test_extreme_penalties_with_random_labels(name, penalty):
    spec = f"{name}(penalty={penalty:g})"
    run = classification(spec, rounds=1000, adversary="repeated(points=300, labels=alternating)")
    assert run.ended == "completed"
    assert run.error_rate > 0.4


@pytest.mark.parametrize("learner", ["libsvm", "llsvm"])
def test_scores_become_predictions_as_for_all_classifiers(learner):
    margins = classification(learner, label_bound=1.0, clip=0.5)
    assert np.abs(margins.predictions).max() == 0.5
    numbers = classification(learner, label_bound=10.0, clip=50.0, loss="squared")
    assert np.allclose(numbers.predictions, 10.0 * classification(learner).predictions, rtol=1e-9)


@pytest.mark.parametrize("learner", ["libsvm", "llsvm"])
def test_they_do_not_learn_round_by_round(learner):
    with pytest.raises(ArenaError, match=f"{learner} must know the whole sequence"):
        play(learner, "greedy", rounds=5)
    with pytest.raises(ArenaError, match="replay"):
        {"libsvm": LibSvm, "llsvm": LowRankSvm}[learner]().update(np.zeros(2), 1.0)
