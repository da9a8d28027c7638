"""How fast a regret grows: exponents fitted to the regrets of several horizons.

The regret of a long match is cheap to know where few different points come again and again: equal points can share one
row of the kernel matrix. With n_i visits and the mean label m_i at the i-th of them,

    min_f sum_s (f(x_s) - y_s)^2 + lambda |f|^2 = sum_s (y_s - m_i(s))^2 + lambda m' (K + lambda diag(1 / n))^-1 m.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve

from arena.arrays import Array
from arena.errors import ArenaError
from arena.kernels import Kernel
from arena.transcript import Transcript

Law = Callable[[Array], ArrayLike]


def exponent(rounds: Sequence[float] | Array, values: Sequence[float] | Array, *, law: Law | None = None) -> float:
    """The slope of log(values) against log(rounds), by least squares; with `law`, against log(law(rounds)).

    A quantity that grows like the square root has the exponent 0.5, one that stays bounded 0; one that grows like the
    law has the exponent 1 against it.

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


def repeated_optimum(kernel: Kernel, regularisation: float, X: Array, y: Array) -> float:
    """The regularised optimum of these rounds; O(r^3) for r different points, however often they come.

    >>> from arena.kernels import Linear
    >>> round(repeated_optimum(Linear(), 1.0, np.ones((3, 1)), np.array([1.0, 1.0, 1.0])), 12)  # 3 - 9 / 4
    0.75
    """
    points, which = np.unique(X, axis=0, return_inverse=True)
    visits = np.bincount(which.ravel())
    mean = np.bincount(which.ravel(), y) / visits
    scatter = float(np.square(y - mean[which.ravel()]).sum())
    gram = kernel.gram(points, points)
    gram.flat[:: len(points) + 1] = kernel.diagonal(points) + regularisation / visits
    return scatter + regularisation * float(mean @ cho_solve(cho_factor(gram, lower=True), mean))


def regret_at(run: Transcript, rounds: Sequence[int]) -> Array:
    """The regret after each of these numbers of rounds, for matches of any length with few different points.

    >>> from arena import play
    >>> run = play("kernel-awv", "alternating", rounds=100)
    >>> bool(np.allclose(regret_at(run, [10, 100]), run.regret[[9, 99]]))
    True
    """
    if run.game.loss.name != "squared":
        raise ArenaError(f"growth: the regret is known for the squared loss, but the game's is {run.game.loss.name}")
    if not all(1 <= t <= run.rounds for t in rounds):
        raise ArenaError(f"growth: rounds must lie between 1 and {run.rounds}, but they are {list(rounds)}")
    losses = run.cumulative_losses
    kernel, regularisation = run.game.kernel, run.game.regularisation
    best = [repeated_optimum(kernel, regularisation, run.points[:t], run.labels[:t]) for t in rounds]
    return np.array([losses[t - 1] for t in rounds]) - best
