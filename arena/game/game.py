"""The playing field: everything about a match that belongs to neither the learner nor the adversary."""

from __future__ import annotations

import dataclasses
import numbers
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arena.arrays import Array, locked
from arena.errors import ArenaError, describe_error, nearest, shown
from arena.game.kernels import Gaussian, Kernel
from arena.game.losses import Loss, Squared
from arena.guards.user_code import guarded
from arena.specs.parameters import Configured, is_whole, parameter
from arena.specs.spelling import spec_text

USUAL_BOX = (-1.0, 1.0)
LARGEST_VALUE = 1e150  # largest value of a kernel
ROUNDING = 2e-16  # of a kernel's value, which adds up over the rounds; about the epsilon of double precision
COUNTED = 10**6  # rounds beyond which rounding is not taken to add up further
LARGEST = 1e100  # bound on points, labels and predictions: sums of their squares stay finite


@dataclass(frozen=True)
class Game(Configured):
    """The playing field of a match: limits of points and labels, the kernel and its lambda, the loss, the horizon.

    The kernel belongs to the game, so a learner and its comparator play in the same space of functions.

    >>> game = Game(dimension=1, box=(0.0, 2.0))
    >>> game.low, game.high
    (array([0.]), array([2.]))
    """

    rounds: int = parameter(200, "the horizon T", at_least=1, at_most=10**10)
    dimension: int = parameter(2, "number of coordinates of a point", at_least=1, at_most=10**6)
    box: Sequence[Any] = parameter(USUAL_BOX, "[low, high], or one such pair for each coordinate")
    label_bound: float = parameter(1.0, "B: no label is larger in absolute value", above=0, at_most=LARGEST)
    prediction_bound: float | None = parameter(
        None, "C: learners that clip do so here (none: at B)", above=0, at_most=LARGEST
    )
    kernel: Kernel = Gaussian()
    regularisation: float = parameter(1.0, "lambda of the comparator", above=0)
    loss: Loss = Squared()
    features: Sequence[str] = parameter((), "names of the coordinates (none: x0, x1, and so on)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.box is not USUAL_BOX:
            object.__setattr__(self, "box", _legal_box(self.box, self.dimension))
        if self.features:
            _check_features(self.features, self.dimension)

    @cached_property
    def low(self) -> Array:
        """The lower end of the box in each coordinate."""
        return locked(np.broadcast_to(np.array(self.box, dtype=float), (self.dimension, 2))[:, 0].copy())

    @cached_property
    def high(self) -> Array:
        """The upper end of the box in each coordinate."""
        return locked(np.broadcast_to(np.array(self.box, dtype=float), (self.dimension, 2))[:, 1].copy())

    def on_grid(self, X: Array) -> Array:
        """Return the points of the grid that are nearest to the rows of `X`, or on the border of the box.

        Coordinates are multiples of a power of ten; there are 1000 to 10,000 on each side of the box, as far as float64
        tells so many apart. Points computed with rounding errors, which depend on the processor, become equal.

        >>> Game(dimension=1, box=(0.0, 1.0)).on_grid(np.array([[0.1 + 0.2], [0.12345], [7.0]])).ravel()
        array([0.3  , 0.123, 1.   ])
        """
        large, small = self._grid
        return np.asarray(np.clip(np.rint(X * large / small) / large * small, self.low, self.high))

    @cached_property
    def _grid(self) -> tuple[Array, Array]:
        """The factors of `on_grid` in each coordinate: powers of ten, one of the two is 1."""
        sides, largest = self.high - self.low, np.maximum(np.abs(self.low), np.abs(self.high))
        ends = zip(map(_exponent, sides.tolist()), map(_exponent, largest.tolist()), strict=True)
        digits = [min(3 - side, 15 - most, 300) for side, most in ends]  # 1e300 is finite
        large = np.array([float(f"1e{max(each, 0)}") for each in digits])
        return large, np.array([float(f"1e{max(-each, 0)}") for each in digits])

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The name of each coordinate, for models with named features; if none were given, x0, x1, and so on."""
        return tuple(self.features) or tuple(f"x{i}" for i in range(self.dimension))

    @property
    def clip(self) -> float:
        """C, the bound of clipped predictions: `prediction_bound`, or the label bound if `prediction_bound` is None."""
        return self.label_bound if self.prediction_bound is None else self.prediction_bound

    def at(self, regularisation: float | None) -> float:
        """Return `regularisation`, or the game's regularisation if `regularisation` is None."""
        return self.regularisation if regularisation is None else regularisation

    def for_ridge(self, regularisation: float | None) -> float:
        """Return `regularisation`, or the game's regularisation if `regularisation` is None.

        An `ArenaError` is raised if this value is so small that rounding errors in the kernel matrix may exceed it.

        >>> Game(rounds=1000).for_ridge(1e-6)
        1e-06
        """
        given, smallest = self.at(regularisation), ROUNDING * min(self.rounds, COUNTED) * largest_in_box(self)
        if given < smallest:
            why = f"rounding errors of {spec_text(self.kernel)} in {self.rounds:,} rounds exceed that"
            raise lambda_too_small(given, smallest, why)
        return given

    def replace(self, **changes: Any) -> Game:
        """Return a copy of this game with other values in the fields named by `changes`.

        If `changes` has no dimension, a new `box` with one pair for each coordinate sets the dimension, and so do new
        `features`, which are the coordinates' names. If the dimension changes, an old box with one pair for each
        coordinate becomes [-1, 1], and old names are dropped. Raise an `ArenaError` if a name in `changes` is not a
        field of the game, or if a value is not legal.
        """
        unknown = sorted(set(changes) - set(self.__dataclass_fields__))
        if unknown:
            raise ArenaError(f"game: no field {unknown[0]!r}. {nearest(unknown[0], self.__dataclass_fields__)}")
        if "box" in changes and "dimension" not in changes and _is_pairs(changes["box"]):
            changes["dimension"] = len(changes["box"])
        named = changes.get("features")
        if isinstance(named, (list, tuple)) and named and "dimension" not in changes:
            changes["dimension"] = len(named)
        resized = changes.get("dimension", self.dimension) != self.dimension
        if resized and "box" not in changes and np.ndim(self.box[0]):
            changes["box"] = (-1.0, 1.0)
        if resized:
            changes.setdefault("features", ())
        return dataclasses.replace(self, **changes)

    def __getstate__(self) -> dict[str, Any]:
        # without the cached arrays, since copies of them could be written to
        state = dict(vars(self))
        for side in ("low", "high", "_grid"):
            state.pop(side, None)
        return state


def _legal_box(box: Sequence[Any], dimension: int) -> tuple[Any, ...]:
    """Return the box as one pair of limits if all coordinates have the same limits, else as a pair for each coordinate.

    An `ArenaError` is raised if the box is not legal.
    """
    one_for_all = len(box) == 2 and np.ndim(box[0]) == np.ndim(box[1]) == 0
    sides: tuple[Any, ...] = (box,) * dimension if one_for_all else tuple(box)
    if list(map(np.shape, sides)) != [(2,)] * dimension:
        raise ArenaError(
            f"game: box must be one pair [low, high] or one for each of the {dimension} coordinates, "
            f"but it is {shown(list(box))}"
        )
    sides = tuple((_limit(low), _limit(high)) for low, high in sides)
    if not all(low < high for low, high in sides):  # false for NaN
        raise ArenaError(f"game: every side of the box needs finite low < high, but it is {shown(list(sides))}")
    shared: tuple[Any, ...] = sides[0]
    return shared if len(set(sides)) == 1 else sides


def _exponent(value: float) -> int:
    """Return the power of ten of the first digit; from the digits, since logarithms depend on the C library."""
    return int(f"{value:e}".partition("e")[2])


def _is_pairs(box: Any) -> bool:
    """Return whether `box` has one pair for each coordinate."""
    try:
        return bool(np.shape(box)[1:] == (2,))
    except ValueError:  # NumPy's, for rows of different lengths; `_legal_box` says what is allowed
        return False


def _check_features(names: Sequence[str], dimension: int) -> None:
    if len(names) != dimension:
        raise ArenaError(
            f"game: features must name each of the {dimension} coordinates, but there are {len(names)}: "
            f"{shown(list(names))}"
        )
    counts = Counter(names)  # counting each name in the list anew would take minutes for 50,000 names
    for name in names:
        if not name.strip() or counts[name] > 1:
            raise ArenaError(f"game: features must be different names, but {shown(list(names))} has {name!r}")


def _limit(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ArenaError(f"game: the limits of the box must be numbers, but one is {shown(value)}")
    try:
        limit = float(value)
    except OverflowError:
        limit = np.inf
    if abs(limit) > LARGEST:
        raise ArenaError(
            f"game: the limits of the box must lie between -{LARGEST:g} and {LARGEST:g}, but one is {shown(value)}"
        )
    return limit


def largest_in_box(game: Game, share: float = 1.0) -> float:
    """Return |k(x, x)| at the corner of the box that is farthest from 0.

    The limits of the box are first multiplied by `share`. For built-in kernels the result is the largest value in the
    box, because k(x, x) grows with |x| or is constant. A kernel of the user's own may be larger elsewhere. Raise an
    `ArenaError` if the kernel's `diagonal` raises an exception.
    """
    corner = np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high)[np.newaxis]

    def complaint(error: BaseException) -> ArenaError:
        return ArenaError(f"game: {type(game.kernel).__name__}.diagonal(X) raised {describe_error(error)}")

    with np.errstate(all="ignore"), guarded(complaint):
        return float(np.abs(game.kernel.diagonal(share * corner)).max())


def check_kernel_in_box(game: Game) -> None:
    """Raise an `ArenaError` if the kernel is so large in the box that squares of its values would overflow."""
    reached = largest_in_box(game)
    if reached <= LARGEST_VALUE:
        return
    low, high = -400.0, 0.0  # powers of ten by which the box is made smaller, for a box that works
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if largest_in_box(game, 10.0**middle) <= LARGEST_VALUE else (low, middle)
    longest = float(np.maximum(np.abs(game.low), np.abs(game.high)).max())
    raise ArenaError(
        f"game: {spec_text(game.kernel)} reaches {reached:.3g} in the box, more than {LARGEST_VALUE:g}, beyond which "
        f"squares are no numbers; coordinates up to {10.0**low * longest:.3g} are small enough"
    )


def lambda_too_small(given: float, smallest: float, why: str) -> ArenaError:
    """Return the error for a lambda below the smallest number that works; `why` is the reason, as a clause."""
    return ArenaError(f"game: lambda is {given:g}, but {why}; the smallest that works is {_rounded_up(smallest):g}")


def _rounded_up(number: float) -> float:
    """Return `number` rounded up to three significant digits."""
    shown = float(f"{number:.2e}")
    return shown if shown >= number else float(f"{number * 1.005:.2e}")


def require_game_and_seed(game: object, seed: object) -> None:
    """Raise an `ArenaError` unless `game` is a `Game` or None, and `seed` a whole number >= 0."""
    if not is_whole(seed, at_least=0):
        raise ArenaError(f"seed must be a whole number >= 0, but it is {shown(seed)}")
    if game is not None and not isinstance(game, Game):
        raise ArenaError(f"game must be a Game, but it is a {type(game).__name__}")
