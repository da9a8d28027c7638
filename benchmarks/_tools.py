"""Functions that the benchmarks share: one measures a time, one writes a page of docs/results."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import scipy.linalg  # noqa: F401  (its BLAS can be limited to one thread only once it is loaded)
from threadpoolctl import threadpool_limits

RESULTS = Path(__file__).parents[1] / "docs" / "results"
Result = TypeVar("Result")


def timed(action: Callable[[], Result], clock: Callable[[], float] = time.perf_counter) -> tuple[Result, float]:
    """Return the result of an action and the seconds that it took, on one BLAS thread as in a match."""
    with threadpool_limits(limits=1):
        started = clock()
        result = action()
        return result, clock() - started


def publish(text: str, page: str, *, write: bool) -> None:
    """Write the text to this page of docs/results; without `write`, print it."""
    if write:
        (RESULTS / page).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
