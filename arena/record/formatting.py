"""Formats of numbers, times and specs on the pages."""

from __future__ import annotations

import math
import re

from arena.specs.spelling import short as short


def number(value: float | None) -> str:
    """Return a number as text, with a typographic minus sign; "unknown" for None.

    A number whose absolute value is from 1,000 to 1e9 is rounded to a whole number, with commas between thousands.
    Smaller whole numbers are written in full, and other finite numbers with four significant digits.

    >>> number(12345678), number(0.00001234), number(-3.14159), number(None)
    ('12,345,678', '1.234e-05', '−3.142', 'unknown')
    """  # noqa: RUF002
    if value is None:
        return "unknown"
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"  # noqa: RUF001
    whole = value == int(value) and abs(value) < 1e9
    large = 1e3 <= abs(value) < 1e9
    text = f"{value:,.0f}" if whole or large else f"{value:.4g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text  # noqa: RUF001


def interval(low: float, high: float) -> str:
    """Return both ends of an interval as text; one number if both ends have the same text.

    >>> interval(22.76701, 22.76702), interval(1.6, 26.57)
    ('22.77', '1.6 to 26.57')
    """
    return number(low) if number(low) == number(high) else f"{number(low)} to {number(high)}"


def one_end(value: float, other: float | None) -> str:
    """Return one end of an interval as text that says which end it is; a number alone if both ends have the same text.

    `other` is the other end; None if the value is known exactly.

    >>> one_end(26.57, 1.6), one_end(1.6, 26.57), one_end(22.76702, 22.76701), one_end(3.0, None)
    ('at most 26.57', 'at least 1.6', '22.77', '3')
    """
    if other is None or number(value) == number(other):
        return number(value)
    return f"at {'most' if value > other else 'least'} {number(value)}"


def ends(pair: tuple[float, float] | None) -> str:
    """Return an interval as text; a dash if the interval is None.

    >>> ends((1.0, 1.0)), ends(None)
    ('1', '–')
    """  # noqa: RUF002
    return interval(*pair) if pair else "–"  # noqa: RUF001


def level(value: float) -> str:
    """Return a number as a short text for an axis.

    >>> level(0.30000000000000004), level(250000.0), level(1e-8), level(2_000_000), level(1500)
    ('0.3', '250k', '1e-8', '2M', '1,500')
    """
    size = abs(value)
    if 1e4 <= size < 1e9:
        text = f"{value / 1e6:.4g}M" if size >= 1e6 else f"{value / 1e3:.4g}k"
    else:
        text = f"{value:,.5g}" if size < 1e4 else f"{value:.3g}"
    text = re.sub(r"e([+-])0*", lambda match: "e" + match[1].removeprefix("+"), text)
    return text.replace("-", "−", 1) if text.startswith("-") else text  # noqa: RUF001


def percent(share: float | None) -> str:
    """Return a share in percent; an empty text if the share is unknown, not finite or negative."""
    # a negative regret uses no part of its bound
    if share is None or not math.isfinite(share) or share < 0:
        return ""
    return f"{number(round(100 * share, 1 if share < 0.1 else 0))} %"


def duration(seconds: float) -> str:
    """Return a time as text in seconds, milliseconds, microseconds or nanoseconds.

    >>> duration(0.000052), duration(0.25), duration(130)
    ('52 µs', '250 ms', '130 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
