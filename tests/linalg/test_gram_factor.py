"""Equal points share a row of the factor, which does not change the results of a posterior."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import play
from arena.game.kernels import Gaussian, Kernel, Linear
from arena.hindsight.exact import ridge_hindsight
from arena.linalg import gram_factor
from arena.linalg.gram_factor import GramFactor, shared_factors
from arena.linalg.posterior import RidgePosterior
from arena_tests.kernels import CountingKernel

quick = settings(max_examples=80)
ROUNDS = 40


@pytest.fixture(autouse=True)
def fold_often(monkeypatch):
    monkeypatch.setattr(gram_factor, "SPARE_ROWS", 3)


def direct(regularisation, X, y, Z):
    """Return the mean, the variance, the dual weights, the optimum and the matrix K + lambda I, by dense solves."""
    K, cross = Gaussian(0.5).gram(X, X), Gaussian(0.5).gram(X, Z)
    A = K + regularisation * np.eye(len(X))
    weights, solved = np.linalg.solve(A, y), np.linalg.solve(A, cross)
    return cross.T @ weights, 1.0 - np.einsum("ij,ij->j", cross, solved), weights, regularisation * y @ weights, A


def agrees(past, X, y, Z):
    at = past.regularisation
    precision = 1e-12 * max(1.0, 1.0 / at)
    mean, variance, weights, optimum, A = direct(at, X, y, Z)
    np.testing.assert_allclose(past.at(Z), (mean, variance), rtol=0, atol=100 * precision)
    np.testing.assert_allclose(past.dual_weights(), weights, rtol=0, atol=100 * precision / at)
    assert past.optimum == pytest.approx(optimum, rel=1e-9)
    dimensions = past.effective_dimensions()
    assert dimensions.shape == y.shape
    assert dimensions[-1] == pytest.approx(len(y) - at * np.trace(np.linalg.inv(A)), abs=1e-9)


@quick
@given(data=st.data(), exponent=st.sampled_from((-3, 0, 3)))
def test_any_interleaving_of_posteriors_that_share_and_fold(data, exponent):
    """Some posteriors are several folds behind others, and some have other points from some round on."""
    regularisation, rng = 10.0**exponent, np.random.default_rng(data.draw(st.integers(0, 99), label="points"))
    few = rng.uniform(-1, 1, size=(data.draw(st.integers(1, 12), label="different"), 2))
    paths = [few[rng.integers(len(few), size=ROUNDS)]]
    for fork in data.draw(st.lists(st.sampled_from((0, 3, 17, ROUNDS)), min_size=1, max_size=2), label="forks"):
        paths.append(np.concatenate([paths[0][:fork], few[rng.integers(len(few), size=ROUNDS - fork)]]))
    labels, Z = rng.choice([-1.0, 1.0], size=(len(paths), ROUNDS)), np.concatenate([few[:2], rng.random((2, 2))])
    with shared_factors():
        pasts = [RidgePosterior(Gaussian(0.5), regularisation) for _ in paths]
        for _ in range(data.draw(st.integers(5, 25), label="moves")):
            who = data.draw(st.integers(0, len(paths) - 1))
            known = pasts[who].rounds
            match data.draw(st.sampled_from(("append", "append", "extend", "copy", "restart"))):
                case "append" if known < ROUNDS:
                    pasts[who].append(paths[who][known], labels[who][known])
                case "extend":
                    stop = data.draw(st.integers(known, ROUNDS))
                    pasts[who].extend(paths[who][known:stop], labels[who][known:stop])
                case "copy":
                    pasts[who] = data.draw(st.sampled_from((copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it)))))(
                        pasts[who]
                    )
                case "restart":
                    pasts[who] = RidgePosterior(Gaussian(0.5), regularisation)
            known = pasts[who].rounds
            if known:
                agrees(pasts[who], paths[who][:known], labels[who][:known], Z)


def test_rounds_are_shared_across_folds():
    """The second posterior uses the factor that the first one has folded, and computes no kernel value."""
    kernel = CountingKernel()
    with shared_factors():
        one, two = RidgePosterior(kernel, 1.0), RidgePosterior(kernel, 1.0)
        for x in np.tile(np.eye(2), (50, 1)):
            one.append(x, 1.0)
            questions = kernel.questions
            two.append(x, -1.0)
            assert kernel.questions == questions
    assert kernel.largest <= 2 + 3 + 1


def test_each_rounds_own_mean_and_variance_on_the_way():
    """`extend` returns the mean and the variance of each round before its label, also where the factor is folded."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, size=(5, 2))[rng.integers(5, size=ROUNDS)], rng.choice([-1.0, 1.0], ROUNDS)
    means, variances = RidgePosterior(Gaussian(0.5), 0.1).extend(X, y)
    for t in range(1, ROUNDS):
        mean, variance, *_ = direct(0.1, X[:t], y[:t], X[t : t + 1])
        assert means[t] == pytest.approx(mean[0], abs=1e-11)
        assert variances[t] == pytest.approx(variance[0], abs=1e-11)


def test_zero_and_minus_zero_are_one_point():
    factor = GramFactor(Linear(), 1.0, dimension=1)
    factor.extend(np.array([[0.0], [-0.0], [0.0], [-0.0], [0.0]]))
    assert factor.full
    assert factor.rounds == 4


def test_fresh_points_are_never_folded(monkeypatch):
    monkeypatch.undo()
    factor = GramFactor(Gaussian(), 1.0, dimension=1)
    factor.extend(np.linspace(-1, 1, 1000)[:, np.newaxis])
    assert not factor.full
    assert len(factor.points) == 1000


class Broken(Kernel):
    """The linear kernel, which raises an error while `armed` is true."""

    armed = False

    def gram(self, X, Z):
        if self.armed:
            raise RuntimeError("no more")
        return X @ Z.T

    def diagonal(self, X):
        return np.einsum("ij,ij->i", X, X)


def test_a_posterior_goes_on_after_an_error_while_its_rounds_are_folded():
    kernel, x = Broken(), np.array([2.0])
    past = RidgePosterior(kernel, 1.0)
    for _ in range(3):
        past.append(x, 1.0)
    past.at(x[np.newaxis])  # the fourth round's row is known now, so that only folding asks the kernel
    kernel.armed = True
    with pytest.raises(RuntimeError):
        past.append(x, 1.0)
    kernel.armed = False
    for _ in range(5):
        past.append(x, 1.0)
    assert past.rounds == 8
    np.testing.assert_allclose(past.at(x[np.newaxis]), [[32 / 33], [4 / 33]], rtol=1e-12)


def test_a_hundred_thousand_rounds_at_two_points(monkeypatch):
    """A factor with a row for each round would need 80 GB; the exact values have closed forms (theory F2)."""
    monkeypatch.undo()
    rounds = 100_000
    X, y = np.tile(np.array([[1.0, 0.0], [0.0, 1.0]]), (rounds // 2, 1)), np.tile([1.0, 1.0, -1.0, -1.0], rounds // 4)
    past = RidgePosterior(Linear(), 0.5)
    for start in range(0, rounds, 4096):
        past.extend(X[start : start + 4096], y[start : start + 4096])
    known = ridge_hindsight(Linear(), 0.5, X, y, past=past)
    times = np.arange(rounds) // 2  # how often the round's point has come before
    np.testing.assert_allclose(known.variance, 0.5 / (0.5 + times), rtol=1e-9)
    np.testing.assert_allclose(known.mean, (times % 2) / (times + 0.5), rtol=0, atol=1e-12)
    np.testing.assert_allclose(known.residuals, y, rtol=0, atol=1e-12)


def test_the_exact_learners_reach_a_hundred_thousand_rounds(monkeypatch):
    """With alternating labels at one point, the regret grows like log T: the last doubling adds log 2 (theory F2)."""
    monkeypatch.undo()
    run = play("kernel-awv", "alternating", rounds=100_000)
    assert run.hindsight_mode == "exact"
    assert run.regret[-1] - run.regret[49_999] == pytest.approx(np.log(2.0), rel=0.02)
    assert 0.93 < run.regret[-1] / np.log1p(100_000) < 1.0
    assert run.verdict("awv-identity").holds
    assert run.verdict("awv-effective-dimension").holds
