"""The best predictor in hindsight by one solve in plain NumPy: slow, obviously right, and shared with nobody."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.record.transcript import Transcript
from arena.testing.checks.check import CheckFailed


def direct_optimum(kernel: Kernel, regularisation: float, X: Array, y: Array) -> float:
    """min_f sum (f(x) - y)^2 + lambda |f|^2 = lambda y' (K + lambda I)^-1 y.

    >>> from arena.game.kernels import Linear
    >>> round(direct_optimum(Linear(), 1.0, np.array([[1.0]]), np.array([1.0])), 12)
    0.5
    """
    if not len(y):
        return 0.0
    K = np.array([kernel.gram(x[np.newaxis], X)[0] for x in X])  # row by row, as no fast path does it
    return regularisation * float(y @ np.linalg.solve(K + regularisation * np.eye(len(y)), y))


def check_against_direct_solve(run: Transcript) -> None:
    """The hindsight and the regret of a match are those that the direct solve gives, up to its own rounding."""
    if not run.rounds or not run.has_hindsight:
        return
    kernel, regularisation = run.game.kernel, run.game.regularisation
    direct = direct_optimum(kernel, regularisation, run.points, run.labels)
    condition = 1.0 + run.rounds * float(kernel.diagonal(run.points).max()) / regularisation
    tolerance = 1e-9 + 64 * float(np.finfo(float).eps) * condition
    scale = tolerance * (1.0 + float(np.square(run.labels).sum()))
    _same("the optimum in hindsight", float(run.hindsight().optimum[-1]), direct, scale)
    assert run.regret is not None
    _same("the regret", float(run.regret[-1]), run.loss - direct, scale + tolerance * (1.0 + run.loss))


def _same(what: str, ours: float, direct: float, tolerance: float) -> None:
    __tracebackhide__ = True
    if np.isfinite(ours) and not abs(ours - direct) <= tolerance:
        raise CheckFailed(f"{what} is {ours:.12g}, but a direct solve gives {direct:.12g}: is the kernel positive?")
