"""Functions that read numbers in text, many at once, and that check the text of a single value."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np

from arena.arrays import Array

MISSING = {"", "na", "n/a", "nan", "?", "null", "none", "-nan", "+nan"}
MISSING_HINT = ", or write missing=drop, mean, median or zero (replay, from-data, `read_data(...)`)"
WORDS_HINT = ": drop=[NAME], or write categories=one-hot or ordinal (replay, from-data, `read_data(...)`)"
_BLANK = re.compile(rb",\s+,")  # an empty field, which NumPy reads as -1
_COMMENT = re.compile(rb"#[^\n]*")


def bulk_numbers(text: bytes, separator: str) -> Array | None:
    """Return all numbers of a text as an array; None if something between the separators is not a finite number."""
    text = text.strip()
    some_blanks = len(text.split(None, 1)) > 1
    if not text or text.startswith(b",") or text.endswith(b",") or (some_blanks and _BLANK.search(text)):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            numbers = np.fromstring(text, sep=separator)
        except (ValueError, DeprecationWarning):
            return None
    return numbers if np.isfinite(numbers).all() else None


def without_comments(text: bytes) -> bytes:
    """Return the text without comments; a comment reaches from a # to the end of the line."""
    return _COMMENT.sub(b"", text) if b"#" in text else text


def is_number(field: str) -> bool:
    """Return whether the text of a value is a number, finite or not."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field


def is_missing(field: str) -> bool:
    """Return whether the text of a value, such as NA or an empty text, stands for a missing value."""
    return field.strip().lower() in MISSING


def complaint(field: str) -> str:
    """Return a message on what is wrong with the text of a value, and how to mend it; empty for a finite number."""
    if is_missing(field):
        return f"the value is missing ({field.strip() or 'empty'}): fill it in or leave the row out{MISSING_HINT}"
    if not is_number(field):
        hint = f"write its values as numbers, two classes as -1 and 1, or leave the column out{WORDS_HINT}"
        if re.fullmatch(r"\s*[-+]?\d+,\d+\s*", field):
            hint = "write a decimal point instead of the comma"
        return f"{field.strip()!r:.60} is not a number: {hint}"
    if not math.isfinite(float(field)):
        return f"{field.strip()} is not finite: mend the value or leave the row out"
    return ""
