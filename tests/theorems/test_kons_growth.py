"""Constants of the regret of KONS and its relatives on special sequences (theory F2, F3, F4, F8), and their sizes.

All points are far apart, so that the comparator has a closed form and sequences may be long. With REGRET_ARENA_FULL=1
they are longer.
"""

import numpy as np
import pytest

from arena.game.game import Game
from arena.learners import BKons, ConKons, Kons, ProsNKons, SketchedKons
from arena_tests import FULL

SEEDS = range(3)
RIDGE = 0.5  # alpha / 2: the comparator of the theorems


def alternating(rounds):
    return np.zeros(rounds), np.where(np.arange(rounds) % 2, -1.0, 1.0)


def constant(rounds):
    return np.zeros(rounds), np.ones(rounds)


def cycle(points):
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=points)

    def moves(rounds):
        which = np.arange(rounds) % points
        return which.astype(float), signs[which]

    return moves


def forcing(rounds):
    """Return points and labels: four rounds of an anchor with the label C, then a new point with the label 0.

    A restart at the new point forgets the anchor.
    """
    t = np.arange(rounds)
    fresh = t % 5 == 4
    return np.where(fresh, 1.0 + t // 5, 0.0), np.where(fresh, 0.0, 1.0)


def regret(learner, moves, rounds, seed=0):
    where, y = moves(rounds)
    learner.begin(Game(rounds=rounds, dimension=1, box=(0.0, 1e7)), np.random.default_rng(seed))
    X = 10.0 * where[:, np.newaxis]
    chunks = [learner.replay(X[i : i + 4096], y[i : i + 4096]) for i in range(0, rounds, 4096)]
    loss = np.square(np.concatenate(chunks) - y).sum()
    _, group = np.unique(where, return_inverse=True)
    sums, counts = np.bincount(group, weights=y), np.bincount(group)
    return loss - np.square(y).sum() + np.sum(sums**2 / (counts + RIDGE))


def mean_regret(learner, moves, rounds):
    seeds = SEEDS[:1] if isinstance(learner, Kons) and not isinstance(learner, SketchedKons) else SEEDS
    return np.mean([regret(learner, moves, rounds, seed) for seed in seeds])


@pytest.mark.parametrize(
    ("rounds", "printed"),
    [(100, "13.5"), (1_000, "22.2"), (10_000, "31.4")] + ([(100_000, "40.6")] if FULL else []),
)
def test_kons_on_alternating_labels(rounds, printed):
    """The regret is about 4 log T, and below half the log-determinant (theory E11)."""
    measured = regret(Kons(), alternating, rounds)
    assert f"{measured:.1f}" == printed
    assert measured < 4 * np.log1p(0.5 * rounds)


@pytest.mark.parametrize(("floor", "expected"), [(1.0, 31.4), (0.3, 89.0), (0.1, 233.0), (0.03, 658.0)])
def test_sketched_kons_pays_for_its_floor(floor, expected):
    """If the floor gamma alone decides which gradients are kept, the regret is proportional to 1/gamma (theory E12)."""
    seeds = range(1 if floor == 1.0 else 12 if FULL else 4)
    runs = [regret(SketchedKons(floor=floor, beta=1e-9), alternating, 10_000, seed) for seed in seeds]
    spread = np.std(runs) / len(runs) ** 0.5
    assert abs(np.mean(runs) - expected) < 4 * spread + 0.1, runs


def test_kors_helps_sketched_kons():
    """With the default oversampling, the first gradients are kept, which are the most important ones."""
    floor_alone, sampled = (
        np.mean([regret(SketchedKons(floor=0.03, beta=beta), alternating, 3_000, seed) for seed in range(6)])
        for beta in (1e-9, 1.0)
    )
    assert sampled < 0.85 * floor_alone


@pytest.mark.parametrize(
    ("rounds", "expected", "spread", "restarts"),
    [(1_000, 175, 10, 13), (10_000, 364, 45, 17)] + ([(100_000, 669, 60, 22)] if FULL else []),
)
def test_pros_n_kons_pays_for_every_restart(rounds, expected, spread, restarts):
    """The mean regret of six seeds is compared with the measurement in theory E13, given the spread over seeds."""
    learner, runs, sizes = ProsNKons(), [], []
    for seed in range(6):
        runs.append(regret(learner, alternating, rounds, seed))
        sizes.append(learner.evidence()["restarts"].size)
    assert abs(np.mean(runs) - expected) < 2 * spread
    assert abs(np.mean(sizes) - restarts) < 2


@pytest.mark.parametrize(
    ("rounds", "expected", "restarts"),
    [(1_000, 919, 458), (10_000, 5663, 1006)] + ([(100_000, 18152, 1731)] if FULL else []),
)
def test_pros_n_kons_with_the_theorems_beta_loses_more_than_gradient_descent(rounds, expected, restarts):
    learner = ProsNKons(beta=12 * np.log(rounds / 0.1))
    measured = regret(learner, alternating, rounds)
    assert abs(measured / expected - 1) < 0.05
    assert abs(learner.dictionary_size / restarts - 1) < 0.05
    assert measured > 2 * rounds**0.5


@pytest.mark.parametrize(("rounds", "expected"), [(1_000, 40), (10_000, 58)] + ([(100_000, 76)] if FULL else []))
def test_con_kons_does_not(rounds, expected):
    runs = [regret(ConKons(), alternating, rounds, seed) for seed in SEEDS]
    assert np.abs(np.array(runs) - expected).max() < 1.0


def test_a_constant_label_costs_one_per_restart():
    """PROS-N-KONS pays C^2 for the first round and for each restart; CON-KONS pays it twice (theory F3)."""
    pros = ProsNKons()
    total = regret(pros, constant, 4096)
    assert total + RIDGE == pytest.approx(pros.evidence()["restarts"].size + 1, abs=1e-3)
    assert regret(ConKons(), constant, 4096) + RIDGE == pytest.approx(2.0, abs=1e-3)
    assert regret(Kons(), constant, 4096) + RIDGE == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("rounds", "expected"), [(1500, 600)] + ([(6000, 2100)] if FULL else []))
def test_a_full_dictionary_forgets_the_rest_for_ever(rounds, expected):
    """With 150 points and at most 100 atoms, a third of the rounds is lost (theory F4)."""
    assert mean_regret(BKons(), cycle(150), rounds) == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize(("rounds", "expected"), [(500, 88), (2000, 315)] + ([(8000, 1254)] if FULL else []))
def test_forced_restarts(rounds, expected):
    """PROS-N-KONS pays about C^2 for each accepted new point; a learner without restarts pays nothing (theory F8)."""
    assert mean_regret(ProsNKons(), forcing, rounds) == pytest.approx(expected, rel=0.1)
    assert regret(ConKons(), forcing, rounds) + RIDGE == pytest.approx(2.0, abs=1e-2)
