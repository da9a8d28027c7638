"""Functions that check every field of a transcript's file, and make a `Transcript` of the file's header and arrays.

A file has two hashes. The seal shows that the file is whole; the digest shows that header and arrays belong together.
Neither hash shows that the arena wrote the file. So every field is checked to be a possible result of a match: its
shape must match the other fields, its numbers must be finite, and its moves legal.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias, TypeVar, get_args

import numpy as np

from arena.arrays import Array, locked
from arena.errors import ArenaError, describe_error
from arena.game.game import Game
from arena.game.legality import first_illegal_move
from arena.guards.disk import blocks, is_mapped
from arena.hindsight.comparator import HindsightMode
from arena.hindsight.exact import RidgeHindsight
from arena.hindsight.interval import IntervalHindsight
from arena.record.forfeit import Forfeit, Side
from arena.record.remarks import CIRCUMSTANCES, FORESIGHT, LAST_FUNCTION, NAMED, REMARKS
from arena.record.repeating import OPTIONS
from arena.record.transcript import Ending, Transcript
from arena.specs.addresses import names_code
from arena.specs.building import build, registered_names_only
from arena.specs.parameters import is_whole

Known = TypeVar("Known", RidgeHindsight, IntervalHindsight)
Kind: TypeAlias = str | tuple[str, ...]  # of a value in a header: a key of `KINDS`, or the texts that it may be
NUMBERS = "biufc"  # NumPy's kinds of the arrays that evidence may hold
ARRAYS = ("points", "labels", "predictions", "seconds", "sizes")
UNANSWERED = ("unanswered/points", "unanswered/labels")
EVIDENCE = "evidence/"
# of the arrays and numbers of a hindsight and of an interval: the least value, or what the number may be
HINDSIGHT = {"mean": -math.inf, "variance": 0.0, "residuals": -math.inf}
INTERVAL = {"mean": -math.inf, "variance": 0.0, "residual": 0.0, "lower_increments": -math.inf}
INTERVAL_NUMBERS = {
    "regularisation": "a number > 0",
    "rounding": "a number >= 0",
    "rounding_of_one": "a number >= 0",
    "features": "a whole number >= 0",
    "final": "an interval of numbers >= 0",
}
FORFEIT: Mapping[str, Kind] = {
    "side": get_args(Side),
    "round": "a whole number >= 0",
    "reason": "a text",
    "details": "a text",
}
HEADER = {"learner": "a text", "adversary": "a text", "seed": "a whole number >= 0", "theorems": "a list of texts"}
KEYS = {*HEADER, "format", "game", "ended", "forfeit", "hindsight", "hindsights", "intervals", "circumstances"}
LOWER_BOUNDS = "lower_bounds"  # key in headers of matches whose adversary promises lower bounds
COMPARATORS = "comparators"  # key in headers of matches with named comparators
TEXTS = {*CIRCUMSTANCES, *REMARKS, NAMED, FORESIGHT, LAST_FUNCTION} - {"label_unit"} - OPTIONS.keys()
OPTIONAL = {COMPARATORS, LOWER_BOUNDS}  # keys that a header has only if there is something to list


class WrongField(ValueError):
    """Raised for a field of a transcript's file that is unknown, is missing, or has a value that no match can give."""


class _Arrays(dict[str, Array]):
    """The arrays of a file that have not been taken yet."""

    def take(self, name: str, *shape: int | None, least: float = -math.inf) -> Array:
        """Remove and return an array; raise a `WrongField` if it has another shape, or not finite floats >= `least`.

        None in `shape` stands for any length.
        """
        if name not in self:
            raise WrongField(f"it has no {name!r}")
        array = self.pop(name)
        sides = zip(shape, array.shape, strict=True) if array.ndim == len(shape) else [(-1, 0)]
        if any(side not in (None, own) for side, own in sides):
            needed = ", ".join("any" if side is None else str(side) for side in shape)
            raise WrongField(f"{name} has the shape {array.shape} instead of ({needed})")
        if array.dtype.kind != "f" or array.dtype.itemsize != 8:
            raise WrongField(f"{name} holds {array.dtype} instead of float64")
        if not all(np.isfinite(array[rows]).all() for rows in blocks(array)):
            raise WrongField(f"{name} holds NaN or infinity")
        if array.size and array.min() < least:
            raise WrongField(f"{name} holds a number < {least:g}")
        return array if is_mapped(array) else locked(np.ascontiguousarray(array, dtype=float))

    def take_all(self, name: str, parts: Mapping[str, float], rounds: int) -> dict[str, Any]:
        """Take the arrays `name` + part, which have an entry for each round; `parts` has their least values."""
        return {part: self.take(name + part, rounds, least=least) for part, least in parts.items()}

    def evidence(self) -> dict[str, Array]:
        """Remove all evidence, and return it under its names."""
        names = [name for name in self if name.startswith(EVIDENCE)]
        for name in names:
            if self[name].dtype.kind not in NUMBERS:
                raise WrongField(f"{name} holds {self[name].dtype} instead of numbers")
        return {name.removeprefix(EVIDENCE): self.pop(name) for name in names}


def transcript_of(header: Mapping[str, Any], arrays: Mapping[str, Array], *, trust: bool) -> Transcript:
    """Return the transcript of a file's header and arrays; raise `WrongField` if a field is wrong.

    Users' own kernels and losses are built only with `trust`; without it they raise an `ArenaError`.
    """
    _same_names("the header", header.keys() - OPTIONAL, KEYS)
    game, left = _game(_value(header, "game", "an object"), trust=trust), _Arrays(arrays)
    labels = left.take("labels", None)
    rounds = len(labels)
    points, predictions = left.take("points", rounds, game.dimension), left.take("predictions", rounds)
    _check_moves(game, points, labels)
    ended, forfeit = _ending(header, game, rounds)
    hindsights = _by_lambda(header, "hindsights", functools.partial(_hindsight, left, labels))
    intervals = _by_lambda(header, "intervals", functools.partial(_interval, left, labels))
    unanswered = _unanswered(left, game) if UNANSWERED[0] in left else None
    if unanswered is not None and forfeit is None:
        raise WrongField("moves without an answer stand in a match that did not end by a forfeit")
    transcript = Transcript(
        **_values(header, HEADER),
        **_values(header, dict.fromkeys(OPTIONAL & header.keys(), "a list of some texts")),
        game=game,
        points=points,
        labels=labels,
        predictions=predictions,
        seconds=left.take("seconds", rounds, least=0.0),
        sizes=_sizes(left, game.rounds),
        ended=ended,
        forfeit=forfeit,
        hindsight_mode=_value(header, "hindsight", get_args(HindsightMode)),
        evidence=left.evidence(),
        header=_circumstances(_value(header, "circumstances", "an object")),
        unanswered=unanswered,
        trusted=trust,
    )
    _same_names("the archive", left, ())
    transcript.comparator.exact.update(hindsights)
    transcript.comparator.intervals.update(intervals)
    return transcript


def game_from_json(values: Mapping[str, Any], *, trust: bool = False) -> Game:
    """Return the game that `arena.record.storage.game_as_json` turned into these values.

    Users' own kernels and losses are built only with `trust`; without it they raise an `ArenaError`.
    """
    fields = dict(values)
    for kind in ("kernel", "loss"):
        text = _value(fields, kind, "a text")
        fields[kind] = build(kind, text if trust else registered_names_only(text))
    return Game(**fields)


def _game(values: Mapping[str, Any], *, trust: bool) -> Game:
    _same_names("the game", values.keys() | {"features"}, Game.__dataclass_fields__)
    own = [text for text in (values["kernel"], values["loss"]) if isinstance(text, str) and names_code(text)]
    try:
        return game_from_json(values, trust=trust)
    except ArenaError as error:
        if own:  # a user's code that is missing or not trusted does not mean that the file is damaged
            raise
        raise WrongField(str(error)) from None
    except Exception as error:  # the game's fields may be any JSON values
        raise WrongField(f"its game cannot be made: {describe_error(error)}") from None


def _check_moves(game: Game, points: Array, labels: Array) -> None:
    for rows in blocks(points):
        if illegal := first_illegal_move(game, points[rows], labels[rows]):
            raise WrongField(f"in round {rows.start + illegal.row + 1} {illegal.sentence}")


def _ending(header: Mapping[str, Any], game: Game, rounds: int) -> tuple[Ending, Forfeit | None]:
    ended: Ending = _value(header, "ended", get_args(Ending))
    if rounds > game.rounds or (ended == "completed" and rounds < game.rounds):
        raise WrongField(f"it has {rounds} rounds of {game.rounds}, but it {ended}")
    if (header["forfeit"] is not None) != (ended == "forfeit"):
        raise WrongField(f"its ending is {ended!r}, and its forfeit {header['forfeit']!r:.80}")
    if ended != "forfeit":
        return ended, None
    values = _value(header, "forfeit", "an object")
    _same_names("the forfeit", values, FORFEIT)
    forfeit = Forfeit(**_values(values, FORFEIT))
    if forfeit.round > game.rounds:
        raise WrongField(f"its forfeit is in round {forfeit.round} of {game.rounds}")
    return ended, forfeit


def _by_lambda(header: Mapping[str, Any], key: str, read: Callable[[int, Any], Known]) -> dict[float, Known]:
    """Return the hindsights or intervals in a header, by lambda; `read` makes one of its number and its value."""
    given = _value(header, key, "a list")
    found = {each.regularisation: each for each in map(read, range(len(given)), given)}
    if len(found) < len(given):
        raise WrongField(f"it has two {key} for one lambda")
    return found


def _hindsight(arrays: _Arrays, labels: Array, number: int, value: Any) -> RidgeHindsight:
    at = _checked("a lambda of the hindsight", value, "a number > 0")
    return RidgeHindsight(at, labels, **arrays.take_all(f"hindsight/{number}/", HINDSIGHT, len(labels)))


def _interval(arrays: _Arrays, labels: Array, number: int, value: Any) -> IntervalHindsight:
    values = _checked("an interval of the hindsight", value, "an object")
    name, rounds = f"interval/{number}/", len(labels)
    _same_names("an interval of the hindsight", values.keys() - {"checkpoints", "norm"}, INTERVAL_NUMBERS)
    more: dict[str, Any] = {}
    if "norm" in values:
        excess = arrays.pop(name + "excess", None)
        if excess is None or excess.shape != (rounds,) or excess.dtype != float or not bool((excess >= 0.0).all()):
            raise WrongField(f"{name}excess is not one number >= 0 for each round")
        more = {"norm": _value(values, "norm", "a number >= 0"), "excess": excess}
    return IntervalHindsight(
        labels=labels,
        prefixes=_prefixes(values.get("checkpoints", []), rounds),
        **_values(values, INTERVAL_NUMBERS),
        **arrays.take_all(name, INTERVAL, rounds),
        **more,
    )


def _prefixes(values: Any, rounds: int) -> tuple[tuple[int, float, float], ...]:
    """Return the list `values` of triples (t, lower, upper) as a tuple; raise a `WrongField` if it is no such list.

    A triple means that the best loss of the first t rounds lies in [lower, upper]. `rounds` is the largest legal t.
    """
    found = []
    for each in values if isinstance(values, list) else [values]:
        if not (isinstance(each, list) and each and type(each[0]) is int and 1 <= each[0] <= rounds):
            raise WrongField(f"the interval of a prefix is {each!r:.80}")
        found.append((each[0], *_checked("the interval of a prefix", each[1:], "an interval of numbers >= 0")))
    return tuple(found)


def _unanswered(arrays: _Arrays, game: Game) -> tuple[Array, Array]:
    points, labels = arrays.take(UNANSWERED[0], None, game.dimension), arrays.take(UNANSWERED[1], None)
    if not len(points) - 1 <= len(labels) <= len(points):
        raise WrongField(f"{len(points)} points and {len(labels)} labels have no answer")
    _check_moves(game, points[: len(labels)], labels)
    _check_moves(game, points[len(labels) :], np.zeros(len(points) - len(labels)))
    return points, labels


def _sizes(arrays: _Arrays, rounds: int) -> Array:
    sizes = arrays.take("sizes", None, 2, least=0.0)
    when = sizes[:, 0]
    if len(sizes) and not ((np.diff(when) > 0).all() and when[0] >= 1 and when[-1] <= rounds):
        raise WrongField("the rounds of its dictionary's sizes do not rise from 1")
    return sizes


def _circumstances(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries, after a check of those that are known; newer versions may write others."""
    for key, value in values.items():
        if key == "label_unit":
            if value != math.inf:  # the unit of data with labels beyond 1e308
                _value(values, key, "a number > 0")
        elif key in OPTIONS and not OPTIONS[key].allows(value):
            raise WrongField(f"{key} is {value!r:.80}, which the option cannot be")
        elif key in TEXTS:
            _value(values, key, "a text")
    return dict(values)


def _same_names(what: str, given: Collection[str], needed: Collection[str]) -> None:
    for each in sorted(set(needed) - set(given)):
        raise WrongField(f"{what} has no {each!r}")
    for each in sorted(set(given) - set(needed)):
        raise WrongField(f"{what} has {each!r:.80}, which is no part of a transcript")


def _values(values: Mapping[str, Any], kinds: Mapping[str, Kind]) -> dict[str, Any]:
    return {key: _value(values, key, kind) for key, kind in kinds.items()}


def _value(values: Mapping[str, Any], key: str, kind: Kind) -> Any:
    return _checked(key, values[key], kind)


def _checked(name: str, value: Any, kind: Kind) -> Any:
    """Return a value, converted; raise a `WrongField` unless it is of this kind (`KINDS`), or one of these texts."""
    if isinstance(kind, tuple):
        if value not in kind:
            raise WrongField(f"{name} is {value!r:.80}, which is none of {', '.join(kind)}")
        return value
    allowed, convert = KINDS[kind]
    if not allowed(value):
        raise WrongField(f"{name} is {value!r:.80} instead of {kind}")
    return convert(value)


def _is_finite(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_interval(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_finite, value)) and 0 <= value[0] <= value[1]


KINDS: Mapping[str, tuple[Callable[[Any], bool], Callable[[Any], Any]]] = {  # of values in headers: check, conversion
    "an object": (lambda value: isinstance(value, dict), dict),
    "a list": (lambda value: isinstance(value, list), list),
    "a text": (lambda value: isinstance(value, str), str),
    "a list of texts": (_are_texts, tuple),
    "a list of some texts": (lambda value: _are_texts(value) and bool(value), tuple),
    "a whole number >= 0": (lambda value: is_whole(value, at_least=0), int),
    "a number > 0": (lambda value: _is_finite(value) and value > 0, float),
    "a number >= 0": (lambda value: _is_finite(value) and value >= 0, float),
    "an interval of numbers >= 0": (_is_interval, lambda value: tuple(map(float, value))),
}
