"""Features of a block of rounds whose own points join the span as the block goes on.

In triangular coordinates a point that joins appends a coordinate and changes no other (theory B0). So all coordinates
of a block, those of points that join later included, can be computed together; a coordinate is zero in the rounds
before its point was there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.components.span import INDEPENDENT, Span


def join_span(span: Span, X: Array, joins: NDArray[np.bool_]) -> tuple[Array, NDArray[np.bool_]]:
    """Let the marked rows join; the features of every row in its own round, and which rows made the span grow.

    A point counts from the round after its own.

    >>> from arena.game.kernels import Linear
    >>> rows, everyone = np.array([[3.0, 4.0], [0.0, 5.0], [6.0, 8.0]]), np.full(3, True)
    >>> features, grew = join_span(Span(Linear(), dimension=2), rows, everyone)
    >>> features.tolist(), grew.tolist()
    ([[0.0, 0.0], [4.0, 0.0], [10.0, 0.0]], [True, True, False])
    """
    known = span.coordinates(X)
    left, diagonal = span.residual(X, known), span.kernel.diagonal(X)
    grew = np.zeros(len(X), dtype=bool)
    columns = np.zeros((len(X), int(joins.sum())))
    count, row = 0, -1
    while (ready := joins[row + 1 :] & (left[row + 1 :] > INDEPENDENT * diagonal[row + 1 :])).any():
        row += 1 + int(ready.argmax())
        own = np.concatenate([known[row], columns[row, :count]])
        if not span.grows(own, float(left[row]), float(diagonal[row])):
            continue
        span.append(X[row], own, float(diagonal[row]))
        pivot = float(left[row]) ** 0.5
        column = span.kernel.gram(X[row : row + 1], X[row + 1 :])[0]
        column -= known[row + 1 :] @ known[row] + columns[row + 1 :, :count] @ columns[row, :count]
        column /= pivot
        left[row + 1 :] -= np.square(column)
        columns[row + 1 :, count] = column
        grew[row] = True
        count += 1
    return np.hstack([known, columns[:, :count]]), grew
