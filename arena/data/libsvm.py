"""LIBSVM's text format: lines `label index:value index:value ...`, where values of 0 are left out.

Indices count from 1. But if the index 0 occurs in a file, all indices of the file count from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.data.files import HEAD, LIBSVM, TABLES, DataFile
from arena.data.numbers import bulk_numbers, complaint, is_number, without_comments
from arena.data.selection import Selection
from arena.errors import ArenaError

_QID = re.compile(rb"(?<=\S)[ \t]+qid:[-\d]+(?=\s)")
_PAIR = re.compile(r"(\d{1,18}):(\S+)")


@dataclass
class RowBlock:
    """Some rows of a file: the labels, the number of entries of each row, and the indices and values of all entries."""

    labels: Array
    counts: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: Array


def is_libsvm(source: DataFile, selection: Selection) -> bool:
    """Return whether a file of text is in LIBSVM's format, by the ending of its name or by its first lines.

    An `ArenaError` is raised if the file is in this format and `selection` names a column of labels.
    """
    if source.suffix not in LIBSVM and (source.suffix in TABLES or not _looks_like_libsvm(source.head)):
        return False
    if selection.label is not None:
        raise ArenaError(
            f"{source.name} is in LIBSVM's format, where the label stands first in each line: "
            "leave the label column out"
        )
    return True


def _looks_like_libsvm(head: bytes) -> bool:
    """Return whether each of the first 50 lines is a label followed by pairs index:value.

    A line may have no pair, but the 50 lines together must have at least one.
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    pairs = 0
    for line in (lines[:-1] or lines)[:50]:
        label, *rest = _tokens(line.decode(errors="replace")) or ["0"]
        if len(lines) == 1 and len(head) == HEAD:  # the first line is longer, and its last pair may be cut
            rest = rest[:-1]
        if not is_number(label.partition(",")[0]) or not all(map(_PAIR.fullmatch, rest)):
            return False
        pairs += len(rest)
    return pairs > 0


def read_libsvm(source: DataFile) -> tuple[Array, Array]:
    """Return the points and the labels; if a line leaves out an index, this coordinate of the point is 0."""
    parts = list(parts_in(source))
    labels = np.concatenate([part.labels for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    first = 1 if indices.size and indices.min() > 0 else 0
    columns = int(indices.max()) + 1 - first if indices.size else 0
    source.check_size(len(labels), columns)
    X = np.zeros((len(labels), columns))
    done = 0
    for part in parts:
        rows = np.repeat(np.arange(done, done + len(part.labels)), part.counts)
        X[rows, part.indices - first] = part.values
        done += len(part.labels)
    return X, labels


def parts_in(source: DataFile) -> Iterator[RowBlock]:
    """Yield the rows of a file, in one part for each chunk of text."""
    for number, chunk in source.chunks():
        yield bulk_part(chunk) or careful_part(source, number, chunk)


def _tokens(line: str) -> list[str]:
    tokens = line.partition("#")[0].split()
    return tokens[:1] + [token for token in tokens[1:] if not token.startswith("qid:")]


def bulk_part(chunk: bytes) -> RowBlock | None:
    """Return the rows of a chunk, read in bulk; None if the chunk must be read line by line."""
    text = without_comments(chunk)
    if b"qid" in text:
        text = _QID.sub(b"", text)
    signs = np.frombuffer(text, dtype=np.uint8)
    colon = signs == ord(":")
    apart = (signs <= ord(" ")) | colon
    begins = np.flatnonzero(np.concatenate([[True], apart[:-1]]) & ~apart)
    numbers = bulk_numbers(text.replace(b":", b" "), " ")
    if numbers is None or numbers.size != begins.size or not begins.size:
        return None
    line = np.searchsorted(np.flatnonzero(signs == ord("\n")), begins)
    is_label = np.concatenate([[True], line[1:] != line[:-1]])
    is_value = np.concatenate([[False], colon[begins[1:] - 1]])
    pairs = np.flatnonzero(~is_label)
    if pairs.size % 2 or pairs.size != 2 * np.count_nonzero(colon) or is_value[is_label].any():
        return None
    at, after = pairs[0::2], pairs[1::2]
    if is_value[at].any() or not is_value[after].all() or (line[at] != line[after]).any():
        return None
    if not ((numbers[at] >= 0) & (numbers[at] < 2**53)).all():
        return None
    indices = numbers[at].astype(np.int64)
    rising = (np.diff(indices) > 0) | (np.diff(line[at]) > 0)
    if (indices != numbers[at]).any() or not rising.all():
        return None
    starts = np.flatnonzero(is_label)
    counts = (np.diff(np.concatenate([starts, [numbers.size]])) - 1) // 2
    return RowBlock(numbers[starts], counts, indices, numbers[after])


def careful_part(source: DataFile, number: int, chunk: bytes) -> RowBlock:
    """Return the rows of a chunk, read line by line; raise an `ArenaError` at the first error in the text.

    `number` is the line number of the chunk's first line.
    """
    labels, counts, indices, values = [], [], [], []
    for line_number, raw in enumerate(chunk.split(b"\n"), start=number):
        tokens = _tokens(source.decoded(raw, line_number))
        if not tokens:
            continue
        labels.append(_number(source, line_number, "column 1 (the label)", tokens[0]))
        seen: set[int] = set()
        for column, token in enumerate(tokens[1:], start=2):
            place, pair = f"column {column}", _PAIR.fullmatch(token)
            if pair is None:
                source.fail(line_number, place, f"{token!r:.60} is not index:value, such as 3:0.5")
            index = int(pair[1])
            if index in seen:
                source.fail(line_number, place, f"index {index} comes twice in this line: keep one of them")
            seen.add(index)
            indices.append(index)
            values.append(_number(source, line_number, place, pair[2]))
        counts.append(len(seen))
    integers = [np.array(each, dtype=np.int64) for each in (counts, indices)]
    return RowBlock(np.array(labels, dtype=float), integers[0], integers[1], np.array(values, dtype=float))


def _number(source: DataFile, line: int, place: str, field: str) -> float:
    problem = complaint(field)
    if problem:
        source.fail(line, place, problem)
    return float(field)
