"""Shrinking: from a long sequence that a learner fails on to a short, round one on which it still fails.

>>> import arena
>>> worst = arena.play("krr", "greedy", rounds=40)
>>> small = shrink("krr", worst, "awv-logdet").smallest
>>> small.rounds, small.labels
(2, array([ 1., -1.]))
"""

from arena.shrinking.reproduction import reproduction
from arena.shrinking.search import shrink
from arena.shrinking.shrunk import Shrunk

__all__ = ["Shrunk", "reproduction", "shrink"]
