"""Base class of adversaries that play another adversary's points and change its labels."""

from __future__ import annotations

from dataclasses import dataclass

from arena.adversaries._shared.named_players import the_adversary
from arena.arrays import Array
from arena.game.game import Game
from arena.players.adversary import Adversary, arranged
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class AltersLabels(Adversary):
    """Base class: plays the points of the adversary `of`, in the game that `of` arranges.

    Subclasses define `begin`, which must begin `self._honest`, the adversary made from `of`, and `label`.
    """

    of: object = parameter("realisable", "the adversary whose moves are played")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._honest = the_adversary(self.of)

    @property
    def remark(self) -> str:
        return self._honest.remark

    @property
    def files(self) -> tuple[str, ...]:
        return self._honest.files

    @property
    def label_unit(self) -> float:
        return self._honest.label_unit

    def arrange(self, game: Game) -> Game:
        return arranged(self._honest, game)

    def point(self, view: View) -> Array | None:
        return self._honest.point(view)
