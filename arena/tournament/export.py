"""Matches as rows of a table: CSV, JSON lines, Parquet, or columns for pandas and polars.

Files are written piece by piece, so that memory does not grow with the number of matches.
"""

from __future__ import annotations

import codecs
import csv
import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from arena.errors import ArenaError
from arena.guards.whole_files import writing
from arena.record.tables import EXPORTED, Row, finite
from arena.specs.extras import import_extra

PIECE = 2000
FOOTER = 1 << 16  # bytes at the end of a Parquet file, among them the names of its columns


def row_of(match: Row) -> dict[str, Any]:
    """Return a match as one row of plain values, one for each cell of `arena.record.tables.MATCH`.

    - `regret` is None if only the interval from `regret_lower` to `regret_upper` is known.
    - `tightest` names the theorem with the largest `tightness`, which is measured / allowed.
    - `verdicts` is a JSON object with the outcome and the tightness of each theorem.
    - `comparators` is a JSON object with both ends of the regret to each comparator that the tournament names.
    """
    return {heading: read(match) for heading, (_, read) in EXPORTED.items()}


def export(matches: Iterable[Row], path: str | Path) -> int:
    """Write the matches to a file .csv, .jsonl or .parquet, one row for each match, and return their number.

    The file has a temporary name until it is complete. Unknown numbers are empty fields in .csv and null in .jsonl.
    Infinity and NaN are null in .jsonl, too, since JSON has neither.
    """
    file = Path(path)
    write = WRITERS.get(file.suffix.lower())
    if write is None:
        raise ArenaError(f"{file}: its name must end in {', '.join(WRITERS)}, the formats that can be written")
    if file.is_dir():
        raise ArenaError(f"{file} is a folder; name a file in it")
    if write is _write_parquet:
        import_extra("pyarrow.parquet", "export to Parquet")
    written = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal written
        for match in matches:
            yield row_of(match)
            written += 1

    with writing(file, partial(_is_export, file)) as handle:
        write(handle, rows())
    return written


def frame(matches: Iterable[Row]) -> dict[str, Any]:
    """Return the table of matches as a mapping from names to columns, for `pandas.DataFrame` or `polars.DataFrame`.

    Columns of numbers are arrays, in which an unknown number is NaN; columns of texts are lists.

    >>> {name: len(column) for name, column in frame([]).items()}["learner"]
    0
    """
    columns: dict[str, list[Any]] = {name: [] for name in EXPORTED}
    for match in matches:
        for name, value in row_of(match).items():
            columns[name].append(value)
    return {name: _column(columns[name], kind) for name, (kind, _) in EXPORTED.items()}


def _column(values: list[Any], kind: type) -> Any:
    if kind is int and None not in values and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    return values if kind is str else np.array([math.nan if value is None else float(value) for value in values])


def _write_csv(handle: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    writer = csv.DictWriter(codecs.getwriter("utf-8")(handle), list(EXPORTED))
    writer.writeheader()
    writer.writerows(rows)


def _write_json_lines(handle: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    for row in rows:
        handle.write(json.dumps({name: finite(value) for name, value in row.items()}).encode() + b"\n")


def _write_parquet(handle: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    types = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema([(name, types[kind]) for name, (kind, _) in EXPORTED.items()])
    with parquet.ParquetWriter(handle, schema) as writer:
        while piece := list(itertools.islice(rows, PIECE)):
            try:
                table = pa.Table.from_pylist(piece, schema=schema)
            except OverflowError:
                seed = max(row["seed"] for row in piece)
                raise ArenaError(
                    f"Parquet has whole numbers below 2^63, but a seed is {seed}: export to .csv"
                ) from None
            writer.write_table(table)


def _is_export(path: Path, head: bytes) -> bool:
    """Return whether the file at `path`, which begins with `head`, contains the first column names of an export."""
    names = list(EXPORTED)
    if head.startswith(b"PAR1"):
        with open(path, "rb") as file:
            file.seek(max(path.stat().st_size - FOOTER, 0))
            columns = file.read()
        return all(name.encode() in columns for name in names[:5])
    return head.startswith((",".join(names[:5]).encode(), f'{{"{names[0]}": '.encode()))


WRITERS: dict[str, Callable[[IO[bytes], Iterator[dict[str, Any]]], None]] = {
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".parquet": _write_parquet,
}
