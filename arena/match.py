"""The engine: one learner, one adversary, one game, played by the rules."""

from __future__ import annotations

import functools
import platform
import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy
from threadpoolctl import ThreadpoolController

from arena.adversary import Adversary, as_adversary
from arena.arrays import Array
from arena.building import build, spec_text
from arena.errors import ArenaError
from arena.game import Game
from arena.hindsight import RidgeComparator
from arena.learner import Guest, Learner, as_learner
from arena.posterior import shared_factors
from arena.referee import (
    Forfeit,
    Foul,
    ask,
    first_illegal_move,
    first_illegal_prediction,
    foul_from,
    legal_label,
    legal_moves,
    legal_point,
    legal_prediction,
    legal_predictions,
)
from arena.transcript import EXACT_LIMIT, Ending, Transcript
from arena.version import __version__
from arena.view import Record, View

BLOCK = 4096  # rounds of an oblivious adversary that are played together
Progress = Callable[[int], None]
Hindsight = Literal["auto", "exact", "none"]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in mid-match; `transcript` holds what was played."""

    def __init__(self, transcript: Transcript):
        super().__init__(f"interrupted after {transcript.rounds} rounds")
        self.transcript = transcript


def play(
    learner: Any,
    adversary: Any,
    *,
    game: Game | None = None,
    seed: int = 0,
    hindsight: Hindsight = "auto",
    progress: Progress | None = None,
    **fields: Any,
) -> Transcript:
    """Play a match and return its transcript.

    Learner and adversary are objects, classes or specs. The game is given whole or by its fields:

    >>> run = play("kernel-awv", "alternating", rounds=100, kernel="gaussian(bandwidth=2)")
    >>> run.verdict("awv-leverage").holds
    True
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ArenaError(f"seed must be a whole number >= 0, but it is {seed!r}")
    if hindsight not in ("auto", "exact", "none"):
        raise ArenaError(f"hindsight must be auto, exact or none, but it is {hindsight!r}")
    if game is not None and not isinstance(game, Game):
        raise ArenaError(f"game must be a Game, but it is a {type(game).__name__}")
    playing = as_learner(build("learner", learner))
    opposing = as_adversary(build("adversary", adversary))
    arranged = opposing.arrange(game or Game()) if not fields or game is None else game
    match = Match(playing, opposing, arranged.replace(**fields), int(seed), hindsight, progress)
    with _one_thread().limit(limits=1), shared_factors():
        return match.run()


@functools.cache
def _one_thread() -> ThreadpoolController:
    """Small matrices on many threads are several times slower; parallelism belongs between matches."""
    return ThreadpoolController()


class Match:
    """A match while it is being played."""

    def __init__(
        self,
        learner: Learner,
        adversary: Adversary,
        game: Game,
        seed: int,
        hindsight: Hindsight,
        progress: Progress | None,
    ):
        self.learner, self.adversary, self.game, self.seed = learner, adversary, game, seed
        self.record = Record(game)
        squared = game.loss.name == "squared"
        self.comparator = RidgeComparator(game.kernel, game.regularisation) if squared else None
        exact = hindsight == "exact" or (hindsight == "auto" and game.rounds <= EXACT_LIMIT)
        self.hindsight_mode: Literal["exact", "none"] = "exact" if exact else "none"
        self.view = View(game, self.record, learner.peek, self.comparator, oblivious=adversary.oblivious)
        self.progress = progress or _silent
        self.sizes: list[tuple[int, int]] = []
        self.forfeit: Forfeit | None = None
        self.ended: Ending = "completed"
        self._tracks_size = type(learner).dictionary_size is not Learner.dictionary_size

    def run(self) -> Transcript:
        """Play to the end, whichever it is."""
        try:
            self._begin()
            self._play_blocks() if self.adversary.oblivious else self._play_rounds()
        except Foul as foul:
            self.ended = "forfeit"
            self.forfeit = Forfeit(foul.side, self._round_of(foul), foul.reason, foul.details)
        except KeyboardInterrupt:
            self.ended = "interrupted"
            raise Interrupted(self._transcript()) from None
        return self._transcript()

    def _begin(self) -> None:
        self._begun = False
        for_learner, for_adversary = (np.random.default_rng(s) for s in np.random.SeedSequence(self.seed).spawn(2))
        ask("learner", self.learner.begin, self.game, for_learner)
        ask("adversary", self.adversary.begin, self.game, for_adversary)
        self._begun = True

    def _play_rounds(self) -> None:
        """Round by round, against an adversary that watches."""
        learner, adversary, record = self.learner, self.adversary, self.record
        for done in range(self.game.rounds):
            point = ask("adversary", adversary.point, self.view)
            if point is None:
                self.ended = "exhausted"
                return
            x = _frozen(legal_point(self.game, point))
            self._check_moves(x[np.newaxis], np.zeros(1))
            started = time.perf_counter()
            ask("learner", learner.reveal, x)
            prediction = legal_prediction(ask("learner", learner.predict, x))
            thinking = time.perf_counter() - started
            y = legal_label(ask("adversary", adversary.label, self.view, x, prediction))
            self._check_moves(x[np.newaxis], np.array([y]))
            started = time.perf_counter()
            ask("learner", learner.update, x, y)
            record.seconds.append(thinking + time.perf_counter() - started)
            record.points.append(x)
            record.predictions.append(prediction)
            record.labels.append(y)
            self._note_size()
            self.progress(done + 1)

    def _play_blocks(self) -> None:
        """Block by block, against an adversary that does not watch."""
        while len(self.record.labels) < self.game.rounds:
            start = len(self.record.labels)
            wanted = min(BLOCK, self.game.rounds - start)
            foul = self._gather(wanted)
            X, y = self.record.points.view()[start:], self.record.labels.view()[start:]
            self._answer(X, y)
            if foul:
                raise foul
            if len(X) < wanted:
                self.ended = "exhausted"
                return
            self.progress(len(self.record.labels))

    def _gather(self, wanted: int) -> Foul | None:
        """Record the adversary's next moves, up to its first foul, which is returned."""
        start, record = len(self.record.labels), self.record
        try:
            if type(self.adversary).block is Adversary.block:
                self._gather_one_by_one(wanted)
            else:
                self._gather_blocks(wanted)
            foul = None
        except Foul as raised:
            foul = raised
        except Exception as error:
            foul = foul_from("adversary", "its move", error)
        size = len(record.labels)
        illegal = first_illegal_move(self.game, record.points.view()[start:size], record.labels.view()[start:])
        if illegal:
            size, foul = start + illegal[0], Foul("adversary", illegal[1])
        record.points.shrink(size)
        record.labels.shrink(size)
        return foul

    def _gather_one_by_one(self, wanted: int) -> None:
        point, label, view, nan = self.adversary.point, self.adversary.label, self.view, np.nan
        points, labels = self.record.points, self.record.labels
        for _ in range(wanted):
            raw = point(view)
            if raw is None:
                return
            x = legal_point(self.game, raw)
            points.append(x)
            labels.append(legal_label(label(view, x, nan)))

    def _gather_blocks(self, wanted: int) -> None:
        stop = len(self.record.labels) + wanted
        while (missing := stop - len(self.record.labels)) > 0:
            X, y = legal_moves(self.game, *self.adversary.block(self.view, missing))
            if not len(X):
                return
            self.record.points.extend(X[:missing])
            self.record.labels.extend(y[:missing])

    def _answer(self, X: Array, y: Array) -> None:
        """Let the learner play these rounds; predictions before a foul are kept."""
        started = time.perf_counter()
        try:
            if type(self.learner).replay is Learner.replay:
                self._answer_one_by_one(X, y)
            else:
                self._answer_block(X, y)
        finally:
            rounds = len(self.record.predictions) - len(self.record.seconds)
            each = (time.perf_counter() - started) / max(rounds, 1)
            self.record.seconds.extend(np.full(rounds, each))
        self._note_size()

    def _answer_block(self, X: Array, y: Array) -> None:
        raw = ask("learner", self.learner.replay, X, y)
        predictions = legal_predictions(raw, len(X), "replay")
        illegal = first_illegal_prediction(predictions)
        self.record.predictions.extend(predictions[:illegal])
        if illegal is not None:
            raise Foul("learner", f"the prediction is {predictions[illegal]}")

    def _answer_one_by_one(self, X: Array, y: Array) -> None:
        learner, predictions, infinity = _innermost(self.learner), self.record.predictions, np.inf
        predict, update = learner.predict, learner.update
        reveal = learner.reveal if self._reveals(learner) else None
        try:
            for x, label in zip(X, y.tolist(), strict=True):
                if reveal:
                    reveal(x)
                prediction = predict(x)
                if type(prediction) is not float or not -infinity < prediction < infinity:
                    prediction = legal_prediction(prediction)
                predictions.append(prediction)
                update(x, label)
                if self._tracks_size:
                    self._note_size()
        except Foul:
            raise
        except Exception as error:
            raise foul_from("learner", "its move", error) from error

    @staticmethod
    def _reveals(learner: Any) -> bool:
        return getattr(type(learner), "reveal", Learner.reveal) is not Learner.reveal

    def _check_moves(self, X: Array, y: Array) -> None:
        illegal = first_illegal_move(self.game, X, y)
        if illegal:
            raise Foul("adversary", illegal[1])

    def _note_size(self) -> None:
        if self._tracks_size:
            size = self.learner.dictionary_size
            if size is not None and (not self.sizes or self.sizes[-1][1] != size):
                self.sizes.append((len(self.record.predictions), size))

    def _round_of(self, foul: Foul) -> int:
        """The round in which the foul was committed; 0 before the first."""
        if not self._begun:
            return 0
        return len(self.record.labels if foul.side == "adversary" else self.record.predictions) + 1

    def _transcript(self) -> Transcript:
        record = self.record
        size = min(len(record.labels), len(record.predictions), len(record.seconds))
        points, labels = record.points.view()[:size], record.labels.view()[:size]
        promised = tuple(self.learner.theorems)
        transcript = Transcript(
            learner=spec_text(_innermost(self.learner)),
            adversary=spec_text(getattr(self.adversary, "guest", self.adversary)),
            game=self.game,
            seed=self.seed,
            points=points,
            labels=labels,
            predictions=record.predictions.view()[:size],
            seconds=record.seconds.view()[:size],
            sizes=np.array(self.sizes, dtype=float).reshape(-1, 2),
            ended=self.ended,
            forfeit=self.forfeit,
            theorems=tuple(spec_text(theorem) for theorem in promised),
            hindsight_mode=self.hindsight_mode,
            evidence=self._evidence(),
            header=_circumstances(),
            promised=promised,
        )
        if transcript.has_hindsight and self.comparator is not None:
            transcript.hindsights[self.game.regularisation] = self.comparator.hindsight(points, labels)
        return transcript

    def _evidence(self) -> dict[str, Array]:
        if self.forfeit:
            return {}
        return {key: np.asarray(value) for key, value in self.learner.evidence().items()}


def _silent(done: int) -> None:
    """No progress is shown."""


def _innermost(learner: Learner) -> Any:
    return learner.guest if isinstance(learner, Guest) else learner


def _frozen(x: Array) -> Array:
    own = x.copy()
    own.flags.writeable = False
    return own


def _circumstances() -> dict[str, str]:
    return {
        "arena": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
