"""Comparators that predict from past labels alone: the last label, the label a period ago, a moving mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arena.arrays import Array, delayed
from arena.errors import number_of
from arena.record.comparing import BestLosses, NamedComparator
from arena.specs.parameters import parameter

if TYPE_CHECKING:
    from arena.record.transcript import Transcript


def losses_of(run: Transcript, predictions: Array) -> BestLosses:
    """Return the losses of these predictions, one prediction for each round of the match."""
    return BestLosses.of_increments(np.asarray(run.game.loss.value(predictions, run.labels)))


class FromPastLabels(NamedComparator):
    """Base class of comparators that predict from the labels of earlier rounds alone."""

    family: ClassVar[str] = "from past labels"
    cost: ClassVar[str] = "O(T)"

    def predictions(self, labels: Array) -> Array:
        """Return the prediction of each round, made from the labels of earlier rounds."""
        raise NotImplementedError

    def best_losses(self, run: Transcript) -> BestLosses:
        return losses_of(run, self.predictions(run.labels))


@dataclass(frozen=True)
class LastLabel(FromPastLabels):
    """The naive forecast of a time series: it predicts the last label again, and 0 in the first round.

    >>> from arena import play
    >>> play("zero", "alternating", rounds=10).regret_to("last-label").regret  # which errs by 2 in nine rounds of ten
    (-27.0, -27.0)
    """

    name: ClassVar[str] = "last-label"

    @property
    def plainly(self) -> str:
        return "predicting the last label again"

    def predictions(self, labels: Array) -> Array:
        return delayed(labels, 1)


@dataclass(frozen=True)
class Seasonal(FromPastLabels):
    """The seasonal forecast: it predicts the label of one period ago, such as a week ago, and 0 in the first period.

    >>> from arena import play
    >>> run = play("zero", "alternating", rounds=10)
    >>> run.regret_to("seasonal(period=2)").regret  # which errs in the first two rounds alone
    (8.0, 8.0)
    """

    name: ClassVar[str] = "seasonal"

    period: int = parameter(7, "rounds of a period", at_least=1)

    @property
    def plainly(self) -> str:
        return f"predicting the label of {number_of(self.period, 'round')} ago"

    def predictions(self, labels: Array) -> Array:
        return delayed(labels, self.period)


@dataclass(frozen=True)
class Window(FromPastLabels):
    """The moving mean: it predicts the mean of the last `length` labels, and 0 in the first round.

    If there are fewer labels so far, their mean is predicted.

    >>> from arena import play
    >>> play("zero", "alternating", rounds=10).regret_to("window(length=2)").regret  # the mean is 0 from round 3 on
    (-3.0, -3.0)
    """

    name: ClassVar[str] = "window"

    length: int = parameter(10, "labels in the mean", at_least=1)

    @property
    def plainly(self) -> str:
        return f"predicting the mean of the last {number_of(self.length, 'label')}"

    def predictions(self, labels: Array) -> Array:
        return sliding_means(labels, self.length)


def sliding_means(y: Array, length: int) -> Array:
    """Return for each round the mean of the `length` labels before it, or of all labels before it if there are fewer.

    In the first round the mean is 0.

    >>> sliding_means(np.array([1.0, 3.0, 5.0, 7.0]), 2)
    array([0., 1., 2., 4.])
    """
    if not len(y):
        return np.empty(0)
    counts = np.clip(np.arange(len(y)), 1, length)
    if length > len(y):
        return delayed(np.cumsum(y)) / counts
    padded = np.concatenate([np.zeros(length), y[:-1]])
    windows = np.lib.stride_tricks.sliding_window_view(padded, length)
    return np.asarray(windows[: len(y)].sum(axis=1) / counts)
