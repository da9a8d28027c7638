"""Small matches that refute printed statements, and the players that occur in these matches alone."""

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
    """The forecaster of Azoury, Warmuth and Vovk, restricted in each round to another line through the origin.

    A match of this learner refutes the bound `pkawv-growing-printed`. The bound's proof assumes that the subspace of
    each round contains the subspace of the round before; two different lines do not contain each other.
    """

    def __init__(self, angles: Sequence[float]):
        self.lines = np.column_stack([np.cos(angles), np.sin(angles)])

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.ridge = game.regularisation
        self.points: list[Array] = []
        self.labels: list[float] = []

    def peek(self, X: Array) -> Array:
        # the forecaster, restricted to the line of this round
        line = self.lines[len(self.labels)]
        past, now = np.array(self.points).reshape(-1, 2) @ line, X @ line
        return np.asarray(now * (past @ np.array(self.labels)) / (self.ridge + past @ past + np.square(now)))

    def update(self, x: Array, y: float) -> None:
        self.points.append(x.copy())
        self.labels.append(y)

    def evidence(self) -> Mapping[str, Any]:
        # each round has a direction of its own, which is in the dictionary in that round alone
        joined = np.arange(1.0, len(self.lines) + 1)
        return {"atoms": self.lines, "joined_rounds": joined, "left_rounds": joined + 1}


class Constant(Adversary):
    """Adversary that names the same point and the same label in every round."""

    oblivious = True

    def __init__(self, at: Sequence[float], label: float):
        self.at, self.constant = np.array(at, dtype=float), label

    def point(self, view: View) -> Array:
        return self.at

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.constant


class Twins(Adversary):
    """Adversary that names two points x and x' in turn, with opposite labels; `kernel_value` is k(x, x')."""

    oblivious = True

    def __init__(self, kernel_value: float):
        self.distance = float(np.sqrt(-2.0 * np.log(kernel_value)))  # Gaussian kernel, bandwidth 1

    def point(self, view: View) -> Array:
        return np.array([0.0 if view.round % 2 else self.distance])

    def label(self, view: View, x: Array, prediction: float) -> float:
        return 1.0 if view.round % 2 else -1.0


class Growing(Adversary):
    """Adversary that names points whose distances from zero grow from `first` to 1, always by the same factor.

    Each point is named in `together` consecutive rounds; all labels are 0.
    """

    oblivious = True

    def __init__(self, first: float, rounds: int, together: int):
        self.first, self.steps, self.together = first, rounds // together - 1, together

    def point(self, view: View) -> Array:
        return np.array([self.first ** (1.0 - (view.round - 1) // self.together / self.steps)])

    def label(self, view: View, x: Array, prediction: float) -> float:
        return 0.0


def least_beta(rounds: int, delta: float, epsilon: float) -> float:
    """Return the least beta that the theorem of KORS allows: 3 log(rounds / delta) / epsilon^2."""
    return float(3.0 * np.log(rounds / delta) / epsilon**2)


def turning_line() -> Transcript:
    """Return a match of 100 rounds at one point with the label 1.

    The line to which the learner is restricted turns by the same angle in each round. At first it is at a right angle
    to the point, and at the end it contains the point.
    """
    angles = np.pi / 2 * (1.0 - np.arange(100) / 99)
    learner, adversary = TurningLine(angles.tolist()), Constant([1.0, 0.0], 1.0)
    return play(learner, adversary, rounds=100, kernel="linear", regularisation=100.0)


def alternating(learner: str, rounds: int, **fields: Any) -> Transcript:
    """Return a match with alternating labels at one point; `fields` are keyword arguments of `play`."""
    return play(learner, "alternating", rounds=rounds, dimension=1, **fields)


def twins(learner: str, rounds: int) -> Transcript:
    """Return a match against `Twins` with k(x, x') = 0.9999.

    The function of the least norm that fits both labels has the norm 141. After each restart the learner must learn
    this function again.
    """
    return play(learner, Twins(0.9999), rounds=rounds, dimension=1)


def growing(learner: str, rounds: int) -> Transcript:
    """Return a match against `Growing`: the last point is 10,000 times as far from zero as the first.

    The leverage of each new point is so high that KORS certainly accepts it.
    """
    return play(learner, Growing(1e-4, rounds, 25), rounds=rounds, dimension=1, kernel="linear", hindsight="none")


def accepted(learner: str, seed: int) -> Transcript:
    """Return a match of one round whose point KORS accepts; with another `seed`, KORS might reject the point."""
    run = play(learner, "alternating", rounds=1, dimension=1, seed=seed, hindsight="none")
    assert len(run.evidence["accepted_rounds"]) == 1
    return run
