"""The games in which a theorem may be held against a learner.

A learner that is told the game may be tried in any. One that is not, such as a class with predict and update alone,
was written for one kernel and one lambda, and a theorem about other ones says nothing of it. So the fields of the game
are free only as far as the learner listens to them, or the theorems do not care: both are found out by asking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.building import build
from arena.errors import ArenaError
from arena.game import Game
from arena.hunt.scripts import script
from arena.hunt.sequences import Candidate, Moves
from arena.learner import Learner
from arena.theorem import Theorem
from arena.transcript import Transcript

FIELDS = ("rounds", "kernel", "regularisation", "label_bound", "loss", "dimension", "box")
KERNELS = ("gaussian(bandwidth=0.3)", "gaussian", "gaussian(bandwidth=2)", "laplacian", "gaussian(bandwidth=0.1)")
LOSSES = ("hinge", "logistic", "smooth-hinge", "absolute")
ODD = {  # a value of each field that tells whether anybody cares
    "rounds": 1000,
    "kernel": "laplacian(bandwidth=0.5)",
    "regularisation": 7.0,
    "label_bound": 3.0,
    "loss": "logistic",
}
STEADY = 12  # rounds in which a learner that clips says the very same

Play = Callable[[Candidate], Transcript | None]


@dataclass(frozen=True)
class Ground:
    """The game that was given, the fields of it that may be changed, and the losses that some theorem speaks of."""

    game: Game
    free: frozenset[str]
    losses: tuple[str, ...] = ()
    longest: int = 2100

    def varied(self, **wanted: Any) -> Game:
        """The game with these changes, as far as they are allowed; kernels and losses by their specs."""
        changes = {key: value for key, value in wanted.items() if key in self.free}
        for kind in ("kernel", "loss"):
            if kind in changes:
                changes[kind] = build(kind, changes[kind])
        return self.game.replace(**changes)

    def sized(self, game: Game, rounds: int) -> Game:
        """The game for so many rounds, if the horizon is free."""
        return game.replace(rounds=max(rounds, 1)) if "rounds" in self.free else game

    def cut(self, rounds: int) -> int:
        """As many of these rounds as are allowed."""
        return min(rounds, self.longest if "rounds" in self.free else self.game.rounds)

    def drawn(self, rng: np.random.Generator) -> Game:
        """Any allowed game."""
        low = float(rng.choice([-1.0, -1.0, -1.0, 0.0, 3.0, -30.0, 90.0]))
        width = float(rng.choice([0.5, 2.0, 2.0, 5.0, 60.0])) if low != -1.0 else 2.0
        wanted = {
            "dimension": int(rng.choice([1, 2, 3, 4, 5, 8], p=[0.25, 0.25, 0.2, 0.1, 0.1, 0.1])),
            "box": (low, low + width),
            "kernel": str(rng.choice(KERNELS)),
            "regularisation": float(rng.choice([0.1, 0.5, 1.0, 5.0, 30.0, 100.0, 1000.0])),
            "label_bound": float(rng.choice([1.0, 1.0, 3.0, 0.2])),
            "loss": str(rng.choice([self.game.loss.name, *self.losses])),
        }
        if wanted["loss"] == self.game.loss.name:
            del wanted["loss"]
        return self.varied(**{key: value for key, value in wanted.items() if rng.random() < 0.6})


def survey(
    learner: Learner, theorems: Sequence[Theorem], game: Game, fixed: Sequence[str], longest: int, play: Play
) -> Ground:
    """Find out which fields of the game are free; those in `fixed` are not."""
    probe = script("several points", "labels of any size", game, np.random.default_rng(0), min(game.rounds, 30))
    told = _is_told_by_our_own(learner)
    plain = _answers(play, probe, game)
    free = {"dimension", "box"} - set(fixed)
    losses: tuple[str, ...] = ()
    if plain is None:
        return Ground(game, frozenset(free), (), longest)
    for field in ("rounds", "kernel", "regularisation", "label_bound"):
        if field in fixed:
            continue
        other = game.replace(**{field: build("kernel", ODD[field]) if field == "kernel" else ODD[field]})
        answers = _answers(play, probe, other)
        if answers is None:  # not a game for this learner
            continue
        listens = not _alike(answers.predictions, plain.predictions)
        if told or listens or _unconcerned(theorems, plain, other, field):
            free.add(field)
    if "label_bound" in free and not told and _clips(play, game):
        free.discard("label_bound")
    if "loss" not in fixed:
        losses = tuple(loss for loss in LOSSES if _suits(loss, theorems, plain, probe, game, play, told=told))
        free |= {"loss"} if losses else set()
    return Ground(game, frozenset(free), losses, longest)


def _is_told_by_our_own(learner: Learner) -> bool:
    """Whether the class that makes the promises is one of the built-in learners, which listen to all of the game."""
    for cls in type(learner).__mro__:
        if "theorems" in vars(cls):
            return cls.__module__.startswith("arena.learners.")
    return False


def _answers(play: Play, moves: Moves, game: Game) -> Transcript | None:
    try:
        run = play(Candidate("a probe", game, moves=moves))
    except ArenaError:
        return None
    return None if run is None or run.forfeit is not None or run.rounds < len(moves) else run


def _alike(some: Array, others: Array) -> bool:
    return bool(np.allclose(some, others, rtol=1e-9, atol=1e-12))


def _unconcerned(theorems: Sequence[Theorem], run: Transcript, other: Game, field: str) -> bool:
    """Whether all theorems say the same of a match, whatever the field; a larger B may only make them say less."""
    return all(_says_the_same(theorem, run, other, field) for theorem in theorems)


def _says_the_same(theorem: Theorem, run: Transcript, other: Game, field: str) -> bool:
    here, there = theorem.judge(run), theorem.judge(_moved(run, other))
    if not (here.applicable and there.applicable):
        return False
    assert here.allowed_curve is not None
    assert there.allowed_curve is not None
    if not _alike(_curve(here.measured_curve), _curve(there.measured_curve)):
        return False
    if field == "label_bound":
        larger = (other.label_bound / run.game.label_bound) ** 2
        return any(_alike(there.allowed_curve, scale * here.allowed_curve) for scale in (1.0, larger))
    return _alike(here.allowed_curve, there.allowed_curve)


def _curve(curve: Array | None) -> Array:
    assert curve is not None
    return curve


def _moved(run: Transcript, game: Game) -> Transcript:
    """The same moves and predictions, as if they had been played in another game."""
    return Transcript(
        learner=run.learner,
        adversary=run.adversary,
        game=game,
        seed=run.seed,
        points=run.points,
        labels=run.labels,
        predictions=run.predictions,
        seconds=run.seconds,
        sizes=run.sizes,
        evidence=run.evidence,
    )


def _clips(play: Play, game: Game) -> bool:
    """Whether predictions stop at the very same value while labels go on to pull them: the learner has a C of its own.

    Labels that were clipped would still move the predictions a little in every round.
    """
    larger = game.replace(label_bound=3.0 * game.label_bound, rounds=max(game.rounds, 60))
    moves = script("one point", "constant labels", larger, np.random.default_rng(0), min(larger.rounds, 60))
    run = _answers(play, moves, larger)
    if run is None:
        return True
    last = run.predictions[-STEADY:]
    return bool(np.ptp(last) <= 1e-13 * np.abs(last).max() and 0.3 < np.abs(last[-1]) < 0.9 * larger.label_bound)


def _suits(
    loss: str,
    theorems: Sequence[Theorem],
    plain: Transcript,
    probe: Moves,
    game: Game,
    play: Play,
    *,
    told: bool,
) -> bool:
    """Whether some theorem speaks of this loss, and the learner is told of it or need not be."""
    other = game.replace(loss=build("loss", loss))
    answers = _answers(play, probe, other)
    if answers is None or not any(theorem.judge(answers).applicable for theorem in theorems):
        return False
    return told or not _alike(answers.predictions, plain.predictions) or _unconcerned(theorems, plain, other, "loss")
