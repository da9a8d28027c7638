"""A learner whose labels arrive late, or many at a time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.learner import Learner, as_learner
from arena.players.rebuilt import begun
from arena.specs.building import build
from arena.specs.parameters import parameter


@dataclass
class LateLabels(Learner):
    """Plays another learner, which receives its labels late, in batches of `batch` labels.

    The last label of a batch is `delay` rounds late; the labels before it wait longer. The other learner predicts
    without the labels that have not arrived yet. Labels that have not arrived when the match ends are lost. With delay
    0 and batches of 1 the predictions are the other learner's own. A batch arrives in one call of the other learner's
    `update_many`, which is

    - for a scikit-learn model one `partial_fit`;
    - for a river pipeline one `learn_many`, if all its parts have this method;
    - for a PyTorch module one step on the mean loss;
    - for any other learner one `update` for each label.

    >>> from arena import play
    >>> at_once = play("kernel-awv", "realisable", rounds=50)
    >>> late = play("late-labels(of=kernel-awv, delay=10)", "realisable", rounds=50)
    >>> late.loss > at_once.loss
    True
    """

    name: ClassVar[str] = "late-labels"
    family: ClassVar[str] = "streams"
    paper: ClassVar[str] = "Weinberger and Ordentlich 2002; Joulani, Gyorgy and Szepesvari 2013"
    cost: ClassVar[str] = "that of the other learner, and O((delay + batch) d) memory"

    of: object = parameter("kernel-awv", "the learner")
    delay: int = parameter(5, "rounds by which each label is late", at_least=0)
    batch: int = parameter(1, "labels that arrive together", at_least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._untrained = as_learner(build("learner", self.of))
        if self._untrained.foresight:
            raise ArenaError("late-labels: a learner that must know all moves beforehand cannot wait for labels")

    @property
    def memory_growth(self) -> str | None:
        """The growth of the other learner's memory; None if it is unknown."""
        return getattr(self._untrained, "memory_growth", None)

    @property
    def dictionary_size(self) -> int | None:
        return self.learner.dictionary_size

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.learner = begun(self.of, game, rng)
        self.waiting: deque[tuple[Array, float]] = deque()

    def peek(self, X: Array) -> Array:
        return self.learner.peek(X)

    def predict(self, x: Array) -> float:
        return self.learner.predict(x)

    def reveal(self, x: Array) -> None:
        if self._at_once:
            self.learner.reveal(x)

    def update(self, x: Array, y: float) -> None:
        # `update_many` would reveal the point a second time, and toss the coins that depend on it again
        if self._at_once:
            self.learner.update(x, y)
            return
        self.waiting.append((x.copy(), y))
        if len(self.waiting) >= self.delay + self.batch:
            late = [self.waiting.popleft() for _ in range(self.batch)]
            self.learner.update_many(np.array([x for x, _ in late]), np.array([y for _, y in late]))

    @property
    def _at_once(self) -> bool:
        """True if every label arrives in its own round."""
        return self.delay == 0 and self.batch == 1
