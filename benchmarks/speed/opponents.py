"""Benchmarks of adversaries: the time of a match, compared with the same match of a naive twin of the adversary.

The twin makes the same moves by slower calls:

- If the adversary is adaptive, the twin computes the learner's prediction, and the comparator's mean and variance, at
  one point at a time. The mean and the variance need a dense solve for each point.
- If the adversary is oblivious, the engine requests the twin's moves round by round.

If an adversary plans its moves before the match, both sides spend nearly all of their time on the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import arena
from arena.arrays import Array
from arena.players.adversary import Adversary
from arena.specs import registry
from arena.specs.building import build
from arena_tests.slow import ridge

from .measuring import OURS, Case, Side

TWIN = "naive twin"
NEEDS_DATA = {"replay", "from-data"}  # their moves are rows of a file
ROUNDS = {  # of adaptive adversaries; 200 unless named here
    "greedy": 20,
    "lookahead": 12,
    "mixture": 60,
    "budget-breaker": 60,
    "feature-blind": 60,
    "outlier": 100,
}
OBLIVIOUS_ROUNDS = {"leverage": 60, "joint(horizon=20, trials=50)": 200, "orthogonal": 500, "near-duplicates": 2000}


class Asking:
    """A view that computes predictions, means and variances point by point."""

    def __init__(self, view: arena.View, learner: Any):
        self.view, self.learner = view, learner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.view, name)

    def peek(self, X: Array) -> Array:
        """Return the learner's predictions, computed one by one."""
        return np.array([self.learner.predict(x) for x in X])

    def posterior(self, X: Array) -> tuple[Array, Array]:
        """Return the comparator's mean and variance at these points, by one dense solve for each point."""
        game = self.view.game
        if not len(self.view.labels):
            return np.zeros(len(X)), game.kernel.diagonal(X)
        past = (game.kernel, game.regularisation, self.view.points, self.view.labels)
        each = [ridge.posterior(*past, x[np.newaxis]) for x in X]
        return np.concatenate([mean for mean, _ in each]), np.concatenate([variance for _, variance in each])


class Naive:
    """The naive twin of an adversary: the adversary with `Asking` in place of its view."""

    def __init__(self, adversary: Adversary, learner: Any):
        self.adversary, self.learner = adversary, learner

    def arrange(self, game: arena.Game) -> arena.Game:
        """Return the game that the adversary needs."""
        return self.adversary.arrange(game)

    def begin(self, game: arena.Game, rng: np.random.Generator) -> None:
        """Begin the adversary's match."""
        self.adversary.begin(game, rng)

    def point(self, view: arena.View) -> Array | None:
        """Return the adversary's point."""
        return self.adversary.point(Asking(view, self.learner))  # type: ignore[arg-type]

    def label(self, view: arena.View, x: Array, prediction: float) -> float:
        """Return the adversary's label."""
        return self.adversary.label(Asking(view, self.learner), x, prediction)  # type: ignore[arg-type]


def match(spec: str, rounds: int, *, naive: bool) -> Callable[[], arena.Transcript]:
    """Return a function that plays a match of the adversary, or of its naive twin.

    The learner is kernel-awv if the adversary is adaptive, and zero if it is oblivious.
    """
    adversary = build("adversary", spec)
    learner = build("learner", "zero" if adversary.oblivious else "kernel-awv")
    playing: Any = adversary
    if naive:
        playing = Naive(adversary, learner)
    dimension = 5 if spec == "greedy" else 2

    def play() -> arena.Transcript:
        run = arena.play(learner, playing, rounds=rounds, dimension=dimension, hindsight="none")
        assert run.ended == "completed", (spec, run.forfeit)
        return run

    return play


def case_of(name: str, *, quick: bool) -> Case:
    """Return the benchmark of an adversary."""
    planned = next((spec for spec in OBLIVIOUS_ROUNDS if spec.partition("(")[0] == name), name)
    oblivious = build("adversary", planned).oblivious
    rounds = OBLIVIOUS_ROUNDS.get(planned, 5000) if oblivious else ROUNDS.get(planned, 200)
    rounds = max(rounds // 2, 10) if quick else rounds
    sides = {
        OURS: Side(lambda: match(planned, rounds, naive=False), rounds),
        TWIN: Side(lambda: match(planned, rounds, naive=True), rounds),
    }
    return Case("adversaries", planned, f"{rounds:,} rounds", sides, {f"{TWIN} / {OURS}": (TWIN, OURS)})


def cases(*, quick: bool) -> list[Case]:
    """Return a benchmark for each adversary."""
    return [case_of(name, quick=quick) for name in registry.entries("adversary") if name not in NEEDS_DATA]
