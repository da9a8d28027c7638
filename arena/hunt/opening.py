"""The first seconds of a hunt: short and cheap sequences that expose the usual mistakes, then longer ones.

Nothing is learnt here. The order is from short to long, and in each length from the game that was given to others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from arena.hunt.ground import Ground
from arena.hunt.scripts import heckled, script
from arena.hunt.sequences import Candidate, Moves

SHORT = (  # points, labels, rounds
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
    {"regularisation": 20.0, "label_bound": 3.0, "kernel": "gaussian(bandwidth=0.3)"},
    {"dimension": 5, "kernel": "gaussian(bandwidth=2)"},
    {"dimension": 3, "box": (20.0, 22.0), "regularisation": 5.0},
    {"dimension": 2, "box": (-100.0, 100.0), "kernel": "laplacian(bandwidth=20)", "label_bound": 3.0},
    {"regularisation": 0.1, "dimension": 2, "box": (0.0, 5.0)},
    {"dimension": 8, "regularisation": 30.0},
)
LENGTHS = (80, 150, 300, 620, 1100, 2100)
LONG = (
    ("points anywhere", "labels of a function"),
    ("points that return", "whispers and a shout"),
    ("one point", "constant labels"),
    ("bursts of equal points", "labels that turn"),
    ("points anywhere", "labels by a coin"),
)
HECKLED = (
    ("pairs of equal points", "labels by a coin"),
    ("points anywhere", "labels by a coin"),
    ("points that return", "labels of a function"),
    ("several points", "constant labels"),
    ("steps along the axes", "constant labels"),
    ("one point", "constant labels"),
)
TAIL = 24  # rounds at the end of a long sequence in which labels hurt


def opening(ground: Ground, seed: int) -> Iterator[Candidate]:
    """The candidates, the cheapest first."""
    games = [ground.varied(**changes) for changes in GAMES]
    some = [ground.varied(loss=loss) for loss in ground.losses]
    distinct = [game for at, game in enumerate([*games, *some]) if game not in [*games, *some][:at]]
    numbers = np.random.SeedSequence(seed).spawn(1)[0]
    rng = np.random.default_rng(numbers)

    def made(kind: str, game: Any, moves: Moves, *, stepwise: bool) -> Candidate:
        size = ground.cut(len(moves))
        return Candidate(kind, ground.sized(game, size), moves=moves.first(size), stepwise=stepwise)

    for number, game in enumerate(distinct):
        for points, labels, rounds in SHORT:
            moves = script(points, labels, game, rng, rounds)
            yield made(f"{points}, {labels}", game, moves, stepwise=True)
            if number == 0:
                yield made(f"{points}, {labels}", game, moves, stepwise=False)
        for points, labels in HECKLED:
            for after in (2, 20):
                yield made(
                    f"{points}, heckled", game, heckled(points, labels, game, rng, 30, after=after), stepwise=True
                )
    for rounds in LENGTHS:
        for game in (distinct[0], distinct[-1]) if rounds > 1000 else distinct[:6]:
            for points, labels in LONG:
                moves = script(points, labels, game, rng, rounds)
                for stepwise in (True, False):
                    yield made(f"{points}, {labels}", game, moves, stepwise=stepwise)
            quiet = heckled("pairs of equal points", "labels by a coin", game, rng, rounds, after=rounds - TAIL)
            yield made("long whispers, heckled at the end", game, quiet, stepwise=True)
            back = heckled("points that return", "labels by a coin", game, rng, rounds, after=rounds - TAIL)
            yield made("points that return, heckled at the end", game, back, stepwise=True)
