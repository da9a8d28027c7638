"""Curves drawn with characters, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from arena.arrays import Array

DOTTED = "."  # the mark of a curve with gaps, so that two curves differ without colours
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # dots' bits in Unicode's braille patterns


def picture(curves: Mapping[str, Array], *, width: int, height: int, plain: bool = False) -> str:
    """Return a small picture of curves over the rounds, drawn with braille dots.

    - `curves` maps a mark (one character for each curve) to the curve's values in all rounds. The curve with the mark
      "." has gaps.
    - `width` and `height` are the columns and rows of characters, without the axes.
    - `plain` means that curves are drawn with their marks, not with braille dots.

    >>> print(picture({"*": np.linspace(0, 1, 12)}, width=6, height=2, plain=True))
    1 |   ***
    0 |***
      1    12
    """
    values = np.concatenate(list(curves.values()))
    values = values[np.isfinite(values)]
    top, bottom = float(values.max()), min(0.0, float(values.min()))
    across, down = (1, 1) if plain else (2, 4)  # columns and rows of dots in a character
    columns = np.arange(width * across)
    dots = np.zeros((height * down, width * across), dtype=bool)
    marks = np.full((height, width), " ")
    for mark, curve in curves.items():
        at = np.minimum(columns * len(curve) // len(columns), len(curve) - 1)
        with np.errstate(over="ignore"):  # where the values are infinite, the curve runs along the edge
            heights = np.clip(np.nan_to_num((curve[at] - bottom) / ((top - bottom) or 1.0), nan=0.0), 0.0, 1.0)
        rows = np.minimum(((1.0 - heights) * len(dots)).astype(np.intp), len(dots) - 1)
        drawn = columns % 4 < 2 if mark == DOTTED else columns >= 0
        dots[rows[drawn], columns[drawn]] = True
        marks[rows[drawn] // down, columns[drawn] // across] = mark
    cells = marks if plain else 0x2800 + np.einsum("hiwj,ij->hw", dots.reshape(height, down, width, across), _DOTS)
    labels = [f"{top:.4g}"] + [""] * (height - 2) + [f"{bottom:.4g}"]
    margin, edge = max(map(len, labels)), "|" if plain else "┤"
    lines = []
    for label, row in zip(labels, cells, strict=True):
        line = "".join(row) if plain else "".join(map(chr, row)).replace("\u2800", " ")  # the pattern without dots
        lines.append(f"{label:>{margin}} {edge}{line}".rstrip())
    rounds = max(map(len, curves.values()))
    return "\n".join([*lines, f"{'':{margin}} 1{f'{rounds:,}':>{width}}"])
