"""A whole sequence that is optimised before the match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.adversaries._shared.named_players import the_learner
from arena.adversaries._shared.regret_change import ForSquaredLoss
from arena.adversaries._shared.rehearsal import Rehearsal
from arena.adversaries._shared.scripted import Scripted
from arena.adversaries.alternating import Alternating
from arena.adversaries.greedy import Greedy
from arena.arrays import Array, clearly_above, first_best
from arena.game.game import Game
from arena.specs.parameters import parameter

JITTER = 0.1  # standard deviation of a small move of a point, as a share of the box's side


@dataclass
class Joint(ForSquaredLoss, Scripted):
    """Plays a sequence that was optimised, before the match, against the learner that `against` names.

    The learner of the match is not asked, so the adversary is oblivious. The search starts from the moves of `greedy`
    or of `alternating`, whichever cause the larger regret. It changes or exchanges random moves, and keeps a change
    that raises the final regret. If the match is longer than the sequence, the sequence is repeated.
    """

    name: ClassVar[str] = "joint"
    formula: ClassVar[str] = r"$(x_1, y_1, \ldots, x_T, y_T) = \operatorname{argmax} R_T$, by local search"
    paper: ClassVar[str] = "local search over the sequences of Jezequel, Gaillard and Rudi 2019, appendix G"
    cost: ClassVar[str] = "trials + 1 matches of `horizon` rounds once, then O(d) a round"

    against: object = parameter("kernel-awv", "the learner that the plan is made against")
    horizon: int = parameter(100, "the longest plan", at_least=1)
    trials: int = parameter(400, "changes that are tried", at_least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._model = the_learner(self.against)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game.replace(rounds=min(game.rounds, self.horizon)), rng
        self.rehearsal = Rehearsal(self.game, self._model, int(rng.integers(2**31)))
        openings = [
            self.rehearsal.moves(adversary, self.game.rounds, rng)
            for adversary in (Greedy(starts=64, polished=2), Alternating())
        ]
        regrets = [self.rehearsal.regret(*opening) for opening in openings]
        best = int(first_best(np.array(regrets)))
        self.plan, regret = openings[best], regrets[best]
        for _ in range(self.trials):
            changed = self._changed()
            attempt = self.rehearsal.regret(*changed)
            if clearly_above(attempt, regret, scale=abs(regret)):
                self.plan, regret = changed, attempt

    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        X, y = self.plan
        which = rounds % len(y)
        return X[which], y[which]

    def _changed(self) -> tuple[Array, Array]:
        """Return a copy of the best sequence so far with a random change of a point, a label's sign or the order."""
        X, y = self.plan[0].copy(), self.plan[1].copy()
        low, high, (here, there) = self.game.low, self.game.high, self.rng.integers(len(y), size=2)
        kind = self.rng.integers(5)
        if kind == 0:
            X[here] = self.game.on_grid(self.rng.uniform(low, high))
        elif kind == 1:
            X[here] = self.game.on_grid(X[here] + JITTER * (high - low) * self.rng.standard_normal(len(low)))
        elif kind == 2:
            X[here] = X[there]
        elif kind == 3:
            X[[here, there]], y[[here, there]] = X[[there, here]], y[[there, here]]
        if kind == 4 or self.rng.random() < 0.3:
            y[here] = -y[here]
        return X, y
