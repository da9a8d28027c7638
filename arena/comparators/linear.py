"""The best linear predictor, with or without an intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from arena.errors import NoHindsight
from arena.hindsight.checkpoints import checkpoints
from arena.hindsight.duals import has_dual
from arena.hindsight.least_squares import least_squares_increments
from arena.linalg.feature_ridge import FeatureRidge
from arena.record.comparing import BestLosses, NamedComparator
from arena.specs.parameters import parameter

if TYPE_CHECKING:
    from arena.record.transcript import Transcript


@dataclass(frozen=True)
class BestLinear(NamedComparator):
    """The best linear predictor w'x + b in hindsight, such as linear or logistic regression on all rounds.

    For the squared loss the default is ordinary least squares, and the loss is known after every round. For any other
    loss there may be no best predictor without a penalty on w and b, so a penalty is added. The penalised loss is known
    up to an interval, after rounds 1, 2, 4, ... and the last.

    >>> from arena import play
    >>> run = play("krr", "alternating", rounds=10)
    >>> run.regret_to("linear").plainly
    'the best linear predictor with an intercept'
    """

    name: ClassVar[str] = "linear"
    family: ClassVar[str] = "fixed"
    cost: ClassVar[str] = "O(T d^2) in d dimensions for the squared loss, log T interior-point solutions otherwise"

    intercept: bool = parameter(True, "whether b is free (false: b = 0)")
    penalty: float | None = parameter(
        None, "lambda of the penalty lambda (|w|^2 + b^2) (none: 0 for the squared loss, else the game's)", at_least=0
    )

    @property
    def plainly(self) -> str:
        kind = "with an intercept" if self.intercept else "without an intercept"
        return f"the best linear predictor {kind}" + (f", penalty {self.penalty:g}" if self.penalty else "")

    def best_losses(self, run: Transcript) -> BestLosses:
        F = run.points
        if self.intercept:
            F = np.hstack([F, np.ones((len(F), 1))])
        if run.comparator.closed_form:
            if not self.penalty:
                return BestLosses.of_increments(least_squares_increments(F, run.labels))
            mean, gain = FeatureRidge(F.shape[1], self.penalty).play(F, run.labels)
            return BestLosses.of_increments(np.square(run.labels - mean) / (1.0 + gain), "penalty included")
        penalty = run.game.regularisation if self.penalty is None else self.penalty
        if not penalty:
            raise NoHindsight(
                f"without a penalty the best linear predictor for the {run.game.loss.name} loss need not exist; write "
                f"{self.name}(penalty=0.001)"
            )
        if not has_dual(run.game.loss):
            raise NoHindsight(
                f"the best linear predictor is known for built-in losses, and the loss is {run.game.loss.name}"
            )
        at = np.array(checkpoints(run.rounds))
        found = [run.comparator.optimum_of_features(F[:t], slice(0, t), penalty) for t in at.tolist()]
        lower, upper = np.array([each.lower for each in found]), np.array([each.upper for each in found])
        return BestLosses(at, lower, upper, detail=f"penalty {penalty:g} (|w|^2 + b^2) included")
