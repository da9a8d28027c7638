"""The adversaries, one file for each; whatever class has a `name` is found by it."""

from arena.adversaries.alternating import Alternating
from arena.adversaries.greedy import Greedy
from arena.adversaries.repeated import Repeated

__all__ = ["Alternating", "Greedy", "Repeated"]
