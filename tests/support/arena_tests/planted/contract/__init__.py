"""Correct players, and wrong ones with one mistake each against the contract of `arena check`."""

from arena_tests.planted.contract import adversaries, asking, coins, memory, numbers, together
from arena_tests.planted.contract.planting import ADVERSARIES, LEARNERS

__all__ = ["ADVERSARIES", "LEARNERS", "adversaries", "asking", "coins", "memory", "numbers", "together"]
