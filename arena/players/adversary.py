"""The interface of adversaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.learner import own_copy
from arena.specs.parameters import Configured

if TYPE_CHECKING:
    from arena.players.view import View


@runtime_checkable
class Opposes(Protocol):
    """The methods that an adversary must have; it needs no base class."""

    def point(self, view: View) -> Any:
        """The point of this round; None ends the match."""

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The label of this round."""


class Adversary(Configured):
    """Base class of adversaries. Subclass it as a dataclass whose fields are its parameters.

    `name` is its name in specs; `paper` and `cost` are printed by `arena list` and `arena show`, so that a docstring
    need not repeat them. `oblivious` promises that neither points nor labels depend on what the learner does. The
    sequence is then played in blocks, and `prediction` in `label` is NaN.
    """

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    cost: ClassVar[str] = ""

    # for mypy a property, so that subclasses may compute it; at run time a plain attribute
    if TYPE_CHECKING:

        @property
        def oblivious(self) -> bool:
            """Whether its moves do not depend on the learner."""
    else:
        oblivious = False

    @property
    def remark(self) -> str:
        """A sentence for the result about how it plays, such as how data was scaled; read after `begin`."""
        return ""

    def arrange(self, game: Game) -> Game:
        """The game as this adversary needs it; a data set, for instance, has its own dimension."""
        return game

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Start a match: make the state. All randomness must come from `rng`."""

    def point(self, view: View) -> Array | None:
        """The point of this round; None ends the match. By default the point of a `block` of one."""
        if not has_own_block(self):
            raise ArenaError(
                f"{type(self).__name__} must define point(view), or block(view, rounds) if it is oblivious"
            )
        X, y = self.block(view, 1)
        self._next_label = float(y[0]) if len(y) else None
        return X[0] if len(X) else None

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The label of this round, once the prediction is known. By default the label of a `block` of one."""
        if not has_own_block(self) or self._next_label is None:
            raise ArenaError(f"{type(self).__name__} must define label(view, x, prediction)")
        return self._next_label

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        """The next moves of an oblivious adversary: up to `rounds` points and labels; fewer at the end of its moves.

        Define it if many moves together are faster than one by one.
        """
        point = self.point(view)
        if point is None:
            return np.empty((0, view.game.dimension)), np.empty(0)
        return np.array([point]), np.array([self.label(view, point, np.nan)])


def has_own_block(adversary: Adversary) -> bool:
    """Whether the adversary defines `block`."""
    return getattr(adversary.block, "__func__", None) is not Adversary.block


class GuestAdversary(Adversary):
    """Adversary that plays with the methods of an object without the base class; a copy plays if it has no `begin`."""

    def __init__(self, guest: Opposes):
        self.guest: Any = guest if hasattr(guest, "begin") else own_copy(guest)
        for own in ("block", "arrange"):
            if callable(getattr(guest, own, None)):
                setattr(self, own, getattr(self.guest, own))

    @property
    def oblivious(self) -> bool:
        return bool(getattr(self.guest, "oblivious", False))

    def arrange(self, game: Game) -> Game:
        own = getattr(self.guest, "arrange", None)
        return game if own is None else own(game)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if hasattr(self.guest, "begin"):
            self.guest.begin(game, rng)

    def point(self, view: View) -> Any:
        return self.guest.point(view)

    def label(self, view: View, x: Array, prediction: float) -> float:
        label: float = self.guest.label(view, x, prediction)
        return label


def as_adversary(thing: Any) -> Adversary:
    """The object itself if it is an `Adversary`, else a `GuestAdversary`."""
    if isinstance(thing, Adversary):
        return thing
    if not isinstance(thing, Opposes):
        raise ArenaError(
            f"{type(thing).__name__} is not an adversary: it needs point(view) and label(view, x, prediction)"
        )
    return GuestAdversary(thing)
