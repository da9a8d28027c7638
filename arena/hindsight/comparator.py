"""The comparator of a match: the best regularised predictor in hindsight of every prefix, for every lambda."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from arena.arrays import Array, few_different
from arena.errors import ArenaError, NoHindsight, require_positive
from arena.game.game import Game
from arena.game.kernels import Linear
from arena.game.losses import Loss, Squared
from arena.hindsight.certificate import WIDTH, interval_hindsight
from arena.hindsight.checkpoints import checkpoints, step_curve
from arena.hindsight.exact import RidgeHindsight, ridge_hindsight
from arena.hindsight.interval import End, HindsightAtEnd, IntervalHindsight
from arena.hindsight.narrowing import Effort, narrowed
from arena.hindsight.other_losses import FEW, BestFunction, best_for_loss
from arena.hindsight.smoothing import can_be_smoothed
from arena.hindsight.spaces import Space, spanned_at
from arena.hindsight.watching import Watch
from arena.linalg.posterior import RidgePosterior

HindsightMode = Literal["exact", "interval", "none"]
EXACT_LIMIT = 20_000  # rounds; the exact comparator needs 4 T^2 bytes, 1.6 GB here
INSISTED_LIMIT = 2**15  # rounds up to which `hindsight='exact'` is computed in memory: 4 GiB
FEW_POINTS = 500  # different points, among which the exact comparator costs no more than an interval


def automatic_hindsight(rounds: int, points: Array) -> HindsightMode:
    """Return the default mode of hindsight: "interval" if exact hindsight costs too much, else "exact".

    It costs too much with more than `EXACT_LIMIT` rounds and more than `FEW_POINTS` different points.
    """
    return "exact" if rounds <= EXACT_LIMIT or few_different(points, FEW_POINTS) else "interval"


def insisted_hindsight(rounds: int, points: Array) -> HindsightMode:
    """Return the mode for `hindsight='exact'`: "interval" if exact hindsight takes too much memory, else "exact".

    It takes too much with more than `INSISTED_LIMIT` rounds and more than `FEW_POINTS` different points.
    """
    return "exact" if rounds <= INSISTED_LIMIT or few_different(points, FEW_POINTS) else "interval"


@dataclass(frozen=True)
class Optimum:
    """An interval [lower, upper] that contains the least objective: the minimum over f of losses + lambda |f|^2.

    It was computed from a function g, which is close to the unknown best function. C is the bound of predictions.

    - `upper` is the objective of g.
    - `reached` is the largest |g(x_t)| of all rounds t.
    - `within` is the objective of c g, where c <= 1 is the largest number with |c g(x_t)| <= C in all rounds.
    - `surely` is an upper bound on the best function's |f(x_t)| in all rounds.
    """

    lower: float
    upper: float
    reached: float
    within: float
    surely: float

    @classmethod
    def exact(cls, objective: Callable[[float], float], reached: float, bound: float) -> Optimum:
        """Return the `Optimum` of a best function f that is known exactly; `lower` and `upper` are equal.

        - `objective(c)` returns the objective of the function c f, for 0 < c <= 1.
        - `reached` is the largest |f(x_t)|.
        - `bound` is C, the bound of predictions.
        """
        best = objective(1.0)
        within = objective(bound / reached) if reached > bound else best
        return cls(lower=best, upper=best, reached=reached, within=within, surely=reached)


def optimum_of(space: Space, loss: Loss, y: Array, *, regularisation: float, bound: float) -> Optimum:
    """Return a certified interval of the least penalised loss for the labels `y`, over the functions of `space`.

    `bound` is C, the bound of predictions.
    """
    best = best_for_loss(space, loss, y, regularisation=regularisation)
    return optimum_from(best, loss, y, bound=bound, farthest=float(space.scale.max(initial=0.0)))


def optimum_from(best: BestFunction, loss: Loss, y: Array, *, bound: float, farthest: float) -> Optimum:
    """Return a certified interval of the least penalised loss for the labels `y`, from the function `best`.

    `bound` is C, the bound of predictions, and `farthest` is the largest sqrt(k(x_t, x_t)).
    """
    reached = float(np.abs(best.predictions).max(initial=0.0))
    scale = min(1.0, bound / reached) if reached else 1.0
    losses = float(loss.value(scale * best.predictions, y).sum())
    # the objective of f exceeds the least objective by at least lambda |f - best|^2
    near = float(np.sqrt(max(best.gap, 0.0) / best.regularisation)) * farthest
    within = best.upper if scale == 1.0 else losses + best.regularisation * scale**2 * best.squared_norm
    return Optimum(best.lower, best.upper, reached, within, reached + near)


class Comparator:
    """The best regularised predictors in hindsight of one match; each is computed when it is first needed, and kept.

    The optimum is the least penalised loss.

    - For the squared loss the optimum of every prefix has a closed form. Where the closed form costs too much (mode
      "interval"), the optimum is known in a certified interval.
    - For every other loss the optimum is known in an interval, and only at the checkpoints 1, 2, 4, ... and the last
      round.

    `at_end` chooses one end of all intervals. Regrets are then computed as if that end were the optimum.
    """

    def __init__(self, game: Game, points: Array, labels: Array, mode: HindsightMode):
        self.game, self.points, self.labels, self.mode = game, points, labels, mode
        self.closed_form = isinstance(game.loss, Squared)  # the optimum has a closed form in every round
        self.in_intervals = not self.closed_form or mode == "interval"  # whether each optimum is known in these alone
        self.end: End | None = None
        self.watch: Watch | None = None  # called while an interval is computed
        self.effort = Effort()  # limits for narrowing intervals; this default allows no time
        self.exact: dict[float, RidgeHindsight] = {}
        self.intervals: dict[float, IntervalHindsight] = {}
        self.wide: dict[float, IntervalHindsight] = {}  # computed elsewhere, still to be narrowed
        self._optima: dict[tuple[float, int], Optimum] = {}
        self._dimensions: dict[tuple[float, End | None], Array] = {}
        self._spaces: dict[float, Space] = {}

    def computed(self) -> frozenset[float]:
        """Return each lambda at which a hindsight or an interval was computed so far."""
        return frozenset((*self.exact, *self.intervals))

    def at_end(self, end: End) -> Comparator:
        """Return a comparator that uses this end of each interval as the least penalised loss.

        The two comparators share all that is computed.
        """
        twin = copy.copy(self)
        twin.end = end
        return twin

    @property
    def why_unknown(self) -> str:
        """The reason, for a message, why the optimum is not known in every round; empty if it is known."""
        if not self.closed_form:
            return f"the exact comparator exists for the squared loss, and the loss is {self.game.loss.name}"
        if self.mode == "none":
            return "hindsight is switched off"
        if self.mode == "interval" and self.end is None:
            return "only an interval is known of it; narrow it with `hindsight='exact'`"
        return ""

    def hindsight(
        self, regularisation: float | None = None, *, past: RidgePosterior | None = None
    ) -> RidgeHindsight | HindsightAtEnd:
        """Return ridge regression on every prefix, with lambda = `regularisation` (None: the game's lambda).

        In the mode "interval" the least penalised losses are known only in intervals, and the result has one end of
        each: the end that was given to `at_end`. Raise `NoHindsight` in the mode "none", for every loss but the squared
        loss, and in the mode "interval" if this comparator was not made by `at_end`.

        `past` is a posterior with this lambda to which the first rounds were added during the match; these rounds are
        not computed again.
        """
        at = self.game.at(regularisation)
        if why := self.why_unknown:
            raise NoHindsight(why)
        if self.mode == "interval":
            assert self.end is not None
            return self.interval(at).at_end(self.end)
        if at not in self.exact:
            if not at > 0.0:
                require_positive("regularisation", at)
            self.exact[at] = ridge_hindsight(self.game.kernel, at, self.points, self.labels, past=past)
        return self.exact[at]

    def interval(self, regularisation: float | None = None, *, features: int | None = None) -> IntervalHindsight:
        """Return the interval hindsight for the squared loss at this lambda (None: the game's).

        It has certified bounds on the least penalised loss of every prefix. It is computed once and narrowed as far as
        `effort` allows. With `features` it is computed anew, from at most that number of features, and not narrowed.
        The latest result is kept. Raise `NoHindsight` for every loss but the squared loss.
        """
        at = self.game.at(regularisation)
        if not self.closed_form:
            raise NoHindsight(f"the interval exists for the squared loss, and the loss is {self.game.loss.name}")
        if at not in self.intervals or features is not None:
            width = WIDTH if features is None else 0.0
            known = self.wide.pop(at, None) if features is None else None
            self.intervals[at] = known or interval_hindsight(
                self.game.kernel, at, self.points, self.labels, width=width, features=features, watch=self.watch
            )
            self._dimensions.clear()
            if features is None:  # the interval so far is kept if Ctrl-C ends the narrowing
                effort = dataclasses.replace(self.effort, watch=self.watch)
                self.intervals[at] = narrowed(self.intervals[at], self.game.kernel, self.points, effort)
        return self.intervals[at]

    def best(self, regularisation: float | None = None, *, features: int | None = None) -> BestFunction:
        """Return the best function of the whole match for the game's loss, up to a certified duality gap.

        It is computed from at most `features` pivots (None: chosen automatically), at this lambda (None: the game's).
        """
        space = Space.of(self.game.kernel, self.points, features=features)
        return best_for_loss(space, self.game.loss, self.labels, regularisation=self.game.at(regularisation))

    def optimum(self, regularisation: float, rounds: int) -> Optimum:
        """Return a certified interval of the least penalised loss of the first `rounds` rounds.

        The interval is computed once and kept. Raise an `ArenaError` if no dual of the loss is known, or if the
        computation would take too long.
        """
        key = (regularisation, rounds)
        if key not in self._optima:
            self._optima[key] = self._optimum(regularisation, rounds)
        return self._optima[key]

    def _optimum(self, regularisation: float, rounds: int) -> Optimum:
        """Compute a certified interval of the least penalised loss of the first `rounds` rounds.

        It is computed from features, from products with the kernel matrix, or from both.
        """
        loss, y, best = self.game.loss, self.labels[:rounds], None
        if rounds <= EXACT_LIMIT or not self._narrows:
            best = best_for_loss(self._space(regularisation).first(rounds), loss, y, regularisation=regularisation)
        if self._narrows and (best is None or (rounds > FEW and best.relative_width > self.effort.width)):
            # imported here because `arena show` of one learner would otherwise load it and what it needs
            from arena.hindsight.newton_products import best_by_products

            effort = dataclasses.replace(self.effort, watch=self.watch)
            found = best_by_products(self.game.kernel, self.points[:rounds], y, loss, regularisation, effort)
            best = best if found is None else found if best is None else found.narrowed(best, best.lower)
        if best is None:
            raise NoHindsight("products with the kernel matrix would take too long")
        return optimum_from(best, loss, y, bound=self.game.clip, farthest=self._farthest)

    @property
    def _narrows(self) -> bool:
        """True if `effort` allows time to narrow intervals, and this is possible for the game's loss."""
        return self.effort.seconds > 0.0 and can_be_smoothed(self.game.loss)

    @property
    def _farthest(self) -> float:
        return float(np.sqrt(self.game.kernel.diagonal(self.points).max(initial=0.0)))

    def _space(self, regularisation: float) -> Space:
        """Return the features of the match's points, as many as this lambda needs; they are computed once and kept."""
        # For a loss that classifies, labels of size y have the same effect as dividing lambda by y^2.
        size = float(np.abs(self.labels).max(initial=1.0)) if self.game.loss.classifies else 1.0
        spanned = spanned_at(self.game.kernel, self.points, regularisation / size**2)
        if spanned not in self._spaces:
            self._spaces[spanned] = Space.of(self.game.kernel, self.points, spanned=spanned)
        return self._spaces[spanned]

    def optimum_of_features(self, F: Array, rounds: slice, regularisation: float) -> Optimum:
        """Return a certified interval of the least penalised loss of these rounds, over linear functions of features.

        `F` has a row for each of the `rounds`: the features of its point. The labels are the match's.
        """
        F = F if F.shape[1] else np.zeros((len(F), 1))
        space, y = Space.of(Linear(), F), self.labels[rounds]
        return optimum_of(space, self.game.loss, y, regularisation=regularisation, bound=self.game.clip)

    def regret_at_checkpoints(self, losses: Array, optima: Callable[[int], Sequence[Optimum]]) -> Array:
        """Return the regret of each prefix: computed at each checkpoint, and unchanged until the next one.

        `losses` are the learner's, one for each round. `optima(t)` returns one or more intervals. Their sum contains
        the least penalised loss of the first t rounds. The regret is the learner's total loss minus one end of each
        interval, the end that `end_of` returns.
        """
        total, rounds = np.cumsum(losses), checkpoints(len(losses))
        regrets = [total[t - 1] - sum(self.end_of(each) for each in optima(t)) for t in rounds]
        return step_curve(len(losses), rounds, regrets)

    def end_of(self, optimum: Optimum) -> float:
        """Return one end of an interval of the least penalised loss.

        It is the upper end if this comparator was made by `at_end("favourable")`, otherwise the lower end.
        """
        return optimum.upper if self.end == "favourable" else optimum.lower

    def held_between_checkpoints(self, curve: Array) -> Array:
        """Return `curve` with each round's value replaced by the value at the latest checkpoint up to this round.

        For the squared loss the curve is returned unchanged.
        """
        if self.closed_form:
            return curve
        rounds = checkpoints(len(curve))
        return step_curve(len(curve), rounds, curve[np.array(rounds) - 1].tolist())

    def final_optimum(self) -> Optimum | None:
        """Return a certified interval of the least penalised loss of the whole match, for any loss.

        The result is None if the interval would take too long to compute, or if no dual of the loss is known.
        """
        if automatic_hindsight(len(self.labels), self.points) != "exact" and not self._narrows:
            return None
        try:
            return self.optimum(self.game.regularisation, len(self.labels))
        except ArenaError:  # no dual is known of a loss of the user's own, or the time is too short
            return None

    def effective_dimensions(self, regularisation: float | None = None) -> Array:
        """Return the effective dimension tr K_t (K_t + lambda I)^-1 of every prefix t, or a bound on it.

        For the squared loss in the mode "interval", a comparator made by `at_end` returns a bound. Let D be the end of
        the interval of log det(I + K_t / lambda) that this comparator uses.

        - Favourable end: the upper bound D.
        - Unfavourable end: the lower bound D / (1 + log(1 + tr K_t / lambda)).
        """
        at = self.game.at(regularisation)
        end = self.end if self.closed_form and self.mode == "interval" else None
        if (at, end) not in self._dimensions:
            if end is None:
                if not at > 0.0:
                    require_positive("regularisation", at)
                posterior = RidgePosterior(self.game.kernel, at)
                posterior.extend(self.points, self.labels)
                found = posterior.effective_dimensions()
            else:
                found = self.hindsight(at).log_determinant
                if end == "unfavourable":
                    norm = np.cumsum(self.game.kernel.diagonal(self.points))  # not less than |K_t|
                    found = found / (1 + np.log1p(norm / at))
            self._dimensions[at, end] = np.asarray(found)
        return self._dimensions[at, end]
