"""The quantities of a match that theorems bound."""

import numpy as np

from arena import play
from arena.players.moves import GivenMoves
from arena.record.bounded import bounded_quantities

X = np.linspace(-1, 1, 12).reshape(6, 2)


def bounds_of(run):
    return [
        (quantity, [each.name for each in judged]) for quantity, _, judged in bounded_quantities(run, run.verdicts())
    ]


BOUNDS = ["awv-leverage", "awv-logdet", "awv-effective-dimension"]


def test_an_identity_is_no_bound_on_a_regret_that_is_zero():
    """The deviation of the identity and the regret have the same curve here, but they are not the same quantity."""
    run = play("kernel-awv", GivenMoves(X, np.zeros(6)), rounds=6)
    assert not run.regret.any()
    assert bounds_of(run) == [("regret", BOUNDS), ("deviation", ["awv-identity"])]


def test_the_regret_at_another_lambda_is_another_quantity():
    moves = GivenMoves(X, np.cos(9 * X[:, 0]))
    assert bounds_of(play("kernel-awv", moves, rounds=6))[0] == ("regret", BOUNDS)
    other = bounds_of(play("kernel-awv(regularisation=0.25)", moves, rounds=6))
    assert other[:2] == [("regret", []), ("regret", BOUNDS)]
