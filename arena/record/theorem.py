"""What a theorem is, and how a match is judged by it.

A theorem is one object: its statement, where it comes from, what it assumes, what it bounds and by how much. It reads
nothing but the transcript of a match.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, NoHindsight, describe_error
from arena.linalg.threads import one_thread
from arena.record.verdict import Assumption as Assumption
from arena.record.verdict import Outcome as Outcome
from arena.record.verdict import Verdict as Verdict
from arena.specs.parameters import Configured
from arena.specs.spelling import spec_text

if TYPE_CHECKING:
    from arena.record.transcript import Transcript

PRECISION = 10 * float(np.finfo(float).eps)  # a lambda below this times T k(x, x) drowns in rounding errors
ROUNDING = 1e-8  # a bound is broken when it is exceeded by more than this times (min(1, B^2) + the loss so far)


class Theorem(Configured):
    """A statement about every match that meets its assumptions. Subclass it as a frozen dataclass.

    Define `allowed` and, unless it bounds the regularised regret of the game, `measured`; both are curves, one value
    for each round. `assumptions` names what must hold, with what was measured; `assumes` says it before any match.

    A statement that may fail with probability 1 - `confidence`, or that speaks of the mean over the learner's coins
    (`in_expectation`), is judged over many seeds and never by one match.

    A theorem is `monotone` if what it measures falls as the comparator's optimum rises, and what it allows does not
    fall as the leverages rise (`stretch`, `log_determinant`, `online_dimension`, `effective_dimensions` do so). Such a
    theorem can be judged where only an interval is known of the hindsight, as for every loss but the squared one.
    """

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    statement: ClassVar[str] = ""
    quantity: ClassVar[str] = "regret"
    monotone: ClassVar[bool] = False
    demanded: ClassVar[bool] = False  # a wish of the user's, which nobody has proved
    at_the_end: ClassVar[bool] = False  # it says nothing of rounds before the last
    assumes: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:  # for mypy properties, so that subclasses may compute them; in fact plain attributes

        @property
        def confidence(self) -> float:
            """The probability with which it holds, over the coins of the learner."""

        @property
        def in_expectation(self) -> bool:
            """Whether it bounds the mean over the coins of the learner, and says nothing of a single match."""
    else:
        confidence = 1.0
        in_expectation = False

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """What the theorem needs, measured on this match."""
        return ()

    def measured(self, run: Transcript) -> Array:
        """What the theorem bounds, at every round."""
        return run.regret_against(run.game.regularisation)

    def allowed(self, run: Transcript) -> Array:
        """The bound, at every round."""
        raise ArenaError(f"{type(self).__name__} must define allowed(run): the bound, one value for each round")

    def verdict(self, run: Transcript) -> Verdict:
        """What the theorem says of this match, which must not be its only one if the theorem leaves room for chance."""
        found = self.judge(run)
        return _one_of_many(found) if found.applicable and (self.confidence < 1 or self.in_expectation) else found

    def judge(self, run: Transcript) -> Verdict:
        """The statement held against this one match, bad luck included."""
        if not 0.0 <= self.confidence <= 1.0:
            raise ArenaError(f"{type(self).__name__}: confidence must be >= 0 and <= 1, but it is {self.confidence!r}")
        with one_thread():
            found = self._held_against(run)
        return dataclasses.replace(found, confidence=self.confidence, in_expectation=self.in_expectation)

    def _held_against(self, run: Transcript) -> Verdict:
        theorem = spec_text(self)
        if run.rounds == 0:
            return Verdict(theorem, self.name, "not applicable", "no round was played", self.quantity)
        if self.monotone and self.needs_an_interval(run):
            return self._judge_interval(theorem, run)
        return self._judge_if_met(theorem, run)

    def needs_an_interval(self, run: Transcript) -> bool:
        """Whether no more than an interval is known of the comparator that it needs."""
        return run.has_interval or run.game.loss.name != "squared"

    def _judge_if_met(self, theorem: str, run: Transcript) -> Verdict:
        assumptions = self._asked("assumptions", lambda: tuple(self.assumptions(run)))
        if not all(isinstance(each, Assumption) for each in assumptions):
            raise ArenaError(f"{type(self).__name__}.assumptions(run) must give Assumption(statement, holds, measured)")
        failed = [each for each in assumptions if not each.holds]
        if failed:
            reason = "; ".join(map(str, failed))
            return Verdict(theorem, self.name, "not applicable", reason, self.quantity, assumptions=assumptions)
        try:
            return self._judge(theorem, assumptions, run)
        except NoHindsight as reason:
            return Verdict(theorem, self.name, "not applicable", str(reason), self.quantity, assumptions=assumptions)

    def _judge_interval(self, theorem: str, run: Transcript) -> Verdict:
        """The bound at either end: what it is there, it is for every value between."""
        worst, best = (self._judge_if_met(theorem, run.sided(side)) for side in ("unfavourable", "favourable"))
        if not (worst.applicable and best.applicable):
            return best if worst.applicable else worst
        if worst.holds:
            return dataclasses.replace(worst, other_end=_at_the_end(best))
        if best.violated:
            reason = f"for every value in the interval: {best.reason}"
            return dataclasses.replace(best, reason=reason, other_end=_at_the_end(worst))
        reason = (
            f"{self.quantity} between {best.measured:.6g} and {worst.measured:.6g}, "
            f"bound between {worst.allowed:.6g} and {best.allowed:.6g}, "
            f"in doubt from round {worst.round} on"
        )
        if run.has_interval:
            reason += "; narrow it with --hindsight exact, or run.interval(features=...)"
        return dataclasses.replace(
            worst, outcome="undecided", reason=reason, round=None, margin=None, other_end=_at_the_end(best)
        )

    def _judge(self, theorem: str, assumptions: tuple[Assumption, ...], run: Transcript) -> Verdict:
        with np.errstate(over="ignore", invalid="ignore"):  # where a learner has blown up
            measured, allowed = self._curve("measured", run), self._curve("allowed", run)
            excess = measured - allowed
        slack = ROUNDING * (min(1.0, run.game.label_bound) ** 2 + run.cumulative_losses)
        obeyed = (excess <= slack) & np.isfinite(measured)  # neither NaN nor infinity is a way to obey a theorem
        broken = ~(obeyed | np.isposinf(allowed))
        broken[: -1 if self.at_the_end else 0] = False
        first = int(broken.argmax()) if broken.any() else None
        reason = ""
        if first is not None:
            reason = (
                f"{self.quantity} {measured[first]:.6g} exceeds the bound {allowed[first]:.6g} "
                f"by {excess[first]:.3g}, first in round {first + 1}"
            )
        return Verdict(
            theorem,
            self.name,
            "holds" if first is None else "violated",
            reason,
            self.quantity,
            float(measured[-1]),
            float(allowed[-1]),
            None if first is None else first + 1,
            None if first is None else float(excess[first]),
            assumptions,
            measured,
            allowed,
        )

    def _curve(self, which: str, run: Transcript) -> Array:
        curve: Array = self._asked(which, lambda: np.asarray(getattr(self, which)(run), dtype=float))
        if curve.shape != (run.rounds,):
            raise ArenaError(
                f"{type(self).__name__}.{which}(run) must give one value for each of the {run.rounds} rounds, "
                f"but its shape is {curve.shape}"
            )
        return curve

    def _asked(self, which: str, ask: Callable[[], Any]) -> Any:
        """What the theorem says; where the code of a user's own goes wrong, that is told in one line."""
        try:
            return ask()
        except Exception as error:
            if isinstance(error, ArenaError) or type(self).__module__.startswith("arena."):
                raise
            raise ArenaError(f"{type(self).__name__}.{which}(run) raised {describe_error(error)}") from error


def _at_the_end(verdict: Verdict) -> tuple[float, float]:
    assert verdict.measured is not None
    assert verdict.allowed is not None
    return verdict.measured, verdict.allowed


def _one_of_many(found: Verdict) -> Verdict:
    """A match about which the theorem leaves room for chance."""
    how = "in expectation" if found.in_expectation else f"with probability {found.confidence:g}"
    seen = f"here {found.quantity} {found.measured:.6g} of {found.allowed:.6g}"
    return Verdict(
        found.theorem,
        found.name,
        "not applicable",
        f"it holds {how}, so one match says nothing ({seen}); judge many with --seeds",
        found.quantity,
        assumptions=found.assumptions,
        confidence=found.confidence,
        in_expectation=found.in_expectation,
    )


def squared_loss(run: Transcript, regularisation: float | None = None) -> Assumption:
    """The loss is the squared one, and the comparator at this lambda (none: the game's) is known, to some digits."""
    if run.game.loss.name == "squared" and not run.has_hindsight:
        return Assumption("the best predictor in hindsight was computed", False, run.why_no_hindsight)
    return squared_alone(run, run.game.at(regularisation))


def squared_alone(run: Transcript, regularisation: float) -> Assumption:
    """The loss is squared, whether or not the best predictor in the whole RKHS is known."""
    if run.game.loss.name != "squared":
        return Assumption("the loss is squared", False, f"it is {run.game.loss.name}")
    precise = lambda_stands_out(run, regularisation)
    return Assumption("the loss is squared", True) if precise.holds else precise


def lambda_stands_out(run: Transcript, regularisation: float) -> Assumption:
    """Rounding errors are small beside lambda."""
    needed = PRECISION * run.rounds * float(run.game.kernel.diagonal(run.points).max())
    statement = "lambda stands out of the rounding errors"
    return Assumption(statement, regularisation >= needed, f"{regularisation:g}, but {needed:.2g} is needed")


def labels_within(run: Transcript, bound: float) -> Assumption:
    """No label is larger than the bound."""
    largest = float(np.abs(run.labels).max())
    return Assumption(f"labels within [-{bound:g}, {bound:g}]", largest <= bound, f"largest {largest:g}")


def predictions_within(run: Transcript, bound: float) -> Assumption:
    """No prediction is larger than the bound."""
    largest = float(np.abs(run.predictions).max())
    holds = largest <= bound * (1 + 1e-12)
    return Assumption(f"predictions within [-{bound:g}, {bound:g}]", holds, f"largest {largest:g}", learners=True)


def beyond_rounding(run: Transcript, differences: Array, regularisation: float) -> Array:
    """How far two ways to compute the same sum over ridge regressions are apart, less what rounding explains.

    Rounding errors are a few digits at lambda = 1 and grow like 1 / lambda (measured: a tenth of the allowance here).
    """
    scale = 64.0 * float(np.finfo(float).eps) * float(run.game.kernel.diagonal(run.points).max()) / regularisation
    allowance = scale * np.cumsum(np.square(run.labels))
    return np.asarray(np.maximum(np.abs(np.cumsum(differences)) - allowance, 0.0))
