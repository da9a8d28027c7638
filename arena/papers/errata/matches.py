"""The matches that refute printed statements, as small as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy

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


class TwoExperts(Learner):
    """The aggregate of two experts that always say B and -B, with the rate 1/(2 B^2) of exp-concavity on [0, B]."""

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.advice = np.array([game.label_bound, -game.label_bound])
        self.rate = 1.0 / (2.0 * game.label_bound**2)
        self.losses = np.empty((0, 2))

    def predict(self, x: Array) -> float:
        return float(scipy.special.softmax(-self.rate * self.losses.sum(axis=0)) @ self.advice)

    def update(self, x: Array, y: float) -> None:
        self.losses = np.vstack([self.losses, np.square(self.advice - y)])

    def evidence(self) -> Mapping[str, Any]:
        return {"expert_losses": self.losses}


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


def turning_line() -> Transcript:
    """Three rounds at one point, on lines at 1.029, 0.478 and 0."""
    learner, adversary = TurningLine([1.029, 0.478, 0.0]), Constant([1.0, 0.0], 1.0)
    return play(learner, adversary, rounds=3, kernel="linear", regularisation=971.7)


def two_experts() -> Transcript:
    """Alternating labels, which the weights of the experts follow too fast."""
    return play(TwoExperts(), "alternating", rounds=60)


def least_beta(rounds: int, delta: float, epsilon: float) -> float:
    """The least beta that the theorem of KORS allows."""
    return float(3.0 * np.log(rounds / delta) / epsilon**2)


def alternating(learner: str, rounds: int) -> Transcript:
    """Alternating labels at one point."""
    return play(learner, "alternating", rounds=rounds, dimension=1)


def twins(learner: str, rounds: int) -> Transcript:
    """Twins with k(x, x') = 0.9999: their best predictor has the norm 141, which each restart costs again."""
    return play(learner, Twins(0.9999), rounds=rounds, dimension=1)


def one_point(learner: str, rounds: int) -> Transcript:
    """One point with the label 0 in every round."""
    return play(learner, Constant([0.0], 0.0), rounds=rounds, dimension=1, hindsight="none")


def first_accepted(learner: str) -> Transcript:
    """One round with the first seed for which the point joins the dictionary."""
    for seed in range(10_000):
        run = play(learner, "alternating", rounds=1, dimension=1, seed=seed, hindsight="none")
        if len(run.evidence["accepted_rounds"]):
            return run
    raise AssertionError("the point never joins")
