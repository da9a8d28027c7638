"""The games in which a hunt may test a learner against its theorems.

The hunt varies only the free fields of the game, which `survey` finds by playing short matches. A field that the user
fixed is not free. Among the other fields,

- the box is free;
- the dimension is free if the learner can play in several dimensions;
- the kernel is free if the learner's predictions change with it;
- each further field is free if the learner's predictions change with it, or if no theorem depends on it.

A learner that ignores a field was written for one value of it. If a theorem depends on the field, the learner need not
obey the theorem with another value.
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
from arena.hunt.target import verdict_on
from arena.players.learner import Learner, UserLearner
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.building import build

KERNELS = ("gaussian(bandwidth=0.3)", "gaussian", "gaussian(bandwidth=2)", "laplacian", "gaussian(bandwidth=0.1)")
UNEVEN = ("linear(offset=1)", "polynomial(degree=2)")  # their k(x, x) is not 1 and depends on x
LOSSES = ("hinge", "logistic", "smooth-hinge", "absolute")
UNUSUAL = {  # for each field, a value that shows whether learner or theorem depends on the field
    "rounds": 1000,
    "kernel": "laplacian(bandwidth=0.5)",
    "regularisation": 7.0,
    "label_bound": 3.0,
    "loss": "logistic",
}
NEAR = 3.0  # largest distance from the origin, in each coordinate, for `UNEVEN`: farther away their values are huge
CONSTANT = 12  # rounds at the end of many equal labels, in which a learner that clips predicts the same value

Play = Callable[[Candidate], Transcript | None]


@dataclass(frozen=True)
class GameSpace:
    """The games of a hunt: the given game, the names of its `free` fields, and the losses and kernels to try.

    The hunt may vary the free fields. `longest` is the largest number of rounds of a match.
    """

    game: Game
    free: frozenset[str]
    losses: tuple[str, ...] = ()
    longest: int = 2100
    kernels: tuple[str, ...] = KERNELS

    def varied(self, **wanted: Any) -> Game:
        """Return the given game with the values in `wanted`; fields that must not be varied keep their values.

        A kernel or a loss is given as a spec. A kernel whose k(x, x) depends on x (`UNEVEN`) is used only if it is in
        `kernels` and the box lies within [-`NEAR`, `NEAR`] in each coordinate; otherwise the game keeps its kernel.
        """
        changes = {key: value for key, value in wanted.items() if key in self.free}
        if changes.get("kernel") in UNEVEN and not (changes["kernel"] in self.kernels and self._near(changes)):
            del changes["kernel"]
        for kind in ("kernel", "loss"):
            if kind in changes:
                changes[kind] = build(kind, changes[kind])
        return self.game.replace(**changes)

    def _near(self, changes: dict[str, Any]) -> bool:
        """Return whether the box of the game with these changes lies within [-`NEAR`, `NEAR`] in each coordinate."""
        game = self.game.replace(**{key: changes[key] for key in ("box", "dimension") if key in changes})
        return bool(max(np.abs(game.low).max(), np.abs(game.high).max()) <= NEAR)

    def sized(self, game: Game, rounds: int) -> Game:
        """Return the game with the horizon `rounds`, or the game unchanged if the horizon must not be varied."""
        return game.replace(rounds=max(rounds, 1)) if "rounds" in self.free else game

    def candidate(self, kind: str, game: Game, moves: Script, *, stepwise: bool) -> Candidate:
        """Return the candidate that plays these moves, cut to the largest number of rounds that a match may have.

        The horizon becomes the number of moves, unless it must not be varied.
        """
        size = self.cut(len(moves))
        return Candidate(kind, self.sized(game, size), moves=moves.first(size), stepwise=stepwise)

    def cut(self, rounds: int) -> int:
        """Return `rounds`, limited to the largest number of rounds that a match may have.

        The limit is `longest`, or the game's horizon if the horizon must not be varied.
        """
        return min(rounds, self.longest if "rounds" in self.free else self.game.rounds)

    def drawn(self, rng: np.random.Generator) -> Game:
        """Return the given game with random values in some of the fields that may be varied; the horizon is kept."""
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
    """Return the games in which the learner may be tested, found by playing short matches.

    `fixed` names the fields of the game that must not be varied. `play` plays a candidate and returns its transcript.
    If the learner does not complete the first match within `patience` seconds, no field but the box may be varied.
    """
    free = {"dimension", "box"} - set(fixed)
    scripts = _scripts(game)
    started = time.monotonic()
    if _completed(play, scripts[0], game) is None or time.monotonic() - started > patience:
        return GameSpace(game, frozenset(free - {"dimension"}), (), longest)
    # A learner without `begin` cannot read the game's dimension, and may have been written for one dimension.
    if (
        isinstance(learner, UserLearner)
        and not hasattr(learner.given, "begin")
        and not _copes_with_dimensions(play, game)
    ):
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
    """Return three sequences of moves, for tests of whether a learner's predictions depend on a field of the game."""
    rng, rounds = np.random.default_rng(0), min(game.rounds, 24)
    kinds = (
        ("several points", "labels of any size"),
        ("points anywhere", "labels of a function"),
        ("far corner", "constant labels"),
    )
    return [script(points, labels, game, rng, rounds) for points, labels in kinds]


def _built_in(learner: Learner) -> bool:
    """Return whether the learner's `theorems` are declared by one of the arena's own learner classes.

    Such a learner is known to heed every field of the game.
    """
    for cls in type(learner).__mro__:
        if "theorems" in vars(cls):
            return cls.__module__.startswith("arena.learners.")
    return False


@dataclass(frozen=True)
class _Probes:
    """Tests of whether the learner and the theorems depend on a field of the game.

    `plain` has the matches in the given game. Each test plays the moves of these matches in a game with another value
    of one field.
    """

    play: Play
    theorems: Sequence[Theorem]
    scripts: Sequence[Script]
    plain: Sequence[Transcript]
    built_in: bool

    def frees(self, field: str, value: Any) -> bool:
        """Return whether the hunt may vary a field of the game, judged by matches in which the field is `value`.

        The result is False if the learner does not complete these matches. Otherwise it is True in three cases:

        - The learner is one of the arena's own (`built_in`).
        - The learner's predictions change with the field.
        - No theorem depends on the field, and the field is not the kernel.
        """
        other = self._other(field, value)
        runs = self._runs_in(other)
        if not runs:
            return False
        return self.built_in or self._reads(runs) or (field != "kernel" and self._unconcerned(other, field))

    def suits(self, loss: str) -> bool:
        """Return whether the hunt may use this loss.

        The result is False if the learner does not complete matches with the loss, or if no theorem applies to them.
        Otherwise it is True if the learner is one of the arena's own (`built_in`), if its predictions change with the
        loss, or if no theorem depends on the loss.
        """
        other = self._other("loss", loss)
        runs = self._runs_in(other)
        if not any(verdict_on(theorem, run).applicable for run in runs for theorem in self.theorems):
            return False
        return self.built_in or self._reads(runs) or self._unconcerned(other, "loss")

    def _runs_in(self, other: Game) -> list[Transcript]:
        """Play all `self.scripts` in the game `other`; return the matches, or [] if one of them is not completed."""
        runs = [_completed(self.play, each, other) for each in self.scripts]
        return [] if any(run is None for run in runs) else [run for run in runs if run is not None]

    def _other(self, field: str, value: Any) -> Game:
        plain = self.plain[0].game
        return plain.replace(**{field: build(field, value) if field in ("kernel", "loss") else value})

    def _reads(self, runs: Sequence[Transcript]) -> bool:
        """Return whether the learner's predictions in `runs` differ from those in `self.plain`.

        `runs` have the same moves as the matches in `self.plain`, and another value of one field of the game.
        """
        pairs = zip(runs, self.plain, strict=True)
        return any(not _alike(run.predictions, plain.predictions) for run, plain in pairs)

    def _unconcerned(self, other: Game, field: str) -> bool:
        """Return whether no theorem depends on `field`, which has another value in the game `other`.

        The matches in `self.plain` are judged as they were played, and as if they had been played in the game `other`.
        Every theorem must apply both times, with the same curves.
        """
        # for another label bound, the allowed curve may grow with the square of the bound
        return all(_says_the_same(theorem, run, other, field) for theorem in self.theorems for run in self.plain)


def _copes_with_dimensions(play: Play, game: Game) -> bool:
    """Return whether the learner completes matches whose points have 1, 3 and 8 coordinates."""
    others = [game.replace(dimension=dimension) for dimension in (1, 3, 8)]
    return all(_completed(play, _scripts(other)[0], other) is not None for other in others)


def _completed(play: Play, moves: Script, game: Game) -> Transcript | None:
    """Return the match with these moves; None if the learner refuses the game, or does not play all rounds."""
    try:
        run = play(Candidate("a probe", game, moves=moves, stepwise=False))
    except ArenaError:
        return None
    return None if run is None or run.forfeit is not None or run.rounds < len(moves) else run


def _alike(some: Array, others: Array) -> bool:
    return bool(np.allclose(some, others, rtol=1e-9, atol=1e-12))


def _says_the_same(theorem: Theorem, run: Transcript, other: Game, field: str) -> bool:
    """Return whether the theorem applies to the match in both games, `run.game` and `other`, with the same curves.

    If `field` is the label bound B, the allowed curves may differ by the factor (B in `other` / B in `run.game`)^2.
    """
    here, there = verdict_on(theorem, run), verdict_on(theorem, replace(run, game=other))
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
    """Return whether the learner clips its predictions at a limit of its own, as a match with equal labels shows.

    The result is also True if the learner does not complete this match.
    """
    larger = game.replace(label_bound=3.0 * game.label_bound, rounds=max(game.rounds, 60))
    moves = script("one point", "constant labels", larger, np.random.default_rng(0), min(larger.rounds, 60))
    run = _completed(play, moves, larger)
    if run is None:
        return True
    # All labels are B. A learner that clips predictions predicts the same value, smaller than B, in all late rounds.
    # The predictions of a learner that clips labels still change a little in every round.
    last = run.predictions[-CONSTANT:]
    return bool(np.ptp(last) <= 1e-13 * np.abs(last).max() and 0.3 < np.abs(last[-1]) < 0.9 * larger.label_bound)
