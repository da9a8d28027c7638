"""Learners with the mistake that the papers' public code of KORS has in the weights of the dictionary's atoms."""

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
    """PROS-N-KONS, CON-KONS or B-KONS with 1 / p in place of 1 / sqrt(p) in the matrix S of KORS.

    S is a diagonal matrix with an entry for each atom, and p is the probability with which KORS accepted the atom. With
    this mistake the weight of an atom is 1 / p^2 in place of 1 / p. So estimated leverages are too small, and the
    dictionary stops growing. The public code of Jezequel et al. 2019 has the mistake (theory G), and the published
    sizes of dictionaries in Calandriello et al. 2017 (NIPS) agree with it.
    """

    name: ClassVar[str] = "misweighted"

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        kors = getattr(self.playing, "kors", None)
        if not isinstance(kors, Kors):
            raise ArenaError("misweighted(of=...) needs a learner with KORS: pros-n-kons, con-kons or b-kons")
        kors.power = 2
