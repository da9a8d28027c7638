"""FGD, FOGD, NOGD, DualSGD, BOGD and BSGD equal plain transcriptions of their algorithms, in every way of playing."""

import itertools

import numpy as np
import pytest
from scipy.optimize import brentq

from arena import play
from arena.building import build
from arena.errors import ArenaError
from arena.features.fourier import Fourier
from arena.game import Game
from arena.kernels import Gaussian, Laplacian, Linear, Matern
from arena.parts.budget import BudgetedSum
from arena.parts.expansion import KernelExpansion
from arena.parts.merging import best_merger, merged_weights, merging_shares

ROUNDS = 200
BANDWIDTH = 0.7
DERIVATIVES = {
    "squared": lambda p, y: 2.0 * (p - y),
    "hinge": lambda p, y: -y if y * p < 1.0 - 1e-10 else 0.0,
    "logistic": lambda p, y: -y / (1.0 + np.exp(y * p)),
    "smooth-hinge": lambda p, y: -y * min(max((1.0 - y * p) / 0.5, 0.0), 1.0),
    "absolute": lambda p, y: float(np.sign(p - y)) if abs(p - y) > 1e-10 else 0.0,
}


def sequence(kind, learner="fgd"):
    rng = np.random.default_rng(len(kind))
    X, y = rng.uniform(-1, 1, (ROUNDS, 2)), rng.choice([-1.0, 1.0], ROUNDS)
    if kind == "repeated":
        which = rng.integers(0, 30, ROUNDS)
        return X[which], y[which]
    if kind == "rank one":
        return np.tile(X[0], (ROUNDS, 1)), np.where(np.arange(ROUNDS) % 2, 1.0, -1.0)
    if kind == "contrary":  # labels that contradict the learner itself
        run = play(learner, "repeated(points=25, labels=contrary)", game=game(), seed=3, hindsight="none")
        return run.points, run.labels
    return X, y


SEQUENCES = ("random", "repeated", "rank one", "contrary")


def game(loss="squared", **fields):
    return Game(rounds=ROUNDS, kernel=Gaussian(BANDWIDTH), loss=loss, **fields)


def assert_all_ways(spec, X, y, playing, expected, tolerance=1e-8):
    """Replay in uneven chunks, predict with update, and peek, all with the same coins."""
    by_replay, by_round = build("learner", spec), build("learner", spec)
    by_replay.begin(playing, np.random.default_rng(9))
    by_round.begin(playing, np.random.default_rng(9))
    cuts = [0, 1, 131, len(X)]
    replayed = [by_replay.replay(X[a:b], y[a:b]) for a, b in itertools.pairwise(cuts)]
    np.testing.assert_allclose(np.concatenate(replayed), expected, rtol=0, atol=tolerance)
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        assert by_round.predict(x) == pytest.approx(expected[t], abs=tolerance)
        if t % 50 == 0:
            np.testing.assert_allclose(by_round.peek(X[t : t + 3])[0], expected[t], rtol=0, atol=tolerance)
            assert by_round.predict(x) == by_round.predict(x)
        by_round.update(x, label)
    np.testing.assert_allclose(by_round.peek(X[:20]), by_replay.peek(X[:20]), rtol=0, atol=tolerance)


def kernel_matrix(X, Z):
    return np.exp(-((X[:, np.newaxis] - Z[np.newaxis]) ** 2).sum(axis=2) / (2 * BANDWIDTH**2))


def plain_fgd(X, y, derivative, eta, shrinkage=0.0, radius=None):
    K, a, predictions = kernel_matrix(X, X), np.zeros(len(X)), []
    for t in range(len(X)):
        predictions.append(a @ K[:, t])
        step = eta(t + 1)
        a *= 1.0 - step * shrinkage
        a[t] -= step * derivative(predictions[-1], y[t])
        norm = np.sqrt(max(a @ K @ a, 0.0))
        if radius is not None and norm > radius:
            a *= radius / norm
    return np.array(predictions)


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("loss", sorted(DERIVATIVES))
def test_fgd_is_a_plain_sum_of_kernels(kind, loss):
    X, y = sequence(kind)
    expected = plain_fgd(X, y, DERIVATIVES[loss], lambda _: ROUNDS**-0.5)
    assert_all_ways("fgd", X, y, game(loss), expected)


@pytest.mark.parametrize(
    ("spec", "eta", "shrinkage", "radius"),
    [
        ("fgd(steps=square-root)", lambda t: t**-0.5, 0.0, None),
        ("fgd(steps=square-root, rate=0.3, shrinkage=0.5)", lambda t: 0.3 * t**-0.5, 0.5, None),
        ("fgd(steps=square-root, shrinkage=4)", lambda t: 0.25 * t**-0.5, 4.0, None),
        ("fgd(steps=inverse)", lambda t: 0.5 / t, 0.0, None),
        ("fgd(steps=inverse, shrinkage=0.4)", lambda t: 1.0 / (0.4 * t), 0.4, None),
        ("fgd(rate=0.2, shrinkage=5)", lambda _: 0.2, 5.0, None),
        ("fgd(shrinkage=1e3)", lambda _: 1e-3, 1e3, None),
        ("fgd(rate=0.3, radius=0.8)", lambda _: 0.3, 0.0, 0.8),
        ("fgd(rate=0.3, radius=0.8, shrinkage=0.5)", lambda _: 0.3, 0.5, 0.8),
    ],
)
@pytest.mark.parametrize("kind", SEQUENCES)
def test_norma_pegasos_and_projection(spec, eta, shrinkage, radius, kind):
    X, y = sequence(kind)
    expected = plain_fgd(X, y, DERIVATIVES["hinge"], eta, shrinkage, radius)
    assert_all_ways(spec, X, y, game("hinge"), expected)


def test_fgd_refuses_to_shrink_below_nothing():
    with pytest.raises(ArenaError, match=r"rate \* shrinkage = 20"):
        build("learner", "fgd(rate=2, shrinkage=10)").begin(game(), np.random.default_rng(0))


def plain_features(X, frequencies):
    rows = [[*np.cos(frequencies @ x), *np.sin(frequencies @ x)] for x in X]
    return np.array(rows) / np.sqrt(len(frequencies))


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("loss", sorted(DERIVATIVES))
def test_fogd_is_descent_on_explicit_features(kind, loss):
    X, y = sequence(kind)
    frequencies = np.random.default_rng(9).standard_normal((40, 2)) / BANDWIDTH
    w, expected = np.zeros(80), []
    for features, label in zip(plain_features(X, frequencies), y, strict=True):
        expected.append(w @ features)
        w = w - 0.4 * DERIVATIVES[loss](expected[-1], label) * features
    assert_all_ways("fogd(frequencies=40, rate=0.4)", X, y, game(loss), np.array(expected))


def fourier(frequencies, kernel, dimension):
    embedding = Fourier(frequencies)
    embedding.begin(Game(dimension=dimension, kernel=kernel), np.random.default_rng(0))
    return embedding


@pytest.mark.parametrize("kernel", [Gaussian(0.6), Laplacian(1.5), *(Matern(0.8, nu) for nu in (0.5, 1.5, 2.5))])
def test_fourier_features_have_the_kernels_spectrum(kernel):
    X = np.random.default_rng(1).uniform(-1, 1, (30, 2))
    features = fourier(40_000, kernel, 2).features(X)
    np.testing.assert_allclose(features @ features.T, kernel.gram(X, X), atol=0.025)
    np.testing.assert_allclose(np.square(features).sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("bandwidth", [1e-3, 1.0, 1e3])
def test_the_tangent_gives_cosines_and_sines(bandwidth):
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.uniform(-1, 1, (200, 3)), np.zeros((1, 3)), np.ones((1, 3))])
    mapping = fourier(50, Gaussian(bandwidth), 3)
    np.testing.assert_allclose(mapping.features(X), plain_features(X, mapping.spectrum), rtol=0, atol=1e-11)


def test_half_turns_lose_nothing():
    """Where the tangent of half the phase is huge, the cosine is -1 and the sine 0."""
    mapping = fourier(1, Gaussian(), 1)
    X = np.pi * np.arange(-9, 10)[:, np.newaxis] / mapping.spectrum[0, 0]
    np.testing.assert_allclose(mapping.features(X)[:, 0], np.where(np.arange(-9, 10) % 2, -1.0, 1.0), atol=1e-14)


def test_a_kernel_without_spectrum_is_refused():
    with pytest.raises(ArenaError, match=r"spectra of gaussian.*linear.*use one of them"):
        fourier(3, Linear(), 2)


def plain_nogd(X, y, derivative, eta, budget, rank):
    K, a, chosen, predictions, start = kernel_matrix(X, X), np.zeros(len(X)), [], [], len(X)
    for t in range(len(X)):
        predictions.append(a @ K[:, t])
        a[t] = -eta * derivative(predictions[-1], y[t])
        if a[t]:
            chosen.append(t)
        if len(chosen) == budget:
            start = t + 1
            break
    if start == len(X):
        return np.array(predictions)
    values, vectors = np.linalg.eigh(K[np.ix_(chosen, chosen)])
    keep = [i for i in range(len(values)) if i >= len(values) - rank and values[i] > 1e-10 * values[-1]]
    V, L = vectors[:, keep], values[keep]
    K_I = K[chosen]
    base = (V @ V.T @ a[chosen]) @ K_I  # the projection of what was learnt
    approximate = K_I.T @ (V / L) @ V.T @ K_I  # the low-rank kernel
    c = np.zeros(len(X))
    for t in range(start, len(X)):
        predictions.append(base[t] + c @ approximate[:, t])
        c[t] = -eta * derivative(predictions[-1], y[t])
    return np.array(predictions)


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("loss", sorted(DERIVATIVES))
@pytest.mark.parametrize(("budget", "rank"), [(20, 4), (150, 12)])
def test_nogd_is_descent_with_the_low_rank_kernel(kind, loss, budget, rank):
    X, y = sequence(kind)
    expected = plain_nogd(X, y, DERIVATIVES[loss], 0.3, budget, rank)
    assert_all_ways(f"nogd(budget={budget}, rank={rank}, rate=0.3)", X, y, game(loss), expected)


def test_nogd_says_that_the_rank_is_too_large():
    with pytest.raises(ArenaError, match="rank 30 is more than the budget 20"):
        build("learner", "nogd(budget=20, rank=30)").begin(game(), np.random.default_rng(0))


def plain_dual_sgd(X, y, loss, strength, budget, moved, count, ball=np.inf):
    frequencies = np.random.default_rng(9).standard_normal((count, 2)) / BANDWIDTH
    features, K = plain_features(X, frequencies), kernel_matrix(X, X)
    core, w, predictions = {}, np.zeros(2 * count), []  # round -> coefficient, in the order of the rounds
    for t in range(len(X)):
        predictions.append(sum(a * K[s, t] for s, a in core.items()) + w @ features[t])
        core = {s: a * (1.0 - 1.0 / (t + 1)) for s, a in core.items()}
        w = w * (1.0 - 1.0 / (t + 1))
        weight = -DERIVATIVES[loss](predictions[-1], y[t]) / (strength * (t + 1))
        if weight:
            if len(core) == budget:
                largest = max(map(abs, core.values()))
                for s in sorted(core, key=lambda s: (round(abs(core[s]) / largest, 9), s))[:moved]:
                    w = w + core.pop(s) * features[s]
            core[t] = weight
        rounds, a = list(core), np.array(list(core.values()))
        norm = a @ K[np.ix_(rounds, rounds)] @ a + w @ w if rounds else w @ w
        if norm > ball:
            core = {s: a * np.sqrt(ball / norm) for s, a in core.items()}
            w = w * np.sqrt(ball / norm)
    return np.array(predictions)


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("loss", sorted(DERIVATIVES))
def test_dual_sgd_moves_the_lightest_atoms(kind, loss):
    X, y = sequence(kind)
    ball = 2.0 / 0.05 if loss == "squared" else np.inf
    expected = plain_dual_sgd(X, y, loss, 0.05, 20, 7, 15, ball)
    spec = "dual-sgd(budget=20, moved=7, frequencies=15, regularisation=0.05)"
    assert_all_ways(spec, X, y, game(loss), expected)


def plain_bogd(X, y, derivative, eta, budget, shrinkage=0.0, cap=1.0):
    K, rng, atoms, predictions = kernel_matrix(X, X), np.random.default_rng(9), [], []
    for t in range(len(X)):
        predictions.append(sum(a * K[s, t] for s, a in atoms))
        weight = -eta * derivative(predictions[-1], y[t])
        atoms = [(s, a * (1.0 - eta * shrinkage)) for s, a in atoms]
        if not weight:
            continue
        if len(atoms) == budget:
            place = rng.integers(budget)
            atoms[place] = atoms[-1]
            atoms = [(s, a * budget / (budget - 1)) for s, a in atoms[:-1]]
        atoms.append((t, weight))
        atoms = [(s, max(-cap, min(cap, a))) for s, a in atoms]
    return np.array(predictions)


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("loss", sorted(DERIVATIVES))
def test_bogd_forgets_at_random(kind, loss):
    X, y = sequence(kind)
    assert_all_ways("bogd(budget=30)", X, y, game(loss), plain_bogd(X, y, DERIVATIVES[loss], ROUNDS**-0.5, 30))
    expected = plain_bogd(X, y, DERIVATIVES[loss], 0.2, 15, shrinkage=0.5, cap=0.3)
    assert_all_ways("bogd(budget=15, rate=0.2, shrinkage=0.5, cap=0.3)", X, y, game(loss), expected)


def test_bogd_is_unbiased():
    """Over many coins the next prediction is that of gradient descent without a budget."""
    X, y = sequence("random")
    derivative = DERIVATIVES["hinge"]  # all margins stay below 1 with this rate, so its steps do not depend on f
    X, y = X[:13], y[:13]
    without = plain_fgd(X, y, derivative, lambda _: 0.05)[-1]
    last = []
    for seed in range(1500):
        learner = build("learner", "bogd(budget=10, rate=0.05)")
        learner.begin(game("hinge"), np.random.default_rng(seed))
        last.append(learner.replay(X, y)[-1])
    assert np.mean(last) == pytest.approx(without, abs=4 * np.std(last) / np.sqrt(1500))
    assert np.std(last) > 1e-3


def best_share_by_brute_force(a, b, kernel):
    """The best h on a grid, then the root of the derivative between its neighbours."""
    L = -np.log(max(kernel, 1e-300))
    grid = np.linspace(0.0, 1.0, 4001) if a * b >= 0 else np.linspace(-5.0, 0.0, 20001)
    values = np.abs(a * np.exp(-L * (1 - grid) ** 2) + b * np.exp(-L * grid**2))
    best = int(np.argmax(values))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]

    def slope(h):
        return a * (1 - h) * np.exp(-L * (1 - h) ** 2) - b * h * np.exp(-L * h**2)

    if slope(low) * slope(high) > 0:
        return float(grid[best])
    return brentq(slope, low, high, xtol=1e-15, rtol=1e-15)


def test_merging_finds_the_best_point_of_the_line():
    rng = np.random.default_rng(4)
    for _ in range(300):
        a, b = np.sort(np.abs(rng.standard_normal(2)) * 10.0 ** rng.uniform(-3, 3, 2)) * rng.choice([-1, 1], 2)
        kernel = float(
            rng.choice([rng.uniform(0.02, 1), 1.0 - 10.0 ** rng.uniform(-9, -1), np.exp(-rng.uniform(2, 12))])
        )
        share = merging_shares(a, np.array([b]), np.array([kernel]))
        found = abs(merged_weights(a, np.array([b]), np.array([kernel]), share)[0])
        brute = best_share_by_brute_force(a, b, kernel)
        expected = abs(merged_weights(a, np.array([b]), np.array([kernel]), np.array([brute]))[0])
        assert found >= expected * (1 - 1e-12), (a, b, kernel)
        assert -5.0 <= share[0] <= 0.5 + 1e-9


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.5, -0.5), (0.3, 2.0), (0.3, -2.0)])
def test_duplicates_merge_by_adding_up(weights):
    merger = best_merger(np.array(weights), 0, np.array([1.0, 1.0]), lambda sizes, _: int(sizes.argmin()))
    assert merger.weight == pytest.approx(sum(weights), abs=1e-12)
    assert merger.lost == pytest.approx(0.0, abs=1e-12)
    assert merger.partner == 1


def test_what_merging_loses_is_the_squared_distance():
    rng = np.random.default_rng(8)
    points, weights = rng.uniform(-1, 1, (9, 2)), rng.standard_normal(9)
    lightest = int(np.abs(weights).argmin())
    kernels = kernel_matrix(points, points[[lightest]])[:, 0]
    merger = best_merger(weights, lightest, kernels, lambda sizes, _: int(sizes.argmin()))
    z = merger.share * points[lightest] + (1 - merger.share) * points[merger.partner]
    atoms = np.array([points[lightest], points[merger.partner], z])
    change = np.array([weights[lightest], weights[merger.partner], -merger.weight])
    assert change @ kernel_matrix(atoms, atoms) @ change == pytest.approx(merger.lost, abs=1e-12)
    for other in set(range(9)) - {lightest}:  # no partner and no point of the line is better
        h = best_share_by_brute_force(weights[lightest], weights[other], kernels[other])
        merged = merged_weights(weights[lightest], weights[[other]], kernels[[other]], np.array([h]))[0]
        both = weights[lightest] ** 2 + weights[other] ** 2 + 2 * weights[lightest] * weights[other] * kernels[other]
        assert both - merged**2 >= merger.lost - 1e-12


def plain_bsgd(X, y, strength, budget, maintenance):
    atoms, predictions = [], []  # (point, coefficient), the oldest first
    for t in range(1, len(X) + 1):
        x, label = X[t - 1], y[t - 1]
        points, a = np.array([p for p, _ in atoms]).reshape(-1, 2), np.array([w for _, w in atoms])
        predictions.append(float(a @ np.exp(-((points - x) ** 2).sum(axis=1) / (2 * BANDWIDTH**2))))
        atoms = [(p, w * (1 - 1 / t)) for p, w in atoms]
        if label * predictions[-1] < 1 - 1e-10:
            atoms.append((x, label / (strength * t)))
        if len(atoms) > budget:
            sizes = [abs(w) for _, w in atoms]
            light = next(i for i, size in enumerate(sizes) if size <= min(sizes) * (1 + 1e-9))
            x1, a1 = atoms.pop(light)
            if maintenance == "merge":
                atoms = merge_by_brute_force(atoms, x1, a1)
    return np.array(predictions)


def merge_by_brute_force(atoms, x1, a1):
    options = []
    for i, (x2, a2) in enumerate(atoms):
        kernel = float(np.exp(-((x1 - x2) ** 2).sum() / (2 * BANDWIDTH**2)))
        h = best_share_by_brute_force(a1, a2, kernel)
        weight = float(merged_weights(a1, np.array([a2]), np.array([kernel]), np.array([h]))[0])
        options.append((max(a1**2 + a2**2 + 2 * a1 * a2 * kernel - weight**2, 0.0), i, h * x1 + (1 - h) * x2, weight))
    smallest = min(option[0] for option in options)
    _, partner, z, weight = next(option for option in options if option[0] <= smallest * (1 + 1e-9) + 1e-12 * a1**2)
    return [*atoms[:partner], *atoms[partner + 1 :], (z, weight)]


@pytest.mark.parametrize("kind", SEQUENCES)
def test_bsgd_removes_the_lightest(kind):
    X, y = sequence(kind)
    expected = plain_bsgd(X, y, 0.05, 25, "remove")
    assert_all_ways("bsgd(budget=25, maintenance=remove, regularisation=0.05)", X, y, game("hinge"), expected)


@pytest.mark.parametrize("kind", ["random", "contrary"])
def test_bsgd_merges_the_lightest(kind):
    X, y = sequence(kind, learner="bsgd(budget=12)")
    X, y = X[:90], y[:90]
    expected = plain_bsgd(X, y, 0.05, 12, "merge")
    spec = "bsgd(budget=12, regularisation=0.05)"
    learner = build("learner", spec)
    learner.begin(game("hinge"), np.random.default_rng(0))
    np.testing.assert_allclose(learner.replay(X, y), expected, rtol=0, atol=1e-8)


def test_merging_needs_the_gaussian_kernel():
    with pytest.raises(ArenaError, match="maintenance=remove"):
        build("learner", "bsgd").begin(game().replace(kernel=Laplacian()), np.random.default_rng(0))


@pytest.mark.parametrize(
    "spec",
    [
        "bogd(budget=15, shrinkage=0.5)",
        "bogd(budget=15, shrinkage=0.5, cap=0.1)",
        "bsgd(budget=15, maintenance=remove)",
        "bsgd(budget=9)",
    ],
)
def test_evidence_of_removals_rebuilds_the_function(spec):
    """Steps of the rule without a budget, minus what the evidence says was taken out, are the learner's function."""
    X, y = sequence("random")
    playing = game("hinge")
    learner = build("learner", spec)
    learner.begin(playing, np.random.default_rng(9))
    predictions = learner.replay(X, y)
    evidence = learner.evidence()
    points, weights, steps = np.empty((0, 2)), np.empty(0), 0
    for t in range(1, ROUNDS + 1):
        prediction = float(weights @ playing.kernel.gram(points, X[t - 1 : t])[:, 0])
        assert prediction == pytest.approx(predictions[t - 1], abs=1e-8)
        slope = DERIVATIVES["hinge"](prediction, y[t - 1])
        step, shrink = (1 / t, 1 - 1 / t) if "bsgd" in spec else (ROUNDS**-0.5, 1 - 0.5 * ROUNDS**-0.5)
        here = evidence["removed_rounds"] == t
        weights = weights * shrink
        new, out = -step * slope, -evidence["removed_weights"][here]
        steps += bool(slope)
        if "bogd" in spec and slope and steps > 15:  # the budget was full: all atoms grow before one goes
            weights = weights * 15 / 14
        points = np.concatenate([points, X[t - 1 : t], evidence["removed_points"][here]])
        weights = np.concatenate([weights, [new], out])


def test_a_large_sum_is_evaluated_in_pieces():
    rng = np.random.default_rng(2)
    points, weights = rng.uniform(-1, 1, (5000, 2)), rng.standard_normal(5000)
    function = KernelExpansion(Gaussian(BANDWIDTH))
    for x, weight in zip(points, weights, strict=True):
        function.add(x, float(weight))
    X = rng.uniform(-1, 1, (7, 2))
    np.testing.assert_allclose(function.at(X), weights @ kernel_matrix(points, X), rtol=0, atol=1e-10)


def test_a_budgeted_sum_survives_any_number_of_shrinkings():
    function = BudgetedSum(Linear(), dimension=1, capacity=3)
    function.look_at(np.array([[1.0]]))
    for factor in (1e-70, 1e70, 1e70, 1e-70, 1e-60, 1e60):
        function.put(0, 2.0)
        for _ in range(5):
            function.shrink(factor)
        for _ in range(5):
            function.shrink(1 / factor)
        assert function.value(0) == pytest.approx(2.0, rel=1e-12)
        function.remove(0)


@pytest.mark.parametrize("bandwidth", [1e-3, 1e3])
@pytest.mark.parametrize(
    "spec", ["fgd", "fogd(frequencies=20)", "nogd(budget=30)", "bogd(budget=2)", "bsgd", "bsgd(maintenance=remove)",
             "dual-sgd(frequencies=20)"]
)  # fmt: skip
@pytest.mark.parametrize("regularisation", [1e-8, 1e8])
def test_extreme_input_does_no_harm(spec, bandwidth, regularisation):
    for adversary, rounds in (("alternating", 5000), ("repeated(points=130, labels=contrary)", 700)):
        if spec == "bsgd":
            rounds //= 5
        run = play(
            spec, adversary, rounds=rounds, kernel=Gaussian(bandwidth), regularisation=regularisation, hindsight="none"
        )
        assert run.ended == "completed"
        assert np.isfinite(run.predictions).all()
