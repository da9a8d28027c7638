"""The power of t with which a curve on a page grows, fitted by the method of `assert_growth`.

`assert_growth` fits a power to the final regrets of matches with several horizons. This module fits it to the values of
one curve after several numbers of rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.testing.growth import OCTAVES, SHORTEST
from arena.testing.growth_fit import GrowthFit

FEWEST = 4  # checkpoints; with fewer, a fitted law leaves no residuals that could show a misfit
FLAT = 0.02  # exponents nearer to 0 are drawn as a logarithm
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Growth:
    """The law a t^p + b, or a log t + b if p = 0, that a curve follows from round `start` on.

    `name` is the law in words; `exponent` is p, `factor` is a, and `constant` is b. If the curve has stopped growing,
    there is no law to draw, and `factor` is None.
    """

    name: str
    exponent: float
    start: int
    factor: float | None = None
    constant: float = 0.0

    def as_json(self) -> dict[str, object]:
        """Return the fields that the page's script needs, as a dictionary."""
        drawn = self.factor is not None
        values = {"name": self.name, "start": self.start, "exponent": _digits(self.exponent) if drawn else None}
        return values | ({"factor": _digits(self.factor or 0.0), "constant": _digits(self.constant)} if drawn else {})


def growth_of(curve: Array, scale: float, *, limits: bool = False) -> Growth | None:
    """Return the law by which a curve grows over its rounds; None if the curve is too short or follows no law.

    `scale` is the size of the numbers from which the curve was computed, such as the learner's loss if the curve is a
    regret. It determines which changes of the curve count as rounding errors. With `limits` the law's name has
    confidence limits of the exponent; computing them takes much longer.

    >>> growth_of(2 * np.sqrt(np.arange(1.0, 513)), 1.0).name
    'grows like t^0.50'
    >>> growth_of(np.log(np.arange(1.0, 513)), 1.0).name
    'grows like log t'
    """
    at = prefixes(len(curve))
    if len(np.unique(curve)) <= len(curve).bit_length() + 1:  # known at 1, 2, 4, ... and the end, constant between
        at = tuple(2**power for power in range(SHORTEST.bit_length() - 1, len(curve).bit_length()))
    if len(at) < FEWEST:
        return None
    values = curve[np.array(at) - 1]
    if not np.isfinite(values).all() or not math.isfinite(scale):
        return None
    noise = 1e-9 * (1.0 + abs(scale))
    fit = GrowthFit(at, values[np.newaxis], CONFIDENCE, noise, negligible=noise)
    if fit.stopped:
        return Growth("has stopped growing", -math.inf, at[0])
    if math.isnan(fit.exponent):
        return None
    is_log = abs(fit.exponent) < FLAT
    rounds = np.array(at, dtype=float)
    law = np.log(rounds) if is_log else rounds**fit.exponent
    (factor, constant), *_ = np.linalg.lstsq(np.column_stack([law, np.ones(len(law))]), values, rcond=None)
    name = f"grows like {'log t' if is_log else f't^{fit.exponent:.2f}'}"
    if fit.exponent < -FLAT:
        name = f"flattens out, its rises falling like t^{fit.exponent:.2f}"
    if limits and math.isfinite(fit.low) and math.isfinite(fit.high):
        name += f", exponent {fit.low:.2f} to {fit.high:.2f}"
    return Growth(name, 0.0 if is_log else fit.exponent, at[0], float(factor), float(constant))


def prefixes(rounds: int) -> tuple[int, ...]:
    """Return the lengths of the prefixes to which a power is fitted: each is twice the one before, up to `rounds`.

    There are at most seven lengths, as many as `assert_growth` has horizons.

    >>> prefixes(200), prefixes(512)
    ((12, 24, 48, 96, 192), (8, 16, 32, 64, 128, 256, 512))
    """
    octaves = min(OCTAVES, max(rounds // SHORTEST, 1).bit_length() - 1)
    return tuple((rounds >> octaves) << octave for octave in range(octaves + 1))


def _digits(value: float) -> float:
    return float(f"{value:.9g}")
