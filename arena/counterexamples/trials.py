"""Trials: each is a match of its own, played once; the simplest that fails is kept."""

from __future__ import annotations

import time
from typing import Any

from arena.counterexamples.case import Case
from arena.counterexamples.failing import Failing, Outcome
from arena.engine.match import Hindsight, Progress, play
from arena.game.game import Game
from arena.players.learner import Learner, own_copy
from arena.players.moves import GivenMoves
from arena.record.transcript import Transcript


class BudgetSpent(Exception):
    """There is no time left for another trial."""


class Trials:
    """Plays cases against fresh copies of the learner, remembers how they went, and keeps the simplest that fails."""

    def __init__(self, learner: Any, failing: Failing, *, seed: int, budget: float):
        self.learner, self.failing, self.seed, self.one_by_one = learner, failing, seed, False
        self.best: Case | None = None
        self.run: Transcript | None = None
        self.started, self.budget = time.monotonic(), budget
        self.deadline = self.started + budget
        self.seen: dict[tuple[Game, bytes, bytes], Outcome] = {}
        self.pace = 0.0  # seconds that a round took in the slowest trial
        self.steps = 0

    def begin_with(self, case: Case, *, one_by_one: bool) -> bool:
        """Try the case that everything is to start from; whether it fails."""
        self.one_by_one = one_by_one
        self.seen.clear()
        return self._try(case)

    def improve(self, case: Case) -> bool:
        """Take the case if it is simpler than the best one and fails too."""
        known = self.seen.get(case.key)
        if case.rounds == 0 or (known and not known.fails) or not case.simpler_than(self.simplest):
            return False
        return self._try(case)

    @property
    def simplest(self) -> Case:
        """The simplest case so far that fails."""
        assert self.best is not None
        return self.best

    def _try(self, case: Case) -> bool:
        run, outcome = self._play(case)
        if outcome.fails:
            self.best, self.run = case, run
            if outcome.round < case.rounds:  # what comes after is not needed; but a shorter match is another match
                self.improve(case.prefix(outcome.round))
        return outcome.fails

    def outcome(self, case: Case) -> Outcome:
        """How the case goes, whether it is simpler or not."""
        return self.seen[case.key] if case.key in self.seen else self._play(case)[1]

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self.started

    def _play(self, case: Case) -> tuple[Transcript, Outcome]:
        now = time.monotonic()
        if self.best is not None and now + self.pace * case.rounds > self.deadline:
            raise BudgetSpent
        run = played(self.learner, case, seed=self.seed, one_by_one=self.one_by_one, watch=self._watch)
        outcome = self.failing.outcome(run)
        self.seen[case.key] = outcome
        self.steps += 1
        self.pace = max(self.pace, (time.monotonic() - now) / max(case.rounds, 10))
        return run, outcome

    def _watch(self, done: int) -> None:
        if self.best is not None and time.monotonic() > self.deadline:
            raise BudgetSpent


def played(
    learner: Any,
    case: Case,
    *,
    seed: int,
    one_by_one: bool,
    watch: Progress | None = None,
    hindsight: Hindsight = "auto",
) -> Transcript:
    """A match of a fresh copy of the learner."""
    moves = GivenMoves(case.points, case.labels, one_by_one=one_by_one)
    return play(fresh(learner), moves, game=case.game, seed=seed, progress=watch, hindsight=hindsight)


def fresh(learner: Any) -> Any:
    """What `play` takes as a learner, in the state in which it was given; a function makes a learner each time."""
    if isinstance(learner, type) or not (
        callable(learner) or isinstance(learner, Learner) or hasattr(learner, "__dict__")
    ):
        return learner
    if callable(learner) and not hasattr(learner, "predict"):
        return learner()
    return own_copy(learner)
