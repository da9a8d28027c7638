"""What a learner is.

One round: the adversary names a point (`reveal` says that it is final), the learner predicts, the adversary names the
label, the learner updates. `predict` and `update` are all that is needed; the rest has slow, correct defaults.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.referee import ask, legal_prediction
from arena.record.theorem import Theorem
from arena.specs.adapting import adapter_for, why_not_adaptable
from arena.specs.parameters import Configured


@runtime_checkable
class Plays(Protocol):
    """The least that a learner must offer; it needs no base class."""

    def predict(self, x: Array) -> float:
        """The prediction at x; it must not change the learner."""

    def update(self, x: Array, y: float) -> Any:
        """Learn that y was the label at x."""


class Learner(Configured):
    """A learner that plays in the arena. Subclass it as a dataclass whose fields are its hyper-parameters.

    `begin` makes the state. Define `predict`, or `peek` if many rows at once are cheaper than one by one.
    """

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    cost: ClassVar[str] = ""

    if TYPE_CHECKING:  # for mypy properties, so that subclasses may compute them; in fact plain attributes

        @property
        def foresight(self) -> bool:
            """Whether it must know the whole sequence beforehand: one `replay` is then given all of it."""

        @property
        def theorems(self) -> Sequence[Theorem]:
            """The theorems that it promises to obey, the sharpest first."""
    else:
        foresight = False
        theorems = ()

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """A match begins: make the state. All randomness comes from `rng`."""

    def reveal(self, x: Array) -> None:
        """The point of this round is final: coins that depend on it are tossed now."""

    def predict(self, x: Array) -> float:
        """The prediction at x. Pure: it changes nothing, before and after `reveal`."""
        return float(self.peek(x[np.newaxis])[0])

    def peek(self, X: Array) -> Array:
        """The predictions for each of these rows as things stand, without tossing coins not tossed yet."""
        if type(self).predict is Learner.predict:
            raise ArenaError(f"{type(self).__name__} must define predict(x) or peek(X)")
        return np.array([self.predict(x) for x in X])

    def update(self, x: Array, y: float) -> None:
        """The label at x was y."""
        raise ArenaError(f"{type(self).__name__} must define update(x, y)")

    def replay(self, X: Array, y: Array) -> Array:
        """Play these rounds, whose labels do not depend on the predictions; the predictions of each."""
        predictions = np.empty(len(X))
        for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
            self.reveal(x)
            predictions[t] = self.predict(x)
            self.update(x, label)
        return predictions

    @property
    def dictionary_size(self) -> int | None:
        """How many points or features it keeps, if that is a number worth recording."""
        return None

    def evidence(self) -> Mapping[str, Any]:
        """What a theorem needs to know of the learner's insides once the match is over: named arrays."""
        return {}


class Guest(Learner):
    """An object with only `predict` and `update`, in a learner's clothes; what else it offers is used.

    An object without `begin` cannot be told that a new match starts, so a copy of it plays, and it stays as it was.
    """

    def __init__(self, guest: Plays):
        self.guest: Any = guest if hasattr(guest, "begin") else own_copy(guest)
        for own in ("reveal", "replay", "evidence"):
            if callable(getattr(guest, own, None)):
                setattr(self, own, getattr(self.guest, own))

    @property
    def theorems(self) -> Sequence[Theorem]:
        """The theorems that the object promises, if any."""
        return tuple(getattr(self.guest, "theorems", ()))

    @property
    def foresight(self) -> bool:
        """What the object says; if it says nothing it has none."""
        return bool(getattr(self.guest, "foresight", False))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Passed on if the object has it."""
        if hasattr(self.guest, "begin"):
            self.guest.begin(game, rng)

    def predict(self, x: Array) -> float:
        """The object's own prediction."""
        prediction: float = self.guest.predict(x)
        return prediction

    def peek(self, X: Array) -> Array:
        """The object's own `peek`, or its predictions one by one."""
        own = getattr(self.guest, "peek", None)
        if own is not None:
            return np.asarray(own(X))
        return np.array([legal_prediction(ask("learner", self.guest.predict, x)) for x in X])

    def update(self, x: Array, y: float) -> None:
        """The object's own update."""
        self.guest.update(x, y)

    @property
    def dictionary_size(self) -> int | None:
        """The object's own, if it has one."""
        size: int | None = getattr(self.guest, "dictionary_size", None)
        return size


def own_copy(guest: Any) -> Any:
    """A copy that can play while the original stays as it is; the original itself where it cannot be copied."""
    try:
        return copy.deepcopy(guest)
    except Exception:  # open files, locks, wrappers: whatever the object holds
        return guest


def overrides(learner: Learner, method: str) -> bool:
    """Whether the learner has a method of its own in the place of the slow or empty default."""
    own = getattr(learner, method, None)
    return own is not None and getattr(own, "__func__", None) is not getattr(Learner, method)


def as_learner(thing: Any) -> Learner:
    """The thing itself if it is a `Learner`, else a learner that plays for it."""
    if isinstance(thing, Learner):
        return thing
    if isinstance(thing, Plays):
        return Guest(thing)
    adapter = adapter_for(thing)
    if adapter is None:
        raise ArenaError(
            f"{type(thing).__name__} is not a learner: it needs the methods predict(x) and update(x, y)"
            f"{why_not_adaptable(thing)}"
        )
    learner: Learner = adapter(thing)  # type: ignore[assignment]
    return learner
