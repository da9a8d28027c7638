"""What is known of gradient descent in an RKHS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.parameters import parameter
from arena.steps import gradient_rate
from arena.theorem import Assumption, Theorem, squared_loss
from arena.transcript import Transcript


@dataclass(frozen=True)
class OnlineGradientDescent(Theorem):
    """Constant steps, no projection: the regret at lambda = 1 / (2 eta) is paid by the gradients met (theory E15)."""

    name: ClassVar[str] = "ogd"
    paper: ClassVar[str] = "Zinkevich 2003, Theorem 1, in the RKHS"
    statement: ClassVar[str] = "R_{1/(2 eta)} <= (eta / 2) sum_t g_t^2 k(x_t, x_t), g_t the derivative of the loss"
    quantity: ClassVar[str] = "regret at 1/(2 eta)"

    rate: float | None = parameter(
        None, "eta, the constant step (none: fgd's, 1/sqrt(T) over the largest k(x, x))", above=0
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """The comparator can be computed."""
        return (squared_loss(run, 0.5 / self._eta(run)),)

    def measured(self, run: Transcript) -> Array:
        """The regularised regret against the lambda that the step size stands for."""
        return run.regret_against(0.5 / self._eta(run))

    def allowed(self, run: Transcript) -> Array:
        """(eta / 2) sum_t g_t^2 k(x_t, x_t)."""
        gradients = run.game.loss.derivative(run.predictions, run.labels)
        energy = np.square(gradients) * run.game.kernel.diagonal(run.points)
        return np.asarray(0.5 * self._eta(run) * np.cumsum(energy))

    def _eta(self, run: Transcript) -> float:
        return gradient_rate(run.game) if self.rate is None else self.rate
