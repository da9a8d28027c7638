"""Theorems on gradient descent in an RKHS (theory E15, E16)."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.game.losses import Loss
from arena.hindsight.checkpoints import checkpoints, step_curve
from arena.hindsight.exact import best_in_ball
from arena.record.cached import once_per_match
from arena.record.theorem import ROUNDING, Theorem, size_of_losses, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import comparator_known, left_as_evidence
from arena.theorems.recomputed.descent import CANCELLED, MOST_POINTS, Path, descent, inverse_steps
from arena.theorems.recomputed.rates import default_step, descent_step, falling

BALL_LIMIT = 1024  # last round up to which the best function of a ball is computed


@dataclass(frozen=True)
class OnlineGradientDescent(Theorem):
    """Regret bound of gradient descent with a constant step eta and no projection (theory E15).

    The comparator has lambda = 1 / (2 eta). The bound holds for any convex loss. The best penalised loss is known
    exactly for the squared loss, and in a certified interval for any other loss.
    """

    name: ClassVar[str] = "ogd"
    paper: ClassVar[str] = "Zinkevich 2003, Theorem 1, in the RKHS"
    statement: ClassVar[str] = "R_{1/(2 eta)} <= (eta / 2) sum_t g_t^2 k(x_t, x_t), g_t the derivative of the loss"
    formula: ClassVar[str] = (
        r"$R_{1/(2 \eta)} \le \frac{\eta}{2} \sum_t g_t^2\, k(x_t, x_t)$, $g_t$ the derivative of the loss"
    )
    monotone: ClassVar[bool] = True
    quantity: ClassVar[str] = "regret at 1/(2 eta)"

    rate: float | None = parameter(
        None, "eta, the constant step (none: fgd's, 1/sqrt(T) over the largest k(x, x))", above=0
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return comparator_known(run, 0.5 / self._eta(run))

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(0.5 / self._eta(run))

    def allowed(self, run: Transcript) -> Array:
        energy = np.square(run.slopes) * run.game.kernel.diagonal(run.points)
        return np.asarray(0.5 * self._eta(run) * np.cumsum(energy))

    def _eta(self, run: Transcript) -> float:
        return descent_step(run.game) if self.rate is None else self.rate


@dataclass(frozen=True)
class _AgainstABall(OnlineGradientDescent):
    """Base class of bounds on the regret to the best function of a ball |f| <= U, for the squared loss alone."""

    monotone: ClassVar[bool] = False
    quantity: ClassVar[str] = "regret against the ball"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run, 0.5 / self._eta(run)),)


@dataclass(frozen=True)
class OgdInBall(_AgainstABall):
    """Bound U L sqrt(T) on the regret of gradient descent to every f with |f| <= U (theory E15).

    L is the largest norm of a gradient in the match. U = eta L sqrt(T) is the radius for which the constant step eta is
    the best one.
    """

    name: ClassVar[str] = "ogd-ball"
    paper: ClassVar[str] = "Zinkevich 2003, Theorem 1, with the best step for a ball"
    statement: ClassVar[str] = "R(f) <= U L sqrt(T) for all |f| <= U = eta L sqrt(T), L = max_t |g_t| k(x_t, x_t)^1/2"
    formula: ClassVar[str] = (
        r"$R(f) \le U L \sqrt{T}$ for all $\lVert f \rVert \le U = \eta L \sqrt{T}$, $L = \max_t \lvert g_t \rvert "
        r"\sqrt{k(x_t, x_t)}$"
    )

    def measured(self, run: Transcript) -> Array:
        radius = self._eta(run) * self._steepest(run) * run.game.rounds**0.5
        return regret_in_ball(run, radius)

    def allowed(self, run: Transcript) -> Array:
        return np.full(run.rounds, self._eta(run) * self._steepest(run) ** 2 * run.game.rounds)

    def _steepest(self, run: Transcript) -> float:
        energies = np.square(run.slopes) * run.game.kernel.diagonal(run.points)
        return math.sqrt(float(energies.max()))


@dataclass(frozen=True)
class OgdProjected(_AgainstABall):
    """Regret bound of gradient descent with projection onto |f| <= U, for comparators in this ball (theory E15).

    The parameter `radius` is U. The steps may decrease: a decrease from eta to eta' adds 2 U^2 (1 / eta' - 1 / eta) to
    the bound.
    """

    name: ClassVar[str] = "ogd-projected"
    paper: ClassVar[str] = "Zinkevich 2003, Theorem 1, in the RKHS"
    statement: ClassVar[str] = (
        "R(f) <= |f|^2 / (2 eta_1) + 2 U^2 (1 / eta_T - 1 / eta_1) + sum_t eta_t g_t^2 k(x_t, x_t) / 2 for all |f| <= U"
    )
    formula: ClassVar[str] = (
        r"$R(f) \le \frac{\lVert f \rVert^2}{2 \eta_1} + 2 U^2 \left( \frac{1}{\eta_T} - \frac{1}{\eta_1} \right) + "
        r"\sum_t \frac{\eta_t g_t^2\, k(x_t, x_t)}{2}$ for all $\lVert f \rVert \le U$"
    )
    version: ClassVar[int] = 2

    radius: float = parameter(1.0, "U, of the ball that f is projected on", above=0)
    steps: Literal["constant", "square-root", "inverse"] = parameter("constant", "eta, eta / sqrt(t) or eta / t")

    def measured(self, run: Transcript) -> Array:
        return regret_in_ball(run, self.radius, 0.5 / self._eta(run))

    def allowed(self, run: Transcript) -> Array:
        steps = falling(self.steps, self._eta(run), run.rounds)
        energy = np.cumsum(steps * np.square(run.slopes) * run.game.kernel.diagonal(run.points))
        return np.asarray(2.0 * self.radius**2 * (1.0 / steps - 1.0 / steps[0]) + 0.5 * energy)

    def _eta(self, run: Transcript) -> float:
        """Return eta_1, the learner's step in round 1."""
        return default_step(run.game, self.steps) if self.rate is None else self.rate


@once_per_match
def regret_in_ball(run: Transcript, radius: float, penalty: float = 0.0) -> Array:
    """Return, for every prefix, the learner's loss minus the minimum of loss + `penalty` |f|^2 over |f| <= `radius`.

    The minimum is that of the squared loss. The value is computed at the checkpoints of the first 1,024 rounds. Other
    rounds get the value of the checkpoint before them.
    """
    rounds = checkpoints(min(run.rounds, BALL_LIMIT))
    kernel = run.game.kernel
    best = [best_in_ball(kernel, run.points[:t], run.labels[:t], radius, penalty) for t in rounds]
    return step_curve(run.rounds, rounds, run.cumulative_losses[np.array(rounds) - 1] - np.array(best))


@dataclass(frozen=True)
class _Descent(Theorem, abc.ABC):
    """Base class of regret bounds of gradient descent for any convex loss; the learner's functions f_t are recomputed.

    The objective J_t(f) is the loss of f in round t plus (lambda / 2) |f|^2; the parameter `shrinkage` is lambda. A
    theorem bounds the regret sum_t J_t(f_t) - J_t(g) for every function g. The bound is checked for a few g: zero, and
    functions for which the regret minus the bound is large at the checkpoints. Each round is judged by the g for
    which this difference is the largest.
    """

    shrinkage: float | None = parameter(0.0, "lambda of loss + (lambda / 2) |f|^2 (none: the game's)", at_least=0)
    loss: Loss | None = parameter(None, "the learner's own loss, of label signs (none: the game's)")

    budgeted: ClassVar[bool] = False

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        removed = len(run.evidence.get("removed_rounds", ()))
        size = run.rounds + removed
        recorded = all(f"removed_{what}" in run.evidence for what in ("rounds", "weights", "points"))
        return (
            Assumption(f"rounds and removed atoms are at most {MOST_POINTS}", size <= MOST_POINTS, f"there are {size}"),
            left_as_evidence(run, "what it removed", recorded)
            if self.budgeted
            else Assumption("nothing was removed from f", not removed, f"{removed} times"),
        )

    def measured(self, run: Transcript) -> Array:
        path = self.path(run)
        own = run.losses if self.loss is None else np.asarray(self.loss.value(run.predictions, self._labels(run)))
        objective = own + 0.5 * self._strength(run) * path.squared_norms
        theirs = path.losses + 0.5 * self._strength(run) * path.norms
        regret = np.cumsum(objective[:, np.newaxis] - theirs - path.explained, axis=0)
        return np.asarray((regret - self._start(run) * path.norms).max(axis=1))

    def allowed(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(0.5 * self._eta(run) * self.path(run).energies))

    def scale(self, run: Transcript) -> Array:
        path, loss, labels = self.path(run), self._judged_loss(run), self._labels(run)
        losses = np.asarray(loss.value(run.predictions, labels))
        terms = 0.5 * self._strength(run) * path.squared_norms + np.abs(path.explained[:, 0])
        terms += CANCELLED / ROUNDING * np.abs(self._slopes(run)) * path.masses
        return np.asarray(size_of_losses(run, losses, loss, labels) + np.cumsum(terms))

    def path(self, run: Transcript) -> Path:
        """Return the learner's functions, recomputed, and a few comparators g, as a `Path`."""
        return descent(run, self.loss, self._strength(run), self._rate(run))

    def _judged_loss(self, run: Transcript) -> Loss:
        return run.game.loss if self.loss is None else self.loss

    def _slopes(self, run: Transcript) -> Array:
        return np.asarray(self._judged_loss(run).derivative(run.predictions, self._labels(run)))

    def _labels(self, run: Transcript) -> Array:
        return run.labels if self.loss is None else np.sign(run.labels)

    def _strength(self, run: Transcript) -> float:
        return run.game.at(self.shrinkage)

    @abc.abstractmethod
    def _rate(self, run: Transcript) -> float | None:
        """Return the constant step of the descent; None if the steps are 1 / (lambda t)."""

    def _eta(self, run: Transcript) -> Array:
        rate = self._rate(run)
        return inverse_steps(run, self._strength(run)) if rate is None else np.full(run.rounds, rate)

    def _start(self, run: Transcript) -> float:
        """Return the factor of |g|^2 in the bound on the regret to a function g.

        It is 1 / (2 eta) for a constant step eta, and 0 for steps 1 / (lambda t).
        """
        return 0.0


@dataclass(frozen=True)
class _Constant(_Descent):
    """Base class of bounds for gradient descent with constant steps."""

    rate: float | None = parameter(None, "eta, the constant step (none: fgd's own, at most 1/shrinkage)", above=0)

    def _rate(self, run: Transcript) -> float:
        if self.rate is not None:
            return self.rate
        default, strength = descent_step(run.game), self._strength(run)
        return min(default, 1.0 / strength) if strength else default

    def _start(self, run: Transcript) -> float:
        return 0.5 / self._rate(run)


@dataclass(frozen=True)
class OgdAnyLoss(_Constant):
    """Regret bound of gradient descent with constant steps for any convex loss (theory E15).

    In every round the learner's function may shrink by a constant factor, as in NORMA.
    """

    name: ClassVar[str] = "ogd-any-loss"
    paper: ClassVar[str] = "Zinkevich 2003, Theorem 1; Kivinen, Smola and Williamson 2004"
    statement: ClassVar[str] = "sum_t J_t(f_t) - J_t(g) <= |g|^2 / (2 eta) + (eta / 2) sum_t |gradient_t|^2 for all g"
    formula: ClassVar[str] = (
        r"$\sum_t \left( J_t(f_t) - J_t(g) \right) \le \frac{\lVert g \rVert^2}{2 \eta} + \frac{\eta}{2} \sum_t "
        r"\lVert \text{gradient}_t \rVert^2$ for all $g$"
    )
    quantity: ClassVar[str] = "regret less |g|^2 / (2 eta), for the worst g,"


@dataclass(frozen=True)
class OgdPerturbed(_Constant):
    """Regret bound of gradient descent with constant steps on a budget (theory E16).

    Removing atoms from the learner's function f_t counts as an error E_t of the gradient. The bound is that of
    `ogd-any-loss` with gradient_t + E_t in place of gradient_t, plus sum_t <E_t, g - f_t> for the comparator g.
    """

    name: ClassVar[str] = "ogd-perturbed"
    paper: ClassVar[str] = "the analysis of Zinkevich 2003 with errors, for the budgeted descent of Zhao et al. 2012"
    statement: ClassVar[str] = (
        "sum_t J_t(f_t) - J_t(g) <= |g|^2 / (2 eta) + (eta / 2) sum_t |gradient_t + E_t|^2 + sum_t <E_t, g - f_t>"
    )
    formula: ClassVar[str] = (
        r"$\sum_t \left( J_t(f_t) - J_t(g) \right) \le \frac{\lVert g \rVert^2}{2 \eta} + \frac{\eta}{2} \sum_t "
        r"\lVert \text{gradient}_t + E_t \rVert^2 + \sum_t \langle E_t, g - f_t \rangle$"
    )
    quantity: ClassVar[str] = "regret less what removals explain, for the worst g,"
    budgeted: ClassVar[bool] = True


@dataclass(frozen=True)
class OgdStronglyConvex(_Descent):
    """Regret bound of gradient descent on loss + (lambda / 2) |f|^2 with the steps 1 / (lambda t) (theory E16)."""

    name: ClassVar[str] = "ogd-strongly-convex"
    paper: ClassVar[str] = "Hazan, Agarwal and Kale 2007, Theorem 1; Shalev-Shwartz et al. 2011 (Pegasos), Theorem 1"
    statement: ClassVar[str] = "sum_t J_t(f_t) - J_t(g) <= sum_t |gradient_t|^2 / (2 lambda t) for all g"
    formula: ClassVar[str] = (
        r"$\sum_t \left( J_t(f_t) - J_t(g) \right) \le \sum_t \frac{\lVert \text{gradient}_t \rVert^2}{2 \lambda "
        "t}$ for all $g$"
    )
    quantity: ClassVar[str] = "regret in the objective, for the worst g,"

    shrinkage: float | None = parameter(None, "lambda of loss + (lambda / 2) |f|^2 (none: the game's)", above=0)

    def _rate(self, run: Transcript) -> None:
        return None


@dataclass(frozen=True)
class OgdLogarithmic(OgdStronglyConvex):
    """Logarithmic regret bound of gradient descent on loss + (lambda / 2) |f|^2 (theory E16).

    The steps are 1 / (lambda t). The norm of every gradient of this objective is at most 2 L, where L is the
    largest |g_t| k(x_t, x_t)^(1/2).
    """

    name: ClassVar[str] = "ogd-logarithmic"
    paper: ClassVar[str] = "Shalev-Shwartz, Singer, Srebro and Cotter 2011 (Pegasos), Theorem 1"
    statement: ClassVar[str] = "sum_t J_t(f_t) - J_t(g) <= (2 L^2 / lambda) (1 + log T) for all g"
    formula: ClassVar[str] = (
        r"$\sum_t \left( J_t(f_t) - J_t(g) \right) \le \frac{2 L^2}{\lambda} (1 + \log T)$ for all $g$"
    )

    def allowed(self, run: Transcript) -> Array:
        steepest = np.maximum.accumulate(np.square(self._slopes(run)) * run.game.kernel.diagonal(run.points))
        return np.asarray(2.0 * steepest / self._strength(run) * (1.0 + np.log(np.arange(1, run.rounds + 1))))


@dataclass(frozen=True)
class OgdStronglyConvexPerturbed(OgdStronglyConvex):
    """Regret bound of gradient descent with the steps 1 / (lambda t) on a budget (theory E16).

    Removing atoms from the learner's function f_t counts as an error E_t of the gradient. The bound is that of
    `ogd-strongly-convex` with gradient_t + E_t in place of gradient_t, plus sum_t <E_t, g - f_t> for the comparator g.
    """

    name: ClassVar[str] = "ogd-strongly-convex-perturbed"
    paper: ClassVar[str] = "Wang, Crammer and Vucetic 2012, Theorem 1, with the errors as they were"
    statement: ClassVar[str] = (
        "sum_t J_t(f_t) - J_t(g) <= sum_t |gradient_t + E_t|^2 / (2 lambda t) + sum_t <E_t, g - f_t> for all g"
    )
    formula: ClassVar[str] = (
        r"$\sum_t \left( J_t(f_t) - J_t(g) \right) \le \sum_t \frac{\lVert \text{gradient}_t + E_t \rVert^2}{2 "
        r"\lambda t} + \sum_t \langle E_t, g - f_t \rangle$ for all $g$"
    )
    quantity: ClassVar[str] = "regret less what removals explain, for the worst g,"
    budgeted: ClassVar[bool] = True
