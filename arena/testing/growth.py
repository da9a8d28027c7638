"""`assert_growth`: the regret grows no faster than a law, measured over many horizons and several seeds.

A regret a T^p + b, or a log T + b if p = 0, rises from T rounds to 2T by a constant times T^p: the constant b is gone,
the logarithm has the exponent 0, the square root 1/2, and a line 1. The exponent p is the slope of a line through the
logarithms of these rises, and comes with an interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy

from arena.arrays import Array
from arena.engine.growth import exponent, regret_between
from arena.engine.match import play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.hindsight.comparator import EXACT_LIMIT, FEW_POINTS, automatic_hindsight
from arena.record.transcript import Transcript
from arena.specs.parameters import convert
from arena.testing.failure import RegretTooLarge, failure_message, hide_arena_frames
from arena.testing.session import Observation, observe

Law = Literal["log", "sqrt", "linear"]
# name, exponent, and the largest exponent that is allowed: halfway to the next law, where T^2 comes after T
LAWS = {"log": ("log T", 0.0, 0.25), "sqrt": ("the square root of T", 0.5, 0.75), "linear": ("T", 1.0, 1.5)}
OCTAVES = 6  # how often the number of rounds is doubled
FEWEST = 3  # points of a line that leave an error to measure
FIRST = 8  # rounds of the first checkpoint, at least


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
    """Play matches of up to `rounds` rounds and fail if the regret grows faster than the law `at_most`.

    Each seed plays seven matches, of `rounds` / 64, `rounds` / 32, ... and `rounds` rounds, since learners may know the
    horizon. Let p be the exponent with which the rise of the mean final regret from T to 2T rounds grows with T: 0 for
    a regret like log T, 1/2 for the square root of T, 1 for T, whatever constants are added. Allowed is a p of at most
    1/4 for `log`, 3/4 for `sqrt`, 3/2 for `linear`, each halfway to the next law. p is the slope of a line fitted to
    logarithms, with a one-sided limit on either side at the level `confidence` (Student's t; the uncertainty is the
    larger of the line's misfit and the spread between the seeds):

    - if the upper limit is allowed, the assertion passes;
    - if the lower limit is not allowed, it fails with `RegretTooLarge`;
    - else it is undecided and raises an `ArenaError`: give more rounds, or more seeds.

    The decision is wrong in at most a share 1 - `confidence` of all cases, if the regret follows a power law or a
    logarithm over these rounds. A regret that does not rise in the last doubling has stopped growing, and passes. If
    the first two seeds give the same regrets, no other seed is played. The loss may be any whose best function in
    hindsight can be computed.

    >>> assert_growth("kernel-awv", "alternating", at_most="log", rounds=512).exponent < 0.1
    True
    """
    __tracebackhide__ = True
    if at_most not in LAWS:
        raise ArenaError(f"assert_growth: at_most must be one of {', '.join(LAWS)}, but it is {at_most!r}")
    level = convert(confidence, float, label="assert_growth: confidence")
    if not 0.5 < level < 1:
        raise ArenaError(f"assert_growth: confidence must lie between 0.5 and 1, but it is {level:g}")
    if isinstance(seeds, bool) or not isinstance(seeds, (int, np.integer)) or seeds < 1:
        raise ArenaError(f"assert_growth: seeds must be a whole number >= 1, but it is {seeds!r}")
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
    fit = fit_growth(at, np.array(regrets), level, noise=max(gap, 1e-9 * (1.0 + runs[-1].loss)))
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
    """None if the regret keeps to the law, `RegretTooLarge` if it does not, `ArenaError` if that is undecided."""
    name, exponent_of_law, allowed = LAWS[law]
    if fit.high <= allowed:
        return None
    run = replace(run, hindsight_mode=automatic_hindsight(run.rounds, run.points))  # as `arena play` does
    lines = [*_table(fit), f"{fit}; {name} has {exponent_of_law:g}, and up to {allowed:g} is allowed"]
    if fit.low > allowed:
        return RegretTooLarge(failure_message(run, f"the regret grows faster than {name}", lines), run)
    what = f"undecided whether the regret grows like {name} at most; more rounds or seeds would decide"
    return ArenaError(failure_message(run, what, lines))


def _final_regret(run: Transcript) -> tuple[float, float]:
    """The ends of the interval in which the final regret lies."""
    if automatic_hindsight(run.rounds, run.points) != "exact":
        raise ArenaError(
            f"assert_growth: the regret of {run.rounds} rounds is known where at most {FEW_POINTS} points come again "
            f"and again; give at most {EXACT_LIMIT} rounds"
        )
    return regret_between(run, [run.rounds])[0]


def _table(fit: GrowthFit) -> list[str]:
    """Lines with the numbers of rounds, their mean final regrets, and the rise from each to the next."""
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
    """The fitted exponent of a regret, with an interval.

    `low` and `high` are one-sided limits, each at the level `confidence`; `regrets` has one row a seed and one column a
    checkpoint.
    """

    checkpoints: tuple[int, ...]
    regrets: Array
    exponent: float
    low: float
    high: float
    confidence: float

    @property
    def mean(self) -> Array:
        """The mean regret at each checkpoint."""
        return np.asarray(self.regrets.mean(axis=0))

    def __str__(self) -> str:
        if self.exponent == -math.inf:
            return "the regret has stopped growing"
        return (
            f"exponent {self.exponent:.3f}, at least {self.low:.3f} and at most {self.high:.3f} "
            f"(each with confidence {self.confidence:g})"
        )


def checkpoints(rounds: int) -> tuple[int, ...]:
    """The numbers of rounds to play: `rounds`, half of it, a quarter and so on, the fewest first."""
    if rounds < FIRST * 2**OCTAVES:
        raise ArenaError(
            f"assert_growth: {rounds} rounds are too few to fit an exponent; give at least {FIRST * 2**OCTAVES}"
        )
    return tuple(rounds >> octave for octave in range(OCTAVES, -1, -1))


def fit_growth(at: tuple[int, ...], regrets: Array, confidence: float, noise: float = 0.0) -> GrowthFit:
    """Fit the exponent of the regrets at these checkpoints; increases up to `noise` count as zero.

    The uncertainty is the larger of two: how far the points are from the line, and how far the fits without one of the
    seeds are from one another (the jackknife). The limits are Student's, with the degrees of freedom of the line.

    >>> fit = fit_growth((8, 16, 32, 64, 128), np.array([[2.0, 4.0, 8.0, 16.0, 32.0]]), 0.95)
    >>> round(fit.exponent, 6), round(fit.low, 6), round(fit.high, 6)
    (1.0, 1.0, 1.0)
    """
    increases = np.diff(regrets.mean(axis=0))
    if increases[-1] <= noise:
        return GrowthFit(at, regrets, -math.inf, -math.inf, -math.inf, confidence)
    first = _after_the_last(increases <= noise)
    if len(increases) - first < FEWEST:
        return GrowthFit(at, regrets, math.nan, -math.inf, math.inf, confidence)
    T = np.array(at[first:-1], dtype=float)
    slope = exponent(T, increases[first:])
    doubt = max(_from_the_line(T, increases[first:]), _between_seeds(T, regrets[:, first:], noise))
    reach = float(scipy.stats.t.ppf(confidence, len(T) - 2)) * doubt
    return GrowthFit(at, regrets, slope, slope - reach, slope + reach, confidence)


def _after_the_last(true: Array) -> int:
    return int(np.flatnonzero(true)[-1]) + 1 if true.any() else 0


def _from_the_line(T: Array, values: Array) -> float:
    """The standard error of the slope, from the residuals of the line."""
    return float(scipy.stats.linregress(np.log(T), np.log(values)).stderr)


def _between_seeds(T: Array, regrets: Array, noise: float) -> float:
    """The standard error of the slope, by leaving out one seed at a time."""
    seeds = len(regrets)
    if seeds < 2:
        return 0.0
    without = [np.diff(np.delete(regrets, seed, axis=0).mean(axis=0)) for seed in range(seeds)]
    if any((each <= noise).any() for each in without):
        return math.inf  # without one of the seeds there is no line
    slopes = [exponent(T, each) for each in without]
    return float(np.std(slopes) * np.sqrt(seeds - 1))
