"""The growth of regret: the regret after chosen numbers of rounds, and the exponent with which it grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from arena.arrays import Array
from arena.errors import ArenaError
from arena.hindsight.exact import ridge_hindsight
from arena.record.transcript import Transcript

Law = Callable[[Array], ArrayLike]


def exponent(rounds: Sequence[float] | Array, values: Sequence[float] | Array, *, law: Law | None = None) -> float:
    """Return the slope of a line fitted to the logarithms of `values` against the logarithms of `rounds`.

    A quantity that grows like sqrt(rounds) has the exponent 0.5. A quantity that tends to a constant has the exponent
    0. With a `law`, law(rounds) takes the place of `rounds`: a quantity that grows like `law` has the exponent 1.

    >>> exponent([100, 200, 400], [30.0, 60.0, 120.0])
    1.0
    >>> exponent([100, 200, 400], np.log([100, 200, 400]), law=np.log)
    1.0
    """
    T, measured = np.asarray(rounds, dtype=float), np.asarray(values, dtype=float)
    if T.ndim != 1 or T.shape != measured.shape or len(np.unique(T)) < 2:
        raise ArenaError(
            f"growth: an exponent needs one value for each of two or more different numbers of rounds, "
            f"but got {measured.size} values for {T.size} of them"
        )
    scale = T if law is None else np.asarray(law(T), dtype=float)
    for what, numbers in (("values", measured), ("law's values", scale)):
        if not (numbers > 0).all():
            raise ArenaError(f"growth: the {what} must be positive to have an exponent, but one is {numbers.min():g}")
    return round(float(np.polyfit(np.log(scale), np.log(measured), 1)[0]), 12)


def regret_at(run: Transcript, rounds: Sequence[int]) -> Array:
    """Return the regret after each of these numbers of rounds.

    For a regret that is known in an interval only, the result has the middle of the interval.

    >>> from arena import play
    >>> run = play("kernel-awv", "alternating", rounds=100)
    >>> bool(np.allclose(regret_at(run, [10, 100]), run.regret[[9, 99]]))
    True
    """
    return np.array([np.mean(ends) for ends in regret_between(run, rounds)])


def regret_between(run: Transcript, rounds: Sequence[int]) -> list[tuple[float, float]]:
    """Return the least and the largest possible regret after each of these numbers of rounds.

    >>> from arena import play
    >>> [(low, high)] = regret_between(play("fgd", "alternating", rounds=30, loss="hinge"), [30])
    >>> low <= high < low + 1e-6
    True
    """
    if not all(1 <= t <= run.rounds for t in rounds):
        raise ArenaError(f"growth: rounds must lie between 1 and {run.rounds}, but they are {list(rounds)}")
    kernel, at, losses = run.game.kernel, run.game.regularisation, run.cumulative_losses
    if run.comparator.closed_form:
        last = max(rounds, default=0)
        known = ridge_hindsight(kernel, at, run.points[:last], run.labels[:last])
        regret = np.cumsum(run.losses[:last] - known.increments)
        return [(float(regret[t - 1]), float(regret[t - 1])) for t in rounds]
    best = [run.comparator.optimum(at, t) for t in rounds]
    return [(float(losses[t - 1]) - b.upper, float(losses[t - 1]) - b.lower) for t, b in zip(rounds, best, strict=True)]
