"""Comparators that change over time: the best predictors with few shifts, and the best predictors of intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from arena.comparators.kernel_ridge import require_solver
from arena.errors import NoHindsight, number_of
from arena.hindsight.comparator import Comparator
from arena.hindsight.segment_grid import SharedFactor, refined
from arena.hindsight.segments import Segments, segment_optima
from arena.record.cached import once_per_match
from arena.record.comparing import BestLosses, Comparison, NamedComparator, Profile
from arena.record.theorem import lambda_stands_out
from arena.specs.parameters import parameter

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

EXACT = 1000  # largest number T of rounds for which all segments are computed: T^3 / 2 multiplications, 16 T^2 bytes
STARTS = 48  # number of blocks in longer matches, before refinement; segments begin where a block begins
BLOCKS = 12  # number of blocks for other losses: 78 segments of whole blocks, each solved by an interior-point method
MOST_ROUNDS_SQUARED = 100_000  # largest number of rounds for the squared loss
MOST_ROUNDS_OTHER = 5000  # for other losses
WIDE = 0.01  # relative width above which the output explains why an interval is wide
PLACES = 8  # largest number of shifts that are printed

Gap: TypeAlias = Callable[[Segments], tuple[float, float]]
Loose: TypeAlias = Callable[[Segments], list[tuple[int, int]]]


@dataclass(frozen=True)
class Shifts(NamedComparator):
    """The best sequence of kernel ridge predictors with at most k shifts; each segment pays its own penalty.

    A segment is the rounds between two shifts. With k = 0 the comparator is `kernel-ridge`. For the squared loss and at
    most 1,000 rounds, the least loss is exact in every round.

    Otherwise the rounds are divided into at most 256 blocks, and two bounds on the least loss are computed. The upper
    bound allows shifts only where blocks begin. The lower bound allows shifts anywhere, but leaves out the losses in
    blocks with a shift. If the bounds are far apart, --rounds 1000 gives the exact value for the squared loss.

    >>> from arena import play
    >>> run = play("zero", "label-blocks(length=50)", rounds=100)
    >>> run.regret_to("shifts(k=1)").detail
    'it shifts in round 51'
    >>> run.regret_to("shifts(k=1)").regret[0] > run.regret_to("kernel-ridge").regret[0] + 90
    True
    """

    name: ClassVar[str] = "shifts"
    family: ClassVar[str] = "moving"
    cost: ClassVar[str] = (
        "O(T^3 + k T^2) up to 1,000 rounds; beyond, an interval in O(T r^2 + 256^2 r^3) for r features of the kernel"
    )

    k: int = parameter(1, "shifts at most", at_least=0, at_most=1000)

    @property
    def plainly(self) -> str:
        if not self.k:
            return "the best kernel ridge predictor, which never shifts"
        return f"the best sequence of kernel ridge predictors with at most {number_of(self.k, 'shift')}"

    def best_losses(self, run: Transcript) -> BestLosses:
        k = min(self.k, run.rounds - 1)

        def gap(found: Segments) -> tuple[float, float]:
            lower, upper = found.best_partitions(k)
            return float(lower[-1]), float(upper[-1])

        segments = segments_of(run, gap, lambda found: found.loose_shifts(k))
        lower, upper = segments.best_partitions(k)
        detail = _places(segments.best_places(k)) + _coarse(segments, lower[-1], upper[-1])
        return BestLosses(segments.ends + 1, lower, upper, detail=detail)


@dataclass(frozen=True)
class Intervals(NamedComparator):
    """The best kernel ridge predictor of each interval of rounds, with its penalty.

    Each interval has a regret: the learner's loss minus the best predictor's, both in this interval alone. The reported
    regret is the largest of them, the strongly adaptive regret. The result also has, for several n, the largest regret
    on intervals of at most n rounds. For the squared loss and at most 1,000 rounds these regrets are exact. Otherwise
    they are known up to bounds.

    >>> from arena import play
    >>> found = play("zero", "label-blocks(length=50)", rounds=100).regret_to("intervals")
    >>> found.detail, round(found.regret[0], 3)  # zero loses 50 in a block, its best predictor 50/51
    ('rounds 1 to 50', 49.02)
    """

    name: ClassVar[str] = "intervals"
    family: ClassVar[str] = "moving"
    cost: ClassVar[str] = (
        "O(T^3) up to 1,000 rounds; beyond, an interval in O(T r^2 + 256^2 r^3) for r features of the kernel"
    )

    @property
    def plainly(self) -> str:
        return "the best kernel ridge predictor of any one interval of rounds, on that interval"

    def compare(self, run: Transcript) -> Comparison:
        if not np.isfinite(run.loss):
            raise NoHindsight("the learner's loss is infinite, so that intervals cannot be distinguished")

        def gap(found: Segments) -> tuple[float, float]:
            lower, upper = found.worst_regrets(run.losses).so_far()
            return float(lower[-1]), float(upper[-1])

        segments = segments_of(run, gap, lambda found: found.worst_regrets(run.losses).loose())
        regrets = segments.worst_regrets(run.losses)
        first, last = regrets.worst()
        lower, upper = regrets.so_far()
        lengths = np.unique(np.round(np.geomspace(1, run.rounds, 33)).astype(np.intp))
        profile = Profile("longest interval in rounds", lengths.astype(float), *regrets.by_length(lengths))
        detail = f"rounds {first:,} to {last:,}" + _coarse(segments, lower[-1], upper[-1])
        return self.comparison(run, segments.ends + 1, lower, upper, profile, detail)


def segments_of(run: Transcript, gap: Gap, loose: Loose) -> Segments:
    """Return the best penalised losses of a match's segments (consecutive rounds), or bounds on these losses.

    For the squared loss and at most 1,000 rounds, the losses of all segments are exact. Otherwise the result has bounds
    for some segments. With the squared loss, segments may be added in several steps. Each step calls two functions of
    the segments so far:

    - `gap` returns a lower and an upper bound on the number that the caller wants, such as the largest regret. The
      steps end when these bounds nearly agree.
    - `loose` returns blocks of rounds, in which new segments should begin or end. A block is a pair: its first round,
      and the first round after it.

    Raise `NoHindsight` if there are too many rounds, or if lambda is too small beside rounding errors.
    """
    if not run.comparator.closed_form:
        return _segments_between_blocks(run)
    precise = lambda_stands_out(run, run.game.regularisation)
    if not precise.holds:
        raise NoHindsight(f"lambda drowns in rounding errors: {precise.measured}; raise `regularisation=...`")
    if run.rounds <= EXACT:
        return _every_segment(run)
    if run.rounds > MOST_ROUNDS_SQUARED:
        raise NoHindsight(
            f"segments are computed up to {MOST_ROUNDS_SQUARED:,} rounds, and there are {run.rounds:,}; play fewer "
            "rounds"
        )
    factor = shared_factor(run)
    if factor.useful:
        return refined(factor, run.rounds, STARTS, gap, loose)
    return _segments_from_starts(run)  # the kernel needs too many features for `gap` and `loose`


@once_per_match
def _every_segment(run: Transcript) -> Segments:
    gram = run.game.kernel.gram(run.points, run.points)
    gram.flat[:: len(gram) + 1] = run.game.kernel.diagonal(run.points)
    return Segments.exact(segment_optima(gram, run.labels, run.game.regularisation))


@once_per_match
def shared_factor(run: Transcript) -> SharedFactor:
    """Return an object that computes bounds on the best penalised losses of intervals of rounds."""
    kernel, watch = run.game.kernel, run.comparator.watch
    return SharedFactor(kernel, run.points, run.labels, run.game.regularisation, watch=watch)


@once_per_match
def _segments_from_starts(run: Transcript) -> Segments:
    """Return bounds on the best penalised losses of segments (consecutive rounds) of a match.

    A segment begins in one of 48 rounds, which are spread evenly over the match, and ends in any round.
    """
    game, X, y = run.game, run.points, run.labels
    starts, ends = _starts(run.rounds, STARTS), np.arange(run.rounds)
    lower, upper = np.zeros((len(starts), len(ends))), np.full((len(starts), len(ends)), np.inf)
    for row, start in enumerate(starts.tolist()):
        _follow(run, row, len(starts))
        interval = Comparator(game, X[start:], y[start:], "interval").interval()
        lower[row, start:], upper[row, start:] = interval.lower, interval.upper
    return Segments(starts, ends, lower, upper)


@once_per_match
def _segments_between_blocks(run: Transcript) -> Segments:
    require_solver(run, MOST_ROUNDS_OTHER)
    game, X, y = run.game, run.points, run.labels
    starts = _starts(run.rounds, BLOCKS)
    ends = np.concatenate([starts[1:], [run.rounds]]) - 1
    lower, upper = np.zeros((len(starts), len(ends))), np.full((len(starts), len(ends)), np.inf)
    for row, start in enumerate(starts.tolist()):
        _follow(run, row, len(starts))
        comparator = Comparator(game, X[start:], y[start:], "exact")
        for column, end in enumerate(ends[row:].tolist(), start=row):
            found = comparator.optimum(game.regularisation, end - start + 1)
            lower[row, column], upper[row, column] = found.lower, found.upper
    return Segments(starts, ends, lower, upper)


def _follow(run: Transcript, row: int, rows: int) -> None:
    """Report to the match's progress display, if it has one, that `row` of `rows` steps are done."""
    if run.comparator.watch is not None:
        run.comparator.watch("best sequences and intervals", row, rows)


def _starts(rounds: int, most: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Divide `rounds` into at most `most` blocks of about equal length; return their first rounds, counted from 0."""
    return np.unique(np.linspace(0, rounds, min(most, rounds), endpoint=False).astype(np.intp))


def _coarse(segments: Segments, lower: float, upper: float) -> str:
    """Return the reason why the interval from `lower` to `upper` is wide; an empty text if it is narrow.

    An example is "; wide, since segments begin in 48 rounds only: `help(Shifts)`".
    """
    if upper - lower <= WIDE * abs(upper):
        return ""
    return f"; wide, since segments begin in {number_of(len(segments.starts), 'round')} only: `help(Shifts)`"


def _places(rounds: list[int]) -> str:
    if not rounds:
        return "it never shifts"
    shown = ", ".join(f"{each + 1:,}" for each in rounds[:PLACES])
    more = f" and {len(rounds) - PLACES} more" if len(rounds) > PLACES else ""
    return f"it shifts in round{'s' if len(rounds) > 1 else ''} {shown}{more}"
