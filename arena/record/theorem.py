"""The base class of theorems, and the assumptions that many of them share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.losses import KINK
from arena.record.verdict import DEVIATION, Assumption
from arena.specs.attributes import overridable
from arena.specs.parameters import Configured

if TYPE_CHECKING:
    from arena.game.kernels import Kernel
    from arena.game.losses import Loss
    from arena.record.transcript import Transcript

PRECISION = 10 * float(np.finfo(float).eps)  # a lambda below this times T max k(x, x) is lost in rounding errors
# The beginnings of names of quantities that are at most the learner's loss.
AT_MOST_THE_LOSS = ("regret at", "regret against", "regret in the features", "loss beyond")
ROUNDING = 1e-8  # the share of a measured quantity that rounding may explain

Claim: TypeAlias = "str | Theorem | type[Theorem]"


class Theorem(Configured):
    """A statement about every match that meets its assumptions. Subclass it as a frozen dataclass.

    - Define `allowed`, the bound. Define `measured`, too, if the theorem bounds anything but the regularised regret.
      Both return one value for each round.
    - `assumptions` returns the conditions with their values in a match. `assumes` lists the conditions in words.
    - A theorem with `confidence` < 1 or with `in_expectation` cannot be refuted by one match, only by many seeds.
    - `monotone` promises that a larger best loss in hindsight makes `measured` smaller, and that larger leverages do
      not make `allowed` smaller.
    """

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    statement: ClassVar[str] = ""
    formula: ClassVar[str] = ""  # the statement for pages: prose with LaTeX between dollar signs
    quantity: ClassVar[str] = "regret"
    monotone: ClassVar[bool] = False
    own_comparator: ClassVar[bool] = False  # True if, with the squared loss, the theorem needs no optimum over the RKHS
    version: ClassVar[int] = 1  # raise it with every change of the statement or of its computation
    demanded: ClassVar[bool] = False  # True for a limit that the user sets, which has no proof
    at_the_end: ClassVar[bool] = False  # True if the theorem is judged at the last round only
    lower: ClassVar[bool] = False  # True for a lower bound, which an adversary promises
    assumes: ClassVar[tuple[str, ...]] = ()

    @overridable
    def confidence(self) -> float:
        """The probability, over the learner's random numbers, with which the theorem holds."""
        return 1.0

    @overridable
    def in_expectation(self) -> bool:
        """True if the theorem bounds the mean over the learner's random numbers, not a single match."""
        return False

    def in_intervals(self, run: Transcript) -> bool:
        """Return whether the measured value is known in an interval only; the theorem is then judged at both ends."""
        comparator = run.comparator
        if run.error_bars is not None:
            return True
        return comparator.in_intervals and not (self.own_comparator and comparator.closed_form)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """Return the conditions of the theorem, measured on this match."""
        return ()

    def measured(self, run: Transcript) -> Array:
        """Return the bounded quantity in every round."""
        return run.regret_against(run.game.regularisation)

    def allowed(self, run: Transcript) -> Array:
        """Return the bound in every round."""
        raise ArenaError(f"{type(self).__name__} must define allowed(run): the bound, one value for each round")

    def least_excess(self, run: Transcript) -> float | None:
        """Return a negative lower bound on measured minus allowed at the last round; None if none is known.

        For a lower bound (`lower`), the result is a lower bound on allowed minus measured. It must depend only on the
        game and the number of rounds. If it is None, a theorem with `in_expectation` cannot be refuted.
        """
        return None

    def most(self, run: Transcript) -> float | None:
        """Return the largest value that the measured quantity can have in this game; None if none is known.

        The maximum is over matches with the same number of rounds, predictions within [-C, C] and labels within [-B, B]
        (C is `game.clip`, B is `game.label_bound`). The default is the learner's largest loss for quantities that are
        at most the loss, such as the regret, and None for others.
        """
        is_regret = self.quantity in ("regret", "loss") or self.quantity.startswith(AT_MOST_THE_LOSS)
        if not is_regret:
            return None
        with np.errstate(over="ignore"):
            return run.rounds * run.game.loss.largest(run.game.clip, run.game.label_bound)

    def identical(self, run: Transcript) -> bool:
        """Return whether in this match the bound equals the measured value, whatever the learner predicts."""
        return False

    def concerns(self, run: Transcript) -> bool:
        """Return whether the theorem is about this match. Lower bounds may be about one class of learners only."""
        return True

    def refutation(self, run: Transcript) -> tuple[int, float] | None:
        """Return the round that refutes a violated theorem, counted from 1, and the measured value in this round.

        The default, None, stands for the first round in which the curve `measured` exceeds the bound.

        Override this method if the theorem bounds the regret to some functions only, but `measured` returns the regret
        to the best of all functions, which may be larger. Then return a round in which the regret to one of those
        functions exceeds the bound, and this regret.
        """
        return None

    def scale(self, run: Transcript) -> Array:
        """Return, for every round, a number to which the allowed rounding error of the measured value is proportional.

        The default is right for a regret. A theorem about another quantity overrides this method.
        """
        return size_of_losses(run, run.losses, run.game.loss, run.labels)


def size_of_losses(run: Transcript, losses: Array, loss: Loss, labels: Array) -> Array:
    """Return, for every round t, a number to which the allowed rounding error of a regret is proportional.

    The number is sum_{s<=t} losses[s] + max_{s<=t} loss(0, y_s) + kinks_t. y_s is the label of round s, and kinks_t
    the value of `size_of_kinks` in round t.
    """
    of_zero = np.asarray(loss.value(np.zeros(run.rounds), labels))
    return np.asarray(np.cumsum(losses) + np.maximum.accumulate(of_zero) + size_of_kinks(run, loss))


def size_of_kinks(run: Transcript, loss: Loss) -> Array:
    """Return, for every round t, the term of `size_of_losses` for kinks: 0 for a smooth loss, otherwise c t.

    A prediction very close to a kink of the loss, such as that of the hinge loss, is treated as if it were at the kink.
    The constant c allows for the resulting error in one round, which does not depend on the labels' size.
    """
    kinked = math.isinf(loss.smoothness(1.0, 1.0))
    return np.asarray(kinked * KINK / ROUNDING * np.arange(1, run.rounds + 1))


def slack(scale: Array, allowed: Array) -> Array:
    """Return, for every round, the largest violation of the bound that rounding errors explain.

    The result is 1e-8 (scale + |allowed|), where `scale` has the values of the theorem's method `scale`. It does not
    depend on the measured value, unlike the slack of a verdict, allowed minus measured.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = ROUNDING * scale + ROUNDING * np.where(np.isfinite(allowed), np.abs(allowed), 0.0)
    return np.asarray(np.nan_to_num(found, nan=np.inf, posinf=np.inf))


def least_regret(run: Transcript) -> float:
    """Return a lower bound on the regret in this game: minus the largest total loss of the function 0."""
    labels = np.array([-run.game.label_bound, run.game.label_bound])
    return -run.rounds * float(run.game.loss.value(np.zeros(2), labels).max())


class Identity(Theorem):
    """Base class of statements that two sums are equal. Their difference is measured, and only rounding is allowed."""

    quantity: ClassVar[str] = DEVIATION
    monotone: ClassVar[bool] = False

    def allowed(self, run: Transcript) -> Array:
        return np.zeros(run.rounds)


def squared_loss(run: Transcript, regularisation: float | None = None, *, compared: bool = True) -> Assumption:
    """Return the first of these assumptions that fails; if none fails, the first one.

    - The loss is squared.
    - The best predictor in hindsight is known (not required with compared=False).
    - `regularisation`, by default the game's lambda, is large compared with rounding errors.
    """
    squared = loss_is_squared(run)
    if not squared.holds:
        return squared
    if compared and (why := run.comparator.why_unknown):
        return Assumption("the best predictor in hindsight was computed", False, why)
    precise = lambda_stands_out(run, run.game.at(regularisation))
    return squared if precise.holds else precise


def loss_is_squared(run: Transcript) -> Assumption:
    """Return the assumption that the game's loss is (prediction - label)^2."""
    squared = run.comparator.closed_form
    return Assumption("the loss is squared", squared, "" if squared else f"it is {run.game.loss.name}")


def lambda_stands_out(run: Transcript, regularisation: float, kernel: Kernel | None = None) -> Assumption:
    """Return the assumption that `regularisation` is large compared with the rounding errors of the kernel matrix.

    `kernel` replaces the game's kernel.
    """
    needed = PRECISION * run.rounds * float((kernel or run.game.kernel).diagonal(run.points).max())
    statement = "lambda stands out of the rounding errors"
    return Assumption(statement, regularisation >= needed, f"{regularisation:g}, but {needed:.2g} is needed")


def labels_within(run: Transcript, bound: float) -> Assumption:
    """Return the assumption that every label lies in [-bound, bound]."""
    largest = float(np.abs(run.labels).max())
    return Assumption(f"labels within [-{bound:g}, {bound:g}]", largest <= bound, f"largest {largest:g}")


def predictions_within(run: Transcript, bound: float) -> Assumption:
    """Return the assumption that every prediction lies in [-bound, bound]."""
    largest = float(np.abs(run.predictions).max())
    holds = largest <= bound * (1 + 1e-12)
    return Assumption(f"predictions within [-{bound:g}, {bound:g}]", holds, f"largest {largest:g}", learners=True)


def beyond_rounding(run: Transcript, differences: Array, regularisation: float) -> Array:
    """Return, for every round, max(0, |sum of `differences` up to this round| - an allowance for rounding).

    `differences` has, for each round, the difference of two numbers that would be equal without rounding errors.
    """
    allowance = rounding_at(run, regularisation)
    return np.asarray(np.maximum(np.abs(np.cumsum(differences)) - allowance, 0.0))


def rounding_at(run: Transcript, regularisation: float) -> Array:
    """Return, for every round, an allowance for the rounding errors of a regret at lambda = `regularisation`."""
    # rounding errors grow like 1 / lambda; the allowance is ten times the errors observed in experiments
    scale = 64.0 * float(np.finfo(float).eps) * float(run.game.kernel.diagonal(run.points).max()) / regularisation
    return np.asarray(scale * np.cumsum(np.square(run.labels)))
