"""A remark on the function with which a learner ends a match, if this function is constant or linear."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.game.kernels import Linear
from arena.guards.user_code import tolerated
from arena.players.learner import Learner
from arena.players.referee import ask, legal_predictions
from arena.players.view import Record
from arena.record.remarks import LAST_FUNCTION
from arena.record.transcript import Transcript

TRIPLES = 4  # each has two points and their middle
BLOCK = 2**16  # coordinates of points that are compared at once
SHOWS_LITTLE = "from such a match a linear model learns an intercept at most"
EXACT = 1e-6  # share of the largest difference of predictions by which a linear function may bend; float32 is 1e-7


def add_remark(remarks: dict[str, str | float], learner: Learner, game: Game, record: Record, hindsight: str) -> None:
    """Add a remark to `remarks` if the learner ends the match with a constant or linear function.

    The learner predicts at pairs of random points of the box, and at the middle of each pair. A function counts as
    linear if its value at each middle is the mean of its values at the two points.

    - A constant function gets the remark only if all points of the match are equal.
    - A linear function that is not constant gets it only if the game's kernel is not `Linear`, and `hindsight`, the
      argument of `play`, is not "none".
    """
    points, compared = record.points.view(), hindsight != "none" and not isinstance(game.kernel, Linear)
    if not len(points) or not (compared or _is_one_point(points)):
        return
    shares = np.random.default_rng(0).random((TRIPLES, 2, game.dimension))  # the same in every match
    ends = game.low + (game.high - game.low) * shares
    X = np.concatenate([ends, ends.mean(axis=1, keepdims=True)], axis=1).reshape(-1, game.dimension)
    found = np.empty(0)
    with tolerated():  # the match is over: predictions that fail now are no foul
        for rows in (X[:3], X[3:]):  # three points show most learners to be curved
            found = np.append(found, legal_predictions(ask("learner", learner.peek, rows), len(rows), "peek"))
            if not np.isfinite(found).all():
                return
            at, there, middle = found.reshape(-1, 3).T
            bend = np.abs(middle - (at + there) / 2)
            if (bend > EXACT * np.maximum(np.abs(at - there), np.abs(middle) * EXACT)).any():
                return
        if np.ptp(found) <= EXACT * np.abs(found).max():
            if _is_one_point(points):
                remarks[LAST_FUNCTION] = _of_one_point(game, points[0])
        elif compared:
            at_zero = ask("learner", learner.peek, np.zeros((1, game.dimension)))
            remarks[LAST_FUNCTION] = _of_linear_functions(game, with_intercept=bool(at_zero[0]))


def _is_one_point(points: Array) -> bool:
    """Return whether `points` has at least one row, and all its rows are equal."""
    rows = 1 + BLOCK // points.shape[1]
    blocks = (points[start : start + rows] for start in range(0, len(points), rows))
    return bool(len(points)) and all((block == points[0]).all() for block in blocks)


def shows_little(run: Transcript) -> bool:
    """Return whether the match has the remark that it shows little about the learner.

    The remark is made if all points are equal and the learner ends with a constant function.
    """
    return SHOWS_LITTLE in str(run.header.get(LAST_FUNCTION, ""))


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
        f"{game.kernel.name}, which need not be linear: `kernel={kernel!r}` compares with "
        "linear functions, and `comparators=['linear']` does so beside"
    )
