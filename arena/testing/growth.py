"""`assert_growth`: the regret grows no faster than a law, measured over many horizons and several seeds.

Let the regret of T rounds be a T^p + b, or a log T + b for p = 0, with unknown constants a and b. Its rise from T to 2T
rounds is a constant times T^p: b drops out. The quotients rise / T^q grow with T if p > q, and fall if p < q. Their
slope is a sum of regrets with fixed weights. So the mean and the spread of this slope over the seeds decide between p >
q and p < q, even if matches of different lengths are very noisy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy

from arena.arrays import Array
from arena.engine.growth import regret_between
from arena.engine.match import play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.hindsight.comparator import EXACT_LIMIT, FEW_POINTS, automatic_hindsight
from arena.record.transcript import Transcript
from arena.specs.parameters import convert
from arena.testing.failure import RegretTooLarge, failure_message, hide_arena_frames
from arena.testing.session import Observation, observe

Law = Literal["log", "sqrt", "linear"]
# Name, exponent, and the largest exponent that is allowed, which is halfway to the next law (T^2 after T).
LAWS = {"log": ("log T", 0.0, 0.25), "sqrt": ("the square root of T", 0.5, 0.75), "linear": ("T", 1.0, 1.5)}
OCTAVES = 6  # number of doublings from the fewest rounds to the most
FIRST = 8  # smallest number of rounds of the first checkpoint
# Any of three tests can pass a regret that grows too fast, so they share the error probability, 1 - confidence: the
# test of the slope of the mean regret, that of whether it has stopped growing, and that of the seeds' exponents.
BY_SLOPE, BY_STOPPING, BY_EXPONENTS = 0.7, 0.15, 0.15
RISES = 3  # number of last rises that must be positive if a regret is to fail
SMALLEST, LARGEST = -2.0, 4.0  # the range in which the exponent of a regret is searched


@hide_arena_frames
def assert_growth(
    learner: Any,
    adversary: Any = "alternating",
    *,
    at_most: Law,
    rounds: int = 4096,
    seeds: int = 5,
    game: Game | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    **fields: Any,
) -> GrowthFit:
    """Play matches of up to `rounds` rounds, and fail if the regret grows faster than the law `at_most`.

    Each seed plays seven matches, of `rounds` / 64, `rounds` / 32, ... and `rounds` rounds, since learners may know the
    horizon. Let the mean final regret rise from T to 2T rounds like T^p: p is 0 for a regret like log T, 1/2 for the
    square root of T, and 1 for T, whatever constants are added. The law allows p <= q, where q is 1/4 for `log`, 3/4
    for `sqrt` and 3/2 for `linear`, each halfway to the next law.

    The slope of rise / T^q over the doublings of T has an upper and a lower limit (Student's t). Its uncertainty is the
    spread between the seeds or the misfit of a power law, whichever is larger. The assertion

    - passes if the upper limit of the slope is at most 0;
    - passes if the regret has stopped growing: the upper limits of its last two rises are at most 0;
    - passes if the regret of each seed rises throughout, and the upper limit of the mean of the seeds' exponents is at
      most q;
    - fails with `RegretTooLarge` if the lower limits of the slope and of the last rise are above 0;
    - raises an `ArenaError` otherwise, since it is undecided: give more rounds, or more seeds.

    How often it errs: let the regret of each seed be a T^p + b plus normal noise of any size, which is independent from
    match to match or grows like a random walk; a > 0 and b may differ from seed to seed. Then the assertion passes
    wrongly with probability at most 1 - `confidence`, and fails wrongly with probability at most 1 - `confidence`.
    Without noise the misfit alone decides.

    The fewer seeds, the wider the limits. One seed cannot show how much the regret depends on it. If the first two
    seeds give the same regrets, no other is played. The loss may be any for which the best function in hindsight can be
    computed.

    >>> assert_growth("kernel-awv", "alternating", at_most="log", rounds=512).exponent < 0.1
    True
    """
    __tracebackhide__ = True
    if at_most not in LAWS:
        raise ArenaError(f"assert_growth: at_most must be one of {', '.join(LAWS)}, but it is {at_most!r}")
    level = convert(confidence, float, label="assert_growth: confidence")
    if not 0.5 < level < 1:
        raise ArenaError(f"assert_growth: confidence must lie between 0.5 and 1, but it is {level:g}")
    if isinstance(seeds, bool) or not isinstance(seeds, (int, np.integer)) or seeds < 2:
        raise ArenaError(
            f"assert_growth: seeds must be a whole number >= 2, but it is {seeds!r}: one seed does not show how "
            "much the regret depends on it (no third is played if two give the same regrets)"
        )
    field = (game or Game()).replace(rounds=rounds, **fields)
    at = checkpoints(field.rounds)
    regrets: list[Array] = []
    gap = 0.0
    for number in range(seeds):
        runs = [_played(learner, adversary, field.replace(rounds=T), seed + number) for T in at]
        between = np.array([_final_regret(run) for run in runs])
        regrets.append(between.mean(axis=1))
        gap = max(gap, float(np.ptp(between, axis=1).max()))
        if number == 1 and np.array_equal(regrets[0], regrets[1]):
            break
    scale = 1.0 + runs[-1].loss
    noise = max(gap, 1e-9 * scale)
    fit = GrowthFit(at, np.array(regrets), level, noise, negligible=min(noise, 1e-6 * scale))
    failure = _decision(runs[-1], fit, at_most)
    failed = str(failure) if isinstance(failure, RegretTooLarge) else ""
    observe(Observation("assert_growth", runs[-1], [], fit.regrets.size, sum(at) * len(fit.regrets), failed))
    if failure is not None:
        raise failure
    return fit


def _played(learner: Any, adversary: Any, game: Game, seed: int) -> Transcript:
    __tracebackhide__ = True
    run = play(learner, adversary, game=game, seed=seed, hindsight="none")
    if run.forfeit:
        raise RegretTooLarge(failure_message(run, str(run.forfeit), []), run)
    if run.rounds < run.game.rounds:
        raise ArenaError(
            f"assert_growth: {run.adversary} ended the match after {run.rounds} of {run.game.rounds} rounds"
        )
    return run


def _decision(run: Transcript, fit: GrowthFit, law: Law) -> RegretTooLarge | ArenaError | None:
    """Return None if the regret keeps to the law, a `RegretTooLarge` if not, an `ArenaError` if undecided."""
    name, exponent_of_law, allowed = LAWS[law]
    if fit.at_most(allowed):
        return None
    run = replace(run, hindsight_mode=automatic_hindsight(run.rounds, run.points))  # the mode that `arena play` chooses
    lines = [*_table(fit), f"{fit}; {name} has {exponent_of_law:g}, and up to {allowed:g} is allowed"]
    if fit.above(allowed):
        return RegretTooLarge(failure_message(run, f"the regret grows faster than {name}", lines), run)
    what = f"undecided whether the regret grows like {name} at most; more rounds or seeds would decide"
    return ArenaError(failure_message(run, what, lines))


def _final_regret(run: Transcript) -> tuple[float, float]:
    """Return the lower and the upper end of the final regret, which is known up to rounding."""
    if automatic_hindsight(run.rounds, run.points) != "exact":
        raise ArenaError(
            f"assert_growth: the regret of {run.rounds} rounds is known where at most {FEW_POINTS} points come again "
            f"and again; give at most {EXACT_LIMIT} rounds"
        )
    return regret_between(run, [run.rounds])[0]


def _table(fit: GrowthFit) -> list[str]:
    """Return the lines of a table: the numbers of rounds, the mean final regrets, and their rises."""
    rises = ["", *(f"{rise:.4g}" for rise in np.diff(fit.mean))]
    rows = [
        ("rounds", map(str, fit.checkpoints)),
        ("regret", (f"{regret:.4g}" for regret in fit.mean)),
        ("rise", rises),
    ]
    seeds = len(fit.regrets)
    of = "one seed" if seeds == 1 else f"the mean over {seeds} seeds"
    return [f"{label:<7}" + "".join(f"{value:>10}" for value in values) for label, values in rows] + [f"({of})"]


@dataclass(frozen=True)
class GrowthFit:
    """The exponent p of a regret that rises from T to 2T rounds like T^p, with a lower and an upper limit.

    `checkpoints` are the numbers of rounds. `regrets` has a row for each seed and a column for each checkpoint; if
    there is one row alone, the regret does not depend on the seed. `noise` bounds the numerical error of each rise; a
    rise of up to `negligible` counts as zero. `low` and `high` are one-sided limits of p, each with probability
    `confidence`.
    """

    checkpoints: tuple[int, ...]
    regrets: Array
    confidence: float
    noise: float = 0.0
    negligible: float = 0.0

    @property
    def mean(self) -> Array:
        """The mean regret at each checkpoint."""
        return np.asarray(self.regrets.mean(axis=0))

    @cached_property
    def stopped(self) -> bool:
        """Whether the regret has stopped growing: the upper confidence limits of its last two rises are at most 0."""
        rises = np.diff(self.regrets, axis=1)[:, -2:]
        highest = rises.mean(axis=0) + self._quantile(BY_STOPPING, len(rises) - 1) * _standard_error(rises)
        return bool((highest + self.noise <= 2.0 * self.negligible).all())

    @cached_property
    def rising(self) -> bool:
        """Whether the last `RISES` rises are positive, and the last one is so even at its lower confidence limit."""
        rises = np.diff(self.regrets, axis=1)[:, -RISES:]
        lowest = rises.mean(axis=0)[-1] - self._quantile(1.0, len(rises) - 1) * _standard_error(rises)[-1]
        return bool(lowest > self.noise and (rises.mean(axis=0) > self.noise).all())

    def at_most(self, exponent: float) -> bool:
        """Return whether, with the confidence that is asked for, the exponent is at most this one."""
        if self.stopped or sum(self._slope(exponent, BY_SLOPE)) <= 0:
            return True
        return len(self.regrets) > 1 and self._each_at_most(exponent)

    def _each_at_most(self, exponent: float) -> bool:
        """Return whether the regrets of all seeds rise throughout with exponents that are at most this one.

        The exponents of the seeds and their mean must be at most this one with the confidence that is asked for. This
        decides cases in which the seeds agree on the exponent but differ in the factor.
        """
        if not (np.diff(self.regrets, axis=1) > self.noise).all():
            return False
        found = np.array([fit.exponent for fit in self._every_seed])
        reach = self._quantile(BY_EXPONENTS, len(found) - 1) * float(_standard_error(found))
        return bool(found.mean() + reach <= exponent) and all(fit.at_most(exponent) for fit in self._every_seed)

    @cached_property
    def _every_seed(self) -> list[GrowthFit]:
        return [replace(self, regrets=row[np.newaxis]) for row in self.regrets]

    def above(self, exponent: float) -> bool:
        """Return whether, with the confidence that is asked for, the exponent is larger than this one."""
        slope, doubt = self._slope(exponent, 1.0)
        return self.rising and not self.stopped and slope - doubt > 0

    @cached_property
    def exponent(self) -> float:
        """The p for which rise / T^p has the slope 0.

        It is -infinity if the regret has stopped growing, and NaN if there is no such p.
        """
        if self.stopped:
            return -math.inf
        grid = np.arange(SMALLEST, LARGEST, 0.01)
        rises = np.diff(self.mean)
        slopes = self._contrast(grid) @ rises
        falls = np.flatnonzero((slopes[:-1] > 0) & (slopes[1:] <= 0))
        if not len(falls):
            return math.nan
        below, over = grid[falls[0]], grid[falls[0] + 1]
        return _boundary(below, over, lambda each: float(self._contrast(each) @ rises) <= 0)

    @cached_property
    def low(self) -> float:
        """The lower limit of the exponent: the largest number for which `above` is true."""
        return self._limit(SMALLEST, self.above, -math.inf)

    @cached_property
    def high(self) -> float:
        """The upper limit of the exponent: the smallest number for which `at_most` is true."""
        return self._limit(LARGEST, self.at_most, math.inf)

    def _limit(self, end: float, beyond_doubt: Callable[[float], bool], unknown: float) -> float:
        """Return the first number from the fitted exponent to `end` for which `beyond_doubt` is true, or `unknown`."""
        if self.stopped:
            return -math.inf
        if math.isnan(self.exponent):
            return unknown
        steps = np.linspace(self.exponent, end, 400)
        first = next((at for at, each in enumerate(steps) if beyond_doubt(each)), None)
        if first is None:
            return unknown
        return _boundary(steps[max(first - 1, 0)], steps[first], beyond_doubt)

    def _contrast(self, exponent: float | Array) -> Array:
        """Return weights: the sum of weight * rise is the slope of rise / T^exponent per doubling of T.

        If the exponent is large, long matches have larger weights, since noise is then smallest relative to their
        rises.
        """
        powers = self._lengths ** np.asarray(exponent)[..., np.newaxis]
        octaves = np.arange(len(self._lengths), dtype=float)
        importance = np.maximum(powers / np.sqrt(self._lengths), powers[..., :1] / np.sqrt(self._lengths[0]))
        importance = importance / importance.sum(axis=-1, keepdims=True)
        centred = octaves - (importance @ octaves)[..., np.newaxis]
        weights = importance * centred
        return np.asarray(weights / (weights @ octaves)[..., np.newaxis] / powers)

    def _slope(self, exponent: float, share: float) -> tuple[float, float]:
        """Return the slope of rise / T^exponent per doubling of T, and the distance to its one-sided limits."""
        contrast, rises = self._contrast(exponent), np.diff(self.regrets, axis=1)
        each = rises @ contrast
        between_seeds = self._quantile(share, len(rises) - 1) * float(_standard_error(each))
        of_the_law = self._quantile(share, len(contrast) - 2) * self._misfit(exponent, contrast)
        return float(each.mean()), max(between_seeds, of_the_law) + self.noise * float(np.abs(contrast).sum())

    def _misfit(self, exponent: float, contrast: Array) -> float:
        """Return the standard error of the slope that follows from how far the rises are from the fitted power law."""
        powers = self._lengths**exponent
        rises = np.diff(self.mean) / powers
        law = self._lengths ** (self.exponent if math.isfinite(self.exponent) else 0.0) / powers
        rest = rises - (rises @ law) / (law @ law) * law
        return math.sqrt(float(rest @ rest) / (len(rises) - 2) * float(np.sum(np.square(contrast * powers))))

    @cached_property
    def _lengths(self) -> Array:
        """The rounds from which each rise starts."""
        return np.array(self.checkpoints[:-1], dtype=float)

    def _quantile(self, share: float, freedom: int) -> float:
        """Return the quantile of Student's t that is exceeded with probability `share` * (1 - `confidence`)."""
        return float(scipy.stats.t.ppf(1.0 - share * (1.0 - self.confidence), freedom)) if freedom else 0.0

    def __str__(self) -> str:
        if self.stopped:
            return "the regret has stopped growing"
        return (
            f"exponent {self.exponent:.3f}, at least {self.low:.3f} and at most {self.high:.3f} "
            f"(each with confidence {self.confidence:g})"
        )


def _boundary(inside: float, outside: float, true: Callable[[float], bool]) -> float:
    """Return the number between `inside` and `outside` where `true` becomes true, found by bisection."""
    for _ in range(50):
        middle = 0.5 * (inside + outside)
        inside, outside = (inside, middle) if true(middle) else (middle, outside)
    return float(outside)


def _standard_error(values: Array) -> Array:
    """Return the standard error of the mean over the rows; 0 if there is one row."""
    seeds = len(values)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(seeds) if seeds > 1 else np.zeros(values.shape[1:]))


def checkpoints(rounds: int) -> tuple[int, ...]:
    """Return the numbers of rounds to play: `rounds`, half of it, a quarter and so on, the fewest first."""
    if rounds < FIRST * 2**OCTAVES:
        raise ArenaError(
            f"assert_growth: {rounds} rounds are too few to fit an exponent; give at least {FIRST * 2**OCTAVES}"
        )
    return tuple(rounds >> octave for octave in range(OCTAVES, -1, -1))
