"""The opening: the fixed candidates that each hunt plays first.

Short sequences that expose the usual mistakes come before longer ones. The given game comes before other games.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.game.game import Game
from arena.hunt.candidates import Candidate
from arena.hunt.game_space import LOSSES, GameSpace
from arena.hunt.patterns import script, with_adaptive_signs
from arena.hunt.target import Target

SHORT_SCRIPTS = (  # points, labels, rounds
    ("one point", "constant labels", 12),
    ("one point", "alternating labels", 13),
    ("one point", "labels that turn", 20),
    ("pairs of equal points", "whisper and shout", 20),
    ("pairs of equal points", "whisper and contrary shout", 20),
    ("points anywhere", "labels by a coin", 20),
    ("points anywhere", "labels of a function", 30),
    ("steps along the axes", "whisper and shout", 16),
    ("steps along the axes", "whisper and contrary shout", 16),
    ("steps along the axes", "constant labels", 20),
    ("steps along the axes", "alternating labels", 20),
    ("one point", "whispers and a shout", 6),
    ("one point", "whispers and a contrary shout", 6),
    ("points anywhere", "whispers and a shout", 9),
    ("points anywhere", "whispers and a contrary shout", 9),
    ("far corner", "constant labels", 30),
    ("several points", "labels of any size", 40),
    ("few points", "constant labels", 25),
    ("points that return", "labels by a coin", 40),
    ("points along a line", "constant labels", 30),
    ("near duplicates", "alternating labels", 25),
    ("near duplicates", "labels of a function", 25),
    ("corners", "signs of a function", 30),
    ("points anywhere", "an outlier", 25),
    ("bursts of equal points", "labels by a coin", 40),
)
GAMES: tuple[dict[str, Any], ...] = (
    {},
    {"regularisation": 100.0},
    {"dimension": 1},
    {"box": (-100.0, 100.0)},
    {"regularisation": 20.0, "label_bound": 3.0, "kernel": "gaussian(bandwidth=0.3)"},
    {"dimension": 5, "kernel": "gaussian(bandwidth=2)"},
    {"dimension": 3, "box": (20.0, 22.0), "regularisation": 5.0},
    {"dimension": 2, "box": (-100.0, 100.0), "kernel": "laplacian(bandwidth=20)", "label_bound": 3.0},
    {"regularisation": 0.1, "dimension": 2, "box": (0.0, 5.0)},
    {"dimension": 8, "regularisation": 30.0},
    {"dimension": 2, "kernel": "linear(offset=1)", "regularisation": 2.0},
    {"dimension": 3, "kernel": "polynomial(degree=2)", "regularisation": 20.0},
)
LENGTHS = (80, 150, 300, 620, 1100, 2100)
LONG = (
    ("points anywhere", "labels of a function"),
    ("points that return", "whispers and a shout"),
    ("one point", "constant labels"),
    ("bursts of equal points", "labels that turn"),
    ("points anywhere", "labels by a coin"),
    ("one point", "alternating labels"),
    ("points that return", "constant labels"),
    ("points that return", "signs of a function"),
    ("several points", "signs of a function"),
    ("one point", "labels in blocks"),
)
STRANGERS: dict[str, Any] = {"dimension": 3, "box": (-300.0, 300.0)}  # the kernel of two random points is nearly 0
STRANGE = (
    ("two points", "constant labels"),
    ("points in turn", "constant labels"),
    ("points in turn", "labels by a coin"),
)
ADAPTIVE = (
    ("pairs of equal points", "labels by a coin"),
    ("points anywhere", "labels by a coin"),
    ("points that return", "labels of a function"),
    ("several points", "constant labels"),
    ("steps along the axes", "constant labels"),
    ("one point", "constant labels"),
)
TAIL = 24  # rounds with adaptive signs at the end of a long sequence


@dataclass(frozen=True)
class Opening:
    """The candidates of the opening, which are matches of `target`'s learner in games of `space`."""

    space: GameSpace
    seed: int
    target: Target

    def short(self, *, elsewhere: bool = False) -> Iterator[Candidate]:
        """Yield the short sequences, with and without adaptive signs, in all games of the opening.

        With `elsewhere`, the given game is left out. Sequences with adaptive signs are left out if the target's learner
        needs all moves before round 1.
        """
        for number, game in enumerate(self._games()):
            if number == 0 and elsewhere:
                continue
            rng = np.random.default_rng([self.seed, number])
            for points, labels, rounds in SHORT_SCRIPTS:
                moves = script(points, labels, game, rng, rounds)
                for stepwise in self.target.stepwise if number == 0 else self.target.stepwise[:1]:
                    yield self.space.candidate(f"{points}, {labels}", game, moves, stepwise=stepwise)
            for points, labels in ADAPTIVE if self.target.adaptive else ():
                for after in (2, 20):
                    moves = with_adaptive_signs(points, labels, game, rng, 30, after=after)
                    yield self.space.candidate(f"{points}, adaptive signs", game, moves, stepwise=True)

    def long(self, lengths: tuple[int, ...] = LENGTHS) -> Iterator[Candidate]:
        """Yield sequences of these lengths in the given game, and in a game with a large box (`STRANGERS`)."""
        rng = np.random.default_rng([self.seed, len(GAMES) + len(LOSSES)])
        strangers = self.space.varied(**STRANGERS)
        for rounds in lengths:
            yield from self._long_in(self._games()[0], rounds, rng)
            for points, labels in STRANGE:  # here a learner that has lost a point predicts 0 at that point
                moves = script(points, labels, strangers, rng, rounds)
                kind, stepwise = f"strangers: {points}, {labels}", self.target.stepwise[0]
                yield self.space.candidate(kind, strangers, moves, stepwise=stepwise)

    def long_elsewhere(self) -> Iterator[Candidate]:
        """Yield the long sequences in up to five games other than the given one.

        Sequences of more than 1,000 rounds are played in only one of these games.
        """
        rng = np.random.default_rng([self.seed, len(GAMES) + len(LOSSES) + 1])
        games = self._games()
        for rounds in LENGTHS:
            for game in games[1:2] if rounds > 1000 else games[1:6]:
                yield from self._long_in(game, rounds, rng)

    def _long_in(self, game: Game, rounds: int, rng: np.random.Generator) -> Iterator[Candidate]:
        if self.target.adaptive:
            for points in ("pairs of equal points", "points that return"):
                moves = with_adaptive_signs(points, "labels by a coin", game, rng, rounds, after=rounds - TAIL)
                yield self.space.candidate(f"{points}, adaptive signs at the end", game, moves, stepwise=True)
            moves = with_adaptive_signs("one point", "constant labels", game, rng, rounds, after=rounds // 3)
            yield self.space.candidate("one point, adaptive signs for long", game, moves, stepwise=True)
        for points, labels in LONG:
            moves = script(points, labels, game, rng, rounds)
            for stepwise in self.target.stepwise:
                yield self.space.candidate(f"{points}, {labels}", game, moves, stepwise=stepwise)

    def _games(self) -> list[Game]:
        """Return the games of the opening without duplicates; the given game comes first."""
        games = [self.space.varied(**changes) for changes in GAMES]
        games += [self.space.varied(loss=loss) for loss in self.space.losses]
        return [game for at, game in enumerate(games) if game not in games[:at]]
