"""The function that a learner ends with: whether it is linear or constant, and what that means for the result."""

from __future__ import annotations

import functools
import shlex

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.game.kernels import Linear
from arena.guards.guests import tolerated
from arena.players.learner import Learner
from arena.players.referee import ask, legal_predictions
from arena.players.view import Record
from arena.record.remarks import LAST_FUNCTION
from arena.record.transcript import Transcript

TRIPLES = 4  # two points and their middle, each
BLOCK = 2**16  # numbers that are compared at once
SHOWS_LITTLE = "from such a match a linear model learns an intercept at most"
EXACT = 1e-6  # share of the largest difference of predictions by which a linear function may bend; float32 is 1e-7


def add_remark(remarks: dict[str, str | float], learner: Learner, game: Game, record: Record, hindsight: str) -> None:
    """Add a remark to the match if it says less about the learner than it seems to.

    Either all rounds have the same point and the learner ends with a constant, or it ends with a linear function while
    the regret is that to the best function of another kernel. The predictions at a few points decide, so that pipelines
    and classes of the user count as well.
    """
    points, compared = record.points.view(), hindsight != "none" and not isinstance(game.kernel, Linear)
    only = points[0] if _is_one_point(points) else None
    if len(points) and (compared or only is not None):
        with tolerated():  # the match is over: predictions that fail now are no foul
            if found := _remark(learner, game, only, compared=compared):
                remarks[LAST_FUNCTION] = found


def _is_one_point(points: Array) -> bool:
    """Return whether there are rounds, all with the same point; in blocks, since the points may be on the disk."""
    rows = 1 + BLOCK // points.shape[1]
    blocks = (points[start : start + rows] for start in range(0, len(points), rows))
    return bool(len(points)) and all((block == points[0]).all() for block in blocks)


def shows_little(run: Transcript) -> bool:
    """Return whether all rounds had the same point and the learner ended with a constant, as its remark says."""
    return SHOWS_LITTLE in str(run.header.get(LAST_FUNCTION, ""))


def _remark(learner: Learner, game: Game, only: Array | None, *, compared: bool) -> str:
    X = _triples(game)
    first = _predictions(learner, X[:3])
    if _bends(first):
        return ""
    rest = _predictions(learner, X[3:])
    found = np.concatenate([first, rest])
    if any(_bends(triple) for triple in found.reshape(-1, 3)):
        return ""
    if np.ptp(found) <= EXACT * np.abs(found).max():
        return "" if only is None else _of_one_point(game, only)
    if not compared:
        return ""
    return _of_linear_functions(game, with_intercept=bool(_predictions(learner, np.zeros((1, game.dimension)))[0]))


def _triples(game: Game) -> Array:
    """Return points of the box: two by chance and their middle, several times."""
    ends = game.low + (game.high - game.low) * _shares(game.dimension)
    return np.concatenate([ends, ends.mean(axis=1, keepdims=True)], axis=1).reshape(-1, game.dimension)


@functools.cache
def _shares(dimension: int) -> Array:
    """Return the random places of the ends within the box, which are the same after every match."""
    return np.random.default_rng(0).random((TRIPLES, 2, dimension))


def _predictions(learner: Learner, X: Array) -> Array:
    return legal_predictions(ask("learner", learner.peek, X), len(X), "peek")


def _bends(triple: Array) -> bool:
    """Return whether the prediction in the middle is not the mean of the other two."""
    at, there, middle = triple
    return bool(abs(middle - (at + there) / 2) > EXACT * max(abs(at - there), abs(middle) * EXACT))


def _of_one_point(game: Game, only: Array) -> str:
    corner = ", ".join(f"{end:g}" for end in np.asarray(game.high).tolist())
    elsewhere = "greedy or repeated(points=10)" if only.any() else f"alternating(at=[{corner}]), repeated or greedy"
    where = "0" if not only.any() else "the same"
    return (
        f"all points are {where}, and the learner ends with the same prediction everywhere: {SHOWS_LITTLE}, and "
        f"mistakes in its other steps do not show. Other points are played by {elsewhere}"
    )


def _of_linear_functions(game: Game, *, with_intercept: bool) -> str:
    kernel = "linear(offset=1)" if with_intercept else "linear"
    return (
        "the learner ends with a linear function of x, and the regret is that to the best function of the kernel "
        f'{game.kernel.name}, which need not be linear: --kernel {shlex.quote(kernel)} (in Python kernel="{kernel}") '
        "compares with linear functions, and --comparator linear does so beside"
    )
