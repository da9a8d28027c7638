"""Source texts of learners that tests write into files and packages."""

from __future__ import annotations

# a learner of the least that is needed; fill in its class and the name that it declares
LEARNER = """
class {name}:
    name = "{spec}"
    def __init__(self, rate=1.0):
        self.rate = rate
    def predict(self, x):
        return 0.0
    def update(self, x, y):
        pass
"""

# it ends three matches, presses Ctrl-C in the fourth, and then never answers
STOPPED_IN_THE_FOURTH = """
class Stopped:
    matches = 0

    def begin(self, game, rng):
        Stopped.matches += 1
        if Stopped.matches == 4:
            raise KeyboardInterrupt

    def predict(self, x):
        while Stopped.matches > 4:
            pass
        return 0.0

    def update(self, x, y):
        pass
"""
