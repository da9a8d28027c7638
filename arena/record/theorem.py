"""The base class of theorems, and the assumptions that many of them share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.losses import KINK
from arena.record.verdict import DEVIATION
from arena.record.verdict import Assumption as Assumption
from arena.record.verdict import Outcome as Outcome
from arena.record.verdict import Verdict as Verdict
from arena.specs.parameters import Configured

if TYPE_CHECKING:
    from arena.game.losses import Loss
    from arena.record.transcript import Transcript

PRECISION = 10 * float(np.finfo(float).eps)  # a lambda below this times T k(x, x) is lost in rounding errors
AT_MOST_THE_LOSS = ("regret at", "regret against", "regret in the features", "loss beyond")
ROUNDING = 1e-8  # the share of a measured quantity that rounding may explain

Claim: TypeAlias = "str | Theorem | type[Theorem]"


class Theorem(Configured):
    """A statement about every match that meets its assumptions. Subclass it as a frozen dataclass.

    Define `allowed` and, unless it bounds the regularised regret of the game, `measured`; both are curves, one value
    for each round, and read nothing but the transcript. `assumptions` returns the conditions, each with the value that
    was measured; `assumes` lists them in words, before any match.

    Stores of matches keep verdicts with the theorem's `version`, and judge again when it is another one.

    A statement that may fail with probability 1 - `confidence`, or that is about the mean over the learner's coins
    (`in_expectation`), is judged over many seeds and never by one match. A mean can be refuted only if `least_excess`
    is known.

    A theorem is `monotone` if what it measures falls as the comparator's optimum rises, and what it allows does not
    fall as the leverages rise (`stretch`, `log_determinant`, `online_dimension`, `effective_dimensions` do so). Such a
    theorem can be judged at the two ends of the intervals in which the optima lie, where no more is known of them.
    """

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    statement: ClassVar[str] = ""
    quantity: ClassVar[str] = "regret"
    monotone: ClassVar[bool] = False
    own_comparator: ClassVar[bool] = False  # for the squared loss it needs no optimum over the whole RKHS
    version: ClassVar[int] = 1  # to be raised with every change of the statement or of its computation
    demanded: ClassVar[bool] = False  # a limit that the user sets, without a proof
    at_the_end: ClassVar[bool] = False  # it is judged at the last round only
    lower: ClassVar[bool] = False  # a bound from below, which an adversary promises
    assumes: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:  # for mypy properties, so that subclasses may compute them; in fact plain attributes

        @property
        def confidence(self) -> float:
            """The probability with which it holds, over the coins of the learner."""

        @property
        def in_expectation(self) -> bool:
            """Whether it bounds the mean over the coins of the learner, not a single match."""
    else:
        confidence = 1.0
        in_expectation = False

    def in_intervals(self, run: Transcript) -> bool:
        """Return whether what it measures is known in intervals only, so that it is judged at both of their ends."""
        comparator = run.comparator
        return comparator.in_intervals and not (self.own_comparator and comparator.closed_form)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """Return the conditions of the theorem, measured on this match."""
        return ()

    def measured(self, run: Transcript) -> Array:
        """Return the bounded quantity at every round."""
        return run.regret_against(run.game.regularisation)

    def allowed(self, run: Transcript) -> Array:
        """Return the bound at every round."""
        raise ArenaError(f"{type(self).__name__} must define allowed(run): the bound, one value for each round")

    def least_excess(self, run: Transcript) -> float | None:
        """Return a number below which measured minus allowed cannot lie at the last round; None if none is known.

        It is negative, and follows from the game and the number of rounds alone, whatever coins and moves are. Needed
        for a theorem in expectation: without it a rare match far below the bound may make up for all that were seen.
        """
        return None

    def most(self, run: Transcript) -> float | None:
        """Return the largest value that the measured quantity can take in this game; None if none is known.

        It is for as many rounds, predictions within [-C, C] and labels within [-B, B]. A regret is at most the loss,
        because no comparator has a negative objective. A theorem about anything else defines this method.
        """
        is_regret = self.quantity in ("regret", "loss") or self.quantity.startswith(AT_MOST_THE_LOSS)
        return largest_loss(run) if is_regret else None

    def identical(self, run: Transcript) -> bool:
        """Return whether the bound equals the measured value in this match whatever the learner did."""
        return False

    def concerns(self, run: Transcript) -> bool:
        """Return whether this match is worth judging: a lower bound may be about one class of learners."""
        return True

    def refutation(self, run: Transcript) -> tuple[int, float] | None:
        """Return the round, from 1, and the measured value in it that refute a bound which the measured curve exceeds.

        None if they are those of the curve. They differ where the curve is about a comparator that the theorem does not
        speak of, and another one decides.
        """
        return None

    def scale(self, run: Transcript) -> Array:
        """Return the size, at every round, of the numbers of which the measured value is a sum or difference.

        Of a regret these are the losses. A theorem about anything else returns the size of that, or zeros if it is of
        the size of the bound.
        """
        return size_of_losses(run, run.losses, run.game.loss, run.labels)

    def tolerance(self, run: Transcript) -> Array:
        """Return by how much rounding errors may lift the measured value above the bound at every round."""
        return np.asarray(ROUNDING * self.scale(run))


def size_of_losses(run: Transcript, losses: Array, loss: Loss, labels: Array) -> Array:
    """Return the sum of `losses` so far, and the largest loss of predicting zero.

    Predictions near a kink count as on it, where the derivative is zero: that is `KINK` a round off, whatever the size
    of the labels.
    """
    of_zero = np.asarray(loss.value(np.zeros(run.rounds), labels))
    kinks = 0.0 if math.isfinite(loss.smoothness(1.0, 1.0)) else KINK / ROUNDING * np.arange(1, run.rounds + 1)
    return np.asarray(np.cumsum(losses) + np.maximum.accumulate(of_zero) + kinks)


def slack(theorem: Theorem, run: Transcript, allowed: Array) -> Array:
    """Return the excess at every round that rounding may explain: the theorem's own, and a share of the bound."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = theorem.tolerance(run) + ROUNDING * np.where(np.isfinite(allowed), np.abs(allowed), 0.0)
    return np.asarray(np.nan_to_num(found, nan=np.inf, posinf=np.inf))


def largest_loss(run: Transcript) -> float:
    """Return the largest loss in this game, for as many rounds: predictions within [-C, C], labels within [-B, B].

    A learner that does not clip its predictions may lose more; clipping them, which no theorem is needed for, ensures
    this much.
    """
    with np.errstate(over="ignore"):
        return run.rounds * run.game.loss.largest(run.game.clip, run.game.label_bound)


def least_regret(run: Transcript) -> float:
    """Return the least regret of any match in this game: no loss, where predicting zero loses as much as possible."""
    labels = np.array([-run.game.label_bound, run.game.label_bound])
    return -run.rounds * float(run.game.loss.value(np.zeros(2), labels).max())


class Identity(Theorem):
    """A statement that two sums are equal: it measures how far they are apart, and allows nothing but rounding."""

    quantity: ClassVar[str] = DEVIATION
    monotone: ClassVar[bool] = False

    def allowed(self, run: Transcript) -> Array:
        return np.zeros(run.rounds)


def squared_loss(run: Transcript, regularisation: float | None = None) -> Assumption:
    """Assumption: the loss is squared, and the comparator at this lambda (none: the game's) is known to some digits."""
    comparator = run.comparator
    if comparator.closed_form and not comparator.known:
        return Assumption("the best predictor in hindsight was computed", False, comparator.why_unknown)
    return squared_alone(run, run.game.at(regularisation))


def squared_alone(run: Transcript, regularisation: float) -> Assumption:
    """Assumption: the loss is squared, and rounding errors are small. The comparator may be unknown."""
    squared, precise = loss_is_squared(run), lambda_stands_out(run, regularisation)
    return precise if squared.holds and not precise.holds else squared


def loss_is_squared(run: Transcript) -> Assumption:
    """Assumption: the game's loss is (prediction - label)^2."""
    squared = run.comparator.closed_form
    return Assumption("the loss is squared", squared, "" if squared else f"it is {run.game.loss.name}")


def lambda_stands_out(run: Transcript, regularisation: float) -> Assumption:
    """Assumption: rounding errors are small beside lambda."""
    needed = PRECISION * run.rounds * float(run.game.kernel.diagonal(run.points).max())
    statement = "lambda stands out of the rounding errors"
    return Assumption(statement, regularisation >= needed, f"{regularisation:g}, but {needed:.2g} is needed")


def labels_within(run: Transcript, bound: float) -> Assumption:
    """Assumption: no label is larger than the bound."""
    largest = float(np.abs(run.labels).max())
    return Assumption(f"labels within [-{bound:g}, {bound:g}]", largest <= bound, f"largest {largest:g}")


def predictions_within(run: Transcript, bound: float) -> Assumption:
    """Assumption: no prediction is larger than the bound."""
    largest = float(np.abs(run.predictions).max())
    holds = largest <= bound * (1 + 1e-12)
    return Assumption(f"predictions within [-{bound:g}, {bound:g}]", holds, f"largest {largest:g}", learners=True)


def beyond_rounding(run: Transcript, differences: Array, regularisation: float) -> Array:
    """Return how far two ways to compute the same sum over ridge regressions are apart, less what rounding explains.

    Rounding errors are a few digits at lambda = 1 and grow like 1 / lambda (measured: a tenth of the allowance here).
    """
    scale = 64.0 * float(np.finfo(float).eps) * float(run.game.kernel.diagonal(run.points).max()) / regularisation
    allowance = scale * np.cumsum(np.square(run.labels))
    return np.asarray(np.maximum(np.abs(np.cumsum(differences)) - allowance, 0.0))
