"""Reads tables of text: one row on each line, with commas, semicolons, tabs or spaces between values.

The first line may be a header with the names of the columns.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from arena.arrays import Array
from arena.data.files import TABLES, DataFile, column_in_words, opened
from arena.data.numbers import bulk_numbers, complaint, is_missing, is_number, without_comments
from arena.data.selection import Selection
from arena.errors import ArenaError

DELIMITERS = "\t;,"  # tried in this order, then spaces


@dataclass(frozen=True)
class Layout:
    """The format of a table of text: the delimiter between values, the number of columns, and the header.

    The delimiter ' ' stands for any number of spaces.
    """

    delimiter: str
    columns: int
    names: tuple[str, ...] = ()
    header_line: int = 0  # 0 if there is no header
    left_out: frozenset[int] = frozenset()  # columns that are not played and may hold any text

    def fields(self, line: str) -> list[str]:
        """Return the values of a line, as texts."""
        if self.delimiter == " ":
            return [field.strip("\"'") for field in line.split()]
        if '"' in line:
            with contextlib.suppress(csv.Error):
                return [field.strip() for field in next(csv.reader([line], delimiter=self.delimiter))]
        return [field.strip() for field in line.split(self.delimiter)]

    def selecting(self, source: DataFile, selection: Selection) -> Layout:
        """Return a copy of the layout in which the columns that are not selected are in `left_out`.

        An `ArenaError` is raised if a selected column does not exist, or if the table has fewer than two columns.
        """
        if self.columns < 2:
            raise ArenaError(
                f"{source.name} has only one column: a row needs at least one coordinate and a label, "
                "with commas, semicolons, tabs or spaces between them"
            )
        label, kept = selection.of_table(source.name, self.columns, self.names)
        return replace(self, left_out=frozenset(range(self.columns)) - {label, *kept})


def read_table(source: DataFile, selection: Selection) -> tuple[Array, Array, tuple[str, ...]]:
    """Return the points, the labels and the names of the points' columns in a table of text; the names may be empty."""
    layout: Layout | None = None
    parts = []
    for number, chunk in source.chunks():
        layout = layout or selected_layout(source, number, chunk, selection)
        if layout is None:
            continue  # only comments so far
        parts.append(rows_of(source, layout, number, chunk))
        source.check_size(sum(map(len, parts)), layout.columns)
    if layout is None or not any(map(len, parts)):
        raise ArenaError(f"{source.name} has {'a header but ' if layout else ''}no rows: there is nothing to play")
    return split_label(source, np.concatenate(parts), layout.names, selection)


def split_label(
    source: DataFile, table: Array, names: tuple[str, ...], selection: Selection
) -> tuple[Array, Array, tuple[str, ...]]:
    """Split a table of numbers; return the points, the labels and the names of the points' columns.

    `names` are the names of all columns; if they are empty, the returned names are empty, too.
    """
    columns = table.shape[1]
    Layout(",", columns).selecting(source, Selection())  # raises an error unless there are two columns
    at, kept = selection.of_table(source.name, columns, names)
    X = table[:, :-1] if kept == list(range(columns - 1)) else table[:, kept]
    return X, table[:, at], tuple(names[column] for column in kept) if names else ()


def layout_of(source: DataFile, number: int, chunk: bytes) -> Layout | None:
    """Return the layout of a table, found from the first two lines that are neither blank nor comments.

    The result is None if the chunk has only blank lines and comments. `number` is the line number of the chunk's first
    line.
    """
    first = list(islice(_lines(source, number, chunk), 2))
    if not first:
        return None
    used = [sign for sign in DELIMITERS if sign in first[0][1]]
    delimiter = next((sign for sign in used if sign in first[-1][1]), [*used, " "][0])
    bare = Layout(delimiter, 0)
    names = bare.fields(first[0][1])
    text = [name for name in names if not is_missing(name)]
    if not text or any(map(is_number, names)):  # a first line with a number is no header
        return Layout(delimiter, len(bare.fields(_without_comment(first[0][1]))))
    return Layout(delimiter, len(names), tuple(names), first[0][0])


def selected_layout(source: DataFile, number: int, chunk: bytes, selection: Selection) -> Layout | None:
    """Return the layout of a table; its `left_out` has the columns that are not selected.

    The result is None if the chunk has only blank lines and comments. `number` is the line number of the chunk's first
    line.
    """
    layout = layout_of(source, number, chunk)
    return None if layout is None else layout.selecting(source, selection)


def _lines(source: DataFile, number: int, chunk: bytes) -> Iterator[tuple[int, str]]:
    """Yield the line number and the text of each line that is neither blank nor a comment."""
    for line_number, raw in enumerate(chunk.split(b"\n")[:-1], start=number):
        line = source.decoded(raw, line_number)
        if line.strip() and not line.lstrip().startswith("#"):
            yield line_number, line


def _without_comment(line: str) -> str:
    """Return the line up to the first # that is not between quotation marks."""
    parts = line.split('"')
    for number, part in enumerate(parts):
        if "#" in part and (number % 2 == 0 or len(parts) % 2 == 0):  # an even number of parts: a mark is left open
            return '"'.join([*parts[:number], part.partition("#")[0]])
    return line


def rows_of(source: DataFile, layout: Layout, number: int, chunk: bytes) -> Array:
    """Return the rows of a chunk as numbers; `number` is the line number of the chunk's first line."""
    if number <= layout.header_line:  # the header and the lines before it
        for _ in range(layout.header_line - number + 1):
            chunk = chunk[chunk.index(b"\n") + 1 :]
        number = layout.header_line + 1
    rows = bulk_rows(layout, chunk)
    return careful_rows(source, layout, number, chunk) if rows is None else rows


def bulk_rows(layout: Layout, chunk: bytes) -> Array | None:
    """Return the rows of a chunk as numbers, by a fast conversion; None if the conversion cannot read some line."""
    text = without_comments(chunk).strip(b"\n") + b"\n"
    signs = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(signs == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    if layout.delimiter == " ":
        blank = signs <= ord(" ")
        begins = np.concatenate([[True], blank[:-1]]) & ~blank
        widths = np.add.reduceat(begins, starts, dtype=np.int64)
    else:
        widths = 1 + np.add.reduceat(signs == ord(layout.delimiter), starts, dtype=np.int64)
        if layout.delimiter != ",":
            if b"," in text:
                return None
            text = text.replace(layout.delimiter.encode(), b",")
        text = text[:-1].replace(b"\n", b",")
    if (widths != layout.columns).any():
        return None
    numbers = bulk_numbers(text, " " if layout.delimiter == " " else ",")
    if numbers is None or numbers.size != widths.sum():
        return None
    return numbers.reshape(-1, layout.columns)


def fields_of(source: DataFile, layout: Layout, number: int, chunk: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield for each row of a chunk its line number, and its values as texts.

    `number` is the line number of the chunk's first line.
    """
    for line_number, line in _lines(source, number, chunk):
        if line_number == layout.header_line:  # the name of a column may have a #
            continue
        fields = layout.fields(_without_comment(line))
        if len(fields) != layout.columns:
            above = "the header names" if layout.names else "the first row has"
            problem = f"it has {len(fields)} values, but {above} {layout.columns}: give every row as many"
            place = column_in_words(min(len(fields), layout.columns - 1), layout.names)
            source.fail(line_number, place, problem)
        yield line_number, fields


def lines_of(path: Path) -> list[tuple[int, str]] | None:
    """Return the line number and the text of each row of a table of text.

    The result is None if the name of the file does not end in .csv or .tsv (the ending of a compression aside), or if
    the file is not text or cannot be read.
    """
    try:
        with opened(path) as source:
            if source.suffix not in TABLES or b"\x00" in source.head:
                return None
            layout: Layout | None = None
            found = []
            for number, chunk in source.chunks():
                layout = layout or layout_of(source, number, chunk)
                start = layout.header_line if layout else 0
                found += [(line, text.strip()) for line, text in _lines(source, number, chunk) if line != start]
            return found
    except ArenaError:
        return None


def careful_rows(source: DataFile, layout: Layout, number: int, chunk: bytes) -> Array:
    """Return the rows of a chunk, read line by line; raise an `ArenaError` at the first line that is wrong.

    `number` is the line number of the chunk's first line.
    """
    rows = []
    for line_number, fields in fields_of(source, layout, number, chunk):
        for column, field in enumerate(fields):
            problem = "" if column in layout.left_out else complaint(field)
            if problem:
                source.fail(line_number, column_in_words(column, layout.names), problem)
        rows.append([0.0 if column in layout.left_out else float(field) for column, field in enumerate(fields)])
    return np.array(rows, dtype=float).reshape(-1, layout.columns)
