"""The Perceptron and its relatives equal plain implementations, and obey their mistake bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import play
from arena.game.game import Game
from arena.game.kernels import Gaussian, Linear, Polynomial
from arena.learners.forgetron import damage, largest_factor
from arena.specs.building import build
from arena_tests.playing import assert_every_way
from arena_tests.sequences import moves
from arena_tests.slow import gaussian
from arena_tests.slow.perceptrons import perceptron, projectron

ROUNDS = 300
BANDWIDTH = 0.4
SEQUENCES = ("random", "repeated", "one point", "contrary", "large labels")


def game():
    return Game(rounds=ROUNDS, kernel=Gaussian(BANDWIDTH), label_bound=3.0)


def sequence(kind, learner):
    if kind != "large labels":
        return moves(kind, ROUNDS, learner=learner, game=game(), distinct=40)
    X, y = moves("random", ROUNDS)
    return X, y * np.random.default_rng(1).choice([0.0, 0.5, 3.0], ROUNDS)


def kernel_matrix(X):
    return gaussian(X, X, BANDWIDTH)


def assert_equal(spec, X, y, slow):
    """Assert that the learner has the predictions and mistakes of its slow twin, in every way of playing."""
    expected, mistakes = slow
    for learner in assert_every_way(spec, X, y, game(), expected):
        np.testing.assert_array_equal(learner.evidence()["mistake_rounds"], mistakes)


@pytest.mark.parametrize("kind", SEQUENCES)
def test_perceptron(kind):
    X, y = sequence(kind, "perceptron")
    expected = perceptron(kernel_matrix(X), y, lambda atoms, t, sign, *_: [*atoms, (t, sign)])
    assert_equal("perceptron", X, y, expected)


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("budget", [1, 13])
def test_randomized_budget_perceptron(kind, budget):
    X, y = sequence(kind, f"rbp(budget={budget})")
    rng = np.random.default_rng(9)

    def on_mistake(atoms, t, sign, *_):
        atoms = list(atoms)
        if len(atoms) == budget:
            place = rng.integers(budget)
            atoms[place] = atoms[-1]
            atoms.pop()
        return [*atoms, (t, sign)]

    assert_equal(f"rbp(budget={budget})", X, y, perceptron(kernel_matrix(X), y, on_mistake))


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("budget", [1, 13])
def test_forgetron(kind, budget):
    X, y = sequence(kind, f"forgetron(budget={budget})")
    state = {"damage": 0.0}

    def on_mistake(atoms, t, sign, K, mistakes):
        atoms = [*atoms, (t, sign)]
        if len(atoms) <= budget:
            return atoms
        oldest, weight = atoms[0]
        size = abs(weight)
        margin = np.sign(weight) * sum(a * K[s, oldest] for s, a in atoms)
        allowed = 15 / 32 * mistakes - state["damage"]
        factor = 1.0
        if damage(1.0, size, margin) > allowed:  # bisect for the first crossing: damage starts at 0 and rises
            low, high = 0.0, 1.0
            peak = size / (2 * size * margin - size**2) if 2 * margin > size else np.inf
            high = min(high, peak)
            for _ in range(200):
                middle = (low + high) / 2
                low, high = (middle, high) if damage(middle, size, margin) <= allowed else (low, middle)
            factor = low
        state["damage"] += damage(factor, size, margin)
        return [(s, factor * a) for s, a in atoms[1:]]

    assert_equal(f"forgetron(budget={budget})", X, y, perceptron(kernel_matrix(X), y, on_mistake))


GRID = np.linspace(1e-6, 1.0, 20001)


@settings(max_examples=300)
@given(st.floats(0.05, 1), st.floats(-3, 3), st.floats(0.05, 2))
def test_the_forgetrons_factor_is_the_largest_one(size, margin, allowed):
    factor = largest_factor(size, margin, allowed)
    good = GRID[(size * GRID) ** 2 + 2 * size * GRID * (1 - GRID * margin) <= allowed]
    assert 0.0 < factor <= 1.0
    assert damage(factor, size, margin) <= allowed + 1e-12
    assert good.max() - 1e-12 <= factor <= good.max() + 1e-4


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize(
    ("spec", "arguments"),
    [
        ("projectron", {"threshold": 0.1}),
        ("projectron(threshold=0.4)", {"threshold": 0.4}),
        ("projectron(budget=12)", {"threshold": 0.1, "budget": 12}),
        ("projectron-pp(threshold=0.01)", {"threshold": 0.01, "aggressive": True}),
        ("projectron-pp(threshold=0.3)", {"threshold": 0.3, "aggressive": True}),
        ("projectron-pp(budget=12)", {"threshold": 0.1, "budget": 12, "aggressive": True}),
    ],
)
def test_projectrons_project_explicitly(kind, spec, arguments):
    X, y = sequence(kind, spec)
    expected = projectron(kernel_matrix(X), y, **arguments)
    assert_equal(spec, X, y, expected)


@pytest.mark.parametrize("spec", ["projectron", "projectron-pp"])
def test_a_projectron_keeps_few_atoms_of_many_close_points(spec):
    run = play(f"{spec}(threshold=0.2)", "repeated(points=300, labels=alternating)", rounds=900, hindsight="none")
    every = play(f"{spec}(threshold=0.01)", "repeated(points=300, labels=alternating)", rounds=900, hindsight="none")
    assert 3 <= run.sizes[-1, 1] <= 15 < every.sizes[-1, 1]


def comparators(X, y):
    """Yield the norm and the hinge loss of ridge regressions multiplied by several factors."""
    K = kernel_matrix(X)
    for ridge in (0.01, 0.3, 10.0):
        for scale in (0.05, 0.3, 1.0, 3.0):
            a = scale * np.linalg.solve(K + ridge * np.eye(len(X)), np.sign(y))
            yield np.sqrt(a @ K @ a), np.maximum(0.0, 1.0 - np.sign(y) * (K @ a)).sum()


def separable(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (ROUNDS, 2))
    y = np.where(np.sin(3 * X[:, 0]) + X[:, 1] ** 2 > 0.3, 1.0, -1.0) * rng.choice([1, -1], ROUNDS, p=[0.95, 0.05])
    return X, y


def mistakes_of(spec, X, y):
    learner = build("learner", spec)
    learner.begin(game(), np.random.default_rng(0))
    learner.replay(X, y)
    return len(learner.evidence()["mistake_rounds"])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("spec", "threshold"), [("perceptron", 0.0), ("projectron", 0.1), ("projectron-pp", 0.1), ("projectron", 0.3)]
)
def test_mistake_bounds_hold(seed, spec, threshold):
    """M (1 - eta N) <= H + N sqrt(M) for every g with eta N < 1 (theory E18).

    M is the number of mistakes, eta the threshold, N the norm of g, and H its hinge loss.
    """
    X, y = separable(seed)
    M = mistakes_of(spec if spec == "perceptron" else f"{spec}(threshold={threshold})", X, y)
    used = 0
    for norm, hinge in comparators(X, y):
        left = 1.0 - threshold * norm
        if left > 0:
            used += 1
            assert ((norm + np.sqrt(norm**2 + 4 * left * hinge)) / (2 * left)) ** 2 >= M
    assert used >= 3


@pytest.mark.parametrize("seed", range(3))
def test_the_forgetrons_mistake_bound_holds(seed):
    """M <= 4 H + 2 N^2 for N <= sqrt((B + 1) / log(B + 1)) / 4 and B >= 83 (theory E18).

    M is the number of mistakes, B the budget, N the norm of a function, and H its hinge loss.
    """
    X, y = separable(seed)
    M = mistakes_of("forgetron(budget=83)", X, y)
    allowed = [4 * hinge + 2 * norm**2 for norm, hinge in comparators(X, y) if norm <= 0.25 * np.sqrt(84 / np.log(84))]
    assert len(allowed) >= 2
    assert min(allowed) >= M


def test_the_perceptrons_bound_is_attained_by_orthogonal_points():
    """Each of the M points is a mistake, and the sum of the signed points has the norm sqrt(M) and no hinge loss."""
    X, y = np.eye(30), np.where(np.arange(30) % 3, 1.0, -1.0)
    learner = build("learner", "perceptron")
    learner.begin(Game(rounds=30, dimension=30, kernel=Linear()), np.random.default_rng(0))
    learner.replay(X, y)
    norm = np.linalg.norm(y @ X)
    assert len(learner.evidence()["mistake_rounds"]) == 30 == pytest.approx(norm**2)


def test_zero_within_rounding_counts_as_a_mistake():
    """Rounding errors make zero margins inexact, but blocks and single rounds must make the same mistakes."""
    playing = Game(rounds=400, dimension=3, kernel=Polynomial(3, 0.1), label_bound=1.0)
    X = np.tile(np.random.default_rng(1).uniform(-1, 1, (5, 3)), (80, 1))
    y = np.where(np.arange(400) // 5 % 2, 1.0, -1.0)
    blocks, rounds = build("learner", "perceptron"), build("learner", "perceptron")
    for learner in (blocks, rounds):
        learner.begin(playing, np.random.default_rng(0))
    together = blocks.replay(X, y)
    for x, label, expected in zip(X, y.tolist(), together, strict=True):
        assert rounds.predict(x) == pytest.approx(expected, abs=1e-8)
        rounds.update(x, label)
