"""Correct players, and wrong ones with one mistake each against the contract of `arena check`."""

from contract import adversaries, asking, coins, memory, numbers, together
from contract.planting import ADVERSARIES, LEARNERS

__all__ = ["ADVERSARIES", "LEARNERS", "adversaries", "asking", "coins", "memory", "numbers", "together"]
