"""Base class of adversaries that play the points, or the points and labels, of other adversaries."""

from __future__ import annotations

from collections.abc import Sequence

from arena.game.game import Game
from arena.players.adversary import Adversary, arranged


class PlaysOthers(Adversary):
    """Base class of adversaries that play the points, or the points and labels, of the adversaries `others`.

    Subclasses set `others` in `__post_init__`. `arrange` passes the game through the `arrange` of each of the `others`
    in turn. `files` and `remark` combine those of the `others`. `label_unit` is the common unit of the `others`, or 1
    if they have different units.
    """

    others: Sequence[Adversary] = ()

    @property
    def remark(self) -> str:
        return "; ".join(dict.fromkeys(each.remark for each in self.others if each.remark))

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for each in self.others for path in each.files))

    @property
    def label_unit(self) -> float:
        units = {each.label_unit for each in self.others}
        return units.pop() if len(units) == 1 else 1.0

    def arrange(self, game: Game) -> Game:
        for each in self.others:
            game = arranged(each, game)
        return game
