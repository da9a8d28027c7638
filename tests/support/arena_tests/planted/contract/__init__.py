"""Correct players, and players each of which makes one mistake that a check of `arena check` finds."""

from arena_tests.planted.contract import adversaries, asking, coins, memory, numbers, together
from arena_tests.planted.contract.planting import ADVERSARIES, LEARNERS

__all__ = ["ADVERSARIES", "LEARNERS", "adversaries", "asking", "coins", "memory", "numbers", "together"]
