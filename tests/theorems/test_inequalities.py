"""Inequalities behind the theorems, for any comparator, on explicit features and with plain algorithms.

Features may be zero, repeated, on one line, nearly equal or orthogonal. Comparators are drawn at random, so that "for
all f" is also tried with functions that no optimiser finds.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.losses import Absolute, Hinge, Logistic, SmoothHinge, Squared, SquaredHinge
from arena_tests import FULL

quick = settings(max_examples=80 if FULL else 30)
KINDS = ["random", "repeated", "zero", "on a line", "near duplicates", "orthogonal"]
CURVED = [Squared(), Logistic(), SquaredHinge()]
LOSSES = [*CURVED, Hinge(), SmoothHinge(), Absolute()]


def features(kind, rounds, rng, rank=4):
    F = rng.normal(size=(rounds, rank)) / 2
    few = F[rng.integers(max(1, rounds // 4), size=rounds)]
    return {
        "random": F,
        "repeated": few,
        "zero": F * (rng.random(rounds) < 0.5)[:, np.newaxis],
        "on a line": F[:, :1] * np.array([1.0, 2.0, 0.0, -1.0]),
        "near duplicates": few + 1e-9 * rng.normal(size=F.shape),
        "orthogonal": np.eye(rank)[np.arange(rounds) % rank],
    }[kind]


@st.composite
def cases(draw, losses=LOSSES):
    """Draw features, labels, a loss, a bound on predictions, and a random generator for comparators."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    rounds = draw(st.integers(1, 40))
    F = features(draw(st.sampled_from(KINDS)), rounds, rng)
    y = rng.choice([-1.0, 1.0], size=rounds) if draw(st.booleans()) else (-1.0) ** np.arange(rounds)
    return F, y, draw(st.sampled_from(losses)), draw(st.sampled_from([0.5, 1.0, 3.0])), rng


def comparators(F, y, rng, bound=np.inf):
    """Yield zero, random vectors and ridge regressions, scaled so that they predict within [-bound, bound]."""
    found = [np.zeros(F.shape[1])]
    found += [size * rng.normal(size=F.shape[1]) for size in (0.1, 1.0, 5.0)]
    found += [np.linalg.solve(F.T @ F + ridge * np.eye(F.shape[1]), F.T @ y) for ridge in (1e-3, 0.1, 1.0)]
    for w in found:
        reached = np.abs(F @ w).max()
        yield w if reached <= bound else w * bound / reached


# ---- E11, E12, E13: Newton steps, with a matrix that gets every gradient, or those that coins kept


def newton_steps(F, y, loss, C, alpha, eta, kept):
    """Return the predictions of online Newton steps, and the energies g_t^2 f_t' A_t^-1 f_t."""
    A, u = alpha * np.eye(F.shape[1]), np.zeros(F.shape[1])
    predictions, energies = np.zeros(len(F)), np.zeros(len(F))
    for t, f in enumerate(F):
        value = f @ u
        beyond = np.sign(value) * max(abs(value) - C, 0.0)
        direction = np.linalg.solve(A, f)
        w = u - beyond / (f @ direction) * direction if beyond else u
        predictions[t] = f @ w
        slope = float(loss.derivative(predictions[t], y[t]))
        A = A + eta * slope**2 * kept[t] * np.outer(f, f)
        energies[t] = slope**2 * f @ np.linalg.solve(A, f)
        u = w - slope * np.linalg.solve(A, f)
    return predictions, energies


@quick
@given(cases(CURVED), st.sampled_from([0.05, 1.0, 20.0]), st.sampled_from([1.0, 0.5]), st.booleans())
def test_newton_steps_against_any_function_within_the_bound(case, alpha, share, sketched):
    """R(w) <= (alpha |w|^2 + the sum of energies) / 2, with steps eta of the curvature or half of it.

    Some gradients may be left out of the matrix A.
    """
    F, y, loss, C, rng = case
    kept = rng.random(len(F)) < 0.5 if sketched else np.ones(len(F), dtype=bool)
    sigma = loss.curvature(C, 1.0)
    predictions, energies = newton_steps(F, y, loss, C, alpha, share * sigma, kept)
    assert (np.abs(predictions) <= C + 1e-9).all()
    total = float(np.sum(loss.value(predictions, y)))
    for w in comparators(F, y, rng, C):
        regret = total - float(np.sum(loss.value(F @ w, y)))
        assert regret <= 0.5 * (alpha * w @ w + energies.sum()) + 1e-8
    slopes = np.asarray(loss.derivative(predictions, y))
    if not sketched:
        logdet = np.linalg.slogdet(np.eye(len(F)) + share * sigma * np.outer(slopes, slopes) * (F @ F.T) / alpha)[1]
        assert energies.sum() <= logdet / (share * sigma) + 1e-8


@quick
@given(cases(), st.sampled_from([0.05, 1.0, 20.0]))
def test_newton_steps_without_curvature(case, alpha):
    """Where eta exceeds the curvature sigma, each round adds (eta - sigma) g^2 (f'(w_t - w))^2 / 2 to the bound."""
    F, y, loss, C, rng = case
    eta, sigma = 0.7, loss.curvature(C, 1.0)
    predictions, energies = newton_steps(F, y, loss, C, alpha, eta, np.ones(len(F)))
    slopes, total = np.asarray(loss.derivative(predictions, y)), float(np.sum(loss.value(predictions, y)))
    for w in comparators(F, y, rng, C):
        drift = max(eta - sigma, 0.0) * np.square(slopes * (predictions - F @ w)).sum()
        regret = total - float(np.sum(loss.value(F @ w, y)))
        assert regret <= 0.5 * (alpha * w @ w + energies.sum() + drift) + 1e-8


# ---- E15, E16: descent, with errors


@quick
@given(cases(), st.sampled_from([0.01, 0.3, 2.0]), st.booleans())
def test_descent_with_constant_steps_and_errors(case, eta, disturbed):
    F, y, loss, _, rng = case
    w, total, energy, spent = np.zeros(F.shape[1]), 0.0, 0.0, []
    for f, label in zip(F, y, strict=True):
        total += float(loss.value(f @ w, label))
        error = rng.normal(size=len(w)) * (0.3 if disturbed else 0.0)
        step = float(loss.derivative(f @ w, label)) * f + error
        spent.append((error, w))
        energy += step @ step
        w = w - eta * step
    for g in comparators(F, y, rng):
        explained = sum(error @ (g - at) for error, at in spent)
        regret = total - float(np.sum(loss.value(F @ g, y)))
        assert regret <= g @ g / (2 * eta) + eta / 2 * energy + explained + 1e-8 * (1 + total)


@quick
@given(cases(), st.sampled_from([0.05, 0.5, 3.0]), st.booleans())
def test_descent_on_a_strongly_convex_objective(case, strength, disturbed):
    F, y, loss, _, rng = case
    w, total, energy, spent, steepest = np.zeros(F.shape[1]), 0.0, 0.0, [], 0.0
    for t, (f, label) in enumerate(zip(F, y, strict=True), start=1):
        total += float(loss.value(f @ w, label)) + strength / 2 * w @ w
        error = rng.normal(size=len(w)) * (0.3 if disturbed else 0.0)
        slope = float(loss.derivative(f @ w, label))
        step = slope * f + strength * w + error
        spent.append((error, w))
        energy += step @ step / (2 * strength * t)
        steepest = max(steepest, abs(slope) * np.linalg.norm(f))
        w = w - step / (strength * t)
    for g in comparators(F, y, rng):
        theirs = float(np.sum(loss.value(F @ g, y))) + len(F) * strength / 2 * g @ g
        explained = sum(error @ (g - at) for error, at in spent)
        assert total - theirs <= energy + explained + 1e-8 * (1 + total)
        if not disturbed:
            assert total - theirs <= 2 * steepest**2 / strength * (1 + np.log(len(F))) + 1e-8 * (1 + total)


# ---- E17: aggregation


@quick
@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 6), st.sampled_from([1e-3, 1.0, 40.0]))
def test_the_aggregate_of_experts(seed, rounds, experts, B):
    rng = np.random.default_rng(seed)
    advice = rng.uniform(-B, B, (rounds, experts))
    if seed % 3 == 0:
        advice = np.tile(np.linspace(-B, B, experts), (rounds, 1))
    y = B * rng.choice([-1.0, 1.0], rounds) if seed % 2 else rng.uniform(-B, B, rounds)
    losses = np.square(advice - y[:, np.newaxis])
    before = np.cumsum(losses, axis=0) - losses
    weights = np.exp(-(before - before.min(axis=1, keepdims=True)) / (8 * B**2))
    predictions = (weights * advice).sum(axis=1) / weights.sum(axis=1)
    regret = np.square(predictions - y).sum() - losses.sum(axis=0).min()
    assert regret <= 8 * B**2 * np.log(experts) + 1e-9 * B**2


# ---- E18: mistakes


@quick
@given(cases(), st.sampled_from([0.0, 0.1, 0.4]))
def test_mistakes_of_the_perceptron_and_of_projections(case, threshold):
    """M (1 - eta |g|) <= H + |g| max |f| sqrt(M) for any g.

    M is the number of mistakes and H the hinge loss of g. Points nearer than eta to the atoms' span are projected.
    """
    F, y, _, _, rng = case
    w, atoms, wrong = np.zeros(F.shape[1]), np.empty((0, F.shape[1])), np.zeros(len(F), dtype=bool)
    for t, f in enumerate(F):
        if y[t] * (f @ w) <= 1e-12:
            wrong[t] = True
            basis = np.linalg.svd(atoms.T, full_matrices=False) if len(atoms) else None
            inside = np.zeros_like(f) if basis is None else basis[0] @ (basis[0].T @ f * (basis[1] > 1e-8))
            if np.linalg.norm(f - inside) <= threshold:
                w = w + y[t] * inside
            else:
                w, atoms = w + y[t] * f, np.vstack([atoms, f])
    mistakes = wrong.sum()
    for g in comparators(F, y, rng):
        norm = np.linalg.norm(g)
        hinge = np.maximum(0.0, 1.0 - y * (F @ g))[wrong].sum()
        reach = norm * np.linalg.norm(F, axis=1).max() * np.sqrt(mistakes)
        assert mistakes * (1 - threshold * norm) <= hinge + reach + 1e-6


# ---- C2, C6: what one vector proves of the optimum


@quick
@given(cases([Squared()]), st.sampled_from([1e-3, 0.3, 10.0]), st.integers(0, 3))
def test_any_vector_bounds_the_optimum(case, regularisation, rank):
    F, y, _, _, rng = case
    K, n = F @ F.T, len(F)
    a = np.linalg.solve(K + regularisation * np.eye(n), y)
    optimum = regularisation * y @ a
    assert np.square(y - K @ a).sum() == pytest.approx(regularisation**2 * a @ a, abs=1e-8 * (1 + y @ y))
    assert a @ K @ a == pytest.approx(y @ a - regularisation * a @ a, abs=1e-7 * (1 + y @ y) / regularisation)
    for alpha in (rng.normal(size=n), y, np.zeros(n), regularisation * a):
        assert 2 * alpha @ y - alpha @ alpha - alpha @ K @ alpha / regularisation <= optimum + 1e-8 * (1 + y @ y)
    inside = F[:, :rank]  # a subspace
    left = K - inside @ inside.T
    tau = max(np.trace(left), 0.0)
    ridge = lambda noise: regularisation * y @ np.linalg.solve(inside @ inside.T + noise * np.eye(n), y)
    low, high = ridge(regularisation + tau), ridge(regularisation)
    assert low - 1e-8 * (1 + y @ y) <= optimum <= high + 1e-8 * (1 + y @ y)
    alpha = regularisation * np.linalg.solve(inside @ inside.T + regularisation * np.eye(n), y)
    lower = 2 * alpha @ y - alpha @ alpha - alpha @ K @ alpha / regularisation
    assert high - lower == pytest.approx(alpha @ left @ alpha / regularisation, abs=1e-7 * (1 + y @ y))
    mu = max(float(np.linalg.eigvalsh(left)[-1]), 0.0)  # E4': the price of a subspace
    assert high - optimum <= y @ y * mu / (regularisation + mu) + 1e-8 * (1 + y @ y)


# ---- E6: subspaces one within the other


@quick
@given(cases([Squared()]), st.sampled_from([0.05, 1.0, 20.0]), st.booleans())
def test_estimation_and_approximation_in_growing_subspaces(case, regularisation, turning):
    """The identity holds for subspaces that grow by coordinates of a rotated basis, from dimension zero on."""
    F, y, _, _, rng = case
    turned = F @ np.linalg.qr(rng.normal(size=(F.shape[1], F.shape[1])))[0] if turning else F
    sizes = np.sort(rng.integers(0, F.shape[1] + 1, size=len(F)))
    total = estimation = approximation = 0.0

    def best(G, labels):
        covariance = G.T @ G + regularisation * np.eye(G.shape[1])
        return labels @ labels - labels @ G @ np.linalg.solve(covariance, G.T @ labels)

    for t, size in enumerate(sizes):
        G, past = turned[:t, :size], y[:t]
        before = turned[:t, : sizes[t - 1]] if t else G
        approximation += best(before, past) - best(G, past)
        A = G.T @ G + regularisation * np.eye(size)
        f = turned[t, :size]
        s = 1.0 + f @ np.linalg.solve(A, f)
        prediction = (f @ np.linalg.solve(A, G.T @ past)) / s
        total += (prediction - y[t]) ** 2
        estimation += (1 - 1 / s) * (y[t] ** 2 - s * prediction**2)
    approximation += best(turned[:, : sizes[-1]], y) - best(turned, y)
    assert total - best(turned, y) == pytest.approx(estimation + approximation, abs=1e-8 * (1 + y @ y))
    assert approximation >= -1e-9
