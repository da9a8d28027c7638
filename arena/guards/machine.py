"""The machine's processors and memory."""

from __future__ import annotations

import multiprocessing
import os

GIBIBYTE = 2.0**30


def processors() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


def threads_of_match() -> int:
    """Return how many threads a match may use: one inside a worker process, otherwise one for each processor."""
    return 1 if multiprocessing.parent_process() is not None else processors()


def exact_memory(points: int) -> float:
    """Return the bytes that an exact learner needs for `points` different points: a triangular matrix of float64."""
    return 4.0 * float(points) ** 2


def physical_memory() -> float:
    """Return the machine's memory in bytes; infinity where the system does not report it."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
