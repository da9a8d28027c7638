"""`Rebuilt`, which makes a learner copyable: the copy is a new learner that plays the rounds again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.guards.user_code import tolerated
from arena.players.learner import Learner, as_learner
from arena.record.theorem import Theorem
from arena.specs.building import build, makes_players


class Rebuilt(Learner):
    """Learner that can be copied; it passes every call on to the learner that `make` returns.

    A deep copy calls `make` again, and the new learner plays all rounds so far.
    """

    def __init__(self, make: Callable[[], Learner]):
        self.make, self.learner = make, make()
        self.moves: list[tuple[Array, float | None]] = []  # points that were revealed, and labels that were learned

    @property
    def theorems(self) -> Sequence[Theorem]:
        return self.learner.theorems

    @property
    def foresight(self) -> bool:
        return self.learner.foresight

    @property
    def dictionary_size(self) -> int | None:
        return self.learner.dictionary_size

    @property
    def remark(self) -> str:
        return self.learner.remark

    def evidence(self) -> Mapping[str, Any]:
        return self.learner.evidence()

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.start, self.moves = game, copy.deepcopy(rng), []
        self.learner = self.make()
        self.learner.begin(game, rng)

    def reveal(self, x: Array) -> None:
        self.moves.append((x.copy(), None))
        self.learner.reveal(x)

    def predict(self, x: Array) -> float:
        return self.learner.predict(x)

    def peek(self, X: Array) -> Array:
        return self.learner.peek(X)

    def update(self, x: Array, y: float) -> None:
        self.moves.append((x.copy(), y))
        self.learner.update(x, y)

    def __deepcopy__(self, memo: Any) -> Rebuilt:
        twin = Rebuilt(self.make)
        if hasattr(self, "game"):
            twin.game, twin.start, twin.moves = self.game, self.start, list(self.moves)
            twin.learner.begin(self.game, copy.deepcopy(self.start))
            for x, y in self.moves:
                twin.learner.reveal(x) if y is None else twin.learner.update(x, y)
        return twin


def begun(given: object, game: Game, rng: np.random.Generator) -> Learner:
    """Return a learner that has begun a match and can be copied; `given` is a spec, a class or an object.

    If `given` is a spec or a class whose learners cannot be copied, return a `Rebuilt`: each copy of it is a new
    learner that plays all rounds again. If `given` is an object that cannot be copied, raise an `ArenaError`.
    """
    learner, start = _made(given), copy.deepcopy(rng)
    learner.begin(game, rng)
    with tolerated():
        copy.deepcopy(learner)
        return learner
    if not makes_players(given):
        raise ArenaError(
            f"{type(given).__name__} cannot be copied: give its class or its spec, which makes another one"
        )
    rebuilt = Rebuilt(lambda: _made(given))
    rebuilt.begin(game, start)
    return rebuilt


def _made(given: object) -> Learner:
    """Return a deep copy of the learner that `given` describes; if it cannot be copied, the learner itself."""
    built = as_learner(build("learner", given))
    with tolerated():
        return copy.deepcopy(built)
    return built
