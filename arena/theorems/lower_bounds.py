"""Lower bounds on the regret of every learner, or of a class of learners, against the adversaries that promise them.

The assumptions do not check how the adversary chose the labels. A regret below a lower bound shows that the adversary
is implemented incorrectly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.components.one_point import square_weights, value_table
from arena.record.remarks import FORESIGHT
from arena.record.theorem import ROUNDING, Theorem, labels_within, rounding_at, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import comparator_known, until_one_fails

MOST_ROUNDS = 2000  # most rounds at one point for a loss that is not squared: the table has T^2 / 2 entries
MOST_POINTS = 2000  # most rounds for which the kernel matrix is computed
ORTHOGONAL = 1e-12  # a kernel value below this times the largest k(x, x) is zero
FOLLOWS = 1e-9  # in units of B: largest distance at which a prediction counts as a follower's, or as zero


@dataclass(frozen=True)
class LowerBound(Theorem):
    """Base class of lower bounds on the regret to the best penalised loss."""

    lower: ClassVar[bool] = True
    family: ClassVar[str] = "lower bounds"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run), answers_round_by_round(run))

    def scale(self, run: Transcript) -> Array:
        # a tiny lambda makes the regret less accurate, and a lower bound may be far below the losses
        inaccurate = rounding_at(run, run.game.regularisation) / ROUNDING if run.comparator.closed_form else 0.0
        return np.asarray(super().scale(run) + inaccurate)


def answers_round_by_round(run: Transcript) -> Assumption:
    """Assumption: the learner does not see labels beforehand; what forces a loss is that it does not know them."""
    return Assumption("the learner does not know the labels beforehand", FORESIGHT not in run.header)


def one_point(run: Transcript) -> Assumption:
    """Assumption: all points are the same."""
    other = int(np.count_nonzero((run.points != run.points[0]).any(axis=1)))
    return Assumption("all points are the same", other == 0, f"{other} of {run.rounds} differ from the first")


@dataclass(frozen=True)
class OnePoint(LowerBound):
    """Least regret of any learner at a single point, against the labels that are best for the adversary.

    The bound is the minimax value of the game at one point. For the squared loss it grows like B^2 log T; for the
    absolute loss and the hinge it grows like sqrt(T). A learner whose predictions are optimal in this game has exactly
    that regret.
    """

    name: ClassVar[str] = "one-point"
    paper: ClassVar[str] = (
        "Takimoto and Warmuth 2000 and Koolen, Malek and Bartlett 2014, with a penalty; for other losses from the same "
        "recursion"
    )
    statement: ClassVar[str] = (
        "R_lambda >= B^2 sum_t a_t with a_T = k / (lambda + k T), a_{t-1} = a_t + a_t^2, k = k(x, x) for the squared "
        "loss; R_lambda >= V_0, the value of the game at one point, for others, at the end"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \ge B^2 \sum_t a_t$ with $a_T = \frac{k}{\lambda + k T}$, $a_{t-1} = a_t + a_t^2$, $k = k(x, "
        r"x)$ for the squared loss; $R_\lambda \ge V_0$, the value of the game at one point, for others, at the end"
    )
    monotone: ClassVar[bool] = True
    assumes: ClassVar[tuple[str, ...]] = (
        "the learner does not know the labels beforehand",
        "all points are the same",
        "the best predictor in hindsight is computed",
        f"for a loss that is not squared, at most {MOST_ROUNDS} rounds, all of them played",
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return until_one_fails(
            lambda: (answers_round_by_round(run),),
            lambda: (*comparator_known(run, run.game.regularisation), *self._about_the_table(run)),
            lambda: (one_point(run),),
        )

    def _about_the_table(self, run: Transcript) -> Sequence[Assumption]:
        horizon = run.game.rounds
        if run.comparator.closed_form:
            return ()
        return (
            Assumption(f"a horizon of at most {MOST_ROUNDS} rounds", horizon <= MOST_ROUNDS, f"it is {horizon}"),
            Assumption("all rounds were played", run.rounds == horizon, f"{run.rounds} of {horizon}"),
        )

    def allowed(self, run: Transcript) -> Array:
        game, kernel = run.game, float(run.game.kernel.diagonal(run.points[:1])[0])
        if run.comparator.closed_form:
            weights = square_weights(game.rounds, kernel, game.regularisation)[: run.rounds]
            return np.asarray(game.label_bound**2 * np.cumsum(weights))
        bound = np.full(run.rounds, -np.inf)  # a bound before the end would depend on the labels
        bound[-1] = value_table(game.loss, game.label_bound, game.rounds, kernel, game.regularisation)[0][0]
        return bound


@dataclass(frozen=True)
class GreedyLabels(LowerBound):
    """Least regret of any learner at any points, if each label is the one of B and -B that raises the regret more.

    Let z be the prediction, m the mean of ridge regression and s the stretch of the round. A label y changes the regret
    by (z - y)^2 - (y - m)^2 / s. The prediction that minimises the larger of the changes for y = B and y = -B is m / s,
    clipped to [-B, B]. A learner that predicts it has a regret equal to the bound in every match; the forecast of
    Azoury, Warmuth and Vovk is m / s, so its regret equals the bound where no forecast is beyond B.
    """

    name: ClassVar[str] = "greedy-labels"
    paper: ClassVar[str] = "from the last step of Forster 1999; theory F1"
    statement: ClassVar[str] = (
        "R_lambda >= sum_t [(1 - 1/s_t) (B^2 - m_t^2 / s_t) - max(0, |m_t / s_t| - B)^2], m_t the mean of ridge "
        "regression, s_t = 1 + v_t / lambda"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \ge \sum_t \left[ \left( 1 - \frac{1}{s_t} \right) \left( B^2 - \frac{m_t^2}{s_t} \right) - "
        r"\max\left( 0, \left\lvert \frac{m_t}{s_t} \right\rvert - B \right)^2 \right]$, $m_t$ the mean of ridge "
        r"regression, $s_t = 1 + \frac{v_t}{\lambda}$"
    )
    version: ClassVar[int] = 2

    def allowed(self, run: Transcript) -> Array:
        known = run.hindsight()
        room = run.game.label_bound**2 - np.square(known.mean) / known.stretch
        beyond = np.maximum(np.abs(known.mean / known.stretch) - run.game.label_bound, 0.0)
        return np.asarray(np.cumsum(known.leverage * room - np.square(beyond)))


@dataclass(frozen=True)
class OrthogonalPoints(LowerBound):
    """At orthogonal points the regret of every learner is at least B^2 times the online dimension.

    If k(x, x) = c at all points, the bound is B^2 T c / (lambda + c), linear in T. If all labels are -B or B, the bound
    equals the upper bound of `awv-leverage`.
    """

    name: ClassVar[str] = "orthogonal-points"
    paper: ClassVar[str] = "folklore; Calandriello, Lazaric and Valko 2017 (ICML), section 3, on orthogonal directions"
    statement: ClassVar[str] = "R_lambda >= B^2 d_onl(lambda) = B^2 sum_t k(x_t, x_t) / (lambda + k(x_t, x_t))"
    formula: ClassVar[str] = (
        r"$R_\lambda \ge B^2\, d_{\text{onl}}(\lambda) = B^2 \sum_t \frac{k(x_t, x_t)}{\lambda + k(x_t, x_t)}$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return until_one_fails(
            lambda: super(OrthogonalPoints, self).assumptions(run),
            lambda: (Assumption(f"at most {MOST_POINTS} rounds", run.rounds <= MOST_POINTS, f"{run.rounds}"),),
            lambda: (orthogonal(run, run.points),),
        )

    def allowed(self, run: Transcript) -> Array:
        diagonal = run.game.kernel.diagonal(run.points)
        return np.asarray(run.game.label_bound**2 * np.cumsum(diagonal / (run.game.regularisation + diagonal)))


@dataclass(frozen=True)
class CoinLabels(LowerBound):
    """Lower bound, with probability 1 - delta, on the regret of any learner if each label is B or -B by a fair coin.

    G_t = sum_{s<=t} 2 y_s z_s - z_s^2 is the loss of always predicting zero minus the loss of the predictions z_s.
    Since exp(G_t / (2 B^2)) is a supermartingale, G_t reaches 2 B^2 log(1/delta) with probability at most delta. The
    bound is the regret of predicting zero minus 2 B^2 log(1/delta).
    """

    name: ClassVar[str] = "coin-labels"
    paper: ClassVar[str] = "folklore, by Ville's inequality"
    statement: ClassVar[str] = (
        "R_lambda >= sum_t y_t^2 - min_f [sum_t (f(x_t) - y_t)^2 + lambda |f|^2] - 2 B^2 log(1/delta) for all t, with "
        "probability 1 - delta"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \ge \sum_t y_t^2 - \min_f \left[ \sum_t (f(x_t) - y_t)^2 + \lambda \lVert f \rVert^2 \right] - "
        r"2 B^2 \log\frac{1}{\delta}$ for all $t$, with probability $1 - \delta$"
    )

    delta: float = parameter(0.05, "the probability with which it may fail", above=0, below=1)

    @property
    def confidence(self) -> float:
        return 1.0 - self.delta

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), labels_within(run, run.game.label_bound))

    def allowed(self, run: Transcript) -> Array:
        of_zero = np.cumsum(np.square(run.labels) - run.hindsight().increments)
        return np.asarray(of_zero - 2.0 * run.game.label_bound**2 * math.log(1.0 / self.delta))


@dataclass(frozen=True)
class Followers(LowerBound):
    """Least regret, at labels B, -B, B, ..., of a learner whose prediction z changes by p (y - z) after each label y.

    The number p is the same in all rounds, with 0 < p <= 1. At one point gradient descent with a constant step eta is
    such a learner, with p = 2 eta k(x, x). For k(x, x) = 1 and small eta the bound is about 2 eta B^2 T, which is
    2 B^2 sqrt(T) for eta = 1 / sqrt(T). Matches of learners whose predictions change in other ways are not judged.
    """

    name: ClassVar[str] = "followers"
    paper: ClassVar[str] = "the limit cycle of gradient descent, theory F2"
    statement: ClassVar[str] = (
        "R_lambda >= B^2 (2 a (T - 1) + a^2 (T - 2)) with a = p / (2 - p) for z_{t+1} = z_t + p (y_t - z_t), z_1 = 0, "
        "0 < p <= 1, at one point"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \ge B^2 \left( 2 a (T - 1) + a^2 (T - 2) \right)$ with $a = \frac{p}{2 - p}$ for $z_{t+1} = "
        r"z_t + p (y_t - z_t)$, $z_1 = 0$, $0 < p \le 1$, at one point"
    )
    assumes: ClassVar[tuple[str, ...]] = (
        "the loss is squared",
        "all points are the same",
        "the learner's predictions are z_1 = 0, z_{t+1} = z_t + p (y_t - z_t) for one p in (0, 1]",
    )

    def concerns(self, run: Transcript) -> bool:
        return run.rounds >= 3 and self._follows(run).holds

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return until_one_fails(
            lambda: (squared_loss(run),),
            lambda: (one_point(run),),
            lambda: (self._follows(run),),
        )

    def _follows(self, run: Transcript) -> Assumption:
        share, bound = self._share(run), run.game.label_bound
        z = np.append(run.predictions, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            expected = np.append(0.0, z[:-1] + share * (run.labels - z[:-1]))[:-1]
            off = float(np.abs(run.predictions - expected).max()) / bound
        # a smaller share is a matter of rounding: such a learner predicts zero
        holds = FOLLOWS < share <= 1.0 and off <= FOLLOWS
        return Assumption("predictions go a constant share to each label", holds, f"off by {off:.2g} B", learners=True)

    def _share(self, run: Transcript) -> float:
        if run.rounds < 2 or not run.labels[0]:
            return 0.0
        return float(run.predictions[1] / run.labels[0])

    def allowed(self, run: Transcript) -> Array:
        share = self._share(run)
        a, t = share / (2.0 - share), np.arange(1.0, run.rounds + 1)
        return np.asarray(run.game.label_bound**2 * (2.0 * a * (t - 1.0) + a**2 * (t - 2.0)))


@dataclass(frozen=True)
class FixedDictionary(LowerBound):
    """Least regret of a learner that predicts zero at some of m orthogonal points; each point has one label, B or -B.

    A learner whose dictionary has r of the points predicts zero at the m - r others. If the points come in a cycle, the
    learner's loss at these others is B^2 T (m - r) / m. Each point adds at most lambda B^2 / k(x, x) to the best
    penalised loss. So the regret is linear in T. Matches of learners that predict zero at no point are not judged.
    """

    name: ClassVar[str] = "fixed-dictionary"
    paper: ClassVar[str] = (
        "Calandriello, Lazaric and Valko 2017 (ICML), section 6, on sketches of a fixed size, with orthogonal points"
    )
    statement: ClassVar[str] = (
        "R_lambda >= B^2 (N - sum_i lambda n_i / (lambda + n_i k(x_i, x_i))), n_i the rounds at point x_i, which has "
        "one label B or -B, N the rounds at points where all predictions are zero"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \ge B^2 \left( N - \sum_i \frac{\lambda n_i}{\lambda + n_i\, k(x_i, x_i)} \right)$, $n_i$"
        r" the rounds at point $x_i$, $N$ those at points where all predictions are zero"
    )
    assumes: ClassVar[tuple[str, ...]] = (
        "the loss is squared",
        "all predictions at one of the points, or at several, are zero",
        f"the points are orthogonal, and at most {MOST_POINTS}",
    )

    def concerns(self, run: Transcript) -> bool:
        return all(each.holds for each in self.assumptions(run))

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return until_one_fails(
            lambda: (squared_loss(run),),
            lambda: (self._misses(run),),
            lambda: (self._orthogonal(run),),
        )

    def _misses(self, run: Transcript) -> Assumption:
        _, which = visits(run)
        missed = int(missed_points(run, which).sum())
        return Assumption("all predictions at some point are zero", missed > 0, f"at {missed}", learners=True)

    def _orthogonal(self, run: Transcript) -> Assumption:
        points, _ = visits(run)
        if len(points) > MOST_POINTS:
            return Assumption(f"at most {MOST_POINTS} points", False, f"{len(points)}")
        return orthogonal(run, points)

    def allowed(self, run: Transcript) -> Array:
        points, which = visits(run)
        diagonal = run.game.kernel.diagonal(points)[which]
        nth = np.empty(run.rounds)
        for point in range(len(points)):
            here = np.flatnonzero(which == point)
            nth[here] = np.arange(1.0, len(here) + 1)
        at = run.game.regularisation
        # the comparator's loss at a point rises from n - 1 to n rounds by this much
        rises = at * nth / (at + nth * diagonal) - at * (nth - 1.0) / (at + (nth - 1.0) * diagonal)
        return np.asarray(run.game.label_bound**2 * np.cumsum(missed_points(run, which)[which] - rises))


def visits(run: Transcript) -> tuple[Array, NDArray[np.intp]]:
    """Return the different points, one row each, and for every round the index of its point's row."""
    points, which = np.unique(run.points, axis=0, return_inverse=True)
    return points, which.reshape(-1)


def missed_points(run: Transcript, which: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return for each different point whether all predictions there are zero, up to rounding.

    `which` has for every round the index of its point, as returned by `visits`.
    """
    largest = np.zeros(int(which.max()) + 1)
    np.maximum.at(largest, which, np.abs(run.predictions))
    return np.asarray(largest <= FOLLOWS * run.game.label_bound)


def orthogonal(run: Transcript, points: Array) -> Assumption:
    """Assumption: all kernel values between two different points are zero."""
    gram = np.abs(run.game.kernel.gram(points, points))
    np.fill_diagonal(gram, 0.0)
    largest = float(gram.max())
    limit = ORTHOGONAL * float(run.game.kernel.diagonal(points).max())
    return Assumption("the points are orthogonal", largest <= limit, f"largest |k(x, x')| {largest:.3g}")
