"""Mistake bounds of the Perceptron and its relatives (theory E18).

Each theorem bounds the number of mistakes by the norm and the hinge loss of a function g, for every g. A match is
judged by the smallest of the bounds for the functions g that `comparators_of` returns.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.record.cached import once_per_match
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import few_rounds

ZERO_MARGIN = 1e-10  # share of k(x, x): a margin below it is zero up to rounding, and a margin of zero is a mistake
MOST_ROUNDS = 3000  # most rounds, since their kernel matrix is in memory
STRENGTHS = np.geomspace(1e-6, 1e3, 10)  # strengths of the ridge regressions, in units of the largest k(x, x)
ROUNDED = 1e-6  # relative allowance for rounding in a bound on mistakes
SCALES = np.geomspace(0.25, 4.0, 9)  # factors by which each ridge regression is scaled
SMALLEST_BUDGET = 83  # least budget for which the theorem on the Forgetron holds


def mistakes_of(run: Transcript, zero: float = ZERO_MARGIN, kernel: Kernel | None = None) -> Array:
    """Return for each round whether the prediction p is a mistake: y != 0 and sign(y) p <= zero * k(x, x).

    `kernel` is k, by default the game's kernel. A positive `zero` allows rounding errors.
    """
    margins = np.sign(run.labels) * run.predictions
    return np.asarray((run.labels != 0) & (margins <= zero * (kernel or run.game.kernel).diagonal(run.points)))


@dataclass(frozen=True, eq=False)  # == of arrays has no single truth value
class HingeComparators:
    """The norms of comparators g, and their hinge losses: `hinges` has a row for each round and a column for each g."""

    norms: Array
    hinges: Array


@once_per_match
def comparators_of(run: Transcript, kernel: Kernel | None = None) -> HingeComparators:
    """Return comparators for mistake bounds: zero, and ridge regressions fitted to the label signs of some mistakes.

    They are functions of the RKHS of `kernel`, by default the game's. The regressions are fitted to the first 1, 2,
    4, ... mistakes and to all, with several ridges, and each solution is multiplied by several factors.
    """
    kernel = kernel or run.game.kernel
    signs, wrong = np.sign(run.labels), np.flatnonzero(mistakes_of(run, ZERO_MARGIN, kernel))
    K = kernel.gram(run.points, run.points[wrong])
    norms, margins = [np.zeros(1)], [np.zeros((run.rounds, 1))]
    largest = float(kernel.diagonal(run.points).max())
    for count in sorted({*(2**k for k in range(len(wrong).bit_length())), len(wrong)} - {0}):
        values, vectors = scipy.linalg.eigh(K[wrong[:count], :count])
        values = np.maximum(values, 0.0)[:, np.newaxis]
        target = (vectors.T @ signs[wrong[:count]])[:, np.newaxis]
        # `or 1.0`: where k is zero everywhere, any strength gives the same margins, but zero would divide by zero.
        weights = target / (values + STRENGTHS * (largest or 1.0))
        size = np.sqrt(np.sum(values * np.square(weights), axis=0))
        margin = signs[:, np.newaxis] * (K[:, :count] @ (vectors @ weights))
        norms += [scale * size for scale in SCALES]
        margins += [scale * margin for scale in SCALES]
    hinges = np.maximum(1.0 - np.concatenate(margins, axis=1), 0.0)
    return HingeComparators(np.concatenate(norms), np.where(run.labels[:, np.newaxis] != 0, hinges, 0.0))


@dataclass(frozen=True)
class MistakeBound(Theorem, abc.ABC):
    """Base class of bounds on the number of mistakes.

    A theorem allows in each round the least of its bounds for the comparators g of `comparators_of`.
    """

    quantity: ClassVar[str] = "mistakes"
    every_round: ClassVar[bool] = False  # True: H sums over all rounds; False: over the mistakes

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (few_rounds(run, MOST_ROUNDS),)

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(self._wrong(run)), dtype=float)

    def allowed(self, run: Transcript) -> Array:
        return self._bound(run, self._wrong(run))

    def most(self, run: Transcript) -> float:
        return float(np.count_nonzero(run.labels))

    def identical(self, run: Transcript) -> bool:
        # the zero function's bound may be its hinge loss in the mistakes, which is 1 in each of them
        wrong = self._wrong(run)
        made, allowed = float(np.count_nonzero(wrong)), float(self._bound(run, wrong)[-1])
        return not self.every_round and made > 0 and abs(allowed - made) <= 2.0 * ROUNDED * made

    def scale(self, run: Transcript) -> Array:
        return np.zeros(run.rounds)

    def space(self, run: Transcript) -> Kernel:
        """Return the kernel whose RKHS contains the functions of the learner and of the comparators."""
        return run.game.kernel

    def _wrong(self, run: Transcript) -> Array:
        """Return for each round whether the prediction p is a mistake: y != 0 and sign(y) p <= 0, up to rounding."""
        kernel = self.space(run)
        ours, strict = mistakes_of(run, ZERO_MARGIN, kernel), mistakes_of(run, 0.0, kernel)
        if "mistake_rounds" in run.evidence or np.array_equal(ours, strict):
            return ours
        # a learner may count tiny positive margins as mistakes or not; the bound holds for both
        return min(ours, strict, key=lambda wrong: float((np.cumsum(wrong) - self._bound(run, wrong)).max()))

    def _bound(self, run: Transcript, wrong: Array) -> Array:
        comparators = comparators_of(run, self.space(run))
        counted = np.ones(run.rounds) if self.every_round else wrong
        hinges = np.cumsum(comparators.hinges * counted[:, np.newaxis], axis=0)
        return np.asarray(self.bounds(run, comparators.norms, hinges).min(axis=1) * (1.0 + ROUNDED))

    @abc.abstractmethod
    def bounds(self, run: Transcript, norms: Array, hinges: Array) -> Array:
        """Return the bounds, a row for each round and a column for each function g; infinity if the theorem excludes g.

        `norms` has the norm of each g. `hinges` has the rows and columns of the result: the sums of the hinge losses of
        g up to each round. If `every_round` is false, the losses in other rounds than mistakes are left out.
        """


def largest_solution(hinges: Array, slope: Array, share: Array | float = 1.0) -> Array:
    """Return the largest number M with share M <= hinges + slope sqrt(M), for each number in `hinges`."""
    return np.asarray(np.square((slope + np.sqrt(np.square(slope) + 4.0 * share * hinges)) / (2.0 * share)))


def largest_norm(run: Transcript, kernel: Kernel | None = None) -> float:
    """Return the square root of the largest k(x, x) at the points of the match."""
    return math.sqrt(float((kernel or run.game.kernel).diagonal(run.points).max()))


@dataclass(frozen=True)
class PerceptronMistakes(MistakeBound):
    """Mistake bound of the kernel Perceptron (theory E18).

    scikit-learn's Perceptron, with any eta0, is the kernel Perceptron with the kernel `linear(offset=1)`, or with the
    kernel `linear` if there is no intercept.
    """

    name: ClassVar[str] = "perceptron-mistakes"
    paper: ClassVar[str] = "Freund and Schapire 1999; Shalev-Shwartz and Singer 2005"
    statement: ClassVar[str] = (
        "M <= ((N + (N^2 + 4 H)^1/2) / 2)^2, N = |g| max k(x, x)^1/2, H = sum of hinge(y g(x)) over the mistakes"
    )
    formula: ClassVar[str] = (
        r"$M \le \left( \frac{N + \sqrt{N^2 + 4 H}}{2} \right)^2$, $N = \lVert g \rVert \max_t \sqrt{k(x_t, x_t)}$, "
        r"$H = \sum \operatorname{hinge}(y\, g(x))$ over the mistakes"
    )

    kernel: Kernel | None = parameter(None, "of the learner (none: the game's)")

    def space(self, run: Transcript) -> Kernel:
        return self.kernel or run.game.kernel

    def bounds(self, run: Transcript, norms: Array, hinges: Array) -> Array:
        return largest_solution(hinges, largest_norm(run, self.space(run)) * norms)


@dataclass(frozen=True)
class ProjectronMistakes(MistakeBound):
    """Mistake bound of the Projectron without a budget (theory E18).

    The Projectron replaces k(x, .) by its projection onto the span of the atoms if the two are at most eta apart; eta
    is the parameter `threshold`. The bound is larger than the Perceptron's, and excludes g with eta |g| >= 1.
    """

    name: ClassVar[str] = "projectron-mistakes"
    paper: ClassVar[str] = "Orabona, Keshet and Caputo 2009, Theorem 1, sharpened"
    statement: ClassVar[str] = (
        "M <= ((N + (N^2 + 4 c H)^1/2) / (2 c))^2 with c = 1 - eta |g| > 0, "
        "N = |g| max k(x, x)^1/2, H = sum of hinge(y g(x)) over the mistakes"
    )
    formula: ClassVar[str] = (
        r"$M \le \left( \frac{N + \sqrt{N^2 + 4 c H}}{2 c} \right)^2$ with $c = 1 - \eta \lVert g \rVert > 0$, $N = "
        r"\lVert g \rVert \max_t \sqrt{k(x_t, x_t)}$, $H = \sum \operatorname{hinge}(y\, g(x))$ over the mistakes"
    )

    threshold: float = parameter(0.1, "eta, the largest distance that is projected away", above=0)

    def bounds(self, run: Transcript, norms: Array, hinges: Array) -> Array:
        share = 1.0 - self.threshold * norms
        possible = share > 0
        bound = largest_solution(hinges, largest_norm(run) * norms, np.where(possible, share, 1.0))
        return np.where(possible, bound, np.inf)


@dataclass(frozen=True)
class ProjectronPlusPlusMistakes(ProjectronMistakes):
    """Mistake bound of Projectron++, which also learns in rounds that are not mistakes (theory E18).

    It is the Projectron's bound, but with the hinge losses of all rounds instead of those of the mistakes.
    """

    name: ClassVar[str] = "projectron-pp-mistakes"
    paper: ClassVar[str] = "Orabona, Keshet and Caputo 2009, Theorem 2, sharpened"
    statement: ClassVar[str] = (
        "M <= ((N + (N^2 + 4 c H)^1/2) / (2 c))^2 with c = 1 - eta |g| > 0, "
        "N = |g| max k(x, x)^1/2, H = sum of hinge(y g(x)) over all rounds"
    )
    formula: ClassVar[str] = (
        r"$M \le \left( \frac{N + \sqrt{N^2 + 4 c H}}{2 c} \right)^2$ with $c = 1 - \eta \lVert g \rVert > 0$, $N = "
        r"\lVert g \rVert \max_t \sqrt{k(x_t, x_t)}$, $H = \sum \operatorname{hinge}(y\, g(x))$ over all rounds"
    )
    every_round: ClassVar[bool] = True


@dataclass(frozen=True)
class ForgetronMistakes(MistakeBound):
    """Mistake bound of the self-tuned Forgetron, for functions g of small norm (theory E18).

    Small means |g| <= ((B + 1) / log(B + 1))^(1/2) / 4, where B is the largest number of atoms, not the label bound.
    """

    name: ClassVar[str] = "forgetron-mistakes"
    paper: ClassVar[str] = "Dekel, Shalev-Shwartz and Singer 2008, Theorem 3"
    statement: ClassVar[str] = (
        "M <= 4 H + 2 |g|^2 for |g| <= ((B + 1) / log(B + 1))^1/2 / 4, budget B >= 83, k(x, x) <= 1, "
        "H = sum of hinge(y g(x)) over the mistakes"
    )
    formula: ClassVar[str] = (
        r"$M \le 4 H + 2 \lVert g \rVert^2$ for $\lVert g \rVert \le \frac{1}{4} \sqrt{\frac{B + 1}{\log(B + 1)}}$, "
        r"budget $B \ge 83$, $k(x, x) \le 1$, $H = \sum \operatorname{hinge}(y\, g(x))$ over the mistakes"
    )

    budget: int = parameter(100, "B, the largest number of atoms", at_least=1)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        largest = largest_norm(run) ** 2
        return (
            *super().assumptions(run),
            Assumption(f"the budget is at least {SMALLEST_BUDGET}", self.budget >= SMALLEST_BUDGET, f"{self.budget}"),
            Assumption("k(x, x) is at most 1", largest <= 1.0 + 1e-12, f"largest {largest:g}"),
        )

    def bounds(self, run: Transcript, norms: Array, hinges: Array) -> Array:
        most = 0.25 * ((self.budget + 1.0) / np.log(self.budget + 1.0)) ** 0.5
        return np.where(norms <= most, 4.0 * hinges + 2.0 * np.square(norms), np.inf)
