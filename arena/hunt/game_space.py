"""The games in which a hunt may test a learner against its theorems.

A learner that reads the game may be tested in any game. One that does not, such as a class with predict and update
alone, was written for one kernel and one lambda, and need not obey a theorem with others. So a field of the game is
free, that is, may be varied, only if the learner's predictions depend on it, or if no theorem depends on it. `survey`
plays short matches to decide both.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.hunt.candidates import Candidate, Script
from arena.hunt.patterns import script
from arena.hunt.target import judge_all
from arena.players.learner import Guest, Learner
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.building import build

KERNELS = ("gaussian(bandwidth=0.3)", "gaussian", "gaussian(bandwidth=2)", "laplacian", "gaussian(bandwidth=0.1)")
UNEVEN = ("linear(offset=1)", "polynomial(degree=2)")  # k(x, x) is not one, and differs from point to point
LOSSES = ("hinge", "logistic", "smooth-hinge", "absolute")
UNUSUAL = {  # for each field, a value that shows whether learner or theorem depends on the field
    "rounds": 1000,
    "kernel": "laplacian(bandwidth=0.5)",
    "regularisation": 7.0,
    "label_bound": 3.0,
    "loss": "logistic",
}
NEAR = 3.0  # largest distance from the origin, in each coordinate, at which uneven kernels are tried
CONSTANT = 12  # last rounds of a long stretch of equal labels, in which a learner that clips predicts the same value

Play = Callable[[Candidate], Transcript | None]


@dataclass(frozen=True)
class GameSpace:
    """The games of a hunt: the given one, its free fields, the losses and kernels to try, and the longest match."""

    game: Game
    free: frozenset[str]
    losses: tuple[str, ...] = ()
    longest: int = 2100
    kernels: tuple[str, ...] = KERNELS

    def varied(self, **wanted: Any) -> Game:
        """Return the given game with those of the changes that are in free fields; kernels and losses are specs."""
        changes = {key: value for key, value in wanted.items() if key in self.free}
        if changes.get("kernel") in UNEVEN and not (changes["kernel"] in self.kernels and self._near(changes)):
            del changes["kernel"]
        for kind in ("kernel", "loss"):
            if kind in changes:
                changes[kind] = build(kind, changes[kind])
        return self.game.replace(**changes)

    def _near(self, changes: dict[str, Any]) -> bool:
        """Return whether the box is near the origin. Far away, uneven kernels have huge values and rounding errors."""
        game = self.game.replace(**{key: changes[key] for key in ("box", "dimension") if key in changes})
        return bool(max(np.abs(game.low).max(), np.abs(game.high).max()) <= NEAR)

    def sized(self, game: Game, rounds: int) -> Game:
        """Return the game with the horizon `rounds` if the horizon is free, else the game itself."""
        return game.replace(rounds=max(rounds, 1)) if "rounds" in self.free else game

    def cut(self, rounds: int) -> int:
        """Return the number of rounds, cut to the longest match allowed."""
        return min(rounds, self.longest if "rounds" in self.free else self.game.rounds)

    def drawn(self, rng: np.random.Generator) -> Game:
        """Return the given game with random values in some of the free fields."""
        low = float(rng.choice([-1.0, -1.0, -1.0, 0.0, 3.0, -30.0, 90.0]))
        width = float(rng.choice([0.5, 2.0, 2.0, 5.0, 60.0])) if low != -1.0 else 2.0
        kernel = str(rng.choice(self.kernels))
        if kernel in UNEVEN:
            low, width = -1.0, 2.0
        wanted = {
            "dimension": int(rng.choice([1, 2, 3, 4, 5, 8], p=[0.25, 0.25, 0.2, 0.1, 0.1, 0.1])),
            "box": (low, low + width),
            "kernel": kernel,
            "regularisation": float(rng.choice([0.1, 0.5, 1.0, 5.0, 30.0, 100.0, 1000.0])),
            "label_bound": float(rng.choice([1.0, 1.0, 3.0, 0.2])),
            "loss": str(rng.choice([self.game.loss.name, *self.losses])),
        }
        if wanted["loss"] == self.game.loss.name:
            del wanted["loss"]
        return self.varied(**{key: value for key, value in wanted.items() if rng.random() < 0.6})


def survey(
    learner: Learner,
    theorems: Sequence[Theorem],
    game: Game,
    fixed: Sequence[str],
    longest: int,
    play: Play,
    patience: float = math.inf,
) -> GameSpace:
    """Play short matches to find out which fields of the game are free; those in `fixed` are not.

    If the first match takes longer than `patience` seconds, it remains the only one.
    """
    free = {"dimension", "box"} - set(fixed)
    scripts = _scripts(game)
    started = time.monotonic()
    if _completed(play, scripts[0], game) is None or time.monotonic() - started > patience:
        return GameSpace(game, frozenset(free - {"dimension"}), (), longest)
    if isinstance(learner, Guest) and not hasattr(learner.guest, "begin") and not _copes_with_dimensions(play, game):
        free.discard("dimension")
    plain = [_completed(play, each, game) for each in scripts]
    if any(run is None for run in plain):
        return GameSpace(game, frozenset(free), (), longest)
    probes = _Probes(play, theorems, scripts, [run for run in plain if run is not None], _built_in(learner))
    free |= {
        field for field in UNUSUAL if field != "loss" and field not in fixed and probes.frees(field, UNUSUAL[field])
    }
    if "label_bound" in free and not probes.built_in and _clips(play, game):
        free.discard("label_bound")
    losses = () if "loss" in fixed else tuple(loss for loss in LOSSES if probes.suits(loss))
    uneven = tuple(kernel for kernel in UNEVEN if "kernel" in free and probes.frees("kernel", kernel))
    return GameSpace(game, frozenset(free | {"loss"} if losses else free), losses, longest, (*KERNELS, *uneven))


def _scripts(game: Game) -> list[Script]:
    """Return a few sequences, varied enough that a learner that reads a field predicts differently on one of them."""
    rng, rounds = np.random.default_rng(0), min(game.rounds, 24)
    kinds = (
        ("several points", "labels of any size"),
        ("points anywhere", "labels of a function"),
        ("far corner", "constant labels"),
    )
    return [script(points, labels, game, rng, rounds) for points, labels in kinds]


def _built_in(learner: Learner) -> bool:
    """Return whether a built-in learner promises the theorems; such learners take the whole game into account."""
    for cls in type(learner).__mro__:
        if "theorems" in vars(cls):
            return cls.__module__.startswith("arena.learners.")
    return False


@dataclass(frozen=True)
class _Probes:
    """Short matches in the given game, to be compared with the same matches in other games."""

    play: Play
    theorems: Sequence[Theorem]
    scripts: Sequence[Script]
    plain: Sequence[Transcript]
    built_in: bool

    def frees(self, field: str, value: Any) -> bool:
        """Return whether the field may take another value: the learner reads it, or no theorem depends on it.

        A kernel that a learner does not read is never changed, since the regret is defined by it.
        """
        other = self._other(field, value)
        runs = self._runs_in(other)
        if not runs:
            return False
        return self.built_in or self._reads(runs) or (field != "kernel" and self._unconcerned(other, field))

    def suits(self, loss: str) -> bool:
        """Return whether the hunt may use this loss: some theorem applies with it, and it is free as in `frees`."""
        other = self._other("loss", loss)
        runs = self._runs_in(other)
        if not any(verdict.applicable for run in runs for verdict in judge_all(run, self.theorems)):
            return False
        return self.built_in or self._reads(runs) or self._unconcerned(other, "loss")

    def _runs_in(self, other: Game) -> list[Transcript]:
        """Play the same matches in another game, and return them; an empty list if the learner cannot play there."""
        runs = [_completed(self.play, each, other) for each in self.scripts]
        return [] if any(run is None for run in runs) else [run for run in runs if run is not None]

    def _other(self, field: str, value: Any) -> Game:
        plain = self.plain[0].game
        return plain.replace(**{field: build(field, value) if field in ("kernel", "loss") else value})

    def _reads(self, runs: Sequence[Transcript]) -> bool:
        """Return whether the learner reads the field: its predictions differ from those in the given game."""
        pairs = zip(runs, self.plain, strict=True)
        return any(not _alike(run.predictions, plain.predictions) for run, plain in pairs)

    def _unconcerned(self, other: Game, field: str) -> bool:
        """Return whether no theorem's verdict on these matches depends on the field."""
        return all(_says_the_same(theorem, run, other, field) for theorem in self.theorems for run in self.plain)


def _copes_with_dimensions(play: Play, game: Game) -> bool:
    """Return whether a learner without `begin`, which cannot know the dimension, takes points of any dimension."""
    others = [game.replace(dimension=dimension) for dimension in (1, 3, 8)]
    return all(_completed(play, _scripts(other)[0], other) is not None for other in others)


def _completed(play: Play, moves: Script, game: Game) -> Transcript | None:
    """Play and return the match; None if it cannot be played to its end."""
    try:
        run = play(Candidate("a probe", game, moves=moves, stepwise=False))
    except ArenaError:
        return None
    return None if run is None or run.forfeit is not None or run.rounds < len(moves) else run


def _alike(some: Array, others: Array) -> bool:
    return bool(np.allclose(some, others, rtol=1e-9, atol=1e-12))


def _says_the_same(theorem: Theorem, run: Transcript, other: Game, field: str) -> bool:
    """Return whether the theorem's curves are the same in the other game; for another B `allowed` may scale as B^2."""
    (here,), (there,) = judge_all(run, [theorem]), judge_all(replace(run, game=other), [theorem])
    if not (here.applicable and there.applicable):
        return False
    if not _alike(_curve(here.measured_curve), _curve(there.measured_curve)):
        return False
    scales = [1.0]
    if field == "label_bound":
        scales.append((other.label_bound / run.game.label_bound) ** 2)
    return any(_alike(_curve(there.allowed_curve), scale * _curve(here.allowed_curve)) for scale in scales)


def _curve(curve: Array | None) -> Array:
    assert curve is not None
    return curve


def _clips(play: Play, game: Game) -> bool:
    """Return whether the learner clips predictions at a limit of its own: with constant labels B they stop below B.

    The predictions of a learner that clips labels instead would still move a little in every round.
    """
    larger = game.replace(label_bound=3.0 * game.label_bound, rounds=max(game.rounds, 60))
    moves = script("one point", "constant labels", larger, np.random.default_rng(0), min(larger.rounds, 60))
    run = _completed(play, moves, larger)
    if run is None:
        return True
    last = run.predictions[-CONSTANT:]
    return bool(np.ptp(last) <= 1e-13 * np.abs(last).max() and 0.3 < np.abs(last[-1]) < 0.9 * larger.label_bound)
