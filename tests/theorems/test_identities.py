"""Identities and inequalities behind the theorems, on random, degenerate and adversarial sequences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import Gaussian, Linear, play
from arena.game.game import Game
from arena.hindsight.exact import ridge_hindsight
from arena.players.moves import GivenMoves
from arena.specs.building import build
from arena_tests import FULL
from arena_tests.slow.ridge import optimum, posterior

quick = settings(max_examples=80 if FULL else 30)
LAMBDAS = (1e-3, 0.1, 1.0, 10.0, 1000.0)


def spread(size, dimension=1):
    """Return points that are so far apart that their Gaussian kernel values are zero."""
    points = np.zeros((size, dimension))
    points[:, 0] = 50.0 * np.arange(size)
    return points


def fresh_points(rounds):
    """Return an adversary that plays orthogonal points with the label 1."""
    return GivenMoves(spread(rounds), np.ones(rounds))


def points(kind, size, rng):
    X = rng.uniform(-1, 1, size=(size, 2))
    few = rng.integers(max(1, size // 5), size=size)
    return {
        "random": X,
        "repeated": X[few],
        "one point": np.tile(X[:1], (size, 1)),
        "near duplicates": X[few] + 1e-9 * rng.standard_normal((size, 2)),
        "orthogonal": spread(size, 2),
        "on a line": X[:, :1] * [[1.0, 2.0]],
    }[kind]


@st.composite
def sequences(draw):
    """Draw a kernel, lambda, points, labels within [-B, B], and B."""
    size = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    kind = draw(st.sampled_from(["random", "repeated", "one point", "near duplicates", "orthogonal", "on a line"]))
    X = points(kind, size, rng)
    kernel = Linear() if kind == "on a line" else Gaussian(bandwidth=draw(st.sampled_from((0.2, 1.0))))
    B = draw(st.sampled_from((0.5, 1.0, 3.0)))
    y = {
        "uniform": rng.uniform(-B, B, size),
        "signs": B * rng.choice([-1.0, 1.0], size),
        "alternating": B * (-1.0) ** np.arange(size),
        "constant": np.full(size, B),
        "zero": np.zeros(size),
    }[draw(st.sampled_from(["uniform", "signs", "alternating", "constant", "zero"]))]
    regularisation = draw(st.sampled_from(LAMBDAS))
    if draw(st.booleans()):  # labels that contradict ridge regression in every round
        y = contrary(kernel, regularisation, X, B)
    return kernel, regularisation, X, y, B


def contrary(kernel, regularisation, X, B):
    y = np.zeros(len(X))
    for t in range(len(X)):
        mean, _ = ridge(kernel, regularisation, X[:t], y[:t], X[t])
        y[t] = -B if mean > 0 else B
    return y


def ridge(kernel, regularisation, X, y, x):
    """Return the mean and the variance of ridge regression at one point."""
    mean, variance = posterior(kernel, regularisation, X, y, x[np.newaxis])
    return float(mean[0]), max(0.0, float(variance[0]))


def in_one_round_after_another(kernel, regularisation, X, y):
    answers = [ridge(kernel, regularisation, X[:t], y[:t], X[t]) for t in range(len(X))]
    mean, variance = np.array(answers).T
    return mean, 1.0 + variance / regularisation


def scale(regularisation, y):
    return 1e-12 * max(1.0, 1.0 / regularisation) * (1.0 + np.square(y).sum()) * 100


# ---- C1


@quick
@given(sequences())
def test_the_discounted_loss_of_ridge_regression_is_the_optimum(case):
    kernel, regularisation, X, y, _ = case
    mean, s = in_one_round_after_another(kernel, regularisation, X, y)
    total = (np.square(y - mean) / s).sum()
    assert total == pytest.approx(optimum(kernel.gram(X, X), y, regularisation), abs=scale(regularisation, y))
    hindsight = ridge_hindsight(kernel, regularisation, X, y)
    assert hindsight.optimum[-1] == pytest.approx(total, abs=scale(regularisation, y))
    np.testing.assert_allclose(hindsight.mean, mean, rtol=0, atol=scale(regularisation, y))


@quick
@given(sequences())
def test_log_determinant_and_online_dimension(case):
    kernel, regularisation, X, y, _ = case
    hindsight = ridge_hindsight(kernel, regularisation, X, y)
    K = kernel.gram(X, X)
    for t in {1, len(X) // 2, len(X)} - {0}:
        exact = np.linalg.slogdet(np.eye(t) + K[:t, :t] / regularisation)[1]
        assert hindsight.log_determinant[t - 1] == pytest.approx(exact, abs=1e-9)
    _, s = in_one_round_after_another(kernel, regularisation, X, y)
    np.testing.assert_allclose(hindsight.stretch, s, rtol=1e-9)
    np.testing.assert_allclose(hindsight.online_dimension, np.cumsum(1 - 1 / s), atol=1e-9)


@quick
@given(sequences())
def test_the_exact_identity_for_the_regret_of_the_awv_forecaster(case):
    kernel, regularisation, X, y, _ = case
    mean, s = in_one_round_after_another(kernel, regularisation, X, y)
    predictions = mean / s
    regret = np.square(y - predictions).sum() - optimum(kernel.gram(X, X), y, regularisation)
    identity = ((1 - 1 / s) * (y**2 - s * predictions**2)).sum()
    assert regret == pytest.approx(identity, abs=scale(regularisation, y))


@quick
@given(sequences())
def test_the_awv_forecaster_is_the_minimiser_that_its_paper_defines(case):
    """f_t minimises sum_{s<t} (y_s - f(x_s))^2 + lambda |f|^2 + f(x_t)^2."""
    kernel, regularisation, X, y, B = case
    game = Game(
        rounds=len(X), dimension=2, box=(-1e4, 1e4), label_bound=B, kernel=kernel, regularisation=regularisation
    )
    learner = build("learner", "kernel-awv")
    learner.begin(game, np.random.default_rng(0))
    predictions = learner.replay(X, y)
    for t in {0, len(X) // 2, len(X) - 1}:
        defined, _ = ridge(kernel, regularisation, X[: t + 1], np.r_[y[:t], 0.0], X[t])
        assert predictions[t] == pytest.approx(defined, abs=scale(regularisation, y))


# ---- E1, E3, E8, E10, E15


@quick
@given(sequences())
def test_the_chain_of_bounds_for_the_awv_forecaster(case):
    kernel, regularisation, X, y, B = case
    mean, s = in_one_round_after_another(kernel, regularisation, X, y)
    regret = np.square(y - mean / s).sum() - optimum(kernel.gram(X, X), y, regularisation)
    logdet = np.linalg.slogdet(np.eye(len(X)) + kernel.gram(X, X) / regularisation)[1]
    leverage = (1 - 1 / s) @ y**2
    online = B**2 * (1 - 1 / s).sum()
    slack = scale(regularisation, y)
    assert regret <= leverage + slack
    assert leverage <= online + slack
    assert online <= B**2 * logdet + slack


@quick
@given(sequences())
def test_dimensions_and_determinants(case):
    """Theory E3 and E10, where kappa^2 is the largest k(x, x)."""
    kernel, regularisation, X, y, _ = case
    hindsight = ridge_hindsight(kernel, regularisation, X, y)
    K = kernel.gram(X, X)
    eigenvalues = np.maximum(np.linalg.eigvalsh(K), 0.0)
    dimension = (eigenvalues / (eigenvalues + regularisation)).sum()
    largest = kernel.diagonal(X).max()
    logdet, online = hindsight.log_determinant[-1], hindsight.online_dimension[-1]
    slack = 1e-9
    assert dimension <= online * (1 + np.log1p(len(X) * largest / regularisation)) + slack
    assert online <= logdet + slack
    assert logdet <= dimension * (1 + np.log1p(eigenvalues.max() / regularisation)) + slack
    assert logdet <= dimension * np.log(np.e + np.e * len(X) * largest / regularisation) + slack


@quick
@given(sequences())
def test_clipped_ridge_regression(case):
    kernel, regularisation, X, y, B = case
    mean, s = in_one_round_after_another(kernel, regularisation, X, y)
    clipped = np.clip(mean, -B, B)
    assert (np.square(y - clipped) <= np.square(y - mean) + 1e-9).all()
    regret = np.square(y - clipped).sum() - optimum(kernel.gram(X, X), y, regularisation)
    assert regret <= 4 * B**2 * (1 - 1 / s).sum() + scale(regularisation, y)


@quick
@given(sequences(), st.sampled_from((0.01, 0.1, 0.5)))
def test_gradient_descent(case, rate):
    """Theory E15 holds for a plain loop, whose predictions the built-in learner makes, too."""
    kernel, _, X, y, B = case
    K, coefficients, predictions = kernel.gram(X, X), np.zeros(len(X)), np.zeros(len(X))
    for t in range(len(X)):
        predictions[t] = K[t] @ coefficients
        coefficients[t] -= rate * 2 * (predictions[t] - y[t])
    energy = np.square(2 * (predictions - y)) * kernel.diagonal(X)
    regret = np.square(y - predictions).sum() - optimum(kernel.gram(X, X), y, 1 / (2 * rate))
    assert regret <= rate / 2 * energy.sum() * (1 + 1e-9) + 1e-9
    game = Game(rounds=len(X), dimension=2, box=(-1e4, 1e4), label_bound=B, kernel=kernel)
    learner = build("learner", f"fgd(rate={rate})")
    learner.begin(game, np.random.default_rng(0))
    np.testing.assert_allclose(learner.replay(X, y), predictions, rtol=1e-9, atol=1e-9)


# ---- F1


@quick
@given(sequences(), st.floats(-2, 2), st.sampled_from((-1.0, 0.3, 1.0)), st.integers(0, 99))
def test_the_closed_form_of_a_rounds_change_of_the_regret(case, prediction, label, seed):
    """The closed form holds for any prediction and any new point."""
    kernel, regularisation, X, y, _ = case
    x = np.random.default_rng(seed).uniform(-1, 1, size=2)
    x = X[seed % len(X)] if seed % 3 == 0 else x
    before = optimum(kernel.gram(X, X), y, regularisation)
    after = optimum(kernel.gram(np.vstack([X, x]), np.vstack([X, x])), np.r_[y, label], regularisation)
    mean, variance = ridge(kernel, regularisation, X, y, x)
    closed = (prediction - label) ** 2 - regularisation * (label - mean) ** 2 / (regularisation + variance)
    assert (prediction - label) ** 2 - (after - before) == pytest.approx(closed, abs=scale(regularisation, y))


@pytest.mark.parametrize("learner", ["kernel-awv", "krr", "clipped-krr", "fgd", "zero"])
def test_the_greedy_adversary_takes_what_no_other_candidate_beats(learner):
    """In every round its label raises the regret at least as much as the other label, by the computed amount."""
    run = play(learner, "greedy(starts=32, polished=2, steps=5)", rounds=25, kernel="gaussian(bandwidth=0.4)", seed=1)
    hindsight = run.hindsight()
    s = hindsight.stretch
    other = np.square(run.predictions + run.labels) - np.square(-run.labels - hindsight.mean) / s
    chosen = np.square(run.predictions - run.labels) - np.square(run.labels - hindsight.mean) / s
    np.testing.assert_allclose(np.diff(run.regret, prepend=0.0), chosen, atol=1e-9)
    assert (chosen >= other - 1e-9).all()
    assert set(np.abs(run.labels)) == {1.0}
    weak = play(learner, "greedy(starts=1, polished=0)", rounds=25, kernel="gaussian(bandwidth=0.4)", seed=1)
    assert run.regret[-1] > weak.regret[-1]


# ---- F2: alternating labels at one point, where everything is a scalar recursion


def at_one_point(rounds, regularisation):
    """Return the mean and the stretch s_t before each round, for alternating labels at a point with k(x, x) = 1."""
    t = np.arange(1, rounds + 1)
    past = (t - 1) % 2  # the labels sum to +1 after an odd number of rounds, else to 0
    return past / (t - 1 + regularisation), 1.0 + 1.0 / (t - 1 + regularisation)


@pytest.mark.parametrize("regularisation", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("bound", [1.0, 2.0])
def test_ridge_and_awv_at_one_point_by_their_scalar_formulas(regularisation, bound):
    mean, s = at_one_point(300, regularisation)
    fields = {"rounds": 300, "regularisation": regularisation, "label_bound": bound}
    np.testing.assert_allclose(play("krr", "alternating", **fields).predictions, bound * mean, atol=1e-11)
    awv = play("kernel-awv", "alternating", **fields)
    np.testing.assert_allclose(awv.predictions, bound * mean / s, atol=1e-11)
    verdict = awv.verdict("awv-logdet")
    assert verdict.allowed == pytest.approx(bound**2 * np.log(1 + 300 / regularisation))  # the determinant telescopes
    assert verdict.holds


def test_the_regret_of_the_awv_forecaster_grows_like_the_logarithm():
    """The regret equals a closed form, to which a logarithm is fitted."""
    run = play("kernel-awv", "alternating", rounds=3_000)
    mean, s = at_one_point(10_000, 1.0)
    labels = np.where(np.arange(10_000) % 2, -1.0, 1.0)
    regret = np.cumsum((1 - 1 / s) * (labels**2 - s * (mean / s) ** 2))
    np.testing.assert_allclose(run.regret, regret[:3_000], rtol=1e-9)  # the engine plays what the formula says
    rounds = np.unique(np.geomspace(100, 10_000, 40).astype(int))
    slope, offset = np.polyfit(np.log(rounds), regret[rounds - 1], 1)
    assert slope == pytest.approx(1.0, abs=0.01)
    assert np.abs(regret[rounds - 1] - offset - slope * np.log(rounds)).max() < 0.02
    exponent = np.log2(regret[9_999] / regret[4_999])
    assert exponent < 0.15
    assert run.verdict("awv-leverage").holds


@pytest.mark.parametrize(("regularisation", "least"), [(100.0, 0.99), (1000.0, 0.995)])
def test_the_sharp_bound_is_attained_but_for_a_percent(regularisation, least):
    verdict = play("kernel-awv", "alternating", rounds=2_000, regularisation=regularisation).verdict("awv-leverage")
    assert verdict.holds
    assert verdict.tightness >= least


def test_the_sharp_bound_is_attained_exactly_where_every_prediction_is_zero():
    run = play("kernel-awv", fresh_points(40), rounds=40, dimension=1, box=(0, 1e4))
    assert run.verdict("awv-leverage").tightness == pytest.approx(1.0, abs=1e-12)
    assert not run.predictions.any()


def test_ridge_regression_does_a_little_worse_than_the_bound_allows_awv():
    """The regret of KRR is 5.60 after 200 rounds, and the bound of Kernel-AWV is 5.30."""
    run = play("krr", "alternating", rounds=200)
    assert run.regret[-1] == pytest.approx(5.60, abs=0.01)
    assert np.log(201) == pytest.approx(5.30, abs=0.01)
    assert run.verdict("awv-logdet").violated


@pytest.mark.parametrize(("rounds", "ratio"), [(100, 1.17), (400, 1.08), (1600, 1.04), (6400, 1.02)])
def test_gradient_descent_with_constant_steps_pays_the_square_root(rounds, ratio):
    """The regret is about 2 B^2 sqrt(T) with eta = 1 / sqrt(T)."""
    for bound in (1.0, 3.0):
        run = play("fgd", "alternating", rounds=rounds, label_bound=bound, hindsight="none")
        comparator = bound**2 * (rounds - 0.0)  # an even number of alternating labels sums to zero
        assert (run.loss - comparator) / (2 * bound**2 * np.sqrt(rounds)) == pytest.approx(ratio, abs=0.006)


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3])
def test_the_limit_cycle_of_gradient_descent(rate):
    """With alternating labels, R / T tends to B^2 (2 eta - eta^2) / (1 - eta)^2."""
    bound = 2.0
    run = play(f"fgd(rate={rate})", "alternating", rounds=2_000, label_bound=bound, hindsight="none")
    average = (run.losses[-200:] - bound**2).mean()
    assert average == pytest.approx(bound**2 * (2 * rate - rate**2) / (1 - rate) ** 2, rel=1e-9)
    assert run.predictions[-1] == pytest.approx(-run.predictions[-2])


def test_steps_of_one_over_t_make_it_logarithmic():
    run = play("fgd(rate=0.5, steps=inverse)", "alternating", rounds=4_096, hindsight="none")
    regret = np.cumsum(run.losses) - np.arange(1, 4_097)  # against zero, the best at every even round
    exponents = np.log2(regret[[1023, 2047, 4095]] / regret[[511, 1023, 2047]])
    assert (exponents < 0.2).all()
    assert regret[4095] - np.log(4096) == pytest.approx(2.5, abs=1.0)


# ---- F6: fresh points that nothing is known about


@pytest.mark.parametrize(("regularisation", "printed"), [(0.1, 181.8), (1.0, 100.0), (10.0, 18.2)])
def test_orthogonal_points(regularisation, printed):
    run = play("kernel-awv", fresh_points(200), rounds=200, dimension=1, box=(0, 1e4), regularisation=regularisation)
    assert run.regret[-1] == pytest.approx(200 / (1 + regularisation), rel=1e-12)
    assert run.regret[-1] == pytest.approx(printed, abs=0.05)
    assert run.comparator.effective_dimensions()[-1] == pytest.approx(200 / (1 + regularisation), rel=1e-9)
    assert all(verdict.holds for verdict in run.verdicts())
    every = [play(name, fresh_points(200), rounds=200, dimension=1, box=(0, 1e4)) for name in ("krr", "fgd", "zero")]
    for one, other in itertools.combinations(every, 2):
        assert np.array_equal(one.predictions, other.predictions)
