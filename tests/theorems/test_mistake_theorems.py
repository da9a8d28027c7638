"""Mistake bounds equal brute force over many functions, are attained, and are violated by planted mistakes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import Gaussian, Learner, play
from arena.players.moves import GivenMoves
from arena.record.commands import play_command
from arena.specs.building import build
from arena.theorems.mistakes import comparators_of, largest_solution, mistakes_of
from arena_tests import FULL, judging
from arena_tests.planted.around import Around

SEEDS = range(12) if FULL else range(1)
LEARNERS = [
    "perceptron",
    "projectron",
    "projectron(threshold=0.5)",
    "projectron-pp",
    "projectron-pp(threshold=0.5)",
    "forgetron(budget=83)",
]
ADVERSARIES = [
    "alternating(at=[0.6, 0.9])",
    "repeated(points=12)",
    "repeated(points=30, labels=contrary)",
    "greedy(starts=16, polished=0)",
    "repeated(points=5, labels=alternating)",
]
GAMES = [{}, {"kernel": "gaussian(bandwidth=0.2)"}, {"kernel": "laplacian", "label_bound": 3.0}]
STEEP = {"kernel": "polynomial", "label_bound": 0.5}


@pytest.mark.parametrize("learner", LEARNERS)
def test_promises_are_kept(learner):
    games = [*GAMES, *([] if "forgetron" in learner else [STEEP])]
    for run in judging.matches(learner, ADVERSARIES, games, SEEDS, rounds=80):
        silent = {each.name: each.reason for each in run.verdicts() if not each.holds}
        if set(silent) == {"projectron-pp-identity"}:
            # Where a distance comes within rounding of its limit, two correct programs may project differently, and the
            # identity is not applicable. Narrow kernels leave repeated points at such distances.
            assert run.game.kernel == Gaussian(bandwidth=0.2)
            assert "rounding may decide" in silent.pop("projectron-pp-identity")
        assert not silent, f"{play_command(run)}: {run.verdicts()}"
        (verdict,) = (each for each in run.verdicts() if each.name.endswith("-mistakes"))
        assert verdict.measured_curve[-1] == len(run.evidence["mistake_rounds"])
        np.testing.assert_array_equal(np.flatnonzero(mistakes_of(run)) + 1, run.evidence["mistake_rounds"])


@pytest.mark.parametrize("learner", ["projectron", "projectron(threshold=0.5)", "projectron-pp"])
@pytest.mark.parametrize("box", [(0.0, 1.0), (0.0, 1000.0), (-1.0, 1.0)])
def test_projectrons_at_points_where_the_kernel_is_zero(learner, box):
    """At such a point every prediction is exactly 0, and so is the rounding error that its own size allows."""
    judged = 0
    for adversary in ("orthogonal", "alternating(at=[0.0, 0.0])", "near-duplicates"):
        for kernel in ("linear", "polynomial(offset=0)"):
            run = play(learner, adversary, rounds=60, box=box, kernel=kernel)
            verdict = run.verdict(run.promised[-1])
            assert not verdict.violated, str(verdict)
            judged += verdict.applicable
    assert judged


def test_projectrons_with_nearly_dependent_atoms():
    """Points of different sizes, nearly on a line: rounding errors of a projection grow with its coefficients."""
    judged = 0
    for seed in range(600 if FULL else 240):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 7))
        base = rng.normal(size=(d + 2, d)) @ np.diag(10.0 ** rng.uniform(-3, 0, size=d))
        X = base[rng.integers(d + 2, size=40)] if seed % 2 else rng.normal(size=(40, d + 2)) @ base
        X *= 10.0 ** rng.uniform(-2, 2, size=(40, 1))
        X *= 10.0 ** rng.uniform(1.5, 3) / np.abs(X).max()
        moves = GivenMoves(X[rng.integers(40, size=100)], rng.choice([-1.0, 1.0], size=100))
        game = {"rounds": 100, "dimension": d, "box": (-1e3, 1e3), "kernel": "polynomial(degree=2)"}
        run = play(f"projectron-pp(threshold={10.0 ** rng.uniform(-2, 0.3):.3g})", moves, **game)
        verdict = run.verdict(run.promised[-1])
        assert not verdict.violated, f"seed {seed}: {verdict}"
        judged += verdict.applicable
    assert judged > 40


def plain_bound(name, run, norm, margins, threshold):
    """Return the mistake bound at the end for one function with this norm and these margins."""
    wrong = mistakes_of(run)
    hinge = np.maximum(0.0, 1.0 - margins)
    H = hinge.sum() if name == "projectron-pp-mistakes" else hinge[wrong].sum()
    if name == "forgetron-mistakes":
        return 4 * H + 2 * norm**2 if norm <= 0.25 * np.sqrt(84 / np.log(84)) else np.inf
    c = 1.0 if name == "perceptron-mistakes" else 1.0 - threshold * norm
    return ((norm + np.sqrt(norm**2 + 4 * c * H)) / (2 * c)) ** 2 if c > 0 else np.inf


@pytest.mark.parametrize(
    "learner", ["perceptron", "projectron(threshold=0.3)", "projectron-pp", "forgetron(budget=83)"]
)
def test_no_function_of_many_beats_the_mistakes_and_few_beat_the_bound(learner):
    """No random function has a bound below the number of mistakes, and none is far below the theorem's bound."""
    run = play(learner, "repeated(points=15, labels=alternating)", rounds=120, kernel="gaussian(bandwidth=0.4)")
    (verdict,) = (each for each in run.verdicts() if each.name.endswith("-mistakes"))
    threshold = run.promised[0].threshold if "projectron" in verdict.name else 0.0
    rng = np.random.default_rng(0)
    X = np.unique(run.points, axis=0)
    K, cross = run.game.kernel.gram(X, X), run.game.kernel.gram(run.points, X)
    best = np.inf
    for _ in range(1000):
        a = rng.standard_normal(len(X)) * rng.choice([0.0, 0.1, 1.0])
        norm = np.sqrt(max(a @ K @ a, 0.0))
        bound = plain_bound(verdict.name, run, norm, np.sign(run.labels) * (cross @ a), threshold)
        assert verdict.measured <= bound + 1e-9
        best = min(best, bound)
    assert verdict.allowed <= best * 1.02


def test_functions_have_their_stated_norms_and_hinge_losses():
    run = play("perceptron", "repeated(points=9)", rounds=40)
    comparators = comparators_of(run)
    assert comparators.norms[0] == 0.0
    np.testing.assert_array_equal(comparators.hinges[:, 0], 1.0)
    wrong = np.flatnonzero(mistakes_of(run))
    K = run.game.kernel.gram(run.points, run.points[wrong])
    a = np.linalg.solve(K[wrong] + 1e-3 * np.eye(len(wrong)), run.labels[wrong])
    at = np.flatnonzero(np.isclose(comparators.norms, np.sqrt(a @ K[wrong] @ a)))
    assert any(np.allclose(comparators.hinges[:, i], np.maximum(0, 1 - run.labels * (K @ a))) for i in at)


@settings(max_examples=100)
@given(st.floats(0, 1e6), st.floats(0, 1e3), st.floats(0.01, 1))
def test_the_largest_solution(hinges, slope, share):
    M = float(largest_solution(np.float64(hinges), np.float64(slope), share))
    assert share * M == pytest.approx(hinges + slope * np.sqrt(M), rel=1e-9, abs=1e-9)
    assert share * (1.01 * M + 0.01) > hinges + slope * np.sqrt(1.01 * M + 0.01)


def test_far_apart_points_attain_it():
    """Each of M nearly orthogonal points is a mistake once, and g has |g|^2 = M and no hinge loss."""

    X = np.column_stack([-1.0 + np.arange(1, 41) / 20.0, np.zeros(40)])
    run = play("perceptron", GivenMoves(X, np.ones(40)), rounds=40, kernel="gaussian(bandwidth=0.005)")
    verdict = run.verdict("perceptron-mistakes")
    assert verdict.measured == 40
    assert verdict.holds
    assert verdict.identity
    assert verdict.measured > 0.999 * verdict.allowed
    # not by the trivial function zero alone: the same functions bound a longer match of the same points
    comparators = comparators_of(run)
    assert np.min(np.where(comparators.hinges.sum(axis=0) < 0.01, comparators.norms, np.inf)) ** 2 == pytest.approx(
        40, rel=1e-3
    )


# ---- planted mistakes


NAMES = {
    "perceptron": "perceptron-mistakes",
    "projectron": "projectron-mistakes",
    "projectron-pp": "projectron-pp-mistakes",
    "forgetron(budget=83)": "forgetron-mistakes(budget=83)",
}


@pytest.mark.parametrize("learner", NAMES)
@pytest.mark.parametrize("mistake", ["wrong sign", "never learns"])
def test_a_planted_mistake_is_caught(learner, mistake):
    hear = {"wrong sign": lambda x, y: (x, -y), "never learns": lambda *_: None}[mistake]
    for each, violated in ((Around(learner), False), (Around(learner, hear=hear), True)):
        points = 1 if "forgetron" in learner else 6  # its theorem speaks of small functions only
        run = play(each, f"repeated(points={points})", rounds=400, kernel="gaussian(bandwidth=0.3)")
        assert run.verdict(NAMES[learner]).violated == violated


def test_skipping_every_second_update_violates_the_bound():
    """At orthogonal points that are repeated, the learner makes two mistakes instead of one at each point."""

    class Skips(Around):
        """A learner that skips the update after every second mistake; each of its copies has its own count."""

        def begin(self, game, rng):
            super().begin(game, rng)
            self.mistakes = 0

        def update(self, x, y):
            mistaken = self.predict(x) * y <= 0
            self.mistakes += mistaken
            if not (mistaken and self.mistakes % 2):
                super().update(x, y)

    learner = Skips("perceptron")
    run = play(learner, "repeated(points=6)", rounds=60, kernel="gaussian(bandwidth=0.01)")
    assert run.verdict("perceptron-mistakes").violated


def test_a_budget_voids_the_bound():
    """With a budget the learner promises no bound, and the bound without a budget is indeed violated."""
    for spec, name in (("rbp(budget=3)", "perceptron"), ("projectron(budget=3)", "projectron")):
        assert all(promised.name.endswith("-identity") for promised in build("learner", spec).theorems)
        run = play(spec, "repeated(points=9)", rounds=800, kernel="gaussian(bandwidth=0.01)")
        assert run.verdict(NAMES[name]).violated
    promised = build("learner", "forgetron(budget=82)").theorems
    assert not [each.name for each in promised if each.name.endswith("-mistakes")]


# ---- assumptions


@pytest.mark.parametrize("name", NAMES.values())
def test_longer_matches_are_not_judged(name, monkeypatch):
    monkeypatch.setattr("arena.theorems.mistakes.MOST_ROUNDS", 9)
    verdict = play("zero", "alternating", rounds=10).verdict(name)
    assert "at most 9 rounds (there are 10)" in verdict.reason


def test_the_forgetron_needs_a_budget_and_a_small_kernel():
    run = play("perceptron", "alternating(at=[1, 1])", rounds=10, kernel="polynomial")
    assert "k(x, x) is at most 1 (largest 9)" in run.verdict("forgetron-mistakes").reason
    assert "the budget is at least 83 (20)" in run.verdict("forgetron-mistakes(budget=20)").reason
    assert run.verdict("perceptron-mistakes").holds


def test_rounding_is_forgiven_however_small_the_labels():
    """The bound is attained, and the number of mistakes does not depend on the size of labels."""
    for seed in (17, 34, 327):
        game = {"label_bound": 1e-3, "kernel": "linear(offset=1)", "dimension": 3, "seed": seed}
        for learner, name in NAMES.items():
            run = play(learner, "repeated(points=2, labels=alternating)", rounds=20, **game)
            assert not run.verdict(name).violated


def test_labels_of_zero_are_no_mistakes():
    nothing = GivenMoves(np.zeros((10, 2)), np.zeros(10))
    for learner, name in NAMES.items():
        verdict = play(learner, nothing, rounds=10).verdict(name)
        assert verdict.holds
        assert verdict.measured == verdict.allowed == 0.0


def test_no_hindsight_and_any_loss_will_do():
    run = play("perceptron", "alternating", rounds=10, hindsight="none", loss="hinge")
    assert run.verdict("perceptron-mistakes").holds


# ---- aggregation


def test_two_experts_use_38_percent_of_the_bound():
    class Always(Learner):
        def __init__(self, value):
            self.value = value

        def predict(self, x):
            return self.value

        def update(self, x, y):
            pass

    learner = build("learner", "ewa")
    learner.of = (Always(1.0), Always(-1.0))
    run = play(learner, GivenMoves(np.zeros((60, 2)), np.ones(60)), rounds=60)
    assert run.verdict("ewa").holds
    assert run.verdict("ewa").tightness == pytest.approx(0.38, abs=0.01)
    assert "ewa" in [theorem.name for theorem in build("learner", "ewa").theorems]


class ComparesWithZero:
    """A Perceptron that counts only margins of at most exactly 0 as mistakes."""

    def begin(self, game, rng):
        self.game, self.points, self.signs = game, [], []

    def predict(self, x):
        if not self.points:
            return 0.0
        return float(self.game.kernel.gram(x[None], np.array(self.points))[0] @ self.signs)

    def update(self, x, y):
        if np.sign(y) * self.predict(x) <= 0:
            self.points.append(x)
            self.signs.append(np.sign(y))


def test_a_learner_may_compare_with_zero_exactly():
    """The points are far apart; rounding makes some margins positive, and the learner does not learn there."""
    run = play(ComparesWithZero(), "repeated(points=5)", rounds=100, dimension=1, kernel="gaussian(bandwidth=0.05)")
    unclear = (np.sign(run.labels) * run.predictions > 0) & mistakes_of(run).astype(bool)
    assert unclear.any()
    assert run.verdict("perceptron-mistakes").holds
