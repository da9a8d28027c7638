"""Selects the matches by which learners are compared.

A block is an adversary, a game and a seed. Only blocks that all compared learners played are selected.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.tournament.scores import Scores

Positions = NDArray[np.intp]
MISSING = -1
LEAST_SHARE = 0.1


@dataclass(frozen=True)
class Common:
    """The blocks that all compared learners played; a block is a setting (an adversary in a game) with a seed.

    - `learners` has the positions of the compared learners in `Scores.learners`.
    - `rows[i, j]` is the row, in the table `Scores`, of the match of compared learner i in common block j.
    - `settings[j]` is the position, in `Scores.settings`, of the setting of common block j.
    - `blocks` is the number of blocks that at least one learner played.
    - `left_out` has the learners that share too few blocks with the compared ones. It maps each of them, as a position
      in `Scores.learners`, to its number of matches.
    """

    learners: tuple[int, ...]
    rows: Positions
    settings: Positions
    blocks: int
    left_out: dict[int, int]

    @cached_property
    def strata(self) -> tuple[Positions, ...]:
        """One array for each setting; it has the positions of the setting's blocks among the common blocks."""
        return tuple(np.flatnonzero(self.settings == setting) for setting in np.unique(self.settings))

    def of(self, scores: Scores, name: str) -> Array:
        """Return the column `name` of the scores as a matrix: one row for each learner, one column for each block."""
        return np.asarray(scores.column(name)[self.rows])


def common_matches(scores: Scores) -> Common:
    """Return the blocks that all compared learners played. Learners that share too few blocks are not compared.

    Learners are added one by one, those with more matches first. The second must have played one of the first learner's
    blocks. Every later one must have played at least a tenth of the blocks that the added learners have in common.
    """
    numbers: dict[tuple[int, int], int] = {}
    for _, setting, seed in scores.rows:
        numbers.setdefault((setting, seed), len(numbers))
    blocks = list(numbers)
    rows = np.full((len(scores.learners), len(blocks)), MISSING, dtype=np.intp)
    for (learner, setting, seed), row in scores.rows.items():
        rows[learner, numbers[setting, seed]] = row
    played = rows != MISSING
    counts = played.sum(axis=1)
    kept: list[int] = []
    left_out: dict[int, int] = {}
    shared = np.ones(len(blocks), dtype=bool)
    for learner in sorted(range(len(counts)), key=lambda each: (-counts[each], scores.learners[each])):
        both = shared & played[learner]
        least = LEAST_SHARE * shared.sum() if len(kept) > 1 else 1
        if not kept or both.sum() >= max(least, 1):
            kept.append(learner)
            shared = both
        else:
            left_out[learner] = int(counts[learner])
    kept.sort()
    chosen = sorted(np.flatnonzero(shared), key=blocks.__getitem__)
    settings = np.array([blocks[at][0] for at in chosen], dtype=np.intp)
    return Common(tuple(kept), rows[kept][:, chosen], settings, len(blocks), left_out)
