"""Curves drawn with characters, for the terminal."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array

_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # dots' bits in Unicode's braille patterns


class Canvas:
    """A small picture of curves, drawn with braille dots, or with plain characters if `plain`.

    >>> canvas = Canvas(width=6, height=2, rounds=12, top=1.0, plain=True)
    >>> canvas.draw(np.linspace(0, 1, 12), mark="*")
    >>> print(canvas.text())
    1 |   ***
    0 |***
      1    12
    """

    def __init__(self, *, width: int, height: int, rounds: int, top: float, bottom: float = 0.0, plain: bool = False):
        self.width, self.height, self.rounds = width, height, rounds
        self.top, self.bottom, self.plain = top, bottom, plain
        self.fine = (1, 1) if plain else (2, 4)  # dots in a character, across and down
        self.dots = np.zeros((height * self.fine[1], width * self.fine[0]), dtype=bool)
        self.marks = np.full((height, width), " ")

    def draw(self, curve: Array, *, mark: str, sparse: bool = False) -> None:
        """Draw a curve over the rounds, dotted if `sparse`, so that two curves differ without colours."""
        columns = self.dots.shape[1]
        at = np.minimum((np.arange(columns) * self.rounds) // columns, len(curve) - 1)
        span = (self.top - self.bottom) or 1.0
        with np.errstate(over="ignore"):  # where a learner has blown up, the curve runs along the edge
            heights = np.clip(np.nan_to_num((curve[at] - self.bottom) / span, nan=0.0), 0.0, 1.0)
        rows = np.minimum(((1.0 - heights) * self.dots.shape[0]).astype(int), self.dots.shape[0] - 1)
        for column, row in enumerate(rows):
            if sparse and column % 4 > 1:
                continue
            self.dots[row, column] = True
            self.marks[row // self.fine[1], column // self.fine[0]] = mark

    def text(self) -> str:
        """Return the picture with its axes."""
        labels = [f"{self.top:.4g}"] + [""] * (self.height - 2) + [f"{self.bottom:.4g}"]
        margin = max(map(len, labels))
        edge = "|" if self.plain else "┤"
        lines = [f"{label:>{margin}} {edge}{row}".rstrip() for label, row in zip(labels, self._rows(), strict=True)]
        last = f"{self.rounds:,}"
        lines.append(f"{'':{margin}} 1{last:>{self.width}}")
        return "\n".join(lines)

    def _rows(self) -> list[str]:
        if self.plain:
            return ["".join(row) for row in self.marks]
        cells = self.dots.reshape(self.height, 4, self.width, 2)
        codes = np.einsum("hiwj,ij->hw", cells, _DOTS)
        return ["".join(chr(0x2800 + code) if code else " " for code in row) for row in codes]
