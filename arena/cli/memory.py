"""A word of warning before a match that may not fit into memory."""

from __future__ import annotations

import os

from arena.errors import ArenaError
from arena.specs.building import build
from arena.specs.grammar import parse_spec
from arena.specs.registry import find

BYTES = 4.0  # for each pair of different points: half a square of float64
GIBIBYTE = 2.0**30


def memory_note(learner: str, rounds: int) -> str:
    """What to know about the memory of this learner in a match of this length; empty if it is no trouble."""
    try:
        growth = getattr(find("learner", parse_spec(learner).name), "memory_growth", None)
        if isinstance(growth, property):  # it depends on the parameters
            growth = build("learner", learner).memory_growth
    except ArenaError:  # which the match will say better
        return ""
    needed, there = BYTES * rounds**2, physical_memory()
    if growth != "quadratic" or needed < 0.5 * there:
        return ""
    return (
        f"note: the memory of {learner} grows with the square of the number of different points it keeps: up to "
        f"{needed / GIBIBYTE:,.0f} GiB in {rounds:,} rounds, and this machine has {there / GIBIBYTE:,.0f}. Ctrl-C ends "
        f"the match and keeps what was played; fewer --rounds need less, points that come again need none"
    )


def physical_memory() -> float:
    """In bytes; infinity where the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
