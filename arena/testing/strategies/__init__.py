"""Hypothesis strategies for games, moves and whole matches; all moves that are drawn are legal.

    from hypothesis import given
    from arena.testing import assert_regret
    from arena.testing.strategies import matches

    @given(matches(dimension=1))
    def test_my_learner_obeys_its_theorem(match):
        assert_regret(MyLearner, match.moves, game=match.game)

Hypothesis shrinks failing examples to the simplest ones: zeros, one round, one coordinate and the game's defaults. A
sequence is shrunk by leaving out rounds.
"""

from arena.specs.extras import import_extra

import_extra("hypothesis", "arena.testing.strategies")

from arena.testing.moves import Moves
from arena.testing.strategies.games import games, kernels, losses
from arena.testing.strategies.points import PATTERNS, point_sequences, points
from arena.testing.strategies.sequences import DrawnMatch, label_sequences, labels, matches, sequences

__all__ = [
    "PATTERNS",
    "DrawnMatch",
    "Moves",
    "games",
    "kernels",
    "label_sequences",
    "labels",
    "losses",
    "matches",
    "point_sequences",
    "points",
    "sequences",
]
