"""Benchmarks of how time grows with one variable: the measured exponent, compared with the exponent in theory.

The variable is the number of rounds n, of coordinates d, of features r or of atoms J. The sizes are large, since on
small matrices time grows more slowly than in theory. The ratio on the page is 4^(theory - exponent): the factor by
which time may grow in theory when the size grows fourfold, divided by the measured factor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import arena
from arena import Game, Gaussian
from arena.arrays import Array
from arena.components.features.taylor import monomial_levels
from arena.hindsight.exact import ridge_hindsight
from arena.specs.building import build

from .measuring import Result, Side, Spread, timed

FOURFOLD = "theory's growth / measured growth"


@dataclass(frozen=True)
class Growth:
    """A benchmark of an action at several sizes of one variable, with the exponent of the action's time in theory."""

    name: str
    variable: str
    theory: float
    sizes: Sequence[int]
    action: Callable[[int], Callable[[], object]]


def data(rounds: int, dimension: int = 5) -> tuple[Array, Array]:
    """Return random points with random signs as labels."""
    rng = np.random.default_rng(0)
    return rng.uniform(-1, 1, (rounds, dimension)), rng.choice([-1.0, 1.0], rounds)


def replayed(spec: str, rounds: int, dimension: int = 5, bandwidth: float = 1.0) -> Callable[[], object]:
    """Return a function that plays a random sequence with a learner, in blocks."""
    X, y = data(rounds, dimension)
    learner = build("learner", spec)
    learner.begin(Game(rounds=rounds, dimension=dimension, kernel=Gaussian(bandwidth)), np.random.default_rng(0))
    return lambda: learner.replay(X, y)


def hindsight(rounds: int) -> Callable[[], object]:
    """Return a function that computes the exact hindsight of every round."""
    X, y = data(rounds)
    return lambda: ridge_hindsight(Gaussian(), 1.0, X, y)


def greedy(rounds: int) -> Callable[[], object]:
    """Return a function that plays a match of kernel-awv against greedy."""
    return lambda: arena.play("kernel-awv", "greedy(starts=64, polished=1)", rounds=rounds, dimension=5)


def ridge_on(features: int) -> Callable[[], object]:
    """Return a function that plays PKAWV on this number of Fourier features."""
    return replayed(f"pkawv(embedding=fourier(frequencies={features // 2}))", 2000)


def monomials(dimension: int) -> Callable[[], object]:
    """Return a function that makes the table of monomials of degree at most 3 in this dimension."""
    return lambda: monomial_levels(dimension, 3)


def rows(*, quick: bool) -> list[Growth]:
    """Return the benchmarks of growth; with `quick` the sizes are smaller."""
    large = 1 if quick else 2
    cubic = [500 * large, 1000 * large, 2000 * large]
    return [
        Growth("kernel-awv in blocks", "n", 3.0, cubic, lambda n: replayed("kernel-awv", n)),
        Growth("hindsight of every round", "n", 3.0, cubic, hindsight),
        Growth("greedy against kernel-awv", "n", 3.0, [40 * large, 80 * large, 160 * large], greedy),
        Growth("fgd", "n", 2.0, [1000 * large, 2000 * large, 4000 * large], lambda n: replayed("fgd", n)),
        Growth("fogd(frequencies=500)", "n", 1.0, [1000, 4000], lambda n: replayed("fogd(frequencies=500)", n)),
        Growth("fogd(frequencies=500)", "d", 1.0, [16, 64, 256], lambda d: replayed("fogd(frequencies=500)", 1000, d)),
        Growth("fgd, 1,000 rounds", "d", 1.0, [16, 64, 256], lambda d: replayed("fgd", 1000, d)),
        Growth("monomials of degree 3", "d", 3.0, [10, 20, 40], monomials),
        Growth("pkawv on Fourier features", "r", 2.0, [250, 500, 1000], ridge_on),
        Growth("fogd", "r", 1.0, [500, 1000, 2000], lambda r: replayed(f"fogd(frequencies={r})", 1000)),
        Growth(
            "b-kons", "J", 2.0, [50, 100, 200], lambda J: replayed(f"b-kons(max_size={J}, gamma=0.01)", 3000, 5, 0.3)
        ),
        Growth("bogd", "J", 1.0, [250, 500, 1000], lambda J: replayed(f"bogd(budget={J})", 3000)),
    ]  # fmt: skip


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the slope of log seconds over log size, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def results(*, quick: bool, repeats: int, wanted: Callable[[str], bool]) -> list[Result]:
    """Return the result of each wanted benchmark: the quartiles of the exponents in `repeats` measurements."""
    found = []
    for row in rows(quick=quick):
        name = f"{row.name}, over {row.variable}"
        if not wanted(f"growth/{name}"):
            continue
        exponents, largest = [], []
        for _ in range(repeats):
            seconds = [timed(Side(lambda size=size, row=row: row.action(size))) for size in row.sizes]
            exponents.append(exponent(row.sizes, seconds))
            largest.append(seconds[-1])
        spread = Spread.of(exponents)
        note = f"{spread.median:.2f} [{spread.low:.2f}, {spread.high:.2f}], theory {row.theory:g}"
        sizes = f"{row.variable} = {', '.join(f'{size:,}' for size in row.sizes)}"
        ratios = {FOURFOLD: Spread.of([4.0 ** (row.theory - each) for each in exponents])}
        found.append(Result("growth", name, sizes, "largest", {"ours": Spread.of(largest)}, ratios, note=note))
    return found
