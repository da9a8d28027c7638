"""The growth of projected forecasters' regret, beyond the table of growth rates: other features, and constants.

The regret is computed against the exact optimum of the whole RKHS. The sequences have few different points, so that the
optimum needs only a small linear system. REGRET_ARENA_FULL=1 plays 100,000 rounds.
"""

import numpy as np
import pytest

from arena import Adversary, play
from arena.engine.growth import exponent, regret_at
from arena.game.kernels import Gaussian
from arena_tests import FULL

MARGIN = 0.15
ROUNDS = 100_000 if FULL else 20_000
LOGARITHMIC, LINEAR = 0.0, 1.0


class Far(Adversary):
    """An adversary that plays the upper corner of the box with the label B."""

    oblivious = True

    def begin(self, game, rng):
        self.x, self.bound = game.high.copy(), game.label_bound

    def point(self, view):
        return self.x

    def label(self, view, x, prediction):
        return self.bound

    def block(self, view, rounds):
        return np.tile(self.x, (rounds, 1)), np.full(rounds, self.bound)


def regrets(learner, adversary, rounds, **game):
    return regret_at(play(learner, adversary, rounds=int(rounds[-1]), hindsight="none", **game), rounds)


def last_exponent(learner, adversary, **game):
    """Return the exponent with which the regret grows between ROUNDS / 16 and ROUNDS rounds."""
    rounds = np.geomspace(ROUNDS / 16, ROUNDS, 5).astype(int)
    return exponent(rounds, regrets(learner, adversary, rounds, **game))


def cycle(points):
    return {"adversary": f"repeated(points={points})", "kernel": Gaussian(0.3)}


CELLS = [  # learner, sequence, exponent
    ("pkawv(embedding=taylor(degree=3))", {"adversary": "alternating(at=[0.3, 0.3])"}, LOGARITHMIC),
    ("pkawv(embedding=nystrom(points=10))", cycle(25), LINEAR),
    ("pkawv(embedding=nystrom(points=60))", cycle(5), LOGARITHMIC),  # the budget is large enough
    ("pkawv(embedding=taylor(degree=2))", {"adversary": Far(), "dimension": 5}, LOGARITHMIC),  # T >> lambda / q
]


@pytest.mark.parametrize(("learner", "sequence", "expected"), CELLS)
def test_exponents(learner, sequence, expected):
    assert abs(last_exponent(learner, **sequence) - expected) <= MARGIN


def test_alternating_labels_cost_the_logarithm_and_hardly_less():
    rounds = np.array([100, 1000, 10_000])
    for learner in ("pkawv", "pkawv-kors(mu=0.1)", "pkawv(embedding=fourier(frequencies=10))"):
        regret = regrets(learner, "alternating", rounds)
        assert (regret <= np.log1p(rounds)).all()
        assert (regret >= 0.85 * np.log1p(rounds)).all()


def test_a_far_point_costs_what_its_share_of_the_features_says():
    """If the features have the share q of k(x, x), the regret is about B^2 t at first.

    In the end it is about lambda B^2 / q (theory F5).
    """
    for dimension in (5, 8):
        a = float(dimension)
        q = np.exp(-a) * (1 + a + a**2 / 2)
        rounds = np.array([ROUNDS])
        loss = np.square(1 - q * np.arange(ROUNDS) / (1 + q * np.arange(1, ROUNDS + 1))).sum()
        exact = loss - ROUNDS / (1 + ROUNDS)
        np.testing.assert_allclose(regrets("pkawv", Far(), rounds, dimension=dimension), exact, rtol=1e-9)
        assert 0.85 / q < exact < 1.1 / q
