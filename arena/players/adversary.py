"""The interface of adversaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, shown
from arena.game.game import Game
from arena.players.learner import Learner, own_copy, truth, unusable
from arena.specs.attributes import overridable
from arena.specs.parameters import Configured

if TYPE_CHECKING:
    from arena.players.view import View
    from arena.record.theorem import Theorem


@runtime_checkable
class Opposes(Protocol):
    """The methods that an adversary must have; an object with them needs no base class."""

    def point(self, view: View) -> Any:
        """Return the point of this round, or None to end the match."""

    def label(self, view: View, x: Array, prediction: float) -> float:
        """Return the label of this round."""


class Adversary(Configured):
    """Base class of adversaries. Subclass it as a dataclass whose fields are its parameters.

    - `name` is the adversary's name in specs, and `formula` the rule of the moves, which HTML pages show. `arena list`
      and `arena show` print `paper` and `cost`.
    - `oblivious = True` promises that the points and labels do not depend on the learner. The match is then played in
      blocks, and the argument `prediction` of `label` is NaN.
    - `lower_bounds` are the theorems that the adversary promises: lower bounds on the learner's regret.
    """

    name: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    fresh_points: ClassVar[bool] = False  # whether rounds have new points without end: exact learners keep them all

    @overridable
    def oblivious(self) -> bool:
        """True if this adversary's moves do not depend on the learner."""
        return False

    @overridable
    def lower_bounds(self) -> Sequence[Theorem]:
        """The promised lower bounds on the regret of every learner, or of a class of learners."""
        return ()

    @overridable
    def remark(self) -> str:
        """A sentence printed with results, such as one on scaled data; the engine reads it after `begin`."""
        return ""

    @overridable
    def files(self) -> tuple[str, ...]:
        """The paths of the files that determine the moves.

        The contents of these files are a part of a match's key in a store.
        """
        return ()

    @overridable
    def label_unit(self) -> float:
        """The factor that converts labels to the units of the data; the engine reads it after `begin`."""
        return 1.0

    @overridable
    def known_moves(self) -> float | None:
        """The number of moves, if a round's number alone determines the round's move; otherwise None.

        The value is infinity if the moves never end. A killed match can be continued only if the value is not None.
        """
        return None

    def arrange(self, game: Game) -> Game:
        """Return a copy of `game` that is changed as this adversary needs, for example to the dimension of its data."""
        return game

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Start a match: make the state of the adversary. All randomness must come from `rng`."""

    def point(self, view: View) -> Array | None:
        """Return the point of this round, or None to end the match; by default the first point of `block(view, 1)`."""
        if not has_own_block(self):
            raise ArenaError(
                f"{type(self).__name__} must define point(view), or block(view, rounds) if it is oblivious"
            )
        X, y = self.block(view, 1)
        self._next_label = float(y[0]) if len(y) else None
        return X[0] if len(X) else None

    def label(self, view: View, x: Array, prediction: float) -> float:
        """Return the label of this round; `prediction` is the learner's prediction at `x`.

        If the adversary defines `block`, which makes many moves at once, the default is the label that came with the
        point.
        """
        if not has_own_block(self) or self._next_label is None:
            raise ArenaError(f"{type(self).__name__} must define label(view, x, prediction)")
        return self._next_label

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        """Return the next moves of an oblivious adversary: up to `rounds` points and as many labels.

        If no moves are returned, the match ends. Define `block` if making many moves at once is faster than making them
        one by one.
        """
        point = self.point(view)
        if point is None:
            return np.empty((0, view.game.dimension)), np.empty(0)
        return np.array([point]), np.array([self.label(view, point, np.nan)])


def has_own_block(adversary: Adversary) -> bool:
    """Return whether the adversary has its own `block`, the method that makes many moves at once."""
    return getattr(adversary.block, "__func__", None) is not Adversary.block


class UserAdversary(Adversary):
    """Adversary that passes every call on to `given`, a user's object that does not derive from `Adversary`.

    If `given` has no `begin`, a copy of `given` plays; `given` itself plays if it cannot be copied.
    """

    def __init__(self, given: Opposes):
        self.given: Any = given if hasattr(given, "begin") else own_copy(given)
        for own in ("block", "arrange"):
            if callable(getattr(given, own, None)):
                setattr(self, own, getattr(self.given, own))

    @property
    def lower_bounds(self) -> Sequence[Theorem]:
        promised: Sequence[Theorem] = getattr(self.given, "lower_bounds", ())
        return promised

    @property
    def oblivious(self) -> bool:
        return truth(self.given, "oblivious")

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if hasattr(self.given, "begin"):
            self.given.begin(game, rng)

    def point(self, view: View) -> Any:
        return self.given.point(view)

    def label(self, view: View, x: Array, prediction: float) -> float:
        label: float = self.given.label(view, x, prediction)
        return label


def as_adversary(thing: Any) -> Adversary:
    """Return `thing` itself if it is an `Adversary`, else a `UserAdversary`, which passes every call on to it.

    Raise an `ArenaError` if `thing` does not have the methods `point` and `label`.
    """
    with unusable("adversary", thing):
        if isinstance(thing, Adversary):
            return thing
        if not isinstance(thing, Opposes):
            raise ArenaError(
                f"{type(thing).__name__} is not an adversary: it needs point(view) and label(view, x, prediction)"
            )
        return UserAdversary(thing)


def check_foresight(learner: Learner, adversary: Adversary, names: tuple[str, str]) -> None:
    """Raise an `ArenaError` if the learner needs all moves beforehand, and the adversary is not oblivious.

    `names` are the names of the learner and of the adversary in the message.
    """
    with unusable("learner", learner, "foresight"):
        foresight = learner.foresight
    with unusable("adversary", adversary, "oblivious"):
        oblivious = adversary.oblivious
    if foresight and not oblivious:
        raise ArenaError(
            f"{names[0]} must know the whole sequence beforehand, so it cannot play against "
            f"{names[1]}, which waits for its predictions; choose an oblivious adversary"
        )


def arranged(adversary: Adversary, game: Game, fields: Mapping[str, Any] | None = None) -> Game:
    """Return the game that the adversary needs; raise an `ArenaError` if `arrange` fails or returns no `Game`.

    `fields` are the fields of the game that the user has given: the adversary sees them, but cannot change them.
    """
    given = fields or {}
    wanted = game.replace(**given)
    player = adversary.given if isinstance(adversary, UserAdversary) else adversary
    with unusable("adversary", player, "arrange(game)"):
        found = adversary.arrange(wanted)
        if not isinstance(found, Game):
            raise ArenaError(
                f"{type(player).__name__}.arrange(game) must return a Game, such as game.replace(dimension=3), "
                f"but it returned {shown(found)}"
            )
    return found.replace(**given)
