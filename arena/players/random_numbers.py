"""The random numbers of the players of a match."""

from __future__ import annotations

import numpy as np

from arena.record.forfeit import Side


def random_numbers(seed: int, side: Side) -> np.random.Generator:
    """Return a new generator of the random numbers that one side receives in the match with this seed.

    Each side has its own child of the match's `SeedSequence`: what one side draws does not affect the other.

    >>> random_numbers(0, "learner").integers(100, size=4).tolist()
    [80, 94, 0, 31]
    """
    for_learner, for_adversary = np.random.SeedSequence(seed).spawn(2)
    return np.random.default_rng(for_learner if side == "learner" else for_adversary)
