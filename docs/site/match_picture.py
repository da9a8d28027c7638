"""Small pictures of a match in SVG: curves over the rounds, or labels and predictions."""

from __future__ import annotations

import html

import numpy as np

from arena.arrays import Array

WIDTH, HEIGHT = 320, 90


def measured_and_allowed(measured: Array, allowed: Array | None, words: str) -> str:
    """Return the picture of the measured and the allowed curve over the rounds; "" if there is nothing to draw."""
    curves = [np.atleast_1d(np.asarray(each, dtype=float)) for each in (measured, allowed) if each is not None]
    limits = _limits(curves)
    if min(map(len, curves)) < 2 or limits is None:
        return ""
    names = ("regret", "bound")
    lines = [
        f'<polyline class="{name}" points="{" ".join(f"{x:.0f},{y:.1f}" for x, y in _places(curve, *limits))}"/>'
        for name, curve in zip(names, curves, strict=False)
    ]
    return _figure(_axis(*limits) + "".join(reversed(lines)), words)


def moves(labels: Array, predictions: Array, words: str) -> str:
    """Return the picture of labels (dots) and predictions (a line) by round; "" if there is nothing to draw."""
    limits = _limits([labels, predictions])
    if len(labels) < 2 or limits is None:
        return ""
    line = " ".join(f"{x:.0f},{y:.1f}" for x, y in _places(predictions, *limits))
    dots = "".join(f'<circle cx="{x:.0f}" cy="{y:.1f}" r="2.5"/>' for x, y in _places(labels, *limits))
    return _figure(f'{_axis(*limits)}<polyline class="regret" points="{line}"/>{dots}', words)


def _figure(content: str, words: str) -> str:
    """Return the picture with `words` as its caption and as its name for screen readers."""
    text = html.escape(words)
    return (
        '<figure class="match-picture">'
        f'<svg role="img" aria-label="{text}" viewBox="0 0 {WIDTH} {HEIGHT}">{content}</svg>'
        f'<figcaption aria-hidden="true">{text}</figcaption></figure>'
    )


def _axis(low: float, high: float) -> str:
    (_, zero), *_ = _places(np.zeros(1), low, high)
    return f'<line class="axis" x1="0" x2="{WIDTH}" y1="{zero:.1f}" y2="{zero:.1f}"/>'


def _limits(curves: list[Array]) -> tuple[float, float] | None:
    """Return the smallest and the largest finite value, where zero counts as a value; None if all values are zero."""
    finite = np.concatenate([each[np.isfinite(each)] for each in curves])
    values = [0.0, *finite.tolist()]
    return None if min(values) == max(values) else (min(values), max(values))


def _places(curve: Array, low: float, high: float) -> list[tuple[float, float]]:
    """Return the coordinates (x, y) of the curve's finite values in the picture."""
    across = np.linspace(4, WIDTH - 4, len(curve))
    heights = 4 + (HEIGHT - 8) * (high - curve) / (high - low)
    return [(x, y) for x, y in zip(across.tolist(), heights.tolist(), strict=True) if np.isfinite(y)]
