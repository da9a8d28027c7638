"""The numbers of every erratum, computed again from points, labels and coins with the papers' formulas.

No code is shared with the theorems that judge the matches. Each regret is the one of the printed statement: to the best
w that it allows, and with its penalty.
"""

import math

import numpy as np
import pytest

from arena import play
from arena.papers.errata import ERRATA
from arena.papers.errata.matches import Twins
from arena.record.judging import judge


def judged(name):
    """Return the verdicts of the erratum with this name on its shipped match."""
    return next(each for each in ERRATA if each.name == name).judged()


def agrees(found, regret, bound):
    """Assert that the verdict on the printed statement has this regret and this bound."""
    assert found.printed.measured == pytest.approx(regret, rel=1e-6)
    assert found.printed.allowed == pytest.approx(bound, rel=1e-6)
    assert regret > bound


def test_theorem_9_on_a_line_that_turns():
    found = judged("pkawv-growing-printed")
    x, lam, n = np.array([1.0, 0.0]), 100.0, 100
    np.testing.assert_array_equal(found.run.points, np.tile(x, (n, 1)))
    lines = [np.array([math.cos(a), math.sin(a)]) for a in np.pi / 2 * (1 - np.arange(n) / (n - 1))]
    P = [np.zeros((2, 2)), *(np.outer(v, v) for v in lines), np.eye(2)]
    loss = estimation = approximation = 0.0
    for t in range(1, n + 1):
        C, own = t * np.outer(x, x), P[t] @ x
        inverse = np.linalg.inv(P[t] @ C @ P[t] + lam * np.eye(2))
        prediction = own @ inverse @ own * (t - 1)  # all labels are 1
        assert found.run.predictions[t - 1] == pytest.approx(prediction, abs=1e-12)
        loss += (1 - prediction) ** 2
        estimation += own @ inverse @ own
    for t in range(1, n + 2):
        change = P[t] - P[t - 1]
        mu = np.linalg.norm(change @ ((t - 1) * np.outer(x, x)) @ change, 2)
        approximation += (mu + lam) * mu * t / lam**2
    best = lam * n / (lam + n)
    agrees(found, loss - best, estimation + approximation)
    assert (loss - best) / (estimation + approximation) == pytest.approx(n / 8, rel=0.01)


def test_theorem_1_of_the_icml_paper_on_flat_losses():
    found = judged("kons-printed")
    T, B, C, alpha = 60, 0.1, 1.0, 0.01
    sigma, L = math.exp(-B * C), B
    A, u, loss = alpha, 0.0, 0.0
    for t in range(T):
        y = B if t % 2 == 0 else -B
        w = min(max(u, -C), C)  # one point with k(x, x) = 1
        assert found.run.predictions[t] == pytest.approx(w, abs=1e-12)
        loss += math.log1p(math.exp(-y * w))
        g = -y / (1 + math.exp(y * w))
        assert abs(g) <= L
        A += sigma * g * g
        u = w - g / A
    best = T * math.log(2)  # w* = 0, whose norm is 0
    dimension = T / (T + alpha / (sigma * L**2))
    agrees(found, loss - best, 2 * dimension * math.log(2 * sigma * L**2 * T) / sigma)
    assert math.log(2 * sigma * L**2 * T) > 0


def test_theorem_1_of_the_icml_paper_in_one_round_with_labels_of_1():
    sigma, L, alpha = math.exp(-1.0), 1.0, 0.01
    bound = 2 / (1 + alpha / (sigma * L**2)) * math.log(2 * sigma * L**2) / sigma
    regret = math.log(2) - math.log1p(math.exp(-1.0)) - alpha  # w* = 1 on the boundary of S
    run = play("kons(alpha=0.01)", "alternating", rounds=1, dimension=1, loss="logistic")
    verdict = judge(run, "kons-printed(alpha=0.01)")
    assert verdict.violated
    assert verdict.allowed == pytest.approx(bound, rel=1e-6)
    assert bound == pytest.approx(-1.6, abs=0.05)
    assert regret > 0 > bound


def test_theorem_3_of_the_icml_paper_in_one_round():
    found = judged("sketched-kons-regret-printed")
    alpha, beta, sigma, L = 0.01, 691.0, 1 / 8, 4.0
    assert found.run.predictions[0] == 0.0
    g = -2.0  # (0 - 1)^2
    tau = sigma * g**2 / (sigma * g**2 + alpha)
    dimension = 1 / (1 + alpha / (sigma * L**2))
    bound = 2 * dimension * math.log(2 * sigma * L**2) / (sigma * max(0.1, beta * tau))
    literal = 1.0 - alpha  # w* = 1 has the loss 0
    assert beta >= 3 * math.log(1 / 0.1) / 0.1**2
    assert literal > 30 * bound
    assert 3 * math.log(1 / 0.1) / 0.5**2 <= 27.7
    assert literal > 1.2 * bound * beta / 27.7
    agrees(found, 1.0 - alpha / (1 + alpha), bound)  # to the best w with the penalty, a little more


def test_theorem_1_of_the_nips_paper_at_one_point():
    found = judged("pros-n-kons-regret-printed")
    T, B, C, alpha, gamma, epsilon = 29, 0.1, 0.1, 1.0, 1.0, 0.5
    sigma = math.exp(-B * C)
    np.testing.assert_array_equal(found.run.points, np.tile(found.run.points[0], (T, 1)))
    np.testing.assert_array_equal(np.abs(found.run.labels), B)  # labels, too, lie within [-C, C]
    np.testing.assert_array_equal(found.run.predictions, 0.0)  # as those of w = 0, whose norm is 0
    np.testing.assert_array_equal(found.run.evidence["probabilities"], 1.0)
    np.testing.assert_array_equal(found.run.evidence["accepted"], np.arange(1, T + 1))
    assert 3 * math.log(T / 0.1) / epsilon**2 <= 69
    assert alpha <= math.sqrt(T)

    def bound(J, L):
        dimension = T / (T + alpha / (sigma * L**2))
        estimation = 4 / sigma * dimension * math.log(2 * sigma * L**2 * T / alpha)
        return J * (estimation + 2 * C) + L**2 / alpha * (T * gamma * epsilon / (4 * (1 - epsilon)) + 1)

    assert found.printed.allowed == pytest.approx(bound(T, B), rel=1e-6)
    assert found.printed.measured > 0
    least = B / (1 + math.exp(-B * C))  # the largest |derivative| for predictions and labels within their bounds
    assert all(bound(J, L) < -0.1 for J in range(1, T + 1) for L in np.linspace(least, B, 50))


def theorem_2_of_the_nips_paper(run, alpha, gamma, epsilon, *, clipped, starts=0, left_out=0):
    """Return the regret and the bound of the theorem on two nearly equal points.

    An epoch starts `starts` rounds after a point is accepted, and its last `left_out` rounds do not count.
    """
    T, C, k, mu = len(run.labels), 1.0, 0.9999, gamma * epsilon / (1 - epsilon)
    sigma, L, share, bound = 1 / 8, 4.0, mu / (alpha - mu), 0.0
    accepted = run.evidence["accepted"].astype(int)
    assert accepted[0] == 1
    begins = np.union1d(1, accepted + starts)
    begins = begins[begins <= T]
    for start, stop in zip(begins, [*begins[1:], T + 1], strict=True):
        rounds = np.arange(start, stop - left_out)
        if not len(rounds):
            continue
        counts = np.array([np.count_nonzero(rounds % 2 == parity) for parity in (1, 0)])
        root, y = np.sqrt(np.diag(counts)), np.sqrt(counts) * [1.0, -1.0]
        K = root @ [[1, k], [k, 1]] @ root
        dimension = np.trace(K @ np.linalg.inv(K + alpha / (sigma * L**2) * np.eye(2)))
        logarithm = math.log(2 * sigma * L**2 / alpha * np.trace(K))
        best = alpha * y @ np.linalg.inv(K + alpha * np.eye(2)) @ y
        bound += 4 / sigma * dimension * (max(logarithm, 0.0) if clipped else logarithm) + share * best
    J = len(begins)
    penalty = J * share * alpha * 2 / (1 - k)  # of the w that fits both points
    return float(np.sum((run.predictions - run.labels) ** 2)) - penalty, bound + J * L * (C + L / alpha)


def test_theorem_2_of_the_nips_paper_on_twins():
    found = judged("pros-n-kons-squared-printed")
    run, setting = found.run, (100.0, 1e-6, 0.9)
    assert math.exp(-((run.points[1, 0] - run.points[0, 0]) ** 2) / 2) == pytest.approx(0.9999, rel=1e-12)
    np.testing.assert_array_equal(run.labels, np.tile([1.0, -1.0], 5000))
    regret, bound = theorem_2_of_the_nips_paper(run, *setting, clipped=True, starts=1)
    assert found.printed.allowed == pytest.approx(bound, rel=1e-6)
    assert found.printed.measured == pytest.approx(regret, rel=1e-3)  # to the best w, a little more
    literal = theorem_2_of_the_nips_paper(run, *setting, clipped=True)  # an epoch begins as a point is accepted
    assert literal[0] > 1.9 * literal[1]
    assert 3 * math.log(10_000 / 0.1) / 0.9**2 <= 42.7


def test_theorem_2_of_the_nips_paper_with_the_accuracy_of_the_experiments():
    setting = {"alpha": 100.0, "gamma": 1e-6, "epsilon": 0.5}
    learner = f"pros-n-kons({', '.join(f'{key}={value}' for key, value in setting.items())}, beta=138.2)"
    run = play(learner, Twins(0.9999), rounds=10_000, dimension=1)
    assert 3 * math.log(10_000 / 0.1) / 0.5**2 <= 138.2
    for clipped, left_out, expected in ((True, 0, 7770), (False, 0, 2880), (False, 1, 4815)):
        regret, bound = theorem_2_of_the_nips_paper(run, **setting, clipped=clipped, starts=1, left_out=left_out)
        assert regret == pytest.approx(10_139, abs=2)
        assert bound == pytest.approx(expected, rel=3e-3)


def test_proposition_5_on_points_that_grow():
    found = judged("kors-size-printed")
    n, delta, mu = 2500, 0.1, 1e-8
    lengths, beta = found.run.points[:, 0] ** 2, 12 * math.log(n / delta)
    assert found.run.game.kernel.name == "linear"
    assert lengths.max() == pytest.approx(1.0)
    sketch, accepted = mu, 0
    for squared in lengths:
        assert beta * 1.5 * squared / (sketch + squared) >= 1  # so it is accepted for sure, with the weight 1
        sketch, accepted = sketch + squared, accepted + 1
    dimension = lengths.sum() / (lengths.sum() + mu)
    bound = 9 * dimension * math.log(2 * n / delta) ** 2
    assert found.printed.measured == accepted > 2 * bound
    assert found.printed.allowed == pytest.approx(bound, rel=1e-4)  # rounding counts as dimension beside so small a mu


@pytest.mark.parametrize(("name", "gamma"), [("kors-size-nips-printed", 2e5), ("kors-size-icml-printed", 1.5e5)])
def test_sizes_of_kors_where_less_than_one_point_is_expected(name, gamma):
    found, delta, epsilon, rho = judged(name), 1e-6, 0.5, 3.0
    beta, dimension, logarithm = 3 * math.log(1 / delta) / epsilon**2, 1 / (1 + gamma), math.log(2 / delta)
    bound = {"kors-size-nips-printed": 3 * rho * beta * dimension * logarithm,
             "kors-size-icml-printed": 6 * rho * logarithm**2 / epsilon**2 * dimension}[name]  # fmt: skip
    agrees(found, 1.0, bound)
    probability = beta * (1 + epsilon) / (1 + gamma)
    assert found.run.evidence["probabilities"][0] == pytest.approx(probability, rel=1e-9)
    assert probability > 1000 * delta
    assert 1 - found.printed.confidence == pytest.approx(delta)
    assert f"{100 * probability:.2f} %" in found.erratum.chance


def test_sizes_of_kors_for_one_failure_in_a_hundred():
    gamma, delta, epsilon, rho = 2700.0, 0.01, 0.5, 3.0
    beta = 3 * math.log(1 / delta) / epsilon**2
    assert 3 * rho * beta / (1 + gamma) * math.log(2 / delta) == pytest.approx(0.98, abs=0.005)
    assert beta * (1 + epsilon) / (1 + gamma) == pytest.approx(0.03, abs=0.001)
