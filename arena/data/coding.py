"""Replaces missing values and words in tables by numbers, if the user asks for it, and reports what was replaced.

Means, medians and lists of words are computed from all rows, although an online learner could not know them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from arena.arrays import Array
from arena.data import Data, read_data
from arena.data.files import LIBSVM, DataFile, column_in_words, opened
from arena.data.numbers import complaint, is_missing, is_number
from arena.data.selection import Selection
from arena.data.tables import Layout, fields_of, selected_layout
from arena.errors import ArenaError, number_of

Missing = Literal["refuse", "drop", "mean", "median", "zero"]
Categories = Literal["refuse", "one-hot", "ordinal"]
MOST = 1000  # most categories of one column that are coded as columns
LISTED = 6  # most names or codes in a report
FEW = 20  # this many different words always become columns, even if there are few rows
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([ T].*)?")


@dataclass(frozen=True)
class Coding:
    """The rules by which missing values and words in a table become numbers.

    - `missing` is the treatment of missing values. With `refuse`, they are errors. With `drop`, the row is left out.
      With `mean`, `median` or `zero`, a missing number becomes its column's mean, its median or 0, a missing word
      becomes its column's most frequent word, and a row without a label is left out.
    - `categories` is the treatment of words. With `refuse`, they are errors. With `ordinal`, the words become
      0, 1, 2, ... in alphabetical order. With `one-hot`, a column of words becomes a column of 0 and 1 for each word,
      but labels are coded as with `ordinal`.
    """

    missing: Missing = "refuse"
    categories: Categories = "refuse"

    def __bool__(self) -> bool:
        return self != Coding()


@dataclass(frozen=True)
class Table:
    """The values of a table as text, column by column.

    `places` has a text for each row, such as `line 3` or `row 2`, for messages.
    """

    name: str
    columns: Sequence[Sequence[str]]
    names: tuple[str, ...]
    places: Sequence[str]


def read_coded(path: str | Path, coding: Coding, selection: Selection | None = None) -> tuple[Data, str]:
    """Return the data set in a file, and a report of the missing values and words that were replaced by numbers.

    An `ArenaError` is raised if `coding` asks for replacements and the file is not a table of text.
    """
    selection = selection or Selection()
    with opened(Path(path).expanduser()) as source:
        if not coding or not _is_text(source):
            if coding:
                raise ArenaError(f"{source.name} is no table of text: {_asked(coding)} is for CSV and the like")
            return read_data(path, **selection.as_options()), ""
        layout: Layout | None = None
        rows: list[list[str]] = []
        places: list[str] = []
        for number, chunk in source.chunks():
            layout = layout or selected_layout(source, number, chunk, selection)
            for line, fields in fields_of(source, layout, number, chunk) if layout else ():
                rows.append(fields)
                places.append(f"line {line}")
        if layout is None or not rows:
            raise ArenaError(f"{source.name} has no rows: there is nothing to play")
    return coded(Table(source.name, list(zip(*rows, strict=True)), layout.names, places), coding, selection)


def coded_frame(frame: Any, labels: Any, coding: Coding, selection: Selection) -> tuple[Data, str]:
    """Return the data set made of a pandas data frame and labels, and a report of what was replaced by numbers."""
    if not (hasattr(frame, "isna") and hasattr(frame, "columns")):
        raise ArenaError(f"{_asked(coding)} is for files and data frames of pandas, and X is a {type(frame).__name__}")
    if labels is None:
        raise ArenaError("y is missing: give X and y together")
    y = np.asarray(labels, dtype=object)
    if y.ndim != 1:
        raise ArenaError(f"y must have shape (rows,), but its shape is {y.shape}")
    if len(frame) != len(y):
        raise ArenaError(f"X has {len(frame)} rows, but y has {len(y)} labels")
    rows = np.column_stack([frame.to_numpy(dtype=object), y])
    gaps = np.column_stack([frame.isna().to_numpy(), type(frame)(y).isna().to_numpy()])
    texts = [
        ["" if gap else _text(value) for value, gap in zip(*pair, strict=True)]
        for pair in zip(rows.T, gaps.T, strict=True)
    ]
    names = (*map(str, frame.columns), "y")
    kept = selection.of_points("X", len(names) - 1, names[:-1])
    table = Table("X", texts, names, [f"row {row + 1}" for row in range(len(rows))])
    return coded(table, coding, Selection(len(names) - 1, tuple(kept)))


def _text(value: Any) -> str:
    return str(float(value)) if isinstance(value, (bool, np.bool_)) else str(value)


def coded(table: Table, coding: Coding, selection: Selection) -> tuple[Data, str]:
    """Return the data set in the selected columns of a table, and a report of what was replaced by numbers."""
    report: list[str] = []
    label, kept = selection.of_table(table.name, len(table.columns), table.names)
    table = _kept_rows(table, coding, label, [label, *kept], report)
    X: list[Array] = []
    names: list[str] = []
    for number in kept:
        name = table.names[number] if table.names else f"x{len(names)}"
        made = _column(table, number, name, coding, report)
        names += list(made)
        X += list(made.values())
    values = table.columns[label]
    y = _numbers(table, label, values) if _numeric(table, label, values, coding) else None
    if y is None:
        words, name = sorted(set(values)), table.names[label] if table.names else "the label"
        y = np.array([words.index(each) for each in values], dtype=float)
        report.append(f"{name} as {_listed(f'{code} ({word})' for code, word in enumerate(words))}")
    named = bool(table.names) or names != [f"x{number}" for number in range(len(names))]
    data = Data(np.column_stack(X), y, tuple(names) if named else (), places=tuple(table.places))
    return data, "; ".join(report)


def _kept_rows(table: Table, coding: Coding, label: int, played: Sequence[int], report: list[str]) -> Table:
    """Return the table without the rows that `coding.missing` leaves out.

    - With `refuse`, all rows are returned.
    - With `drop`, rows with a missing value in one of the columns `played` are left out.
    - Otherwise, rows without a label are left out; `label` is the index of the label's column.

    If rows are left out, a text that says so is appended to `report`.
    """
    if coding.missing == "refuse":
        return table
    looked_at = played if coding.missing == "drop" else [label]
    kept = [not any(is_missing(table.columns[number][row]) for number in looked_at) for row in range(len(table.places))]
    if not any(kept):
        what = "a value; write missing=mean, median or zero" if coding.missing == "drop" else "its label"
        raise ArenaError(f"{table.name}: every row lacks {what}")
    if not all(kept):
        why = "with missing values" if coding.missing == "drop" else "without a label"
        report.append(f"{number_of(kept.count(False), 'row')} {why} left out")
    columns = [[value for value, keep in zip(column, kept, strict=True) if keep] for column in table.columns]
    return Table(
        table.name, columns, table.names, [each for each, keep in zip(table.places, kept, strict=True) if keep]
    )


def _column(table: Table, number: int, name: str, coding: Coding, report: list[str]) -> dict[str, Array]:
    """Return columns of numbers in place of one column of the table, as {name of the new column: its values}.

    `number` is the index of the old column, and `name` its name. A column of words gives several new columns if
    `coding.categories` is `one-hot`; any other column gives one. Texts that say what was replaced are appended to
    `report`.
    """
    values = table.columns[number]
    gaps = np.array([is_missing(each) for each in values])
    if gaps.any() and coding.missing == "refuse":
        _fail(table, number, int(gaps.argmax()), complaint(values[int(gaps.argmax())]))
    present = [value for value, gap in zip(values, gaps, strict=True) if not gap]
    if not present:
        raise ArenaError(f"{table.name}: {column_in_words(number, table.names)} has no value at all: leave it out")
    if _numeric(table, number, present, coding):
        column = np.zeros(len(values))
        column[~gaps] = _numbers(table, number, present)
        if gaps.any():
            column[gaps] = filler = FILLERS[coding.missing](column[~gaps])
            kind = f"its {coding.missing}, {filler:.6g}" if filler or coding.missing != "zero" else "0"
            report.append(f"{number_of(int(gaps.sum()), 'missing value')} of {name} set to {kind}")
        return {name: column}
    words = sorted(set(present))
    if gaps.any():
        usual = max(words, key=present.count)
        values = [usual if gap else value for value, gap in zip(values, gaps, strict=True)]
        report.append(f"{number_of(int(gaps.sum()), 'missing value')} of {name} set to the most frequent, {usual}")
    dates, few = all(DATE.fullmatch(word.strip()) for word in words), len(words) <= max(FEW, len(present) // 2)
    if coding.categories == "ordinal":
        codes = {word: code for code, word in enumerate(words)}
        what = "" if few else ", in the order of the alphabet"
        what = f", dates: drop={_in_brackets(name)} leaves them out" if dates else what
        report.append(f"{name} as {_listed(f'{code} ({word})' for code, word in enumerate(words))}{what}")
        return {name: np.array([codes[value] for value in values], dtype=float)}
    if len(words) > MOST or (dates and len(words) > FEW) or not few:
        what = "dates" if dates else "words"
        better = ", or write numbers of it into the file, such as weekday and month" if dates else ""
        raise ArenaError(
            f"{table.name}: {column_in_words(number, table.names)} has {len(words):,} different {what} in "
            f"{len(present):,} rows, and one-hot would make as many columns: leave it out by "
            f"drop={_in_brackets(table.names[number] if table.names else number)}{better}, or write categories=ordinal"
        )
    made = {f"{name}={word}": np.array([value == word for value in values], dtype=float) for word in words}
    report.append(f"{name} as {number_of(len(made), 'column')}: {_listed(made)}")
    return made


FILLERS: dict[str, Callable[[Array], float]] = {
    "mean": lambda column: float(column.mean()),
    "median": lambda column: float(np.median(column)),
    "zero": lambda _: 0.0,
}


def _numeric(table: Table, number: int, values: Sequence[str], coding: Coding) -> bool:
    """Return whether all `values` of a column are numbers.

    In a column with words, raise an `ArenaError` if `coding` refuses words, or if a value is missing (NA or nan, say).
    """
    words = [value for value in values if not is_number(value)]
    refused = words if coding.categories == "refuse" else [value for value in values if is_missing(value)]
    if words and refused:  # in a column of numbers, `_numbers` refuses "nan"
        _fail(table, number, table.columns[number].index(refused[0]), complaint(refused[0]))
    return not words


def _numbers(table: Table, number: int, values: Sequence[str]) -> Array:
    column = np.array(values, dtype=float)
    if not np.isfinite(column).all():
        bad = values[int(np.isfinite(column).argmin())]
        _fail(table, number, table.columns[number].index(bad), complaint(bad))
    return column


def _fail(table: Table, number: int, row: int, problem: str) -> NoReturn:
    raise ArenaError(f"{table.name}, {table.places[row]}, {column_in_words(number, table.names)}: {problem}")


def _listed(words: Iterable[str]) -> str:
    some = list(words)
    return ", ".join(some[:LISTED]) + (", ..." if len(some) > LISTED else "")


def _in_brackets(column: str | int) -> str:
    """Return the text of a list with this column as its only item, as in a spec, such as "[price]"."""
    plain = isinstance(column, int) or column.isidentifier()
    return f"[{column}]" if plain else f"[{column!r}]"


def _is_text(source: DataFile) -> bool:
    packed = b"\x00" in source.head or source.head.startswith((b"PK\x03\x04", b"PAR1", b"\x93NUMPY"))
    return not packed and source.suffix not in LIBSVM


def _asked(coding: Coding) -> str:
    return " and ".join(f"{name}={value}" for name, value in vars(coding).items() if value != "refuse")
