"""Preprocessing as papers state it: features are scaled to a range or standardised, labels to a range or two classes.

The data are prepared once, before the match. The ranges are computed from all rows, although an online learner could
not know them; the papers do the same.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from arena.arrays import Array
from arena.data import Data
from arena.errors import ArenaError

Features = Literal["raw", "[0,1]", "[-1,1]", "standardised"]
Labels = Literal["raw", "[0,1]", "[-1,1]", "classes", "2y-1"]


@dataclass(frozen=True)
class Preparation:
    """The scaling of points and labels; "raw" leaves them as they are.

    - `features` is the scaling of each column of the points. With a range, the column's smallest and largest value
      become the ends of the range. With "standardised", the column gets mean 0 and standard deviation 1. In both cases,
      a column with equal values becomes 0.
    - `labels` is the scaling of the labels. With a range, the smallest and the largest label become the ends of the
      range. With "classes", the two different labels become -1 and 1. With "2y-1", each label y becomes 2 y - 1, and
      these values are divided by the largest one, as in the notebook of Jezequel et al. 2019.

    >>> data, report = Preparation("[0,1]", "[-1,1]").apply(Data(np.array([[1.0], [3.0]]), np.array([0.0, 5.0])))
    >>> data.X.ravel().tolist(), data.y.tolist()
    ([0.0, 1.0], [-1.0, 1.0])
    >>> report
    'each of 1 columns to [0,1]; labels from [0, 5] to [-1,1]'
    """

    features: Features = "raw"
    labels: Labels = "raw"

    def __post_init__(self) -> None:
        for name, kinds in (("features", get_args(Features)), ("labels", get_args(Labels))):
            if (given := getattr(self, name)) not in kinds:
                close = difflib.get_close_matches(str(given), kinds, n=1)
                hint = f". Did you mean {close[0]!r}?" if close else ""
                raise ArenaError(f"{name} must be one of {', '.join(kinds)}, not {given!r}{hint}")

    def apply(self, data: Data) -> tuple[Data, str]:
        """Return the prepared data, and a report of the scalings.

        Raise an `ArenaError` if the labels cannot be scaled, for example if all labels are equal.
        """
        X, points = self._features(data.X)
        y, labels = self._labels(data.y)
        return Data(X, y, data.names), f"{points}; {labels}"

    @property
    def short(self) -> str:
        """A short text that stands for the preparation in the name of a file."""
        marks = {"raw": "raw", "[0,1]": "01", "[-1,1]": "11", "standardised": "z", "classes": "pm", "2y-1": "2n"}
        return f"x{marks[self.features]}-y{marks[self.labels]}"

    def _features(self, X: Array) -> tuple[Array, str]:
        if self.features == "raw":
            return X, "points as they are"
        count = f"each of {X.shape[1]} columns"
        if self.features == "standardised":
            # of equal values, the mean and the deviation have rounding errors
            varies = X.min(axis=0) < X.max(axis=0)
            scores = np.where(varies, X - X.mean(axis=0), 0.0) / np.where(varies, X.std(axis=0), 1.0)
            return scores, f"{count} to mean 0, deviation 1"
        low, high = X.min(axis=0), X.max(axis=0)
        constant = high == low
        share = (X - low) / np.where(constant, 1.0, high - low)
        scaled = share if self.features == "[0,1]" else np.where(constant, 0.0, 2.0 * share - 1.0)
        note = f" ({int(constant.sum())} constant ones to 0)" if constant.any() else ""
        return scaled, f"{count} to {self.features}{note}"

    def _labels(self, y: Array) -> tuple[Array, str]:
        if self.labels == "raw":
            return y, "labels as they are"
        values = np.unique(y)
        if self.labels == "classes":
            if len(values) != 2:
                raise ArenaError(f"the labels have {len(values)} values, and two classes are wanted: choose a range")
            return np.where(y == values[1], 1.0, -1.0), f"labels {values[0]:g} and {values[1]:g} to -1 and 1"
        if len(values) < 2:
            raise ArenaError("all labels are equal: they have no range that could be changed")
        if self.labels == "2y-1":
            largest = 2.0 * values[-1] - 1.0
            if largest <= 0.0:
                raise ArenaError("2y-1 needs a label above 1/2, by which 2 y - 1 is divided: choose a range")
            low = (2.0 * values[0] - 1.0) / largest
            return (2.0 * y - 1.0) / largest, f"labels from [{values[0]:g}, {values[-1]:g}] to [{low:.4g}, 1]"
        share = (y - values[0]) / (values[-1] - values[0])
        scaled = share if self.labels == "[0,1]" else 2.0 * share - 1.0
        return scaled, f"labels from [{values[0]:g}, {values[-1]:g}] to {self.labels}"
