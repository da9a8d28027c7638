"""Named comparators, such as `shifts(k=2)`: their base class, and the regret of a match to them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, cleared_of_rounding
from arena.errors import ArenaError, NoHindsight, describe_error
from arena.guards.user_code import guarded
from arena.hindsight.checkpoints import step_curve
from arena.hindsight.interval import End
from arena.record.theorem import ROUNDING
from arena.specs.addresses import is_built_in, names_code
from arena.specs.building import build, registered_names_only
from arena.specs.parameters import Configured
from arena.specs.spelling import spec_text

if TYPE_CHECKING:
    from arena.record.judgement import Judgement
    from arena.record.transcript import Transcript

SHOWN = 33  # most points of a profile that are kept


@dataclass(frozen=True, eq=False)
class BestLosses:
    """Intervals [lower, upper] that contain the best comparator's cumulative loss after each of the rounds `at`.

    Rounds are counted from 1. `increments` are the exact changes of this loss from round to round; None if they are
    unknown. `detail` describes the best comparator of the whole match, such as the value of the best constant.
    """

    at: NDArray[np.intp]
    lower: Array
    upper: Array
    increments: Array | None = None
    detail: str = ""

    @classmethod
    def of_increments(cls, increments: Array, detail: str = "") -> BestLosses:
        """Return `BestLosses` that are exact after every round: the cumulative sums of `increments`."""
        total = np.cumsum(increments)
        return cls(np.arange(1, len(total) + 1), total, total, increments, detail)

    @classmethod
    def at_the_end(cls, rounds: int, lower: float, upper: float, detail: str = "") -> BestLosses:
        """Return `BestLosses` with one entry: after the last round the loss lies in the interval [lower, upper]."""
        return cls(np.array([rounds]), np.array([lower]), np.array([upper]), detail=detail)


@dataclass(frozen=True, eq=False)
class Profile:
    """The final regret as a function of a parameter of the comparator, such as the largest norm |f|.

    `axis` is the name of the parameter, and `x` has its values. For the value x[i] the regret lies in the interval
    [lower[i], upper[i]].
    """

    axis: str
    x: Array
    lower: Array
    upper: Array

    def downsampled(self, most: int = SHOWN) -> Profile:
        """Return a copy with at most `most` of the values `x`, evenly spread on a log scale."""
        if len(self.x) <= most:
            return self
        kept = np.unique(np.searchsorted(self.x, np.geomspace(self.x[0], self.x[-1], most) * (1.0 - 1e-9)))
        return Profile(self.axis, self.x[kept], self.lower[kept], self.upper[kept])

    def widened(self, below: float, above: float) -> Profile:
        """Return a copy whose lower ends are smaller by `below`, and whose upper ends are larger by `above`."""
        return replace(self, lower=self.lower - below, upper=self.upper + above)

    def as_json(self) -> dict[str, Any]:
        return {"axis": self.axis, **{name: getattr(self, name).tolist() for name in ("x", "lower", "upper")}}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Intervals [lower, upper] that contain a match's regret to a named comparator after each of the rounds `at`.

    - `at` has rounds counted from 1.
    - `plainly` describes the comparator in words.
    - `unknown` is the reason why the regret is unknown; "" if it is known.
    - `loss` is the learner's total loss.
    """

    comparator: str
    plainly: str
    at: NDArray[np.intp]
    lower: Array
    upper: Array
    loss: float = 0.0
    profile: Profile | None = None
    detail: str = ""
    unknown: str = ""

    @property
    def regret(self) -> tuple[float, float] | None:
        """The interval (lower, upper) of the regret after the last round; None if the regret is unknown."""
        return None if self.unknown else (float(self.lower[-1]), float(self.upper[-1]))

    @property
    def negative(self) -> str:
        """A remark if the regret is certainly negative, even after an allowance for rounding; "" otherwise."""
        if self.regret is None or not self.regret[1] < -ROUNDING * self.loss:
            return ""
        return "negative: the learner lost less than this comparator"

    def curve(self, end: End | None = None) -> Array:
        """Return the regret of every prefix: the lower ends if `end` is "favourable", otherwise the upper ends.

        For a round that is missing in `at`, the curve repeats the value of the last earlier round in `at`. Before the
        first round in `at`, it has the value of this first round. `NoHindsight` is raised if the regret is unknown.
        """
        if self.unknown:
            raise NoHindsight(self.unknown)
        rounds, values = int(self.at[-1]), self.lower if end == "favourable" else self.upper
        if len(self.at) == rounds:
            return values
        at, held = self.at.tolist(), values.tolist()
        return step_curve(rounds, at if at[0] == 1 else [1, *at], held if at[0] == 1 else [held[0], *held])

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values; of the regrets of all rounds only the final one is included."""
        return {
            "comparator": self.comparator,
            "plainly": self.plainly,
            "regret": None if self.regret is None else list(self.regret),
            "detail": self.detail,
            "profile": None if self.profile is None else self.profile.as_json(),
            "negative": self.negative,
            "unknown": self.unknown,
        }


class NamedComparator(Configured):
    """Base class of comparators. Subclass it as a frozen dataclass and define `plainly` and `best_losses`.

    A comparator reads the transcript and nothing else. If its loss cannot be computed, `best_losses` raises
    `NoHindsight` with the reason and a remedy.
    """

    name: ClassVar[str] = ""
    family: ClassVar[str] = ""
    cost: ClassVar[str] = ""

    @property
    def plainly(self) -> str:
        """Description of the comparator, as the end of a sentence that begins with "compared with"."""
        return spec_text(self)

    def best_losses(self, run: Transcript) -> BestLosses:
        """Return the best comparator's cumulative loss after each round for which this loss can be computed."""
        raise ArenaError(f"{type(self).__name__} must define best_losses(run), which returns BestLosses")

    def profile(self, run: Transcript) -> Profile | None:
        """Return the final regret as a function of a parameter of the comparator; None by default."""
        return None

    def compare(self, run: Transcript) -> Comparison:
        """Return the regret of a match to this comparator."""
        best = self.best_losses(run)
        with np.errstate(over="ignore", invalid="ignore"):  # huge predictions give infinite losses
            if best.increments is not None:
                # summed round by round: the difference of two large sums would lose digits
                lower = upper = np.cumsum(run.losses - best.increments)
            else:
                total = run.cumulative_losses[best.at - 1]
                lower, upper = total - best.upper, total - best.lower
        return self.comparison(run, best.at, lower, upper, self.profile(run), best.detail)

    def comparison(
        self,
        run: Transcript,
        at: NDArray[np.intp],
        lower: Array,
        upper: Array,
        profile: Profile | None = None,
        detail: str = "",
    ) -> Comparison:
        """Return the `Comparison` whose regrets after the rounds `at`, counted from 1, lie in [lower, upper].

        `profile` has the final regret for many values of a parameter of the comparator. `detail` describes the best
        comparator. If the predictions have error bars, all intervals become wider by what these bars leave open.
        """
        thin = None if profile is None else profile.downsampled()
        total = run.cumulative_losses[at - 1]
        if run.losses_between is not None:
            least, largest = run.losses_between
            below, above = np.cumsum(run.losses - least), np.cumsum(largest - run.losses)
            lower, upper = lower - below[at - 1], upper + above[at - 1]
            thin = None if thin is None else thin.widened(below[-1], above[-1])
        lower, upper = cleared_of_rounding(lower, total), cleared_of_rounding(upper, total)
        return Comparison(spec_text(self), self.plainly, at, lower, upper, run.loss, thin, detail)


def comparisons(run: Transcript) -> list[Comparison]:
    """Return the comparison of a match with each of its `comparators`.

    If a comparator that is given as text cannot be built, or its code is not trusted, no error is raised. Its
    comparison then has the reason in place of a regret.
    """
    return [_named_in_file(run, each) if isinstance(each, str) else run.regret_to(each) for each in run.comparators]


def judged(run: Transcript, bound: Any = None) -> Judgement:
    """Judge a match (`Transcript.judgement`), and compute the regrets to its comparators, which the match caches."""
    judgement = run.judgement(bound)
    comparisons(run)  # here errors of a user's model become messages
    return judgement


def key_of(comparator: NamedComparator) -> tuple[str, type[NamedComparator], str]:
    """Return the key under which a match caches its comparison with `comparator`: ("comparator", class, spec)."""
    return "comparator", type(comparator), spec_text(comparator)


def leave_out_comparators(run: Transcript, reason: str, *, known: Transcript) -> None:
    """Cache in `run`, for each of its comparators, a comparison with `reason` in place of a regret.

    So no regret is computed later. If `known`, a transcript of the same match, has cached the comparison with a
    comparator, this comparison is copied instead.
    """
    for each in run.comparators:
        with contextlib.suppress(ArenaError):  # a spec that cannot be built has its own reason
            built = build("comparator", each)
            key = key_of(built)
            run.remembered[key] = known.remembered.get(key) or unknown(key[2], built.plainly, reason)


def with_comparators(known: Sequence[Any], wanted: Sequence[Any]) -> tuple[Any, ...]:
    """Return the comparators `known`, followed by the comparators in `wanted` that are not in `known`."""
    names = {each if isinstance(each, str) else spec_text(each) for each in known}
    return (*known, *(each for each in wanted if spec_text(each) not in names))


def _named_in_file(run: Transcript, name: str) -> Comparison:
    try:
        return run.regret_to(name if run.trusted else registered_names_only(name))
    except ArenaError as error:
        hint = "" if run.trusted or not names_code(name) else "; `trust=True` runs it"
        return unknown(name, "a comparator that is named in the file", f"{error}{hint}")


def unknown(comparator: str, plainly: str, reason: str) -> Comparison:
    """Return a `Comparison` that has `reason`, an explanation, in place of a regret.

    `plainly` describes the comparator in words.
    """
    nothing = np.empty(0)
    return Comparison(comparator, plainly, np.empty(0, dtype=np.intp), nothing, nothing, unknown=reason)


def compared(run: Transcript, comparator: NamedComparator) -> Comparison:
    """Return the comparison of a match with a comparator.

    If the comparator refuses the match, a user's comparator fails, or numbers overflow, the comparison has the reason
    in place of a regret.
    """

    def complaint(error: BaseException) -> NoHindsight:
        return NoHindsight(f"{type(comparator).__name__} raised {describe_error(error)}")

    reason = "points or labels are too large for its numbers"
    ours = is_built_in(type(comparator))
    try:
        if not run.rounds:
            raise NoHindsight("no round was played")
        with np.errstate(all="ignore"), contextlib.nullcontext() if ours else guarded(complaint):
            found = comparator.compare(run)
        if not (np.isnan(found.lower).any() or np.isnan(found.upper).any()):
            return found
    except NoHindsight as error:
        reason = str(error)
    except np.linalg.LinAlgError:
        pass  # the numbers are too large, too
    return unknown(spec_text(comparator), comparator.plainly, reason)
