"""What an adversary is, and what it may know."""

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
    """The least that an adversary must offer; it needs no base class."""

    def point(self, view: View) -> Any:
        """The point of this round; None ends the match."""

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The label of this round."""


class Adversary(Configured):
    """An adversary in the arena. Subclass it as a dataclass whose fields are its parameters.

    `oblivious` promises that neither points nor labels depend on what the learner does. The sequence is then played in
    blocks, and `prediction` in `label` is NaN.
    """

    name: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    cost: ClassVar[str] = ""

    if TYPE_CHECKING:  # for mypy a property, so that subclasses may compute it; in fact a plain attribute

        @property
        def oblivious(self) -> bool:
            """Whether it never looks at the learner."""
    else:
        oblivious = False

    @property
    def remark(self) -> str:
        """What the reader of the result should know of the way in which it plays; asked once the match has begun."""
        return ""

    def arrange(self, game: Game) -> Game:
        """The playing field that this adversary needs: a data set brings its own dimension."""
        return game

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """A match begins: make the state. All randomness comes from `rng`."""

    def point(self, view: View) -> Array | None:
        """The point of this round; None ends the match. By default the first of a `block` of one."""
        if not has_own_block(self):
            raise ArenaError(
                f"{type(self).__name__} must define point(view), or block(view, rounds) if it is oblivious"
            )
        X, y = self.block(view, 1)
        self._next_label = float(y[0]) if len(y) else None
        return X[0] if len(X) else None

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The label of this round, given in the knowledge of the prediction. By default that of a `block` of one."""
        if not has_own_block(self) or self._next_label is None:
            raise ArenaError(f"{type(self).__name__} must define label(view, x, prediction)")
        return self._next_label

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        """The next moves of an oblivious adversary: up to `rounds` points and labels, none when it has no more.

        Define it where moves can be made faster together than one by one.
        """
        point = self.point(view)
        if point is None:
            return np.empty((0, view.game.dimension)), np.empty(0)
        return np.array([point]), np.array([self.label(view, point, np.nan)])


def has_own_block(adversary: Adversary) -> bool:
    """Whether the adversary makes its moves in blocks."""
    return getattr(adversary.block, "__func__", None) is not Adversary.block


class GuestAdversary(Adversary):
    """An object with only `point` and `label`, in an adversary's clothes; a copy plays if it has no `begin`."""

    def __init__(self, guest: Opposes):
        self.guest: Any = guest if hasattr(guest, "begin") else own_copy(guest)
        for own in ("block", "arrange"):
            if callable(getattr(guest, own, None)):
                setattr(self, own, getattr(self.guest, own))

    @property
    def oblivious(self) -> bool:
        """What the object says; adaptive if it says nothing."""
        return bool(getattr(self.guest, "oblivious", False))

    def arrange(self, game: Game) -> Game:
        """Asked of the object if it has it."""
        own = getattr(self.guest, "arrange", None)
        return game if own is None else own(game)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Passed on if the object has it."""
        if hasattr(self.guest, "begin"):
            self.guest.begin(game, rng)

    def point(self, view: View) -> Any:
        """The object's own point."""
        return self.guest.point(view)

    def label(self, view: View, x: Array, prediction: float) -> float:
        """The object's own label."""
        label: float = self.guest.label(view, x, prediction)
        return label


def as_adversary(thing: Any) -> Adversary:
    """The thing itself if it is an `Adversary`, else an adversary that plays for it."""
    if isinstance(thing, Adversary):
        return thing
    if not isinstance(thing, Opposes):
        raise ArenaError(
            f"{type(thing).__name__} is not an adversary: it needs point(view) and label(view, x, prediction)"
        )
    return GuestAdversary(thing)
