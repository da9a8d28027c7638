"""An adversary that plays a data set, as in the papers' tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

from arena.adversaries._shared.columns import (
    ScaledRows,
    Standardising,
    Stretching,
    different_names,
    first_outside,
    unscaled,
)
from arena.adversaries._shared.labels import Fitted, moved_into_bound, one_against_rest, signs_of_classes
from arena.adversaries._shared.orders import Order, ordered, with_noise
from arena.arrays import Array
from arena.data import Data, Extremes
from arena.data.coding import Categories, Coding, Missing, coded_frame, read_coded
from arena.data.selection import Selection
from arena.errors import ArenaError
from arena.game.game import Game
from arena.guards.disk import is_mapped
from arena.players.adversary import Adversary
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class Replay(Adversary):
    """Plays the rows of a data set, in their own order or in another one.

    The game gets its dimension and the names of its features from the data.

    By default all points are scaled if one of them lies outside the game's box (`scale_x=box`). If the loss is for
    regression, all labels are scaled if one of them exceeds the label bound (`scale_y=bound`). The scales are computed
    from all rows that are played, past and future. The parameters `scale_x` and `scale_y` choose a scale:

    - `scale_x=box`: each coordinate's smallest and largest value become the limits of the box; the values of a constant
      coordinate become the middle of the box;
    - `scale_x=standardise`: each coordinate's mean becomes the middle of the box, and values three standard deviations
      from the mean become the limits of the box (in the box [-3, 3] this gives z-scores); values farther away are
      clipped;
    - `scale_y=bound`: the smallest and largest label become -B and B; if all labels are equal, they become B or -B and
      keep their sign.

    If the loss is for classification, the labels must have two values: the smaller one is played as -1 and the larger
    one as 1. With `positive`, labels may have more values: the value `positive` is played as 1, and all other values as
    -1. With `scale_y=bound`, or if B < 1, the labels -B and B are played in place of -1 and 1.

    `scale_x=none` and `scale_y=none` switch scaling off; then a point outside the box or a label beyond B is an error,
    and labels of classes are played as they are. The match's remark reports how points and labels were scaled.

    >>> import arena
    >>> rows = Replay(X=[[0.0, 0.5], [1.0, -0.5]], y=[1.0, -1.0], loop=True)
    >>> arena.play("zero", rows, rounds=5).labels
    array([ 1., -1.,  1., -1.,  1.])
    """

    name: ClassVar[str] = "replay"
    paper: ClassVar[str] = "the data sets of Jezequel, Gaillard and Rudi 2019 and of Calandriello et al. 2017"
    cost: ClassVar[str] = "O(d) a round; the data is read once and kept, on the disk if it is large"

    file: str | None = parameter(
        None, "data file: CSV, .npz, .npy, Parquet or LIBSVM's text; .gz, .bz2 or .xz if it is packed"
    )
    X: Any = parameter(None, "instead of a file, from Python: the points, one a row")
    y: Any = parameter(None, "their labels")
    label_column: str | int | None = parameter(
        None, "of a table: its name, or its index from 0 (none: the last); of an .npz: the array (none: y)"
    )
    columns: Sequence[str | int] | None = parameter(
        None, "of a table or frame: the columns of the points, names or indices from 0 (none: all but the label's)"
    )
    drop: Sequence[str | int] | None = parameter(None, "columns that are left out instead")
    rows: Sequence[int] | None = parameter(
        None, "[start, stop]: play these rows alone, counted from 0, before shuffling"
    )
    scale_x: Literal["auto", "box", "standardise"] | None = parameter(
        "auto", "how points are fitted into the box (auto: box, if any lies outside)"
    )
    scale_y: Literal["auto", "bound"] | None = parameter(
        "auto", "how labels are fitted into [-B, B] (auto: classes as -1 and 1; numbers: bound, if any lies outside)"
    )
    positive: float | None = parameter(
        None, "a label that is played as +1 and all others as -1 (one against the rest), under any loss"
    )
    missing: Missing = parameter("refuse", "missing values: drop the row, or fill in the column's mean, median or zero")
    categories: Categories = parameter(
        "refuse", "columns of words: a column of 0 and 1 for each word, or codes 0, 1, ..."
    )
    shuffle: bool = parameter(False, "play the rows in a random order, as order=shuffled does")
    order: Order = parameter("given", "the order of the rows (blocks: of similar labels; drift: along their main axis)")
    coordinate: int = parameter(0, "of order=by-coordinate: the column that sorts, counted from 0", at_least=0)
    block_size: int = parameter(100, "of order=blocks: rows of a block", at_least=1)
    noise: float = parameter(0.0, "deviation of Gaussian noise upon the labels, in units of B", at_least=0)
    flips: float = parameter(0.0, "share of the labels whose sign is changed", at_least=0, at_most=1)
    loop: bool = parameter(False, "start again, in the same order, after the last row; otherwise the match ends")
    one_by_one: bool = parameter(False, "play round by round, although a learner could answer many rounds together")

    def __post_init__(self) -> None:
        for name in ("scale_x", "scale_y"):
            # in a spec the word none means None
            if getattr(self, name) == "none":
                setattr(self, name, None)
        super().__post_init__()
        if (self.file is None) == (self.X is None and self.y is None):
            raise ArenaError("replay needs data: either replay(file=data.csv), or Replay(X=..., y=...) from Python")
        self._coding, self._coded = Coding(self.missing, self.categories), ""
        self._places: tuple[str, ...] = ()
        self._selection = Selection.of(self.label_column, self.columns, self.drop)
        if self.file is None:
            if self._coding:
                data, self._coded = coded_frame(self.X, self.y, self._coding, self._selection)
                self.X, self.y, self._names, self._places = data.X, data.y, data.names, data.places
            else:
                self.X, self._names = _selected(self.X, self._selection)
            self.X, self.y = _as_array("X", self.X, 2), _as_array("y", self.y, 1)
            if len(self.X) != len(self.y):
                raise ArenaError(f"replay: X has {len(self.X)} rows, but y has {len(self.y)} labels")
        if self.shuffle and self.order not in ("given", "shuffled"):
            raise ArenaError(f"replay: shuffle and order={self.order} exclude each other: leave one of them out")
        self._cached: tuple[Data, Array] | None = None
        self._remark, self._label_unit = "", 1.0

    @property
    def oblivious(self) -> bool:
        # the moves never depend on the learner, so `oblivious` only decides whether they are played in blocks
        return not self.one_by_one

    def arrange(self, game: Game) -> Game:
        columns = self.data.X.shape[1]
        names = game.features if game.features and game.dimension == columns else different_names(self.data.names)
        return game.replace(dimension=columns, features=names)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        columns = self.data.X.shape[1]
        if columns != game.dimension:
            raise ArenaError(
                f"replay: the data has {columns} columns but the game has dimension {game.dimension}: "
                "leave `dimension=...` out"
            )
        fitted = self._fitted_labels(game)
        scaling, X = self._scaling(game), self.data.X
        self.points: Array | ScaledRows = ScaledRows(X, scaling) if is_mapped(X) else scaling(X)
        self.labels, self._label_unit = fitted.labels, fitted.unit
        self._remark = self._what_was_scaled(fitted, scaled=scaling is not unscaled)
        if self.order == "by-coordinate" and self.coordinate >= columns:
            raise ArenaError(f"replay: coordinate must be below {columns}, the data's columns, not {self.coordinate}")
        order: Order = "shuffled" if self.shuffle else self.order
        self.sequence = ordered(
            order, self.points, self.labels, coordinate=self.coordinate, size=self.block_size, rng=rng
        )
        self.labels = with_noise(self.labels, noise=self.noise, flips=self.flips, bound=game.label_bound, rng=rng)

    @property
    def remark(self) -> str:
        return self._remark

    @property
    def files(self) -> tuple[str, ...]:
        return () if self.file is None else (self.file,)

    def rows_of_file(self) -> tuple[str, Array, Array, Data, int, int]:
        """Return six values about the rows of the file that are played.

        - the file's path;
        - the scaled points, in the order of the file;
        - the labels of these points, with scaling and noise;
        - the points and labels before scaling;
        - the number of rows in the file before the first of these rows;
        - the number of all rows in the file.

        Raise an `ArenaError` if there is no file, or if it is larger than memory.
        """
        if self.file is None or is_mapped(self.data.X):
            raise ArenaError("replay: there is no file, or one larger than memory")
        data, every = self._read()
        return self.file, np.asarray(self.points[:]), self.labels, data, self.rows[0] if self.rows else 0, len(every)

    @property
    def known_moves(self) -> float:
        return np.inf if self.loop else len(self.data.y)

    @property
    def label_unit(self) -> float:
        return self._label_unit

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        numbers, size = np.arange(view.round - 1, view.round - 1 + rounds), len(self.sequence)
        which = self.sequence[numbers % size if self.loop else numbers[numbers < size]]
        return self.points[which], self.labels[which]

    @property
    def data(self) -> Data:
        """The rows that are played, before scaling; the file is read at the first use of this property."""
        return self._read()[0]

    def _read(self) -> tuple[Data, Array]:
        """Return the rows that are played, before scaling, and the labels of all rows of the data set."""
        if self._cached is None:
            whole = self._whole()
            start, stop = self._limits(len(whole.y))
            part = whole if self.rows is None else whole.part(start, stop)
            self._cached = part, whole.y
        return self._cached

    def _whole(self) -> Data:
        """Return all rows of the data set before scaling, with numbers in place of missing values and texts."""
        if self.file is None:
            return Data(self.X, self.y, self._names, places=self._places)
        if not self._coding:
            from arena.data.mapped import open_data  # imported here, since listing adversaries needs no data

            return open_data(self.file, self._selection)
        data, self._coded = read_coded(self.file, self._coding, self._selection)
        return data

    def _limits(self, size: int) -> tuple[int, int]:
        if self.rows is None:
            return 0, size
        if len(self.rows) == 2 and 0 <= self.rows[0] < self.rows[1] <= size:
            return self.rows[0], self.rows[1]
        raise ArenaError(
            f"replay: rows must be [start, stop] with 0 <= start < stop <= {size}, the number of rows in "
            f"{self._source}, but it is {list(self.rows)}"
        )

    def _scaling(self, game: Game) -> Callable[[Array], Array]:
        """Return the function that scales rows of points to fit into the game's box.

        If `scale_x` is None, points are not scaled; raise an `ArenaError` if one of them lies outside the box.
        """
        X = self.data.X
        if self.scale_x == "standardise":
            return Standardising.of(X, self._extremes(), game.low, game.high)
        outside = None if self.scale_x == "box" else first_outside(X, game.low, game.high)
        if self.scale_x == "box" or (self.scale_x == "auto" and outside):
            return Stretching(self._extremes(), game.low, game.high)
        if outside:
            row, column = outside
            where = f"{self.data.column(column)} is {X[row, column]:g}"
            limits = f"outside the box's [{game.low[column]:g}, {game.high[column]:g}]"
            self._refuse(row, f"{where}, {limits}: give the game a larger box, or write scale_x=box")
        return unscaled

    def _extremes(self) -> Extremes:
        return self.data.extremes or Extremes.of(self.data.X)

    def _fitted_labels(self, game: Game) -> Fitted:
        (data, every), bound = self._read(), game.label_bound
        if self.positive is not None:
            size = bound if self.scale_y == "bound" else min(1.0, bound)
            return one_against_rest(data.y, every, self.positive, size=size, source=self._source)
        if game.loss.classifies and self.scale_y is not None:
            size = bound if self.scale_y == "bound" else min(1.0, bound)
            return signs_of_classes(data.y, every, game, size=size, source=self._source)
        beyond = np.abs(data.y) > bound
        if self.scale_y == "bound" or (self.scale_y == "auto" and beyond.any()):
            return moved_into_bound(data.y, bound)
        if beyond.any():
            row = int(beyond.argmax())
            what = f"the label {data.y[row]:g} is beyond the label bound {bound:g}"
            self._refuse(row, f"{what}: give the game a larger label bound, or write scale_y=bound")
        return Fitted(data.y)

    def _what_was_scaled(self, fitted: Fitted, *, scaled: bool) -> str:
        """Return the match's remark: how texts were coded, and how points and labels were scaled.

        `scaled` is true if the points were scaled; `fitted` has a note on the labels. The remark is empty if nothing
        was changed.
        """
        how = "standardised" if self.scale_x == "standardise" else "stretched"
        points = f"each coordinate was {how} to fit into the box" if scaled else ""
        return "; ".join(filter(None, (self._coded, " and ".join(filter(None, (points, fitted.note))))))

    def _refuse(self, row: int, problem: str) -> NoReturn:
        place = self.data.place(row, skipped=self.rows[0] if self.rows else 0)
        raise ArenaError(f"replay: in {place} of {self._source}, {problem}")

    @property
    def _source(self) -> str:
        return self.file or "X and y"


def _selected(given: Any, selection: Selection) -> tuple[Any, tuple[str, ...]]:
    """Return the columns that `selection` keeps of a data frame or an array, and their names (empty if unnamed)."""
    columns = getattr(given, "columns", ())  # only a data frame has names
    names = tuple(columns) if len(columns) and all(isinstance(name, str) for name in columns) else ()
    if selection.takes_all or given is None:
        return given, names
    X = np.asarray(given.toarray() if hasattr(given, "toarray") else given)
    if X.ndim != 2:
        return given, names
    return selection.points("X", X, names)


def _as_array(name: str, given: Any, dimensions: int) -> Array:
    if given is None:
        raise ArenaError(f"replay: {name} is missing: give X and y together")
    try:
        array = np.array(given.toarray() if hasattr(given, "toarray") else given, dtype=float, order="C")
    except (TypeError, ValueError) as error:
        raise ArenaError(f"replay: {name} must hold numbers, in rows of equal length, but {error}") from None
    shape = "(rows, columns)" if dimensions == 2 else "(rows,)"
    if array.ndim != dimensions or not array.size:
        raise ArenaError(f"replay: {name} must have shape {shape} and not be empty, but its shape is {array.shape}")
    if not np.isfinite(array).all():
        at = np.unravel_index(int(np.isfinite(array).argmin()), array.shape)
        place = f"row {at[0] + 1}" + (f", column {at[1] + 1}" if dimensions == 2 else "")
        raise ArenaError(f"replay: {name} is {array[at]} in {place}: fill the value in or leave the row out")
    return array
