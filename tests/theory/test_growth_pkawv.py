"""How the regret of projected forecasters grows: the rows of the papers' comparison for PKAWV, as fitted exponents.

Regret is against the exact optimum of the whole RKHS. The sequences have few different points, for which it is a small
linear system however long the match is. REGRET_ARENA_FULL=1 plays 100,000 rounds.
"""

import os

import numpy as np
import pytest

from arena import Adversary, play
from arena.kernels import Gaussian

MARGIN = 0.15
ROUNDS = 100_000 if os.environ.get("REGRET_ARENA_FULL") == "1" else 20_000
LOGARITHMIC, LINEAR = 0.0, 1.0


class Far(Adversary):
    """The corner of the box farthest from the middle, always with the label B."""

    oblivious = True

    def begin(self, game, rng):
        self.x, self.bound = game.high.copy(), game.label_bound

    def point(self, view):
        return self.x

    def label(self, view, x, prediction):
        return self.bound

    def block(self, view, rounds):
        return np.tile(self.x, (rounds, 1)), np.full(rounds, self.bound)


def optimum(kernel, regularisation, X, y):
    """min over f of sum (f(x_s) - y_s)^2 + lambda |f|^2, with the labels of equal points replaced by their mean."""
    points, which = np.unique(X, axis=0, return_inverse=True)
    visits = np.bincount(which.ravel())
    mean = np.bincount(which.ravel(), y) / visits
    scatter = np.square(y - mean[which.ravel()]).sum()
    gram = kernel.gram(points, points) + regularisation * np.diag(1.0 / visits)
    return scatter + regularisation * mean @ np.linalg.solve(gram, mean)


def regrets(learner, adversary, rounds, **game):
    run = play(learner, adversary, rounds=int(rounds[-1]), hindsight="none", **game)
    best = [optimum(run.game.kernel, run.game.regularisation, run.points[:t], run.labels[:t]) for t in rounds]
    return run.cumulative_losses[rounds - 1] - best


def exponent(learner, adversary, *, longest=ROUNDS, **game):
    """The slope of log regret over log rounds, for the last factor of 16."""
    rounds = np.geomspace(longest / 16, longest, 5).astype(int)
    return np.polyfit(np.log(rounds), np.log(regrets(learner, adversary, rounds, **game)), 1)[0]


def cycle(points):
    return {"adversary": f"repeated(points={points})", "kernel": Gaussian(0.3)}


ALTERNATING = {"adversary": "alternating"}
CELLS = [  # learner, sequence, exponent
    ("pkawv(embedding=taylor(degree=2))", ALTERNATING, LOGARITHMIC),
    ("pkawv(embedding=taylor(degree=3))", {"adversary": "alternating(at=[0.3, 0.3])"}, LOGARITHMIC),
    ("pkawv(embedding=fourier(frequencies=10))", ALTERNATING, LOGARITHMIC),
    ("pkawv-kors", ALTERNATING, LOGARITHMIC),
    ("pkawv(embedding=taylor(degree=3))", cycle(25), LINEAR),
    ("pkawv(embedding=fourier(frequencies=6))", cycle(25), LINEAR),
    ("pkawv(embedding=nystrom(points=10))", cycle(25), LINEAR),
    ("pkawv-kors", cycle(25), LOGARITHMIC),
    ("pkawv(embedding=nystrom(points=60))", cycle(5), LOGARITHMIC),  # the budget is large enough
    ("pkawv(embedding=taylor(degree=2))", {"adversary": Far(), "dimension": 20}, LINEAR),  # T << lambda / q
    ("pkawv(embedding=taylor(degree=2))", {"adversary": Far(), "dimension": 5}, LOGARITHMIC),  # T >> lambda / q
    ("pkawv(embedding=fourier(frequencies=10))", {"adversary": Far(), "dimension": 20}, LOGARITHMIC),
    ("pkawv-kors", {"adversary": Far(), "dimension": 20}, LOGARITHMIC),
]


@pytest.mark.parametrize(("learner", "sequence", "expected"), CELLS)
def test_exponents(learner, sequence, expected):
    assert abs(exponent(learner, **sequence) - expected) <= MARGIN


def test_alternating_labels_cost_the_logarithm_and_hardly_less():
    rounds = np.array([100, 1000, 10_000])
    for learner in ("pkawv", "pkawv-kors(mu=0.1)", "pkawv(embedding=fourier(frequencies=10))"):
        regret = regrets(learner, "alternating", rounds)
        assert (regret <= np.log1p(rounds)).all()
        assert (regret >= 0.85 * np.log1p(rounds)).all()


def test_a_far_point_costs_what_its_share_of_the_features_says():
    """With share q of k(x, x) in the features: B^2 t at first, and lambda B^2 / q in the end (theory F5)."""
    for dimension in (5, 8):
        a = float(dimension)
        q = np.exp(-a) * (1 + a + a**2 / 2)
        rounds = np.array([ROUNDS])
        loss = np.square(1 - q * np.arange(ROUNDS) / (1 + q * np.arange(1, ROUNDS + 1))).sum()
        exact = loss - ROUNDS / (1 + ROUNDS)
        np.testing.assert_allclose(regrets("pkawv", Far(), rounds, dimension=dimension), exact, rtol=1e-9)
        assert 0.85 / q < exact < 1.1 / q


def test_the_exponents_are_told_apart_from_the_square_root():
    """Gradient descent grows like the square root on the same sequence: neither margin would let it pass."""
    assert abs(exponent("fgd(rate=0.5, steps=square-root)", "alternating", longest=4000) - 0.5) <= MARGIN


def test_the_greedy_adversary_tells_fixed_features_from_a_growing_dictionary():
    """Exponents over the last doubling: nearly linear for fixed features, polylogarithmic where the span follows."""
    game = {"rounds": 400, "kernel": Gaussian(0.3)}
    exponents = {}
    for learner in ("pkawv", "pkawv(embedding=fourier(frequencies=10))", "pkawv-kors"):
        regret = play(learner, "greedy(starts=64, polished=0)", **game).regret
        exponents[learner] = np.log2(regret[399] / regret[199])
    assert exponents["pkawv"] > 0.9
    assert exponents["pkawv(embedding=fourier(frequencies=10))"] > 0.9
    assert exponents["pkawv-kors"] < 0.6
