"""What an experiment of a paper consists of: streams, rows of a table, settings left open, notes on deviations."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from arena.data.preparing import Preparation
from arena.papers.reproduction.published import Published

Measure = Literal["average loss", "error %", "test error %", "regret", "plain regret"]


@dataclass(frozen=True)
class Stream:
    """A data set as an experiment plays it, after its preparation.

    `rows` holds the first row and the row after the last one, `columns` the number of first columns; None means all.
    With `shuffled` all rows come in a random order. After `training_rows` rows the test part begins. Without `shuffled`
    the training part comes in a random order, and the test part in the given one.
    """

    data: str
    preparation: Preparation
    rows: tuple[int, int] | None = None
    shuffled: bool = False
    training_rows: int | None = None
    columns: int | None = None


@dataclass(frozen=True)
class Row:
    """One algorithm of a table or a figure: its published name and number, our spec, and fields of its game.

    `seeds` limits the seeds, where one match takes long or tosses no coins. `rounds` limits the rounds. `bounds` are
    theorems whose bounds are drawn beside the algorithm's curve.
    """

    algorithm: str
    learner: str
    published: Published | None = None
    game: Mapping[str, Any] = field(default_factory=dict)
    seeds: int | None = None
    rounds: int | None = None
    bounds: Sequence[str] = ()


@dataclass(frozen=True)
class Part:
    """Rows of a table that share a stream, or an adversary, and a measure.

    `curves` says whether the measure over the rounds is drawn, too.
    """

    heading: str
    rows: Sequence[Row]
    measure: Measure
    stream: Stream | None = None
    adversary: str = ""
    game: Mapping[str, Any] = field(default_factory=dict)
    curves: bool = False


@dataclass(frozen=True)
class Note:
    """An explanation of a deviation, for parts and algorithms whose names fit the patterns.

    `*` and `?` in a pattern stand for any characters, and `|` stands between two patterns.
    """

    text: str
    part: str = "*"
    algorithm: str = "*"

    def concerns(self, part: str, algorithm: str) -> bool:
        """Return whether the note explains this row."""
        return _fits(part, self.part) and _fits(algorithm, self.algorithm)


def _fits(name: str, patterns: str) -> bool:
    return any(fnmatch.fnmatchcase(name, each) for each in patterns.split("|"))


@dataclass(frozen=True)
class Line:
    """A line of a figure that is computed, not measured in matches."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


Open = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper.

    `parts` returns the parts for given values of the settings that the paper leaves open. `open_settings` lists the
    possible values of each such setting; the first one is played. `settings` explains in words which settings were
    chosen and why, and `orders` why algorithms of a part are not in the published order. `lines` returns computed
    curves of a figure. In the quick variant `quick_rounds` limits the rounds of parts without a data set.
    """

    name: str
    title: str
    paper: str
    about: str
    parts: Callable[[Mapping[str, str]], Sequence[Part]] = lambda _: ()
    seeds: int = 5
    open_settings: Open = field(default_factory=dict)
    settings: Sequence[str] = ()
    notes: Sequence[Note] = ()
    orders: Sequence[Note] = ()
    lines: Callable[[], Mapping[str, Sequence[Line]]] = dict
    axes: tuple[str, str] = ("rounds", "")
    quick_rounds: int = 60

    @property
    def chosen(self) -> dict[str, str]:
        """The value of each open setting that is played."""
        return {name: values[0] for name, values in self.open_settings.items()}
