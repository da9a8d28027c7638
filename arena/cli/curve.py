"""Curves drawn with characters, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array

DOTTED = "."  # the mark of a curve with gaps, so that two curves differ without colours
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # dots' bits in Unicode's braille patterns


def picture(curves: Mapping[str, Array], *, width: int, height: int, plain: bool = False) -> str:
    """Return a small picture of curves over the rounds, drawn with braille dots.

    The keys of `curves` are marks of one character. With `plain`, the marks are drawn in place of the dots.

    >>> print(picture({"*": np.linspace(0, 1, 12)}, width=6, height=2, plain=True))
    1 |   ***
    0 |***
      1    12
    """
    values = np.concatenate(list(curves.values()))
    values = values[np.isfinite(values)]
    top, bottom = float(values.max()), min(0.0, float(values.min()))
    across, down = (1, 1) if plain else (2, 4)  # rows and columns of dots in a character
    dots = np.zeros((height * down, width * across), dtype=bool)
    marks = np.full((height, width), " ")
    for mark, curve in curves.items():
        columns, rows = _places(curve, dots.shape, top, bottom)
        drawn = columns % 4 < 2 if mark == DOTTED else columns >= 0
        dots[rows[drawn], columns[drawn]] = True
        marks[rows[drawn] // down, columns[drawn] // across] = mark
    if not plain:
        codes = np.einsum("hiwj,ij->hw", dots.reshape(height, down, width, across), _DOTS)
        marks = np.array([[chr(0x2800 + code) if code else " " for code in row] for row in codes])
    labels = [f"{top:.4g}"] + [""] * (height - 2) + [f"{bottom:.4g}"]
    margin, edge = max(map(len, labels)), "|" if plain else "┤"
    lines = [f"{label:>{margin}} {edge}{''.join(row)}".rstrip() for label, row in zip(labels, marks, strict=True)]
    rounds = max(map(len, curves.values()))
    return "\n".join([*lines, f"{'':{margin}} 1{f'{rounds:,}':>{width}}"])


def _places(
    curve: Array, shape: tuple[int, ...], top: float, bottom: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions of the curve's dots in a grid: their column indices, and their row indices.

    The curve has one dot in each column. `shape` has the numbers of rows and columns of the grid. `top` and `bottom`
    are the values at the upper and the lower edge of the grid.
    """
    columns = np.arange(shape[1])
    at = np.minimum(columns * len(curve) // shape[1], len(curve) - 1)
    with np.errstate(over="ignore"):  # where the values are infinite, the curve runs along the edge
        heights = np.clip(np.nan_to_num((curve[at] - bottom) / ((top - bottom) or 1.0), nan=0.0), 0.0, 1.0)
    return columns, np.minimum(((1.0 - heights) * shape[0]).astype(np.intp), shape[0] - 1)
