"""Theorems on multiplicative updates: exponentiated gradient for any convex loss, and balanced Winnow.

Both learners keep weights v = (v+, v-) of the 2 d coordinates of (x, -x), where d is the dimension of x. The weights
are positive, add up to one, and are all equal at the start. The comparators are linear functions w'x with bounded
|w|_1, whatever kernel the game has. The bounds grow with log d.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.game import Game
from arena.game.losses import Loss, SmoothHinge
from arena.hindsight.checkpoints import checkpoints
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem, loss_is_squared, size_of_kinks
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_rounds
from arena.theorems.mistakes import ROUNDED
from arena.theorems.recomputed.descent import smoothed

MOST_ROUNDS = 20_000  # most rounds for which comparators are computed
WINNOW_STRENGTHS = np.geomspace(1e-3, 1e3, 7)  # factors of the entropy in the objective of Winnow's comparators


def exponentiated_rate(game: Game, radius: float) -> float:
    """Return (2 log(2 d) / T)^(1/2) / (U X L), the default step of exponentiated gradient.

    U = `radius` is the largest |w|_1, X the largest |x_i| in the box, and L the largest slope of the loss for
    predictions within [-U X, U X].

    >>> game = Game(rounds=2, dimension=1, loss="absolute")
    >>> exponentiated_rate(game, 1.0) == math.log(2) ** 0.5
    True
    """
    reach = radius * float(np.maximum(np.abs(game.low), np.abs(game.high)).max())
    steepest = reach * game.loss.lipschitz(reach, game.label_bound)
    return math.sqrt(2.0 * math.log(2.0 * game.dimension) / game.rounds) / steepest


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class Mixtures:
    """Comparators that weigh the coordinates of (x, -x), which is the point x followed by -x.

    - `weights` has a column for each comparator: its weights of the coordinates.
    - `entropies` has, for each comparator, the relative entropy of its weights to equal weights.
    """

    weights: Array
    entropies: Array


def doubled(points: Array) -> Array:
    """Return (x, -x) for each point x, one row each."""
    return np.concatenate([points, -points], axis=1)


def entropy(weights: Array) -> float:
    """Return sum_i v_i log(n v_i), the relative entropy of the n weights v, whose sum is 1, to equal weights.

    >>> round(entropy(np.array([1.0, 0.0])), 6), 0.0 < entropy(np.array([0.5 + 1e-12, 0.5 - 1e-12])) < 1e-23
    (0.693147, True)
    """
    excess = len(weights) * weights - 1.0
    # near equal weights the terms v_i log(n v_i) cancel out, and these terms are squares of `excess`
    return float(np.mean(scipy.special.xlog1py(1.0 + excess, excess) - excess))


def best_mixture(loss: Loss, F: Array, labels: Array, pull: float) -> Array:
    """Return weights v > 0 with the sum 1 that approximately minimise the sum of all losses plus `pull` * entropy(v).

    The predictions of v are F v, one for each of the `labels`. The entropy is the relative entropy of v to equal
    weights.
    """
    smooth, width = smoothed(loss), F.shape[1]

    def objective(z: Array) -> tuple[float, Array]:
        v = scipy.special.softmax(z)
        predictions = F @ v
        logarithms = np.log(np.maximum(width * v, 1e-300))
        value = float(np.sum(smooth.value(predictions, labels)) + pull * v @ logarithms)
        gradient = F.T @ np.asarray(smooth.derivative(predictions, labels)) + pull * (logarithms + 1.0)
        return value, v * (gradient - v @ gradient)

    found = scipy.optimize.minimize(objective, np.zeros(width), jac=True, method="L-BFGS-B")
    return np.asarray(scipy.special.softmax(found.x))


@once_per_match
def mixtures_against(run: Transcript, radius: float, pull: float) -> Mixtures:
    """Return some comparators: equal weights, and for some prefixes the weights v of least loss + `pull` * entropy(v).

    The entropy is the relative entropy of v to equal weights. The prefixes are the first 1, 2, 4, ... and all rounds.
    A comparator with the weights v predicts `radius` times the inner product of v and (x, -x).
    """
    F = radius * doubled(run.points)
    found = [np.full(F.shape[1], 1.0 / F.shape[1])]
    found += [best_mixture(run.game.loss, F[:t], run.labels[:t], pull) for t in checkpoints(run.rounds)]
    return Mixtures(np.array(found).T, np.array([entropy(v) for v in found]))


@dataclass(frozen=True)
class ExponentiatedGradient(Theorem):
    """Bound on the regret of exponentiated gradient to every w = U (v+ - v-) with weights v, for any convex loss.

    The 2 d weights v = (v+, v-) are positive and add up to one. U, the parameter `radius`, is the largest |w|_1.
    """

    name: ClassVar[str] = "eg"
    paper: ClassVar[str] = "Kivinen and Warmuth 1997, for any convex loss as in Shalev-Shwartz 2012, section 2.6"
    statement: ClassVar[str] = (
        "R(U (v+ - v-)) <= entropy(v) / eta + (eta / 2) U^2 sum_t g_t^2 max_i x_{t,i}^2 for all weights v, "
        "where entropy(v) <= log(2 d) is the relative one to equal weights, and g_t the derivative of the loss"
    )
    formula: ClassVar[str] = (
        r"$R(U (v^+ - v^-)) \le \frac{\operatorname{entropy}(v)}{\eta} + \frac{\eta}{2} U^2 \sum_t g_t^2 \max_i "
        r"x_{t,i}^2$ for all weights $v$, where $\operatorname{entropy}(v) \le \log(2 d)$ is the relative one to "
        "equal weights, and $g_t$ the derivative of the loss"
    )
    quantity: ClassVar[str] = "regret less entropy / eta, for the worst v,"
    version: ClassVar[int] = 2

    radius: float = parameter(1.0, "U, the largest |w|_1", above=0)
    rate: float | None = parameter(None, "eta (none: eg's own)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (few_rounds(run, MOST_ROUNDS),)

    def measured(self, run: Transcript) -> Array:
        eta = self._eta(run)
        found = mixtures_against(run, self.radius, 1.0 / eta)
        theirs = run.game.loss.value(self.radius * doubled(run.points) @ found.weights, run.labels[:, np.newaxis])
        regret = np.cumsum(run.losses[:, np.newaxis] - theirs, axis=0)
        return np.asarray((regret - found.entropies / eta).max(axis=1))

    def allowed(self, run: Transcript) -> Array:
        widest = np.square(self.radius * np.abs(run.points).max(axis=1))
        return np.asarray(0.5 * self._eta(run) * np.cumsum(np.square(run.slopes) * widest))

    def scale(self, run: Transcript) -> Array:
        of_equal_weights = np.asarray(run.game.loss.value(np.zeros(run.rounds), run.labels))
        terms = np.cumsum(run.losses + of_equal_weights) + math.log(2.0 * run.points.shape[1]) / self._eta(run)
        return np.asarray(terms + size_of_kinks(run, run.game.loss))

    def _eta(self, run: Transcript) -> float:
        return exponentiated_rate(run.game, self.radius) if self.rate is None else self.rate


@dataclass(frozen=True)
class EgSquared(ExponentiatedGradient):
    """Bound on the squared loss of exponentiated gradient by multiples of a comparator's loss and entropy."""

    name: ClassVar[str] = "eg-squared"
    paper: ClassVar[str] = "Kivinen and Warmuth 1997, Theorem 5.10, for the coordinates U (x, -x)"
    statement: ClassVar[str] = (
        "L <= (1 + c / 2) L(v) + (1/2 + 1/c) W^2 entropy(v) for all weights v, W = 2 U max |x_{t,i}|, "
        "eta = 2 c / (W^2 (2 + c))"
    )
    formula: ClassVar[str] = (
        r"$L \le \left( 1 + \frac{c}{2} \right) L(v) + \left( \frac{1}{2} + \frac{1}{c} \right) W^2 "
        r"\operatorname{entropy}(v)$ for all weights $v$, $W = 2 U \max \lvert x_{t,i} \rvert$, $\eta = \frac{2 "
        "c}{W^2 (2 + c)}$"
    )
    quantity: ClassVar[str] = "loss"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        steep = self._eta(run) * self._width(run) ** 2
        return (
            few_rounds(run, MOST_ROUNDS),
            loss_is_squared(run),
            Assumption("0 < eta W^2 < 2", 0.0 < steep < 2.0, f"it is {steep:g}"),
        )

    def measured(self, run: Transcript) -> Array:
        return np.asarray(run.cumulative_losses)

    def allowed(self, run: Transcript) -> Array:
        width = self._width(run)
        steep = self._eta(run) * width**2
        c = 2.0 * steep / (2.0 - steep)
        pull = (0.5 + 1.0 / c) * width**2 / (1.0 + 0.5 * c)
        found = mixtures_against(run, self.radius, pull)
        predictions = self.radius * doubled(run.points) @ found.weights
        theirs = np.cumsum(np.square(predictions - run.labels[:, np.newaxis]), axis=0)
        return np.asarray((1.0 + 0.5 * c) * (theirs + pull * found.entropies).min(axis=1))

    def _width(self, run: Transcript) -> float:
        return 2.0 * self.radius * float(np.abs(run.points).max())


@dataclass(frozen=True)
class WinnowMistakes(Theorem):
    """Mistake bound of balanced Winnow; it grows with log d if few of d coordinates determine the sign of the label.

    The weights of Winnow change on mistakes only, and every mistake has a hinge loss of at least 1. So the bound
    follows from the regret bound `eg` of exponentiated gradient for the hinge loss, summed over the mistakes.
    """

    name: ClassVar[str] = "winnow-mistakes"
    paper: ClassVar[str] = "Littlestone 1988 and 1989; Cesa-Bianchi and Lugosi 2006, section 12.2, for the hinge loss"
    statement: ClassVar[str] = (
        "M (1 - eta N X^2 / 2) <= H(w) + (N / eta) entropy(v) for all w = N (v+ - v-) with eta N X^2 < 2, "
        "X = max |x_{t,i}|, H(w) = sum of hinge(y w'x) over the mistakes, entropy(v) <= log(2 d)"
    )
    formula: ClassVar[str] = (
        r"$M \left( 1 - \frac{\eta N X^2}{2} \right) \le H(w) + \frac{N}{\eta} \operatorname{entropy}(v)$ for all "
        r"$w = N (v^+ - v^-)$ with $\eta N X^2 < 2$, $X = \max \lvert x_{t,i} \rvert$, $H(w) = \sum "
        r"\operatorname{hinge}(y\, w^\top x)$ over the mistakes, $\operatorname{entropy}(v) \le \log(2 d)$"
    )
    quantity: ClassVar[str] = "mistakes"

    rate: float = parameter(0.1, "eta, the logarithm of a weight's change per unit of its coordinate", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (few_rounds(run, MOST_ROUNDS),)

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(self._wrong(run)), dtype=float)

    def allowed(self, run: Transcript) -> Array:
        wrong = self._wrong(run)
        signs, d = np.sign(run.labels), run.points.shape[1]
        largest = float(np.abs(run.points).max())
        bounds = [np.full(run.rounds, float(np.inf))]
        for size in self._sizes(largest):
            share = 1.0 - 0.5 * self.rate * size * largest**2
            for v in _winnow_comparators(run, size).T:
                hinges = np.maximum(1.0 - signs * (size * run.points @ (v[:d] - v[d:])), 0.0)
                bounds.append((np.cumsum(hinges * wrong) + size / self.rate * entropy(v)) / share)
        return np.asarray(np.minimum.reduce(bounds) * (1.0 + ROUNDED))

    def scale(self, run: Transcript) -> Array:
        """Return zeros: a number of mistakes has no rounding errors."""
        return np.zeros(run.rounds)

    def _sizes(self, largest: float) -> Array:
        """Return the norms |w|_1 of the comparators w; the bound needs norms below 2 / (eta X^2).

        eta is the step of Winnow. `largest` is X, the largest |x_i| in the match.
        """
        most = 2.0 / (self.rate * largest**2) if largest else 1.0
        return most * np.array([0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9])

    def _wrong(self, run: Transcript) -> Array:
        margins = np.sign(run.labels) * run.predictions
        return np.asarray((run.labels != 0) & (margins <= 0.0), dtype=float)


@once_per_match
def _winnow_comparators(run: Transcript, size: float) -> Array:
    """Return the weights v = (v+, v-) of some comparators w = `size` (v+ - v-), one column each.

    They are equal weights, and weights for which w has a small hinge loss.
    """
    labelled = run.labels != 0
    F, signs = size * doubled(run.points[labelled]), np.sign(run.labels[labelled])
    equal = np.full(2 * run.points.shape[1], 0.5 / run.points.shape[1])
    found = [equal] + [best_mixture(SmoothHinge(0.1), F, signs, pull) for pull in WINNOW_STRENGTHS if len(F)]
    return np.array(found).T
