"""The games in which a theorem may be held against a learner.

A learner that is told the game may be tried in any. One that is not, such as a class with predict and update alone,
was written for one kernel and one lambda, and a theorem about other ones says nothing of it. So the fields of the game
are free only as far as the learner listens to them, or the theorems do not care: both are found out by asking.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.hunt.scripts import script
from arena.hunt.sequences import Candidate, Script
from arena.hunt.transcripts import relocated
from arena.hunt.trial import judged
from arena.players.learner import Guest, Learner
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.building import build

KERNELS = ("gaussian(bandwidth=0.3)", "gaussian", "gaussian(bandwidth=2)", "laplacian", "gaussian(bandwidth=0.1)")
UNEVEN = ("linear(offset=1)", "polynomial(degree=2)")  # k(x, x) is not one, and differs from point to point
LOSSES = ("hinge", "logistic", "smooth-hinge", "absolute")
ODD = {  # a value of each field that tells whether anybody cares
    "rounds": 1000,
    "kernel": "laplacian(bandwidth=0.5)",
    "regularisation": 7.0,
    "label_bound": 3.0,
    "loss": "logistic",
}
NEAR = 3.0  # from the origin
STEADY = 12  # rounds in which a learner that clips says the very same

Play = Callable[[Candidate], Transcript | None]


@dataclass(frozen=True)
class Ground:
    """The game that was given, the fields of it that may be changed, and the losses that some theorem speaks of."""

    game: Game
    free: frozenset[str]
    losses: tuple[str, ...] = ()
    longest: int = 2100
    kernels: tuple[str, ...] = KERNELS

    def varied(self, **wanted: Any) -> Game:
        """The game with these changes, as far as they are allowed; kernels and losses by their specs."""
        changes = {key: value for key, value in wanted.items() if key in self.free}
        if changes.get("kernel") in UNEVEN and not (changes["kernel"] in self.kernels and self._near(changes)):
            del changes["kernel"]
        for kind in ("kernel", "loss"):
            if kind in changes:
                changes[kind] = build(kind, changes[kind])
        return self.game.replace(**changes)

    def _near(self, changes: dict[str, Any]) -> bool:
        """Whether the box is near the origin: elsewhere such kernels are huge, and rounding errors with them."""
        game = self.game.replace(**{key: changes[key] for key in ("box", "dimension") if key in changes})
        return bool(max(np.abs(game.low).max(), np.abs(game.high).max()) <= NEAR)

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
) -> Ground:
    """Find out which fields of the game are free; those in `fixed` are not.

    A learner that takes longer than `patience` for the first question is asked no more.
    """
    free = {"dimension", "box"} - set(fixed)
    probes = _probes(game)
    started = time.monotonic()
    first = _answers(play, probes[0], game)
    if first is None or time.monotonic() - started > patience:
        return Ground(game, frozenset(free - {"dimension"}), (), longest)
    if "dimension" in free and isinstance(learner, Guest) and not hasattr(learner.guest, "begin"):
        free -= set() if _copes_with_dimensions(play, game) else {"dimension"}
    plain = [_answers(play, probe, game) for probe in probes]
    if any(run is None for run in plain):
        return Ground(game, frozenset(free), (), longest)
    asked = _Asked(play, theorems, probes, [run for run in plain if run is not None], _told_by_our_own(learner))
    free |= {field for field in ODD if field != "loss" and field not in fixed and asked.frees(field, ODD[field])}
    if "label_bound" in free and not asked.told and _clips(play, game):
        free.discard("label_bound")
    losses = () if "loss" in fixed else tuple(loss for loss in LOSSES if asked.suits(loss))
    uneven = tuple(kernel for kernel in UNEVEN if "kernel" in free and asked.frees("kernel", kernel))
    return Ground(game, frozenset(free | {"loss"} if losses else free), losses, longest, (*KERNELS, *uneven))


def _probes(game: Game) -> list[Script]:
    """A few sequences to ask with: anybody who cares shows it in one of them."""
    rng, rounds = np.random.default_rng(0), min(game.rounds, 24)
    kinds = (
        ("several points", "labels of any size"),
        ("points anywhere", "labels of a function"),
        ("far corner", "constant labels"),
    )
    return [script(points, labels, game, rng, rounds) for points, labels in kinds]


def _told_by_our_own(learner: Learner) -> bool:
    """Whether the class that makes the promises is one of the built-in learners, which listen to all of the game."""
    for cls in type(learner).__mro__:
        if "theorems" in vars(cls):
            return cls.__module__.startswith("arena.learners.")
    return False


@dataclass(frozen=True)
class _Asked:
    """What was answered in the game that was given; what is `told` by our own learners needs no asking."""

    play: Play
    theorems: Sequence[Theorem]
    probes: Sequence[Script]
    plain: Sequence[Transcript]
    told: bool

    def frees(self, field: str, value: Any) -> bool:
        """Whether the field may take another value: the learner listens, or no theorem cares.

        A kernel that a learner does not listen to is never changed: it is in the definition of the regret.
        """
        other = self._other(field, value)
        answers = [_answers(self.play, probe, other) for probe in self.probes]
        if any(run is None for run in answers):  # not a game for this learner
            return False
        return self.told or self._listens(answers) or (field != "kernel" and self._unconcerned(other, field))

    def suits(self, loss: str) -> bool:
        """Whether some theorem speaks of this loss, and the learner is told of it or need not be."""
        other = self._other("loss", loss)
        answers = [_answers(self.play, probe, other) for probe in self.probes]
        if any(run is None for run in answers):
            return False
        if not any(verdict.applicable for run in answers if run for verdict in judged(run, self.theorems)):
            return False
        return self.told or self._listens(answers) or self._unconcerned(other, "loss")

    def _other(self, field: str, value: Any) -> Game:
        plain = self.plain[0].game
        return plain.replace(**{field: build(field, value) if field in ("kernel", "loss") else value})

    def _listens(self, answers: Sequence[Transcript | None]) -> bool:
        pairs = zip(answers, self.plain, strict=True)
        return any(run is not None and not _alike(run.predictions, plain.predictions) for run, plain in pairs)

    def _unconcerned(self, other: Game, field: str) -> bool:
        """Whether all theorems say the same of a match, whatever the field."""
        return all(_says_the_same(theorem, run, other, field) for theorem in self.theorems for run in self.plain)


def _copes_with_dimensions(play: Play, game: Game) -> bool:
    """Whether a learner that is not told the dimension takes points of any."""
    others = [game.replace(dimension=dimension) for dimension in (1, 3, 8)]
    return all(_answers(play, _probes(other)[0], other) is not None for other in others)


def _probe(moves: Script, game: Game) -> Candidate:
    return Candidate("a probe", game, moves=moves, stepwise=False)


def _answers(play: Play, moves: Script, game: Game) -> Transcript | None:
    try:
        run = play(_probe(moves, game))
    except ArenaError:
        return None
    return None if run is None or run.forfeit is not None or run.rounds < len(moves) else run


def _alike(some: Array, others: Array) -> bool:
    return bool(np.allclose(some, others, rtol=1e-9, atol=1e-12))


def _says_the_same(theorem: Theorem, run: Transcript, other: Game, field: str) -> bool:
    """Whether the theorem measures and allows the same; a larger B may only make it allow more in proportion."""
    (here,), (there,) = judged(run, [theorem]), judged(relocated(run, other), [theorem])
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
