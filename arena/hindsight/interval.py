"""Interval hindsight: bounds on the optimum, on the leverages and on the predictions of exact learners.

`arena.hindsight.certificate` computes the intervals, and its docstring has the proof of the bounds on the optimum.

Error bars of predictions. `mean` and v are the prediction and the variance of ridge regression on the features at x_t,
and the exact mean is the prediction of kernel ridge regression. All matrices, vectors and sums are over the rounds
before t. Let

- A = K + lambda I and B = F F' + lambda I;
- k and h be the columns of x_t in K and in F F';
- c = B^-1 h and a = A^-1 y;
- r_s be the part of k(x_s, .) outside the features' span, so that |r_s|^2 is at most its computed bound e_s;
- tau be the sum of all e_s.

The error of kernel ridge regression is

    mean - exact mean = h'B^-1 y - k'A^-1 y = -(k - h - (A - B) c)'a = -<r_t - sum_s c_s r_s, sum_s a_s r_s>.

The Cauchy-Schwarz inequality bounds it by a product of two norms:

    |sum_s a_s r_s| <= sqrt(tau) |a|,            |a|^2 <= y'A^-1 y / lambda <= upper end / lambda^2,
    |r_t - sum_s c_s r_s| <= sqrt(e_t) + sqrt(tau) |c|,      lambda |c|^2 <= v.

The error bar of Kernel-AWV also needs bounds on the exact variance, which is at most v + |r_t - sum_s c_s r_s|^2.
Rounding adds a second product of norms to each error bar, with pi in place of e_t and rho in place of tau (both in
`arena.hindsight.certificate`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from arena.arrays import Array, delayed
from arena.errors import NoHindsight
from arena.guards.disk import on_disk_if_large
from arena.hindsight.pivots import UNIT
from arena.linalg.feature_ridge import block_of

End = Literal["favourable", "unfavourable"]


class Uncertified(NoHindsight, AttributeError):
    """Raised when code reads a quantity of an interval hindsight for which no bound is known."""


@dataclass(frozen=True)
class HindsightAtEnd:
    """One end of an interval hindsight: bounds on the least penalised loss of every prefix and on the leverages.

    The favourable end has upper bounds on both, and the unfavourable end lower bounds. Reading an attribute for which
    no bound is known raises `Uncertified`.
    """

    regularisation: float
    increments: Array
    leverage: Array

    @cached_property
    def optimum(self) -> Array:
        """A bound on the least penalised loss of every prefix.

        It is an upper bound at the favourable end, and a lower bound at the unfavourable end.
        """
        return on_disk_if_large(np.cumsum(self.increments))

    @cached_property
    def stretch(self) -> Array:
        """A bound on s_t = 1 + v_t / lambda for every round, where v_t is the variance of round t.

        It is an upper bound at the favourable end, and a lower bound at the unfavourable end.
        """
        return on_disk_if_large(1.0 / (1.0 - self.leverage))

    @cached_property
    def log_determinant(self) -> Array:
        """A bound on the log-determinant log det(I + K_t / lambda) of every prefix.

        It is an upper bound at the favourable end, and a lower bound at the unfavourable end.
        """
        return on_disk_if_large(-np.cumsum(np.log1p(-self.leverage)))

    @cached_property
    def online_dimension(self) -> Array:
        """For every round, a bound on the sum of the leverages of this round and all earlier ones.

        It is an upper bound at the favourable end, and a lower bound at the unfavourable end.
        """
        return on_disk_if_large(np.cumsum(self.leverage))

    def __getattr__(self, name: str) -> Any:
        raise Uncertified(
            f"an interval hindsight says nothing certain about the "
            f"{name.replace('_', ' ')}; narrow it with `hindsight='exact'`"
        )


@dataclass(frozen=True)
class IntervalHindsight:
    """Ridge regression on every prefix, up to certified errors.

    The optimum is the least penalised loss, and F are the features.

    - `mean` and `variance`: the results of ridge regression on the features.
    - `residual`: e_t, the part of k(x_t, x_t) that the features miss.
    - `rounding`: rho, a bound on the norm of the matrix of rounding errors (`arena.hindsight.certificate`).
    - `rounding_of_one`: pi, a bound on the entries of this matrix.
    - `lower_increments`: the amount by which each round raises the lower end of the optimum.
    - `final`: the interval of the whole sequence; it may be narrower than the last entries of `lower` and `upper`.
    - `prefixes`: narrower intervals of single prefixes, as triples (rounds, lower end, upper end).
    - `excess`: for each prefix an upper bound on the difference between the optimum on the features and the exact
      optimum; None if unknown.
    - `norm`: a bound on the largest eigenvalue of K - F F', infinite if unknown (`arena.hindsight.sharpening`).
    - `duals`: pairs (rounds, dual vector) for some prefixes, from which the narrowing of their intervals starts.
    """

    regularisation: float
    labels: Array
    mean: Array
    variance: Array
    residual: Array
    lower_increments: Array
    rounding: float
    rounding_of_one: float
    features: int
    final: tuple[float, float]
    prefixes: tuple[tuple[int, float, float], ...] = ()
    excess: Array | None = None
    norm: float = np.inf
    duals: tuple[tuple[int, Array], ...] = ()

    @cached_property
    def lower(self) -> Array:
        """A lower bound on the least penalised loss of each prefix."""
        return self.at_end("unfavourable").optimum

    @cached_property
    def upper(self) -> Array:
        """An upper bound on the least penalised loss of each prefix."""
        return self.at_end("favourable").optimum

    @property
    def relative_width(self) -> float:
        """The width of the whole sequence's interval of the least penalised loss, relative to its upper end."""
        low, high = self.final
        return (high - low) / high if high > 0 else 0.0

    def at_end(self, end: End) -> HindsightAtEnd:
        """Return one end of the interval hindsight.

        The favourable end has upper bounds on the least penalised losses and on the leverages, and the unfavourable end
        has lower bounds.
        """
        tiny, at = self._summing, self.regularisation
        if end == "favourable":
            increments = np.diff(self._upper_curve, prepend=0.0)
            leverage = np.minimum(self._variance_high / (self._variance_high + at) * (1.0 + tiny), 1.0 - UNIT)
        else:
            increments = np.diff(self._lower_curve, prepend=0.0)
            leverage = self._variance_low / (self._variance_low + at) * (1.0 - tiny)
        if len(increments):
            increments[-1] += self.final[end == "favourable"] - increments.sum()
        return HindsightAtEnd(at, on_disk_if_large(increments), on_disk_if_large(leverage))

    def predictions(self, *, awv: bool = False) -> Array:
        """Return predictions computed through features: of kernel ridge regression, or with `awv` of Kernel-AWV.

        The method `error_bars` bounds their errors.
        """
        return np.asarray(self.mean / self._stretch) if awv else self.mean

    def error_bars(self, *, awv: bool = False) -> Array:
        """Return, for each prediction in `self.predictions(awv=awv)`, a bound on its error.

        The error is the distance from the prediction of the exact learner.
        """
        # the module's docstring has the proof
        dual = np.sqrt(delayed(np.cumsum(self.upper_increments) * self.lift)) / self.regularisation
        bars = self._misfit * np.sqrt(delayed(np.cumsum(self.residual))) * dual
        if self.excess is not None:
            beyond = np.sqrt(delayed(self.excess) / self.regularisation)
            misfit = np.sqrt(self.residual) + np.sqrt(self.norm * self.variance / self.regularisation)
            bars = np.minimum(bars, np.minimum(misfit, np.sqrt(self._variance_high)) * beyond)
        bars += self._misfit_of_rounding * np.sqrt(self._past_rounding) * dual
        bars += 8.0 * UNIT * np.abs(self.mean)
        if not awv:
            return np.asarray(bars)
        high = 1.0 + self._variance_high / self.regularisation
        low = 1.0 + self._variance_low / self.regularisation
        furthest = np.maximum(1.0 / low - 1.0 / self._stretch, 1.0 / self._stretch - 1.0 / high)
        return np.asarray(bars / low + np.abs(self.mean) * (furthest + 8.0 * UNIT))

    @property
    def _stretch(self) -> Array:
        return np.asarray(1.0 + self.variance / self.regularisation)

    @cached_property
    def upper_increments(self) -> Array:
        """The amount by which each round raises the least penalised loss of linear functions of the features.

        Rounding is ignored.
        """
        return on_disk_if_large(np.square(self.labels - self.mean) / self._stretch)

    @cached_property
    def _misfit(self) -> Array:
        """For each round t an upper bound on |r_t - sum_s c_s r_s|, with the sum over the earlier rounds s.

        Here r_s is the part of k(x_s, .) outside the features' span, and sum_s c_s y_s is the mean of ridge regression
        on the features at x_t. Rounding is ignored.
        """
        past = delayed(np.cumsum(self.residual))
        return on_disk_if_large(np.sqrt(self.residual) + np.sqrt(past * self.variance / self.regularisation))

    @cached_property
    def _misfit_of_rounding(self) -> Array:
        """For each round an upper bound on sqrt(pi) + sqrt(rho) |c|, the part that rounding adds to `_misfit`.

        Here pi is `rounding_of_one`, rho is `_past_rounding`, and c has the coefficients of the earlier labels in the
        mean of ridge regression on the features.
        """
        coefficients = np.sqrt(self.variance / self.regularisation)  # at least |c|
        return on_disk_if_large(np.sqrt(self.rounding_of_one) + np.sqrt(self._past_rounding) * coefficients)

    @cached_property
    def _upper_curve(self) -> Array:
        """For every t an upper bound on the least penalised loss of the first t rounds.

        It is the least of the bounds from the features, from `_most_added`, and from the intervals in `prefixes`.
        """
        curve = np.minimum(np.cumsum(self._most_added), np.cumsum(self.upper_increments) * self.lift)
        for rounds, _, high in self.prefixes:  # longer prefixes add to its upper end; shorter ones lack a part of it
            curve[rounds:] = np.minimum(curve[rounds:], high + np.cumsum(self._most_added[rounds:]))
            lacking = np.cumsum(self._least_added[rounds - 1 : 0 : -1])[::-1] * (1.0 - self._summing)
            curve[: rounds - 1] = np.minimum(curve[: rounds - 1], high - lacking)
            curve[rounds - 1] = min(curve[rounds - 1], high)
        return on_disk_if_large(curve * (1.0 + self._summing))

    @cached_property
    def _lower_curve(self) -> Array:
        """For every t a lower bound on the least penalised loss of the first t rounds.

        It is the largest of the bounds from the features, from `_least_added`, and from the intervals in `prefixes`.
        """
        certain = np.cumsum(self._least_added)
        played = np.cumsum(self.lower_increments) / (1.0 + self.slack)
        if self.excess is not None:
            played = np.maximum(played, np.cumsum(self.upper_increments) / (1.0 + self.slack) - self.excess)
        for rounds, low, _ in self.prefixes:
            played[rounds - 1] = max(played[rounds - 1], low)
        ahead = np.maximum.accumulate(np.maximum(played - certain, 0.0))
        curve = certain + ahead
        for rounds, low, _ in self.prefixes:  # rounding is covered as in `_upper_curve`
            lacking = np.cumsum(self._most_added[rounds - 1 : 0 : -1])[::-1] * (1.0 + self._summing)
            curve[: rounds - 1] = np.maximum(curve[: rounds - 1], low - lacking)
        return on_disk_if_large(curve * (1.0 - self._summing))

    @cached_property
    def _most_added(self) -> Array:
        """An upper bound on the amount by which each round raises the least penalised loss.

        The amount is (y - mean)^2 / (1 + variance / lambda), with the exact mean and variance of ridge regression.
        """
        misses = np.abs(self.labels - self.mean) + self.error_bars()
        return on_disk_if_large(np.square(misses) / (1.0 + self._variance_low / self.regularisation))

    @cached_property
    def _least_added(self) -> Array:
        """A lower bound on the amount by which each round raises the least penalised loss."""
        misses = np.maximum(np.abs(self.labels - self.mean) - self.error_bars(), 0.0)
        return on_disk_if_large(np.square(misses) / (1.0 + self._variance_high / self.regularisation))

    @cached_property
    def _variance_low(self) -> Array:
        """A lower bound on the exact variance of ridge regression at each round's point."""
        # In the symbols of the module's docstring, let c = A^-1 k be the exact coefficients, and r = r_t - sum_s c_s
        # r_s. The exact variance is at least the variance of the features plus |r|^2. Here |r| is at least sqrt(e_t) -
        # sqrt(tau) |c|, and lambda |c|^2 is at most the exact variance.
        coefficients = np.sqrt(self._variance_high / self.regularisation)
        past, own = delayed(np.cumsum(self.residual)), np.maximum(self.residual - self.rounding_of_one, 0.0)
        beyond = np.square(np.maximum(np.sqrt(own) - np.sqrt(past) * coefficients, 0.0))
        doubt = np.square(np.sqrt(self.rounding_of_one) + np.sqrt(self._past_rounding) * coefficients)
        return on_disk_if_large(np.maximum(self.variance + beyond - doubt, 0.0) * (1.0 - 8.0 * UNIT))

    @cached_property
    def _variance_high(self) -> Array:
        """An upper bound on the exact variance of ridge regression at each round's point."""
        added = np.square(self._misfit) + np.square(self._misfit_of_rounding)
        return on_disk_if_large((self.variance + added) * (1.0 + 8.0 * UNIT))

    @property
    def lift(self) -> float:
        """The factor that covers rounding in sums of `upper_increments`.

        The sum of `upper_increments` over the first t rounds, times this factor, is at least the least penalised loss
        of these rounds.
        """
        return 1.0 / (1.0 - self.slack) if self.features else 1.0 + self._summing

    @property
    def slack(self) -> float:
        """A bound on the relative error that rounding causes in the least penalised loss."""
        return self.rounding / self.regularisation + self._summing

    @property
    def _summing(self) -> float:
        """A bound on the relative rounding error of a sum over the rounds."""
        return 8.0 * (len(self.labels) + 16.0) * UNIT

    @property
    def _past_rounding(self) -> Array:
        """For each round, a bound on the norm of the matrix of rounding errors of all earlier rounds."""
        earlier = np.arange(len(self.labels))
        of_ridge = self.regularisation * rounding_of_ridge(self.features, len(self.labels))
        return np.asarray(np.minimum(self.rounding_of_one * earlier + of_ridge * (earlier > 0), self.rounding))


def rounding_of_ridge(features: int, rounds: int) -> float:
    """Return a bound on the relative rounding error of ridge regression on features, computed in blocks of rounds."""
    block = block_of(features)
    return (4.0 * features + 2.0 * min(block, rounds) + rounds / block + 64.0) * UNIT if features else 0.0
