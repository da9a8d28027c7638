"""A loss of the user that has the name of a built-in one is played as what it is."""

import numpy as np
import pytest

from arena import ArenaError, play
from arena.adversaries.from_data import FromData
from arena.game.losses import Loss
from arena.players.moves import GivenMoves


class Quartic(Loss):
    """The loss (prediction - label)^4, with the name of another one."""

    name = "squared"

    def value(self, prediction, label):
        return np.asarray(prediction - label) ** 4

    def derivative(self, prediction, label):
        return 4.0 * np.asarray(prediction - label) ** 3

    def lipschitz(self, prediction_bound, label_bound):
        return 4.0 * (prediction_bound + label_bound) ** 3

    def smoothness(self, prediction_bound, label_bound):
        return 12.0 * (prediction_bound + label_bound) ** 2

    def curvature(self, prediction_bound, label_bound):
        return 0.0


def test_gradient_descent_in_blocks_follows_its_derivative():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (50, 2)), rng.uniform(-1, 1, 50)
    rules = {"loss": Quartic(), "rounds": 50, "hindsight": "none"}
    in_blocks = play("fogd(rate=0.05)", GivenMoves(X, y), **rules)
    in_rounds = play("fogd(rate=0.05)", GivenMoves(X, y, one_by_one=True), **rules)
    assert in_rounds.predictions.any()
    assert in_blocks.predictions == pytest.approx(in_rounds.predictions, abs=1e-9)


@pytest.mark.parametrize("adversary", ["greedy", FromData(X=[[0.0]], y=[1.0], by="regret")])
def test_adversaries_that_need_the_squared_loss_refuse_it(adversary):
    with pytest.raises(ArenaError, match="needs the squared loss"):
        play("zero", adversary, loss=Quartic(), rounds=5)
