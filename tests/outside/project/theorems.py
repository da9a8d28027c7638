"""Theorems that belong to a project."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.record.theorem import Theorem, labels_within
from arena.specs.parameters import parameter


@dataclass(frozen=True)
class LogarithmicRegret(Theorem):
    """The regret is at most a (1 + log t) for one repeated point, and labels within [-1, 1]."""

    name: ClassVar[str] = "logarithmic-regret"
    paper: ClassVar[str] = "our own notebook"
    statement: ClassVar[str] = "R_t <= a (1 + log t)"

    constant: float = parameter(4.0, "a", above=0)

    def assumptions(self, run):
        return [labels_within(run, 1.0)]

    def allowed(self, run):
        return self.constant * (1.0 + np.log(np.arange(1, run.rounds + 1)))


@dataclass(frozen=True)
class BoundedPredictions(Theorem):
    """Nothing is ever predicted beyond a multiple of the largest label."""

    name: ClassVar[str] = "bounded-predictions"
    quantity: ClassVar[str] = "prediction"

    times: float = parameter(100.0, "how many times the largest label", above=0)

    def measured(self, run):
        return np.abs(run.predictions)

    def allowed(self, run):
        return np.full(run.rounds, self.times * run.game.label_bound)
