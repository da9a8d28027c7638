"""Benchmarks of memory: the peak of a match in a process of its own, compared with the bytes that the match needs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from .measuring import Result, Spread

PEAK = "least memory / peak"
START = "import resource, sys, arena; arena.play('kernel-awv', 'alternating', rounds=20);"
# On Linux ru_maxrss begins with the parent's memory when a process starts another program; VmHWM does not.
PRINT = """
try:
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
except (OSError, StopIteration):
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True)
class Match:
    """A match, and the least number of bytes that its transcript and its learner's state can take."""

    name: str
    call: str
    rounds: int
    bytes_needed: Callable[[int], float]


def record(rounds: int, dimension: int = 2) -> float:
    """Return the number of bytes of the points, labels, predictions and times of a match."""
    return 8.0 * rounds * (dimension + 3)


MATCHES = (
    Match("zero, a record alone", "arena.play('zero', 'realisable', rounds={}, hindsight='none')", 1_000_000, record),
    Match(
        "kernel-awv with hindsight: half a matrix",
        "arena.play('kernel-awv', 'realisable', rounds={}).regret",
        5000,
        lambda rounds: record(rounds) + 4.0 * rounds**2,
    ),
    Match(
        "fogd(frequencies=1000)",
        "arena.play('fogd(frequencies=1000)', 'realisable', rounds={}, hindsight='none')",
        100_000,
        lambda rounds: record(rounds) + 8.0 * 2000 * 4,
    ),
    Match(
        "pkawv on 500 features: two matrices",
        "arena.play('pkawv(embedding=fourier(frequencies=250))', 'realisable', rounds={}, hindsight='none')",
        50_000,
        lambda rounds: record(rounds) + 16.0 * 500**2,
    ),
    Match(
        "interval of hindsight",
        "arena.play('zero', 'realisable', rounds={}, hindsight='interval')",
        100_000,
        record,
    ),
)


def peak(code: str) -> float:
    """Return the largest resident memory, in bytes, of a process that runs this code."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1]) * (1.0 if sys.platform == "darwin" else 2.0**10)


def results(*, quick: bool, wanted: Callable[[str], bool]) -> list[Result]:
    """Return the peak memory of each wanted match, less the peak memory of a process that plays a short match."""
    matches = [match for match in MATCHES if wanted(f"memory/{match.name}")]
    found = []
    empty = peak(START + PRINT) if matches else 0.0
    for match in matches:
        rounds = match.rounds // 5 if quick and match.rounds > 20_000 else match.rounds
        taken = max(peak(START + match.call.format(rounds) + PRINT) - empty, 2.0**12)
        ratio = match.bytes_needed(rounds) / taken
        note = f"{taken / 2**20:.1f} MiB"
        spread = Spread(ratio, ratio, ratio)
        found.append(Result("memory", match.name, f"{rounds:,} rounds", "match", {}, {PEAK: spread}, note=note))
    return found
