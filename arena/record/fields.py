"""Functions that check every field of a transcript's file, and make a `Transcript` of the file's header and arrays.

A file has two hashes. The seal shows that the file is whole; the digest shows that header and arrays belong together.
Neither hash shows that the arena wrote the file. So every field is checked to be a possible result of a match: its
shape must match the other fields, its numbers must be finite, and its moves legal.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Mapping
from typing import Any, cast, get_args

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

NUMBERS = "biufc"  # NumPy's kinds of the arrays that evidence may hold
ARRAYS = ("points", "labels", "predictions", "seconds", "sizes")
UNANSWERED = ("unanswered/points", "unanswered/labels")
EVIDENCE = "evidence/"
HINDSIGHT = ("mean", "variance", "residuals")
INTERVAL = ("mean", "variance", "residual", "lower_increments")
INTERVAL_NUMBERS = ("regularisation", "rounding", "rounding_of_one", "features", "final")
KEYS = {"format", "learner", "adversary", "game", "seed", "ended", "forfeit", "theorems", "hindsight", "hindsights"}
KEYS |= {"intervals", "circumstances"}
LOWER_BOUNDS = "lower_bounds"  # key in headers of matches whose adversary promises lower bounds
COMPARATORS = "comparators"  # key in headers of matches with named comparators
TEXTS = {*CIRCUMSTANCES, *REMARKS, NAMED, FORESIGHT, LAST_FUNCTION} - {"label_unit"} - OPTIONS.keys()
OPTIONAL = {COMPARATORS, LOWER_BOUNDS}  # keys that a header has only if there is something to list


class WrongField(ValueError):
    """Raised for a field of a transcript's file that is unknown, is missing, or has a value that no match can give."""


def transcript_of(header: Mapping[str, Any], arrays: Mapping[str, Array], *, trust: bool) -> Transcript:
    """Return the transcript of a file's header and arrays; raise `WrongField` if a field is wrong.

    Users' own kernels and losses are built only with `trust`; without it they raise an `ArenaError`.
    """
    _same_names("the header", header.keys() - OPTIONAL, KEYS)
    game = _game(_object(header, "game"), trust=trust)
    labels = _numbers(arrays, "labels", None)
    rounds = len(labels)
    points, predictions = _numbers(arrays, "points", rounds, game.dimension), _numbers(arrays, "predictions", rounds)
    _check_moves(game, points, labels)
    ended, forfeit = _ending(header, game, rounds)
    hindsights, intervals = _hindsights(header, arrays, labels), _intervals(header, arrays, labels)
    evidence = {name.removeprefix(EVIDENCE): _evidence(arrays, name) for name in arrays if name.startswith(EVIDENCE)}
    unanswered = _unanswered(arrays, game) if UNANSWERED[0] in arrays else None
    if unanswered is not None and forfeit is None:
        raise WrongField("moves without an answer stand in a match that did not end by a forfeit")
    known = [*ARRAYS, *(UNANSWERED if unanswered else ()), *(EVIDENCE + name for name in evidence)]
    known += [f"hindsight/{number}/{part}" for number in range(len(hindsights)) for part in HINDSIGHT]
    known += [f"interval/{number}/{part}" for number in range(len(intervals)) for part in INTERVAL]
    known += [f"interval/{number}/excess" for number, each in enumerate(intervals.values()) if each.excess is not None]
    _same_names("the archive", arrays, known)
    transcript = Transcript(
        learner=_text(header, "learner"),
        adversary=_text(header, "adversary"),
        game=game,
        seed=_whole(header, "seed"),
        points=points,
        labels=labels,
        predictions=predictions,
        seconds=_at_least_zero(arrays, "seconds", rounds),
        sizes=_sizes(arrays, game.rounds),
        ended=ended,
        forfeit=forfeit,
        theorems=_texts(header, "theorems"),
        lower_bounds=_optional_texts(header, LOWER_BOUNDS),
        hindsight_mode=cast(HindsightMode, _one_of(header, "hindsight", get_args(HindsightMode))),
        evidence=evidence,
        header=_circumstances(_object(header, "circumstances")),
        unanswered=unanswered,
        comparators=_optional_texts(header, COMPARATORS),
        trusted=trust,
    )
    transcript.comparator.exact.update(hindsights)
    transcript.comparator.intervals.update(intervals)
    return transcript


def game_from_json(values: Mapping[str, Any], *, trust: bool = False) -> Game:
    """Return the game that `arena.record.storage.game_as_json` turned into these values.

    Users' own kernels and losses are built only with `trust`; without it they raise an `ArenaError`.
    """
    fields = dict(values)
    for kind in ("kernel", "loss"):
        text = _text(fields, kind)
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
    ended = cast(Ending, _one_of(header, "ended", get_args(Ending)))
    if rounds > game.rounds or (ended == "completed" and rounds < game.rounds):
        raise WrongField(f"it has {rounds} rounds of {game.rounds}, but it {ended}")
    if (header["forfeit"] is not None) != (ended == "forfeit"):
        raise WrongField(f"its ending is {ended!r}, and its forfeit {header['forfeit']!r:.80}")
    if ended != "forfeit":
        return ended, None
    values = _object(header, "forfeit")
    _same_names("the forfeit", values, Forfeit.__dataclass_fields__)
    number, side = _whole(values, "round"), cast(Side, _one_of(values, "side", get_args(Side)))
    if number > game.rounds:
        raise WrongField(f"its forfeit is in round {number} of {game.rounds}")
    return ended, Forfeit(side, number, _text(values, "reason"), _text(values, "details"))


def _hindsights(header: Mapping[str, Any], arrays: Mapping[str, Array], labels: Array) -> dict[float, RidgeHindsight]:
    found = {}
    for number, value in enumerate(_list(header, "hindsights")):
        at, name, rounds = _positive("a lambda of the hindsight", value), f"hindsight/{number}/", len(labels)
        mean, residuals = (_numbers(arrays, name + part, rounds) for part in ("mean", "residuals"))
        found[at] = RidgeHindsight(at, labels, mean, _at_least_zero(arrays, name + "variance", rounds), residuals)
    if len(found) < len(header["hindsights"]):
        raise WrongField("it has two hindsights for one lambda")
    return found


def _intervals(header: Mapping[str, Any], arrays: Mapping[str, Array], labels: Array) -> dict[float, IntervalHindsight]:
    found = {}
    for number, values in enumerate(_list(header, "intervals")):
        if not isinstance(values, dict):
            raise WrongField(f"an interval of the hindsight is {values!r:.80}")
        prefixes = _prefixes(values.get("checkpoints", []), len(labels))
        plain = {name: value for name, value in values.items() if name not in ("checkpoints", "norm")}
        _same_names("an interval of the hindsight", plain, INTERVAL_NUMBERS)
        final = [_finite("an end of an interval", each) for each in _list(values, "final")]
        if len(final) != 2 or not 0.0 <= final[0] <= final[1]:
            raise WrongField(f"an interval of the hindsight is {final}")
        at, name, rounds = (
            _positive("a lambda of the hindsight", values["regularisation"]),
            f"interval/{number}/",
            len(labels),
        )
        found[at] = IntervalHindsight(
            regularisation=at,
            labels=labels,
            mean=_numbers(arrays, name + "mean", rounds),
            variance=_at_least_zero(arrays, name + "variance", rounds),
            residual=_at_least_zero(arrays, name + "residual", rounds),
            lower_increments=_numbers(arrays, name + "lower_increments", rounds),
            rounding=_at_least_zero_number(values, "rounding"),
            rounding_of_one=_at_least_zero_number(values, "rounding_of_one"),
            features=_whole(values, "features"),
            final=(final[0], final[1]),
            prefixes=prefixes,
            **_norm_and_excess(values, arrays, name, rounds),
        )
    if len(found) < len(header["intervals"]):
        raise WrongField("it has two intervals for one lambda")
    return found


def _norm_and_excess(values: Mapping[str, Any], arrays: Mapping[str, Array], name: str, rounds: int) -> dict[str, Any]:
    """Return the fields "norm" and "excess" of an `IntervalHindsight` as a dictionary; {} if `values` has no "norm".

    - `values` has the numbers of the `IntervalHindsight` in the file's header.
    - `arrays` has all arrays of the file; "excess" is the one named `name` + "excess".
    """
    if "norm" not in values:
        return {}
    excess = arrays.get(name + "excess")
    if excess is None or excess.shape != (rounds,) or excess.dtype != float or not bool((excess >= 0.0).all()):
        raise WrongField(f"{name}excess is not one number >= 0 for each round")
    return {"norm": _at_least_zero_number(values, "norm"), "excess": excess}


def _prefixes(values: Any, rounds: int) -> tuple[tuple[int, float, float], ...]:
    """Return the list `values` of triples (t, lower, upper) as a tuple; raise a `WrongField` if it is no such list.

    A triple means that the best loss of the first t rounds lies in [lower, upper]. `rounds` is the largest legal t.
    """
    found = []
    for each in values if isinstance(values, list) else [values]:
        if not (isinstance(each, list) and len(each) == 3 and type(each[0]) is int and 1 <= each[0] <= rounds):
            raise WrongField(f"the interval of a prefix is {each!r:.80}")
        low, high = (_finite("an end of a prefix's interval", end) for end in each[1:])
        if not 0.0 <= low <= high:
            raise WrongField(f"the interval of a prefix is {each!r:.80}")
        found.append((each[0], low, high))
    return tuple(found)


def _evidence(arrays: Mapping[str, Array], name: str) -> Array:
    if arrays[name].dtype.kind not in NUMBERS:
        raise WrongField(f"{name} holds {arrays[name].dtype} instead of numbers")
    return arrays[name]


def _unanswered(arrays: Mapping[str, Array], game: Game) -> tuple[Array, Array]:
    points = _numbers(arrays, UNANSWERED[0], None, game.dimension)
    labels = _numbers(arrays, UNANSWERED[1], None)
    if not len(points) - 1 <= len(labels) <= len(points):
        raise WrongField(f"{len(points)} points and {len(labels)} labels have no answer")
    _check_moves(game, points[: len(labels)], labels)
    _check_moves(game, points[len(labels) :], np.zeros(len(points) - len(labels)))
    return points, labels


def _sizes(arrays: Mapping[str, Array], rounds: int) -> Array:
    sizes = _at_least_zero(arrays, "sizes", None, 2)
    when = sizes[:, 0]
    if len(sizes) and not ((np.diff(when) > 0).all() and when[0] >= 1 and when[-1] <= rounds):
        raise WrongField("the rounds of its dictionary's sizes do not rise from 1")
    return sizes


def _texts(header: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = _list(header, key)
    if not all(isinstance(each, str) for each in texts):
        raise WrongField(f"its {key} are {texts!r:.80}")
    return tuple(texts)


def _optional_texts(header: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = _texts(header, key) if key in header else ()
    if key in header and not texts:
        raise WrongField(f"its {key} are an empty list")
    return texts


def _circumstances(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries, after a check of those that are known; newer versions may write others."""
    for key, value in values.items():
        if key == "label_unit":
            if value != math.inf:  # the unit of data with labels beyond 1e308
                _positive(key, value)
        elif key in OPTIONS and not OPTIONS[key].allows(value):
            raise WrongField(f"{key} is {value!r:.80}, which the option cannot be")
        elif key in TEXTS:
            _text(values, key)
    return dict(values)


def _same_names(what: str, given: Collection[str], needed: Collection[str]) -> None:
    for each in sorted(set(needed) - set(given)):
        raise WrongField(f"{what} has no {each!r}")
    for each in sorted(set(given) - set(needed)):
        raise WrongField(f"{what} has {each!r:.80}, which is no part of a transcript")


def _numbers(arrays: Mapping[str, Array], name: str, *shape: int | None) -> Array:
    """Return `arrays[name]`; raise a `WrongField` unless it has finite floats and the shape `shape`.

    In `shape`, None stands for any length.
    """
    if name not in arrays:
        raise WrongField(f"it has no {name!r}")
    array = arrays[name]
    fits = array.ndim == len(shape) and all(side in (None, own) for side, own in zip(shape, array.shape, strict=True))
    if not fits:
        needed = ", ".join("any" if side is None else str(side) for side in shape)
        raise WrongField(f"{name} has the shape {array.shape} instead of ({needed})")
    if array.dtype.kind != "f" or array.dtype.itemsize != 8:
        raise WrongField(f"{name} holds {array.dtype} instead of float64")
    if not all(np.isfinite(array[rows]).all() for rows in blocks(array)):
        raise WrongField(f"{name} holds NaN or infinity")
    return array if is_mapped(array) else locked(np.ascontiguousarray(array, dtype=float))


def _at_least_zero(arrays: Mapping[str, Array], name: str, *shape: int | None) -> Array:
    array = _numbers(arrays, name, *shape)
    if array.size and array.min() < 0.0:
        raise WrongField(f"{name} holds a number < 0")
    return array


def _object(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    if not isinstance(values[key], dict):
        raise WrongField(f"{key} is {values[key]!r:.80} instead of an object")
    return dict(values[key])


def _list(values: Mapping[str, Any], key: str) -> list[Any]:
    if not isinstance(values[key], list):
        raise WrongField(f"{key} is {values[key]!r:.80} instead of a list")
    return list(values[key])


def _text(values: Mapping[str, Any], key: str) -> str:
    if not isinstance(values[key], str):
        raise WrongField(f"{key} is {values[key]!r:.80} instead of a text")
    return str(values[key])


def _one_of(values: Mapping[str, Any], key: str, allowed: Collection[str]) -> str:
    if _text(values, key) not in allowed:
        raise WrongField(f"{key} is {values[key]!r:.80}, which is none of {', '.join(allowed)}")
    return str(values[key])


def _whole(values: Mapping[str, Any], key: str) -> int:
    value = values[key]
    if not is_whole(value, at_least=0):
        raise WrongField(f"{key} is {value!r:.80} instead of a whole number >= 0")
    return int(value)


def _finite(what: str, value: Any) -> float:
    with contextlib.suppress(OverflowError):  # raised for a whole number with hundreds of digits
        if not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value):
            return float(value)
    raise WrongField(f"{what} is {value!r:.80} instead of a finite number")


def _positive(what: str, value: Any) -> float:
    if (number := _finite(what, value)) <= 0.0:
        raise WrongField(f"{what} is {number:g} instead of a number > 0")
    return number


def _at_least_zero_number(values: Mapping[str, Any], key: str) -> float:
    if (number := _finite(key, values[key])) < 0.0:
        raise WrongField(f"{key} is {number:g} instead of a number >= 0")
    return number
