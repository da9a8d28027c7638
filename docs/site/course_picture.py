"""The course of a match as a small picture in SVG, whose colours are those of the page."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array

WIDTH, HEIGHT = 320, 90


def course(measured: Array, allowed: Array) -> str:
    """Return the picture of what was measured and what was allowed, round by round; "" if there is no curve to draw."""
    curves = [np.atleast_1d(np.asarray(each, dtype=float)) for each in (measured, allowed)]
    finite = np.concatenate([each[np.isfinite(each)] for each in curves])
    if min(map(len, curves)) < 2 or not finite.size or np.ptp([*finite, 0.0]) == 0.0:
        return ""
    low, high = min(float(finite.min()), 0.0), max(float(finite.max()), 0.0)
    zero = _height(0.0, low, high)
    lines = "".join(
        f'<polyline class="{name}" points="{_points(curve, low, high)}"/>'
        for name, curve in zip(("bound", "regret"), reversed(curves), strict=True)
    )
    label = f"measured {_last(curves[0])}, allowed {_last(curves[1])} after {len(curves[0])} rounds"
    return (
        f'<svg class="course" role="img" aria-label="{label}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<line class="axis" x1="0" x2="{WIDTH}" y1="{zero}" y2="{zero}"/>{lines}</svg>'
    )


def _points(curve: Array, low: float, high: float) -> str:
    across = np.linspace(0, WIDTH, len(curve))
    kept = np.isfinite(curve)
    return " ".join(f"{x:.0f},{_height(y, low, high)}" for x, y in zip(across[kept], curve[kept], strict=True))


def _height(value: float, low: float, high: float) -> str:
    return f"{2 + (HEIGHT - 4) * (high - value) / (high - low):.1f}"


def _last(curve: Array) -> str:
    return f"{curve[-1]:.3g}"
