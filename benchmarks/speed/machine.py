"""Speed of the machine on one thread: matrix products, triangular solves, exponentials, tangents, memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.linalg

SIZE = 512  # of the matrices
VALUES = 100_000  # of exp and tan, which fit into the processor's cache
BYTES = 2**25  # copied at once


def seconds_of(action: Callable[[], object], amount: float) -> float:
    """Return the processor seconds of the action divided by `amount`, the least of three calls."""
    taken = []
    for _ in range(3):
        started = time.process_time()
        action()
        taken.append(time.process_time() - started)
    return min(taken) / amount


def rates() -> dict[str, Callable[[], float]]:
    """Return for each resource a function that measures the seconds of one unit of the resource.

    A unit of `multiply` and of `solve` is one multiplication or addition. A unit of `exp` and of `tangent` is one
    value; sine and cosine are computed from the tangent. A unit of `memory` is one byte, read or written.
    """
    rng = np.random.default_rng(0)
    A, B, out = rng.random((SIZE, SIZE)), rng.random((SIZE, SIZE)), np.empty((SIZE, SIZE))
    lower = np.asfortranarray(np.tril(A) + SIZE * np.eye(SIZE))
    right = np.asfortranarray(B)
    values, target = rng.random(VALUES), np.empty(VALUES)
    source, copy = np.ones(BYTES // 8), np.ones(BYTES // 8)
    actions: dict[str, tuple[Callable[[], object], float]] = {
        "multiply": (partial(np.matmul, A, B, out=out), 2.0 * SIZE**3),
        "solve": (partial(scipy.linalg.blas.dtrsm, 1.0, lower, right, lower=1), 1.0 * SIZE**3),
        "exp": (partial(np.exp, values, out=target), VALUES),
        "tangent": (partial(np.tan, values, out=target), VALUES),
        "memory": (partial(np.copyto, copy, source), 2.0 * BYTES),
    }
    return {name: partial(seconds_of, action, amount) for name, (action, amount) in actions.items()}


UNITS = {  # how the page prints a rate: a factor, and the unit
    "multiply": (1e-9, "thousand million operations a second"),
    "solve": (1e-9, "thousand million operations a second"),
    "exp": (1e-6, "million values a second"),
    "tangent": (1e-6, "million values a second"),
    "memory": (2.0**-30, "GiB a second"),
}
