"""The matches that refute printed statements, as small as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.engine.match import play
from arena.game.game import Game
from arena.players.adversary import Adversary
from arena.players.learner import Learner
from arena.players.view import View
from arena.record.transcript import Transcript


class TurningLine(Learner):
    """The forecaster on another line through the origin in each round: subspaces that are not nested."""

    def __init__(self, angles: Sequence[float]):
        self.lines = np.column_stack([np.cos(angles), np.sin(angles)])

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.ridge = game.regularisation
        self.points: list[Array] = []
        self.labels: list[float] = []

    def peek(self, X: Array) -> Array:
        # Azoury, Warmuth and Vovk's forecaster on the line of this round
        line = self.lines[len(self.labels)]
        past, now = np.array(self.points).reshape(-1, 2) @ line, X @ line
        return np.asarray(now * (past @ np.array(self.labels)) / (self.ridge + past @ past + np.square(now)))

    def update(self, x: Array, y: float) -> None:
        self.points.append(x.copy())
        self.labels.append(y)

    def evidence(self) -> Mapping[str, Any]:
        # the direction of a round is in the dictionary in that round alone
        joined = np.arange(1.0, len(self.lines) + 1)
        return {"atoms": self.lines, "joined_rounds": joined, "left_rounds": joined + 1}


class Constant(Adversary):
    """One point and one label, always."""

    oblivious = True

    def __init__(self, at: Sequence[float], label: float):
        self.at, self.constant = np.array(at, dtype=float), label

    def point(self, view: View) -> Array:
        return self.at

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.constant


class Twins(Adversary):
    """Two points so close that k(x, x') is nearly one, in turn, with opposite labels."""

    oblivious = True

    def __init__(self, kernel_value: float):
        self.distance = float(np.sqrt(-2.0 * np.log(kernel_value)))  # Gaussian kernel, bandwidth 1

    def point(self, view: View) -> Array:
        return np.array([0.0 if view.round % 2 else self.distance])

    def label(self, view: View, x: Array, prediction: float) -> float:
        return 1.0 if view.round % 2 else -1.0


class Growing(Adversary):
    """Points on one ray from `first` up to 1, the same for `together` rounds and then longer; all labels are 0."""

    oblivious = True

    def __init__(self, first: float, rounds: int, together: int):
        self.first, self.steps, self.together = first, rounds // together - 1, together

    def point(self, view: View) -> Array:
        return np.array([self.first ** (1.0 - (view.round - 1) // self.together / self.steps)])

    def label(self, view: View, x: Array, prediction: float) -> float:
        return 0.0


def least_beta(rounds: int, delta: float, epsilon: float) -> float:
    """The least beta that the theorem of KORS allows."""
    return float(3.0 * np.log(rounds / delta) / epsilon**2)


def turning_line() -> Transcript:
    """100 rounds at one point with the label 1; the line turns evenly from a right angle to the point."""
    angles = np.pi / 2 * (1.0 - np.arange(100) / 99)
    learner, adversary = TurningLine(angles.tolist()), Constant([1.0, 0.0], 1.0)
    return play(learner, adversary, rounds=100, kernel="linear", regularisation=100.0)


def alternating(learner: str, rounds: int, **fields: Any) -> Transcript:
    """Alternating labels at one point."""
    return play(learner, "alternating", rounds=rounds, dimension=1, **fields)


def twins(learner: str, rounds: int) -> Transcript:
    """Twins with k(x, x') = 0.9999: their best predictor has the norm 141, which each restart costs again."""
    return play(learner, Twins(0.9999), rounds=rounds, dimension=1)


def growing(learner: str, rounds: int) -> Transcript:
    """Points that grow by a factor of 10,000: each has so high a leverage that KORS accepts it for sure."""
    return play(learner, Growing(1e-4, rounds, 25), rounds=rounds, dimension=1, kernel="linear", hindsight="none")


def accepted(learner: str, seed: int) -> Transcript:
    """One round with a seed for which the point joins the dictionary."""
    run = play(learner, "alternating", rounds=1, dimension=1, seed=seed, hindsight="none")
    assert len(run.evidence["accepted_rounds"]) == 1
    return run
