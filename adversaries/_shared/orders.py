"""The order in which the rows of a data set are played, and noise on their labels."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arena.adversaries._shared.columns import ScaledRows
from arena.arrays import Array, first_best, size_of

Order = Literal["given", "shuffled", "by-label", "by-coordinate", "blocks", "drift"]
Rows = NDArray[np.int64]


def ordered(
    order: Order, X: Array | ScaledRows, y: Array, *, coordinate: int, size: int, rng: np.random.Generator
) -> Rows:
    """Return the indices of the rows in the order in which the rows are played.

    - `given`: in the order of the data set;
    - `shuffled`: in random order;
    - `by-label`: from the smallest to the largest label;
    - `by-coordinate`: from the smallest to the largest value in the column `coordinate`;
    - `blocks`: the rows are sorted by label and cut into blocks of `size` rows, and the blocks are shuffled;
    - `drift`: sorted along the first principal component of the points.

    Rows that tie stay in the order of the data set.
    """
    if order == "shuffled":
        return rng.permutation(len(y))
    if order == "by-label":
        return np.argsort(y, kind="stable")
    if order == "by-coordinate":
        return np.argsort(_column(X, coordinate), kind="stable")
    if order == "blocks":
        pieces = np.split(np.argsort(y, kind="stable"), np.arange(size, len(y), size))
        return np.concatenate([pieces[i] for i in rng.permutation(len(pieces))])
    if order == "drift":
        along = main_direction(X)
        # rows that are equal must tie, whatever a processor makes of their last digits
        return np.argsort(np.round(along / (size_of(along) or 1.0), 12), kind="stable")
    return np.arange(len(y))


def _column(X: Array | ScaledRows, index: int) -> Array:
    return X.column(index) if isinstance(X, ScaledRows) else X[:, index]


def main_direction(X: Array | ScaledRows) -> Array:
    """Return each row's coordinate along the first principal component of the rows.

    The component's sign is chosen so that its largest entry, in absolute value, is positive.
    """
    if not isinstance(X, ScaledRows):
        centred = X - X.mean(axis=0)
        return np.asarray(centred @ _main(centred.T @ centred))
    mean = sum(part.sum(axis=0) for part in X.blocks()) / X.shape[0]
    direction = _main(sum((part - mean).T @ (part - mean) for part in X.blocks()))
    return np.concatenate([(part - mean) @ direction for part in X.blocks()])


def _main(covariance: Array) -> Array:
    direction = np.linalg.eigh(covariance)[1][:, -1]
    return np.asarray(direction * np.sign(direction[first_best(np.abs(direction))]))


def with_noise(y: Array, *, noise: float, flips: float, bound: float, rng: np.random.Generator) -> Array:
    """Return the labels with Gaussian noise of standard deviation `noise` * `bound`, clipped to [-bound, bound].

    After the noise is added, the sign of each label changes with probability `flips`.
    """
    if noise:
        y = np.clip(y + noise * bound * np.round(rng.standard_normal(len(y)), 12), -bound, bound)
    if flips:
        y = np.where(rng.random(len(y)) < flips, -y, y)
    return y
