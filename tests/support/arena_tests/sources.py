"""Source text of a learner that tests write into files and packages."""

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
