"""Theorems on gradient methods for linear predictors w'x + b, also with the parameters of scikit-learn and river.

The comparators are all linear functions, whatever kernel the game has.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.game.losses import Loss, Squared
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem, loss_is_squared, size_of_kinks
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.specs.spelling import spec_text
from arena.theorems.assumptions import few_rounds
from arena.theorems.recomputed.linear import (
    LinearComparators,
    Trajectory,
    comparators_of,
    descent_with_metric,
    with_intercept,
)
from arena.theorems.recomputed.rates import linear_step

Steps = Literal["constant", "inverse-scaling", "inverse"]
MOST_ROUNDS = 100_000  # most rounds, since all iterates are in memory
LARGEST_SLOPE = 1e12  # scikit-learn and river clip the derivatives of losses at this value
KINK_WIDTH = 1e-9  # distance of a prediction to both sides at which derivatives are compared, to find kinks
STEPS_OF: dict[str, Steps] = {"constant": "constant", "invscaling": "inverse-scaling", "optimal": "inverse"}


@once_per_match
def trajectory_of(run: Transcript, theorem: LinearMethod) -> Trajectory:
    """Return the weights that the theorem's gradient method has in every round, with the terms of its regret bound.

    They are computed once per match.
    """
    return theorem.trajectory(run)


@once_per_match
def comparators(run: Transcript, theorem: LinearMethod) -> LinearComparators:
    """Return the theorem's comparators: 0, and linear functions that nearly maximise the regret minus the bound."""
    return comparators_of(run, trajectory_of(run, theorem))


@dataclass(frozen=True)
class LinearMethod(Theorem, abc.ABC):
    """Base class of bounds on the regret to linear functions w: half the sum of energies, plus terms that depend on w.

    The energy of round t is sum_i G_{t,i}^2 / H_{t,i}. Here G_t is the gradient at the learner's weights, and
    1 / H_{t,i} is the step of weight i. `measured` is the regret minus the terms that depend on w, for the worst w.
    `allowed` is half the sum of energies.
    """

    quantity: ClassVar[str] = "regret less what |w_t - w| explains, for the worst w,"
    version: ClassVar[int] = 2

    @abc.abstractmethod
    def trajectory(self, run: Transcript) -> Trajectory:
        """Return the weights of the gradient method in every round, with the terms of its regret bound."""

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (few_rounds(run, MOST_ROUNDS),)

    def measured(self, run: Transcript) -> Array:
        path, found = trajectory_of(run, self), comparators(run, self)
        objective = run.losses + 0.5 * np.square(path.weights) @ path.shrinkage
        return np.asarray(np.cumsum(objective[:, np.newaxis] - found.losses - found.explained, axis=0).max(axis=1))

    def allowed(self, run: Transcript) -> Array:
        return np.asarray(0.5 * np.cumsum(trajectory_of(run, self).energies))

    def scale(self, run: Transcript) -> Array:
        found = comparators(run, self)
        terms = np.cumsum(run.losses + (found.losses + found.sizes).max(axis=1))
        return np.asarray(terms + size_of_kinks(run, run.game.loss))


def loss_is(run: Transcript, loss: Loss | None) -> tuple[Assumption, ...]:
    """Assumption: the game's loss is `loss`. If `loss` is None, there is no assumption."""
    if loss is None:
        return ()
    same = spec_text(run.game.loss) == spec_text(loss)
    return (Assumption("the game's loss is that of the model", same, f"{run.game.loss.name}, not {loss.name}"),)


def slopes_are_not_clipped(run: Transcript, bound: float) -> Assumption:
    """Assumption: no derivative of the loss is so large that the learner clips it."""
    steepest = float(np.abs(run.slopes).max())
    return Assumption(f"no derivative is clipped at {bound:g}", steepest <= bound, f"largest {steepest:g}")


def of_a_library(run: Transcript) -> tuple[Assumption, ...]:
    """Return the assumptions under which scikit-learn and river use the same derivatives of the loss as the arena.

    The libraries clip large derivatives, and choose a derivative of their own at a kink of the loss. Their classifiers
    do not clip predictions, and know no labels other than -1 and 1.
    """
    loss, labels = run.game.loss, run.labels
    jumps = np.asarray(
        loss.derivative(run.predictions + KINK_WIDTH, labels) - loss.derivative(run.predictions - KINK_WIDTH, labels)
    )
    on_kinks = int((np.abs(jumps) > 1e3 * KINK_WIDTH * (1.0 + np.square(labels))).sum())
    clipped = int((np.abs(run.predictions) >= run.game.clip).sum()) if loss.classifies else 0
    others = int((np.abs(labels) != 1.0).sum()) if loss.classifies else 0
    return (
        slopes_are_not_clipped(run, LARGEST_SLOPE),
        Assumption("no prediction lies on a kink of the loss", not on_kinks, f"{on_kinks} do"),
        Assumption(
            "a classifier's scores are not clipped at C",
            not clipped,
            f"{clipped} are: choose a larger prediction_bound",
        ),
        Assumption("a classifier's labels are -1 or 1", not others, f"{others} are not"),
    )


def in_units_of_game(run: Transcript, etas: Array, shrinkage: float, *, halved: bool) -> tuple[Array, float]:
    """Return the steps and the shrinkage with which descent on the game's loss equals a learner's own descent.

    They differ from the learner's, `etas` and `shrinkage`, if its squared loss is half of the arena's (`halved`): the
    steps are halved, and the shrinkage is doubled.
    """
    units = 2.0 if halved and isinstance(run.game.loss, Squared) else 1.0
    return etas / units, units * shrinkage


def plain_descent(run: Transcript, etas: Array, shrinkage: float, intercept_etas: Array | None) -> Trajectory:
    """Return the trajectory of the weights w_{t+1} = w_t - eta_t gradient_t, with the steps `etas`.

    The gradient is that of loss + (shrinkage / 2) |w|^2. An intercept has the steps `intercept_etas` and no shrinkage;
    None stands for no intercept.
    """
    features = run.points if intercept_etas is None else with_intercept(run.points)
    shrinkages = np.full(features.shape[1], shrinkage)
    metrics = np.repeat(1.0 / etas[:, np.newaxis], features.shape[1], axis=1)
    if intercept_etas is not None:
        shrinkages[-1], metrics[:, -1] = 0.0, 1.0 / intercept_etas
    return descent_with_metric(run, features, lambda t, *_: metrics[t], shrinkages)


def falling_steps(steps: Steps, rate: float, power: float, growth: float, rounds: int) -> Array:
    """Return the steps eta_1, eta_2, ... of the kind `steps`, where eta_1 is `rate`.

    - "constant": eta_1 in every round;
    - "inverse-scaling": eta_1 / t^power;
    - "inverse": 1 / (1 / eta_1 + growth (t - 1)).
    """
    numbers = np.arange(1.0, rounds + 1.0)
    if steps == "constant":
        return np.full(rounds, rate)
    falling = rate / numbers**power if steps == "inverse-scaling" else 1.0 / (1.0 / rate + growth * (numbers - 1.0))
    return np.asarray(falling)


def shrinks_less_than_whole(etas: Array, shrinkage: float) -> Assumption:
    """Assumption: eta_t shrinkage <= 1 for all steps eta_t, so that shrinking does not reverse the signs of weights."""
    most = float((etas * shrinkage).max())
    return Assumption("eta shrinkage <= 1", most <= 1.0, f"it reaches {most:g}")


@dataclass(frozen=True)
class SgdParameters(Theorem, abc.ABC):
    """Base class with the parameters of gradient descent on w'x + b."""

    rate: float | None = parameter(None, "eta_1, the first step (none: sgd's own)", above=0)
    steps: Steps = parameter("constant", "eta, eta / t^power, or 1 / (1 / eta + shrinkage (t - 1))")
    power: float = parameter(0.5, "of inverse-scaling steps", at_least=0, at_most=10)
    shrinkage: float = parameter(0.0, "of |w|^2 / 2 in the objective", at_least=0)
    intercept: bool = parameter(True, "whether there is a b")
    halved: bool = parameter(False, "whether the squared loss is (prediction - label)^2 / 2")


@dataclass(frozen=True)
class LinearGradientDescent(SgdParameters, LinearMethod):
    """Regret bound of gradient descent on w'x + b with constant or falling steps, for any convex loss.

    The objective is loss + (shrinkage / 2) |w|^2. With steps 1 / (shrinkage t) the bound has no terms that depend on
    the comparator, and is logarithmic in T.
    """

    name: ClassVar[str] = "sgd"
    paper: ClassVar[str] = "Zinkevich 2003, Theorem 1; Hazan, Agarwal and Kale 2007, Theorem 1"
    statement: ClassVar[str] = (
        "sum_t J_t(w_t) - J_t(w) <= sum_t |w_t - w|^2 (1/eta_t - 1/eta_{t-1} - shrinkage) / 2 "
        "+ sum_t eta_t |gradient_t|^2 / 2 for all w, 1/eta_0 = 0, J_t = loss + shrinkage |w|^2 / 2; b is not shrunk"
    )
    formula: ClassVar[str] = (
        r"$\sum_t \left( J_t(w_t) - J_t(w) \right) \le \sum_t \frac{\lVert w_t - w \rVert^2}{2} \left( "
        r"\frac{1}{\eta_t} - \frac{1}{\eta_{t-1}} - \text{shrinkage} \right) + \sum_t \frac{\eta_t \lVert "
        r"\text{gradient}_t \rVert^2}{2}$ for all $w$, $\frac{1}{\eta_0} = 0$, $J_t = \text{loss} + \text{shrinkage} "
        r"\cdot \frac{\lVert w \rVert^2}{2}$; $b$ is not shrunk"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), shrinks_less_than_whole(*self._in_game(run)))

    def trajectory(self, run: Transcript) -> Trajectory:
        etas, shrinkage = self._in_game(run)
        return plain_descent(run, etas, shrinkage, etas if self.intercept else None)

    def _in_game(self, run: Transcript) -> tuple[Array, float]:
        rate = linear_step(run.game) if self.rate is None else self.rate
        steps = falling_steps(self.steps, rate, self.power, self.shrinkage, run.rounds)
        return in_units_of_game(run, steps, self.shrinkage, halved=self.halved)


@dataclass(frozen=True)
class ScikitLearnDescent(LinearMethod):
    """The regret bound `sgd` for scikit-learn's SGDRegressor and SGDClassifier, with scikit-learn's parameter names.

    The defaults are SGDRegressor's. The squared loss of scikit-learn is half of the arena's. With
    `learning_rate=optimal` the first step is alpha^(-1/4), and eta0 is not used.
    """

    name: ClassVar[str] = "sgd-scikit-learn"
    paper: ClassVar[str] = LinearGradientDescent.paper
    statement: ClassVar[str] = (
        "sgd's inequality with eta_t = eta0, eta0 / t^power_t or 1 / (alpha^(1/4) + alpha (t - 1)), shrinkage alpha "
        "or, without penalty, 0, and (prediction - label)^2 / 2 as the squared loss"
    )
    formula: ClassVar[str] = (
        r"the inequality of `sgd` with $\eta_t = \text{eta0}$, $\text{eta0} / t^{\text{power\_t}}$ or "
        r"$\frac{1}{\alpha^{1/4} + \alpha (t - 1)}$, shrinkage $\alpha$ or, without penalty, $0$, and "
        r"$\frac{(\hat y - y)^2}{2}$ as the squared loss"
    )

    version: ClassVar[int] = 3

    eta0: float = parameter(0.01, "the first step", above=0)
    learning_rate: Literal["constant", "invscaling", "optimal"] = parameter("invscaling", "the schedule of steps")
    power_t: float = parameter(0.25, "of invscaling", at_least=0, at_most=10)
    alpha: float = parameter(0.0001, "of the penalty, and of the optimal schedule", above=0)
    penalty: Literal["l2"] | None = parameter("l2", "alpha |w|^2 / 2, or none")
    fit_intercept: bool = parameter(True, "whether there is a b")
    loss: Loss | None = parameter(None, "of the model (none: the game's)")

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        shrinks = shrinks_less_than_whole(*self._in_game(run))
        return (*super().assumptions(run), shrinks, *loss_is(run, self.loss), *of_a_library(run))

    def trajectory(self, run: Transcript) -> Trajectory:
        etas, shrinkage = self._in_game(run)
        return plain_descent(run, etas, shrinkage, etas if self.fit_intercept else None)

    def _in_game(self, run: Transcript) -> tuple[Array, float]:
        rate = self.alpha**-0.25 if self.learning_rate == "optimal" else self.eta0
        # the optimal schedule falls with alpha, whatever the penalty
        steps = falling_steps(STEPS_OF[self.learning_rate], rate, self.power_t, self.alpha, run.rounds)
        return in_units_of_game(run, steps, self.alpha if self.penalty else 0.0, halved=True)


@dataclass(frozen=True)
class RiverDescent(LinearMethod):
    """The regret bound `sgd` for river's LinearRegression with optim.SGD and the squared loss.

    The intercept has a constant step of its own. The defaults are river's.
    """

    name: ClassVar[str] = "sgd-river"
    paper: ClassVar[str] = LinearGradientDescent.paper
    statement: ClassVar[str] = (
        "sgd's inequality with eta_t = lr or lr / t^power, shrinkage l2, and the step intercept_lr for b alone"
    )
    formula: ClassVar[str] = (
        r"the inequality of `sgd` with $\eta_t = \text{lr}$ or $\text{lr} / t^{\text{power}}$, shrinkage `l2`, and "
        "the step `intercept_lr` for $b$ alone"
    )

    lr: float = parameter(0.01, "the first step of w", above=0)
    power: float = parameter(0.0, "of the schedule InverseScaling; 0 for Constant", at_least=0, at_most=10)
    l2: float = parameter(0.0, "of the penalty l2 |w|^2 / 2", at_least=0)
    intercept_lr: float = parameter(0.01, "the step of b; 0 for no b", at_least=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        shrinks = shrinks_less_than_whole(self._etas(run), self.l2)
        return (*super().assumptions(run), loss_is_squared(run), shrinks, slopes_are_not_clipped(run, LARGEST_SLOPE))

    def trajectory(self, run: Transcript) -> Trajectory:
        of_intercept = np.full(run.rounds, self.intercept_lr) if self.intercept_lr else None
        return plain_descent(run, self._etas(run), self.l2, of_intercept)

    def _etas(self, run: Transcript) -> Array:
        return falling_steps("inverse-scaling", self.lr, self.power, self.l2, run.rounds)
