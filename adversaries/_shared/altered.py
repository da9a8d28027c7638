"""Base class of adversaries that play the points of another adversary with labels of their own."""

from __future__ import annotations

from dataclasses import dataclass

from arena.adversaries._shared.named_players import the_adversary
from arena.adversaries._shared.plays_others import PlaysOthers
from arena.arrays import Array
from arena.players.view import View
from arena.specs.parameters import parameter


@dataclass
class AltersLabels(PlaysOthers):
    """Base class of adversaries that play the points of the adversary `of` with other labels.

    `self._honest` is the adversary that was built from `of`. A subclass defines `label`, and a `begin` that calls
    `self._honest.begin`.
    """

    of: object = parameter("realisable", "the adversary whose moves are played")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._honest = the_adversary(self.of)
        self.others = [self._honest]

    def point(self, view: View) -> Array | None:
        return self._honest.point(view)
