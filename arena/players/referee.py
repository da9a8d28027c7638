"""The referee, which checks every move and prediction, and raises a `Foul` that names the side and the reason."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, describe_error, shown, told_apart, trace_of
from arena.game.game import Game
from arena.game.legality import IllegalMove, first_illegal_move
from arena.guards.disk import NoRoom
from arena.guards.user_code import guarded, is_ctrl_c, tolerated
from arena.record.fields import NUMBERS
from arena.record.forfeit import Side

SET_BY = {
    "label_bound": "label_bound, which `label_bound=...` sets",
    "box": "low and view.game.high, which `box=...` sets",
}
LARGEST_SIZE = 10**15  # largest size of a dictionary; the record holds sizes as floats

SHAPES = ("shape", "dimension", "index", "indices", "mismatch", "operand", "broadcast")  # in messages of NumPy
HINT = "hint: "  # the beginning of those notes at exceptions that become a part of a foul's reason
QUESTIONED = 8  # the round in which `check_last_question` runs, before the update
SAME = 1e-9  # the difference of two predictions that rounding explains, relative to 1 + |prediction|


class Foul(Exception):
    """A rule broken by one side: an illegal move or a method that failed; `details` holds the stack trace, if any."""

    def __init__(self, side: Side, reason: str, details: str = ""):
        super().__init__(reason)
        self.side: Side = side
        self.reason = reason
        self.details = details


SET_UP = (Foul, ArenaError)  # an `ArenaError` in `begin` reports a user's mistake in the set-up of the match


def ask(side: Side, method: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a side's method; an exception in it becomes a foul of that side.

    Ctrl-C and a `Foul` are not changed.
    """
    try:
        return method(*arguments)
    # like `fouls_of`, apart from `NoRoom`; written out because `ask` is called several times a round
    except BaseException as error:
        if isinstance(error, Foul) or is_ctrl_c(error):
            raise
        raise foul_from(side, str(getattr(method, "__name__", "its method")).lstrip("_"), error) from error


def fouls_of(side: Side, action: str, *, passing: tuple[type[Exception], ...] = (Foul, NoRoom)) -> guarded:
    """Context manager: an exception in the block becomes a foul of `side` in its method `action`.

    Ctrl-C and exceptions of the types `passing` are not changed.
    """
    return guarded(lambda error: foul_from(side, action, error), passing=passing)


def foul_from(side: Side, action: str, error: BaseException) -> Foul:
    """Return the foul of a side whose method `action` raised this exception."""
    reason = f"{action} raised {describe_error(error)}"
    if isinstance(error, MemoryError):
        reason += "; fewer rounds need less, and so does a player whose memory grows slower with them"
    hints = [note.removeprefix(HINT) for note in getattr(error, "__notes__", ()) if str(note).startswith(HINT)]
    reason += "".join(f"; {hint}" for hint in hints[:1])
    return Foul(side, reason, trace_of(error))


def foul_of_move(illegal: IllegalMove) -> Foul:
    """Return the adversary's foul for an illegal move; the foul names --label-bound or --box as a hint."""
    return Foul("adversary", f"{illegal.sentence} (view.game.{SET_BY[illegal.field]})")


def check_move(game: Game, x: Array, y: float) -> None:
    """Raise the adversary's foul if the move breaks a rule of the game."""
    if illegal := first_illegal_move(game, x[np.newaxis], np.array([y])):
        raise foul_of_move(illegal)


def explain(error: Exception, hint: str) -> None:
    """Add a hint to an exception. If the exception becomes a foul, the hint is in the foul's reason."""
    with tolerated():  # a user's own exception may refuse notes
        error.add_note(HINT + hint)


def explain_shapes(error: Exception, hint: str) -> None:
    """Add the hint to the exception if it is about shapes or indices of arrays."""
    if any(word in str(error) for word in SHAPES):
        explain(error, hint)


def legal_point(game: Game, point: Any) -> Array:
    """Return the adversary's point as an array; raise a `Foul` if it is not `game.dimension` numbers.

    This function does not check that the point lies in the box; `arena.game.legality` does.
    """
    x = _numeric("adversary", "the point", point)
    if x.shape != (game.dimension,):
        raise Foul("adversary", f"the point has shape {x.shape}, but the game's is ({game.dimension},)")
    return x


def legal_unit(unit: float) -> float:
    """Return `unit`, the factor that converts an adversary's labels to the units of its data.

    Raise a `Foul` if it is not a number > 0.
    """
    if not unit > 0.0:
        raise Foul("adversary", f"its label_unit must be a number > 0, but it is {unit:g}")
    return unit


def legal_label(label: Any) -> float:
    """Return the adversary's label as a float; raise a `Foul` if it is not one number.

    This function does not check that the label is within the bound; `arena.game.legality` does.
    """
    return label if type(label) is float else _single("adversary", "the label", label)


def legal_prediction(prediction: Any) -> float:
    """Return the learner's prediction as a float; raise a `Foul` if it is not a finite number."""
    value = prediction if type(prediction) is float else _single("learner", "the prediction", prediction)
    if not math.isfinite(value):
        raise Foul("learner", f"the prediction is {value}")
    return value


def check_purity(first: float, second: Any) -> None:
    """Raise a foul if two predictions at the same point differ, although the learner learned nothing in between."""
    again = legal_prediction(second)
    if abs(first - again) > SAME * (1.0 + abs(first)):
        said, then = told_apart(first, again)
        raise Foul("learner", f"predict changes the learner: asked twice at one point it says {said}, then {then}")


def check_last_question(game: Game, learner: Any, x: Array, prediction: float) -> None:
    """Raise a foul if an extra call of `predict` just before `update` changes the predictions after `update`.

    The check uses copies of the learner, which learn a label far from `prediction` at the point `x`. No foul is raised
    if copying fails, or if copies predict differently without any extra call.
    """
    # of the labels -B and B, the one that is farther from the prediction
    y = -game.label_bound if prediction > 0 else game.label_bound
    elsewhere = np.where(x - game.low > game.high - x, game.low, game.high)
    places = np.array([x, elsewhere])
    quiet = _after_update(learner, x, y, None, places)
    asked = _after_update(learner, x, y, elsewhere, places)
    if quiet is None or asked is None or _same(quiet, asked):
        return
    again = _after_update(learner, x, y, None, places)
    if again is None or not _same(quiet, again):
        return
    at = int(np.abs(quiet - asked).argmax())
    then, otherwise = told_apart(asked[at], quiet[at])
    raise Foul(
        "learner",
        "update uses what the last predict left behind: asked at another point before it learns a label, it then "
        f"predicts {then} where it would predict {otherwise}; update(x, y) must work with x and y alone",
    )


def _after_update(learner: Any, x: Array, y: float, elsewhere: Array | None, places: Array) -> Array | None:
    """Let a copy of the learner learn the label `y` at the point `x`; return the copy's predictions at `places`.

    If `elsewhere` is given, the copy predicts at that point before it learns. The result is None if the learner cannot
    be copied, or if a method of the copy raises an exception.
    """
    # an error that is the learner's fault occurs in the learner, too, where it is reported
    with tolerated():
        twin = copy.deepcopy(learner)
        wraps = hasattr(learner, "itself") or hasattr(learner, "fits")  # a `UserLearner` or an adapter
        if twin is learner or (wraps and twin.given is learner.given):
            return None
        if elsewhere is not None:
            twin.peek(elsewhere[np.newaxis])
            twin.predict(elsewhere.copy())
        twin.update(x.copy(), y)
        return np.asarray(twin.peek(places.copy()), dtype=float)
    return None


def _same(some: Array, others: Array) -> bool:
    return bool((np.abs(some - others) <= SAME * (1.0 + np.abs(some))).all())


def legal_predictions(predictions: Any, rows: int, action: str) -> Array:
    """Return the learner's predictions as an array; raise a `Foul` if they are not `rows` numbers.

    `action` is the method that gave the predictions; the foul's reason names it. This function does not check that the
    predictions are finite; `first_illegal_prediction` does.
    """
    values = _numeric("learner", f"what {action} gave", predictions)
    if values.shape != (rows,):
        raise Foul("learner", f"{action} gave shape {values.shape} for {rows} points, but ({rows},) is needed")
    return values


def legal_size(learner: Any) -> int | None:
    """Return the learner's `dictionary_size`; raise a `Foul` unless it is None or a whole number from 0 to 10^15."""
    size: int | None
    given, size, whole = ask("learner", _dictionary_size, learner)
    if not whole or (size is not None and not 0 <= size <= LARGEST_SIZE):
        must = f"its dictionary_size must be a whole number between 0 and {LARGEST_SIZE}"
        raise Foul("learner", f"{must}, but it is {shown(given)}")
    return size


def _dictionary_size(learner: Any) -> tuple[Any, int | None, bool]:
    """Return `dictionary_size`, its conversion to `int` (None stays None), and whether the two are equal."""
    given = learner.dictionary_size
    size = None if given is None else int(given)
    return given, size, size is None or bool(size == given)


def legal_evidence(given: Mapping[Any, Any]) -> dict[str, Array]:
    """Return a copy of the learner's evidence; raise a `Foul` if a name is no short text or a value is not numeric."""
    evidence: dict[str, Array] = {}
    for name, raw in given.items():
        key, value = str(name), np.array(raw)
        evidence[key] = value
        if not (key.isprintable() and 0 < len(key) <= 100):
            raise Foul("learner", f"the name of a piece of evidence must be a short text, but it is {shown(key)}")
        if value.dtype.kind not in NUMBERS or np.ma.is_masked(raw):
            raise Foul("learner", f"the evidence {key!r} is not an array of numbers: {shown(raw)}")
    return evidence


def first_illegal_prediction(predictions: Array) -> int | None:
    """Return the index of the first prediction that is not finite; None if all are finite."""
    bad = ~np.isfinite(predictions)
    return int(bad.argmax()) if bad.any() else None


def well_shaped_moves(game: Game, X: Any, y: Any) -> tuple[Array, Array]:
    """Return a block's points `X` and labels `y` as arrays; raise a `Foul` for a wrong shape or a value not numeric."""
    points, labels = _numeric("adversary", "the block of points", X), _numeric("adversary", "the block of labels", y)
    if points.ndim != 2 or points.shape[1] != game.dimension or labels.shape != (len(points),):
        shapes = f"points of shape {points.shape} and labels of shape {labels.shape}"
        raise Foul("adversary", f"the block has {shapes}, but (rounds, {game.dimension}) and (rounds,) are needed")
    return points, labels


def _numeric(side: Side, what: str, value: Any) -> Array:
    """Return the value as a contiguous array of floats; raise a foul of `side` if it has no numbers.

    `what` names the value in the foul's reason.
    """
    if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.c_contiguous:
        return value  # the most frequent case, several times a round
    with guarded(lambda _: Foul(side, f"{what} is not numeric: {shown(value)}"), passing=(Foul, NoRoom)):
        if np.ma.is_masked(value):
            raise Foul(side, f"{what} is masked, which is no number: {shown(value)}")
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise TypeError
        return np.ascontiguousarray(array, dtype=float) if array.ndim else array.astype(float)


def _single(side: Side, what: str, value: Any) -> float:
    array = _numeric(side, what, value)
    if array.shape != ():
        raise Foul(side, f"{what} must be one number, but it has shape {array.shape}: {shown(value)}")
    return float(array)
