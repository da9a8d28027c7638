"""A learner that plays in a process of its own."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.engine.code_transfer import names_in
from arena.engine.isolated_process import GivenWithCheck
from arena.engine.isolation import Dialogue, Isolation, foul_of
from arena.errors import ArenaError, bounded
from arena.game.game import Game
from arena.players.learner import Learner
from arena.players.referee import Foul, legal_prediction, legal_predictions
from arena.players.view import Record
from arena.record.theorem import Theorem
from arena.specs.addresses import names_code
from arena.specs.building import build
from arena.specs.grammar import parse_spec
from arena.specs.spelling import is_unnamed, spec_text


class Isolated(Dialogue, Learner):
    """Learner that forwards the calls of its methods to a learner in another process.

    The other process makes that learner from `given`, a spec, class or object, and then calls `check()`, which may
    raise an `ArenaError`. In messages, `name` stands for the learner until the learner is made.
    """

    def __init__(self, given: Any, limits: Isolation, *, name: str = "", check: Callable[[], None] | None = None):
        super().__init__(given if check is None else GivenWithCheck(given, check), limits)
        self.another = functools.partial(Isolated, given, limits, name=name, check=check)
        self.blocks: list[int] = []  # number of rounds of each block that was answered
        self.name_of_learner = name or (given if isinstance(given, str) else type(given).__name__)
        self.known: dict[str, Any] = {"foresight": False, "tracks": False}
        self.revealed = False
        self.promises: tuple[str, ...] = ()  # specs of all theorems that the learner promises
        self.size: int | None = None
        try:
            self.known = self._ask("make")[0]
            self.name_of_learner = bounded(str(self.known["name"]))
        except Foul as foul:
            self.broken = foul  # raised by `begin`, before the first round
        except BaseException:
            self.close()
            raise

    @property
    def unnamed(self) -> str:
        """The reason why the learner has no spec; empty if it has one."""
        return bounded(str(self.known.get("unnamed", "")))

    # The methods of a learner

    @property
    def foresight(self) -> bool:
        return self.known.get("foresight") is True

    @property
    def tracks_size(self) -> bool:
        """True if the learner reports the size of its dictionary."""
        return self.known.get("tracks") is True

    @property
    def has_features(self) -> bool:
        """True if the learner can play a very long match through features when it is not isolated."""
        return self.known.get("features") is True

    @property
    def memory_growth(self) -> str:
        """The growth of the learner's memory with the rounds, such as "linear"; "" if the learner does not state it."""
        return str(self.known.get("growth", ""))

    @property
    def theorems(self) -> Sequence[Theorem]:
        """The promised theorems that the arena itself defines.

        Users' own theorems are left out, because their code is not run in this process.
        """
        texts = self.promises = tuple(bounded(str(text)) for text in self._ask("promises")[0]["theorems"])
        return tuple(build("theorem", text) for text in texts if not (names_code(text) or is_unnamed(text)))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if self.broken:
            raise self.broken
        if self.confined:  # a forked process knows the classes that this one knows
            for kind, part in (("kernel", game.kernel), ("loss", game.loss)):
                for name in names_in(parse_spec(spec_text(part))):
                    if names_code(name):
                        self._ask("load", kind, name)
        self.start = (game, rng)  # the generator is copied into the other process, and stays as it is here
        self._ask("begin", game, rng)

    def reveal(self, x: Array) -> None:
        self.revealed = True  # sent together with the request of `predict`, which follows

    def predict(self, x: Array) -> float:
        revealed, self.revealed = self.revealed, False
        return legal_prediction(self._ask("predict", x, revealed=revealed)[0]["prediction"])

    def peek(self, X: Array) -> Array:
        return legal_predictions(self._ask("peek", X)[1][0], len(X), "peek")

    def update(self, x: Array, y: float) -> None:
        self.size = self._ask("update", x, y, noted=self.tracks_size)[0].get("size")

    def check_last_question(self, x: Array, prediction: float) -> None:
        """Raise a `Foul` if `update` depends on the point of the last call of `predict`.

        In a copy of the learner, `predict` is called at another point just before `update`; this must not change later
        predictions. `x` is the point of the present round, and `prediction` is the learner's prediction at `x`.
        """
        self._ask("question", x, prediction)

    @property
    def dictionary_size(self) -> int | None:
        return self.size

    def answer(self, record: Record, sizes: list[tuple[int, int]], X: Array, y: Array) -> None:
        """Let the learner play the points `X` and labels `y`; add its predictions and times to `record`.

        `sizes` gets a pair (round, size) for each change of the size of the learner's dictionary. A `Foul` is raised if
        the learner commits one, or if its process ends. The rounds before the foul are recorded, if possible.
        """
        try:
            self._answer(record, sizes, X, y)
            self.blocks.append(len(X))
        except Foul:
            if self.died and len(X) > 1 and not self.foresight:
                self._answer_to_the_end(record, sizes, X, y)
            raise

    def _answer_to_the_end(self, record: Record, sizes: list[tuple[int, int]], X: Array, y: Array) -> None:
        """Record the rounds that the learner played before its process ended in the block (`X`, `y`).

        To find these rounds, a second process plays the match again: first the earlier blocks, then the rows of `X` and
        `y` one by one. Nothing is recorded if the second process predicts differently in the earlier blocks, or if it
        does not end in this block, too.
        """
        played, repeated = len(record.predictions), Record(self.start[0])
        repeated_sizes: list[tuple[int, int]] = []
        points, labels = record.points.view(), record.labels.view()
        with self.another() as twin:
            with contextlib.suppress(Foul, ArenaError):
                twin.begin(*self.start)
                for rounds in [*self.blocks, *[1] * len(X)]:
                    done = len(repeated.predictions)
                    if done == played and not np.array_equal(repeated.predictions.view(), record.predictions.view()):
                        return
                    now = slice(done, done + rounds)
                    twin._answer(repeated, repeated_sizes, points[now], labels[now])
            if twin.died and len(repeated.predictions) > played:
                record.predictions.extend(repeated.predictions.view()[played:])
                record.seconds.extend(repeated.seconds.view()[played:])
                sizes[:] = repeated_sizes

    def _answer(self, record: Record, sizes: list[tuple[int, int]], X: Array, y: Array) -> None:
        played = len(record.predictions)
        content, arrays = self._ask("block", X, y, played, noted=self.tracks_size, raises=False)
        if len(arrays) != 2 or len(arrays[0]) != len(arrays[1]) or len(arrays[0]) > len(X):
            raise self._end("its process answered what no learner answers")
        predictions = legal_predictions(arrays[0], len(arrays[0]), "replay")
        record.predictions.extend(predictions)
        record.seconds.extend(arrays[1])
        for rounds, size in content.get("sizes", ()):
            self.size = number = int(size)
            if not sizes or sizes[-1][1] != number:
                sizes.append((int(rounds), number))
        if "foul" in content:
            raise foul_of(content)
        if len(predictions) < len(X):
            raise self._end("its process answered fewer rounds than were asked")

    def evidence(self) -> Mapping[str, Any]:
        content, arrays = self._ask("evidence")
        return dict(zip(map(str, content["names"]), arrays, strict=True))

    @property
    def remark(self) -> str:
        return bounded(str(self._ask("remark")[0]["remark"]))

    def __deepcopy__(self, memo: Any) -> Isolated:
        raise TypeError("an isolated learner cannot be copied")
