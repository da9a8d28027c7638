"""Classes for the contents of an experiment: data streams, rows of a table, and notes on deviations."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from arena.data.preparing import Preparation
from arena.papers.reproduction.published import Published

Chosen = Mapping[str, Any]  # a value for each choice that a paper leaves open, by the choice's name
Measure = Literal["average loss", "error %", "test error %", "regret", "plain regret"]


@dataclass(frozen=True)
class Stream:
    """A scaled data set, as an experiment plays it.

    - `rows` is a pair: the index of the first row, and the index after the last one. None stands for all rows.
    - `columns` is the number of columns that are played, from the first one on. None stands for all.
    - `training_rows` is the number of rows for training; the later rows are the test part. None means no test part.
    - `shuffled` puts all rows in random order. Without it, only the rows for training are put in random order.
    """

    data: str
    preparation: Preparation
    shuffled: bool = False
    rows: tuple[int, int] | None = None
    training_rows: int | None = None
    columns: int | None = None


@dataclass(frozen=True)
class AlgorithmRow:
    """One algorithm of a table or a figure: its name and result in the paper, its spec in the arena, and its game.

    - `seeds` limits the number of seeds. It is set if one match takes long, or if the learner tosses no coins.
    - `rounds` limits the rounds.
    - `bounds` are theorems whose bounds are drawn beside the algorithm's curve.
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
    """Rows of a table that have the same measure, and the same data set (`stream`) or adversary.

    `curves` is true if the measure is also drawn as a curve over the rounds.
    """

    heading: str
    rows: Sequence[AlgorithmRow]
    measure: Measure
    stream: Stream | None = None
    adversary: str = ""
    game: Mapping[str, Any] = field(default_factory=dict)
    curves: bool = False


@dataclass(frozen=True)
class Note:
    """An explanation of a difference from published numbers, or from the published order of the algorithms.

    `part` and `algorithm` are patterns for the names of the parts and algorithms to which the note applies. In a
    pattern `*` stands for any characters, `?` for any character, and `|` separates alternatives.
    """

    text: str
    part: str = "*"
    algorithm: str = "*"

    def concerns(self, part: str, algorithm: str) -> bool:
        """Return whether the note explains the row of this algorithm in this part."""
        return _fits(part, self.part) and _fits(algorithm, self.algorithm)


def _fits(name: str, patterns: str) -> bool:
    return any(fnmatch.fnmatchcase(name, each) for each in patterns.split("|"))


# Panels of a figure that are computed from formulas, not measured in matches: by title, lists (x, y) by a curve's name.
Panels = Mapping[str, Mapping[str, tuple[Sequence[float], Sequence[float]]]]


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper: a table or a figure.

    - `open_settings` has the choices that the paper leaves open, such as the order of the rows. Each has a name and
      possible values; the first value is the default.
    - `parts` returns the parts, given one value for each of `open_settings`.
    - `settings` has texts that explain what was chosen and why.
    - `notes` explain differences from published numbers.
    - `orders` explain why the algorithms of a part are not in the published order.
    - `lines` returns curves of a figure that are computed from formulas.
    - `quick_rounds` limits the rounds that `arena reproduce --quick` plays in parts without a data set.
    """

    name: str
    title: str
    paper: str
    about: str
    parts: Callable[[Chosen], Sequence[Part]] = lambda _: ()
    seeds: int = 5
    open_settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: Sequence[str] = ()
    notes: Sequence[Note] = ()
    orders: Sequence[Note] = ()
    lines: Callable[[], Panels] = dict
    axes: tuple[str, str] = ("rounds", "")
    quick_rounds: int = 60

    @property
    def chosen(self) -> dict[str, str]:
        """The default value of each choice that the paper leaves open, by the choice's name."""
        return {name: values[0] for name, values in self.open_settings.items()}
