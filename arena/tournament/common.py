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
LEAST_SHARE = 0.1


@dataclass(frozen=True)
class Common:
    """The blocks that all compared learners played; a block is a setting (an adversary in a game) with a seed.

    - `learners` are the compared learners, in the order of `Scores.learners`.
    - `rows[i, j]` is the row, in the table of matches, of the match of compared learner i in common block j.
    - `settings[j]` is the position, in `Scores.settings`, of the setting of common block j.
    - `blocks` is the number of blocks that at least one learner played.
    - `left_out` has the learners that share too few blocks with the compared ones, with their numbers of matches.
    """

    learners: tuple[str, ...]
    rows: Positions
    settings: Positions
    blocks: int
    left_out: dict[str, int]

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
    places = {setting: place for place, setting in enumerate(scores.settings)}
    played: dict[str, dict[tuple[int, int], int]] = {learner: {} for learner in scores.learners}
    for identity, row in scores.rows.items():
        played[identity.learner][places[identity.setting], identity.seed] = row
    shared = blocks = {block for each in played.values() for block in each}
    kept: list[str] = []
    left_out: dict[str, int] = {}
    for learner in sorted(played, key=lambda each: (-len(played[each]), each)):
        both = shared & played[learner].keys()
        least = LEAST_SHARE * len(shared) if len(kept) > 1 else 1
        if not kept or len(both) >= max(least, 1):
            kept.append(learner)
            shared = both
        else:
            left_out[learner] = len(played[learner])
    learners, chosen = tuple(each for each in scores.learners if each in kept), sorted(shared)
    rows = np.array([[played[learner][block] for block in chosen] for learner in learners], dtype=np.intp)
    settings = np.array([setting for setting, _ in chosen], dtype=np.intp)
    return Common(learners, rows, settings, len(blocks), left_out)
