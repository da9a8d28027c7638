"""The predictions that a learner would have made at other points equal its peeks with the same random numbers."""

import numpy as np
import pytest

from arena import play
from arena.engine.elsewhere import NotShown, predictions_elsewhere
from arena.players.adversary import Adversary

GRID = np.array([[-0.5, 0.5], [0.0, 0.0], [0.9, -0.1]])


class Peeking(Adversary):
    """An adversary that records the learner's `peek` at a grid before each round."""

    oblivious = False

    def begin(self, game, rng):
        self.rng, self.seen = rng, []

    def point(self, view):
        self.seen.append(view.peek(GRID))
        return self.rng.uniform(-1, 1, 2)

    def label(self, view, x, prediction):
        return float(np.sign(x[0])) or 1.0


@pytest.mark.parametrize("learner", ["kernel-awv", "pkawv-kors", "fogd", "pros-n-kons"])
def test_they_are_the_peeks_of_the_match(learner):
    adversary = Peeking()
    run = play(learner, adversary, rounds=25, seed=3)
    rounds = np.array([1, 2, 10, 25])
    found = predictions_elsewhere(run, GRID, rounds, trust=False, seconds=60.0)
    assert found == pytest.approx(np.array(adversary.seen)[rounds - 1], abs=1e-9)


def test_other_coins_than_those_of_the_match_are_noticed():
    run = play("fogd", Peeking(), rounds=25, seed=3)
    run.seed = 4
    with pytest.raises(NotShown, match="not the recorded"):
        predictions_elsewhere(run, GRID, np.array([25]), trust=False, seconds=60.0)
