"""The interface of learners.

A round has four steps: the adversary names a point, which `reveal` makes final; the learner predicts; the adversary
names the label; the learner updates. Only `predict` and `update` are required. The other methods have defaults, which
are correct and slow.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, an, describe_error, shown
from arena.game.game import Game
from arena.guards.user_code import guarded, tolerated
from arena.hindsight.watching import Watch
from arena.players.referee import ask, explain_shapes, legal_prediction
from arena.record.error_bars import Approximation
from arena.record.theorem import Theorem
from arena.specs.adapting import adapter_for, why_not_adaptable
from arena.specs.attributes import overridable
from arena.specs.building import build
from arena.specs.parameters import Configured

ONE_POINT = "x is one point, an array of shape ({0},); `dimension=...` plays with another number of coordinates"
UNCOPIED = (
    "the learner cannot be copied, so that the object itself played and keeps what it learned; "
    "give its class or its spec"
)


@runtime_checkable
class Plays(Protocol):
    """The methods that a learner must have; an object with them needs no base class."""

    def predict(self, x: Array) -> float:
        """Return the prediction at `x`, without changing the learner."""

    def update(self, x: Array, y: float) -> Any:
        """Learn from the label `y` at the point `x`."""


class Learner(Configured):
    """Base class of learners. Subclass it as a dataclass whose fields are its hyper-parameters.

    - `begin` makes the learner's state.
    - Define `update`, and `predict` (at one point) or `peek` (at many points in one call).
    - `name` is the learner's name in specs. `arena list` and `arena show` group learners by `family` and print `paper`
      and `cost` (time a round, memory).
    - `formula` is the rule of prediction or update, as prose with LaTeX between dollar signs.
    - `memory_growth` (optional) is "constant", "linear" or "quadratic": how the memory grows with the number of rounds.
      `arena check` tests it.
    """

    name: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    family: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    cost: ClassVar[str] = ""

    @overridable
    def foresight(self) -> bool:
        """True if this learner needs the whole sequence beforehand; then one call of `replay` plays all rounds."""
        return False

    @overridable
    def theorems(self) -> Sequence[Theorem]:
        """The theorems that this learner promises, the sharpest first."""
        return ()

    @overridable
    def remark(self) -> str:
        """A sentence about this learner's play; the engine reads it after the match, and the result shows it."""
        return ""

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Start a match: make the state of the learner. All randomness must come from `rng`."""

    def reveal(self, x: Array) -> None:
        """Take `x` as the final point of this round, and toss the coins that depend on it."""

    def predict(self, x: Array) -> float:
        """Return the prediction at `x` without changing the learner; called both before and after `reveal`."""
        return float(self.peek(x[np.newaxis])[0])

    def peek(self, X: Array) -> Array:
        """Return what `predict` would return now at each row of `X`, without tossing new coins."""
        if type(self).predict is Learner.predict:
            raise ArenaError(f"{type(self).__name__} must define predict(x) or peek(X)")
        return np.array([self.predict(x) for x in X])

    def update(self, x: Array, y: float) -> None:
        """Learn from the label `y` at `x`, the point of this round."""
        raise ArenaError(f"{type(self).__name__} must define update(x, y)")

    def update_many(self, X: Array, y: Array) -> None:
        """Learn from labels that arrive together, such as a mini-batch; by default `update` is called for each."""
        for x, label in zip(X, y.tolist(), strict=True):
            self.reveal(x)
            self.update(x, label)

    def replay(self, X: Array, y: Array) -> Array:
        """Play rounds whose labels do not depend on the predictions, and return all predictions."""
        predictions = np.empty(len(X))
        for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
            self.reveal(x)
            predictions[t] = self.predict(x)
            self.update(x, label)
        return predictions

    def through_features(self, X: Array, y: Array, watch: Watch | None = None) -> Approximation | None:
        """Play a long sequence; return predictions computed through features, with bounds on their errors.

        Override this method if exact predictions of long matches need too much memory; the default returns None.
        `watch` is called with the progress.
        """
        return None

    @property
    def dictionary_size(self) -> int | None:
        """The number of points or features that this learner keeps, which the engine records; None if it keeps none."""
        return None

    def evidence(self) -> Mapping[str, Any]:
        """Return named arrays that theorems need, such as step sizes or coins; it is called once, after the match."""
        return {}


def promised_theorems(theorems: Any, whose: str = "a learner's `theorems`") -> tuple[Theorem, ...]:
    """Return the theorems that a player promises, each of which may be given as a spec, a class or an object.

    Raise an `ArenaError`, whose message begins with `whose`, if `theorems` is a text or a single theorem.
    """
    if isinstance(theorems, str) or not isinstance(theorems, Iterable):
        such = repr((theorems,)) if isinstance(theorems, str) else "(MyBound(),) or ('ogd',)"
        raise ArenaError(f"{whose} must be a tuple of theorems, such as {such:.80}, but it is {theorems!r:.80}")
    return tuple(build("theorem", each) for each in theorems)


class UserLearner(Learner):
    """Learner that passes every call on to `given`, a user's object that does not derive from `Learner`.

    If `given` has no `begin`, a copy of `given` plays; `given` itself plays if it cannot be copied.
    """

    def __init__(self, given: Plays):
        self.given: Any = given if hasattr(given, "begin") else own_copy(given)
        for own in ("reveal", "replay", "evidence", "update_many"):
            if callable(getattr(given, own, None)):
                setattr(self, own, getattr(self.given, own))

        self.itself = self.given is given and not hasattr(given, "begin")

    @property
    def remark(self) -> str:
        return UNCOPIED if self.itself else ""

    @property
    def theorems(self) -> Sequence[Theorem]:
        promised: Sequence[Theorem] = getattr(self.given, "theorems", ())
        return promised

    @property
    def foresight(self) -> bool:
        return truth(self.given, "foresight")

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if hasattr(self.given, "begin"):
            self.given.begin(game, rng)

    def predict(self, x: Array) -> float:
        try:
            prediction: float = self.given.predict(x)
        except (IndexError, ValueError) as error:  # a context manager would take a microsecond more in each round
            explain_shapes(error, ONE_POINT.format(len(x)))
            raise
        return prediction

    def peek(self, X: Array) -> Array:
        own = getattr(self.given, "peek", None)
        if own is not None:
            return own(X)  # type: ignore[no-any-return]
        return np.array([legal_prediction(ask("learner", self.predict, x)) for x in X])

    def update(self, x: Array, y: float) -> None:
        try:
            self.given.update(x, y)
        except (IndexError, ValueError) as error:
            explain_shapes(error, ONE_POINT.format(len(x)))
            raise

    @property
    def dictionary_size(self) -> int | None:
        size: int | None = getattr(self.given, "dictionary_size", None)
        return size


@contextlib.contextmanager
def point_explained(learner: Learner, game: Game) -> Iterator[None]:
    """Context manager: add a hint, the shape of a point, to an error about shapes that a user's learner raises."""
    try:
        yield
    except (IndexError, ValueError) as error:
        if isinstance(learner, UserLearner):
            explain_shapes(error, ONE_POINT.format(game.dimension))
        raise


def truth(given: Any, attribute: str) -> bool:
    """Return the attribute as a bool; False if `given` has no such attribute.

    Raise an `ArenaError` if the attribute's value is no bool.
    """
    value = getattr(given, attribute, False)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ArenaError(f"{type(given).__name__}.{attribute} must be True or False, but it is {shown(value)}")


def unusable(kind: str, thing: Any, what: str = "looking at its attributes") -> guarded:
    """Context manager: turn an exception in the block into an `ArenaError`.

    The message says that `thing` cannot be used as a `kind`, because the action `what` raised the exception.
    """
    name = type(thing).__name__
    return guarded(
        lambda error: ArenaError(f"{name} cannot be used as {an(kind)}: {what} raised {describe_error(error)}")
    )


def own_copy(given: Any) -> Any:
    """Return a deep copy of `given`; if it cannot be copied, `given` itself."""
    with tolerated():  # an object that holds open files, locks or wrappers may be impossible to copy
        return copy.deepcopy(given)
    return given


def overrides(learner: object, method: str) -> bool:
    """Return whether a learner, or a class of learners, has a `method` of its own in place of `Learner`'s default."""
    own = getattr(learner, method, None)
    return own is not None and getattr(own, "__func__", own) is not getattr(Learner, method)


def as_learner(thing: Any) -> Learner:
    """Return `thing` itself if it is a `Learner`, else a learner that passes calls on to `thing`.

    The returned learner is a `UserLearner` if `thing` has the methods `predict` and `update`, and an adapter if `thing`
    is a model of another library. Raise an `ArenaError` if `thing` is none of these.
    """
    with unusable("learner", thing):
        if isinstance(thing, Learner):
            return thing
        if isinstance(thing, Plays):
            return UserLearner(thing)
        adapter = adapter_for(thing)
        if adapter is None:
            why = why_not_adaptable(thing) or "it needs the methods predict(x) and update(x, y)"
            raise ArenaError(f"{type(thing).__name__} is not a learner: {why}")
        learner: Learner = adapter(thing)  # type: ignore[assignment]
        return learner
