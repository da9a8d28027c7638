"""Two points close to each other, with opposite labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.adversaries._shared.chosen_points import default_point
from arena.adversaries._shared.scripted import Scripted
from arena.arrays import Array
from arena.game.game import Game
from arena.specs.parameters import parameter

SPLIT = 1e-13  # accuracy of the second point's place, as a share of the line from the first point to the corner


@dataclass
class NearDuplicates(Scripted):
    """Plays two points alternately, a little apart and always with opposite labels.

    If the squared distance of the points in the RKHS is 2 epsilon, a function that fits both labels has a squared norm
    of at least 2 B^2 / epsilon. So ridge regression fits the labels only after about lambda / epsilon rounds. With the
    default epsilon = 2 lambda / T this is half of the match. Then the plain regret, which does not count the norm, is
    of order B^2 T for every kind of ridge regression. Any loss is allowed.
    """

    name: ClassVar[str] = "near-duplicates"
    formula: ClassVar[str] = (
        r"$\lVert k(x, \cdot) - k(x', \cdot) \rVert^2 = 2 \epsilon$, with label $B$ at $x$ and $-B$ at $x'$"
    )
    paper: ClassVar[str] = "theory F9; it breaks the constants of Calandriello et al. 2017 (NIPS) as printed"
    cost: ClassVar[str] = "O(1) a round"

    distance: float | None = parameter(
        None, "epsilon, half the squared distance in the RKHS (none: 2 lambda / T)", above=0
    )

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        wanted = 2.0 * game.regularisation / game.rounds if self.distance is None else self.distance
        start = default_point(game)
        corner = np.where(start - game.low > game.high - start, game.low, game.high)

        # half the squared distance from the first point to the point at this share of the line to the farther corner
        def apart(share: float) -> float:
            pair = np.array([start, start + share * (corner - start)])
            return 0.5 * float(game.kernel.diagonal(pair).sum()) - float(game.kernel.gram(pair[:1], pair[1:])[0, 0])

        share = 1.0
        if apart(1.0) > wanted:
            found = scipy.optimize.brentq(lambda s: apart(s) - wanted, 0.0, 1.0, xtol=SPLIT)
            share = float(f"{found:.9g}")  # the digits beyond depend on the processor
        self.pair = np.array([start, np.clip(start + share * (corner - start), game.low, game.high)])
        self.bound = game.label_bound

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        which = rounds % 2
        return self.pair[which], np.where(which, -self.bound, self.bound)
