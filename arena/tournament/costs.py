"""Predicted durations of matches: a linear model that is fitted to the finished matches.

The logarithm of a match's seconds is modelled as a + b log(rounds). Each learner has its own exponent b, and each pair
of learner and adversary its own constant a. A new pair has the constant of its learner. A new learner has the exponent
and the constant of all matches together.

>>> costs = Costs()
>>> for rounds in (100, 200, 400):
...     costs.learn("krr", "greedy", rounds, (rounds / 100) ** 2)
>>> 40 < costs.seconds("krr", "greedy", 800) < 70
True
>>> costs.seconds("krr", "greedy", 400) > costs.seconds("krr", "drift", 100) > costs.seconds("zero", "drift", 50)
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass

EXPONENT = 1.5  # prior value of the exponent b
WEIGHT = 0.1  # weight of that prior in the regression, in squared units of log(rounds)
UNKNOWN = 1.0  # seconds of a match of 1000 rounds, assumed before any match is over
SHORTEST = 1e-6


@dataclass
class _Line:
    """The sums from which the least-squares line through points (x, y) is computed."""

    count: int = 0
    x: float = 0.0
    y: float = 0.0
    xx: float = 0.0
    xy: float = 0.0

    def add(self, x: float, y: float) -> None:
        self.count += 1
        self.x += x
        self.y += y
        self.xx += x * x
        self.xy += x * y

    def slope(self, expected: float) -> float:
        """Return the slope of the least-squares line, shrunk towards `expected`: the less x varies, the more."""
        if not self.count:
            return expected
        spread = self.xx - self.x * self.x / self.count
        together = self.xy - self.x * self.y / self.count
        return (together + WEIGHT * expected) / (spread + WEIGHT)

    def level(self, slope: float) -> float:
        """Return the value at x = 0 of the line that has this slope and goes through the means of x and y."""
        return (self.y - slope * self.x) / self.count


class Costs:
    """Model that predicts how many seconds a match takes."""

    def __init__(self) -> None:
        self._all = _Line()
        self._learners: dict[str, _Line] = {}
        self._pairs: dict[tuple[str, str], _Line] = {}
        self.learnt = 0

    def learn(self, learner: str, adversary: str, rounds: int, seconds: float) -> None:
        """Add the seconds of a finished match to the model."""
        x, y = math.log(max(rounds, 1)), math.log(max(seconds, SHORTEST))
        self._all.add(x, y)
        self._learners.setdefault(learner, _Line()).add(x, y)
        self._pairs.setdefault((learner, adversary), _Line()).add(x, y)
        self.learnt += 1

    def seconds(self, learner: str, adversary: str, rounds: int) -> float:
        """Return the predicted seconds of a match."""
        x, every = math.log(max(rounds, 1)), self._all
        if not every.count:
            return UNKNOWN * math.pow(max(rounds, 1) / 1000.0, EXPONENT)
        own = self._learners.get(learner, every)
        slope = own.slope(every.slope(EXPONENT))
        return math.exp(min(self._pairs.get((learner, adversary), own).level(slope) + slope * x, 100.0))
