"""Learners that repeat a mistake of the papers' public code of KORS: wrong weights of the dictionary's atoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.components.kors import Kors
from arena.errors import ArenaError
from arena.game.game import Game
from arena.papers.reproduction.after_training import Wrapped


@dataclass
class Misweighted(Wrapped):
    """PROS-N-KONS, CON-KONS or B-KONS whose KORS gives an atom the weight 1 / p^2 in place of 1 / p.

    p is the probability with which KORS accepted the atom. Estimated leverages become too small, and the dictionary
    stops growing. The public code of Jezequel et al. 2019 has this mistake (theory G1). The published sizes of
    dictionaries in Calandriello et al. 2017 (NIPS) agree with it.
    """

    name: ClassVar[str] = "misweighted"

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        kors = getattr(self.playing, "kors", None)
        if not isinstance(kors, Kors):
            raise ArenaError("misweighted(of=...) needs a learner with KORS: pros-n-kons, con-kons or b-kons")
        kors.power = 2
