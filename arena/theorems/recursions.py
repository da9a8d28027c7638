"""Identities: the predictions of a match equal those of the algorithm, recomputed from the match's moves.

Regret bounds miss small errors. A learner whose step is an eighth too small, or that forgets a projection or a restart,
may never exceed its bound; an identity detects it. Each recursion here takes its gradients at the predictions of the
match, so that an error in one round does not grow in the next ones. The recursions share no code with the learners.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.record.cached import once_per_match
from arena.record.theorem import Identity
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.assumptions import left_as_evidence
from arena.theorems.kons import newton_steps
from arena.theorems.mistakes import mistakes_of
from arena.theorems.recomputed.points import coordinates
from arena.theorems.recomputed.rates import default_step, descent_step, falling

MOST_ROUNDS = 1000  # most rounds, since their kernel matrix is in memory
ROUNDED = 1e-9  # allowed rounding error, relative to the sum of the absolute terms of a prediction
COORDINATES = 1e-14  # rounding error of the coordinates of a point, relative to its norm
CONDITION = 1e8  # largest condition of a matrix; beyond it rounding hides mistakes
DENORMAL = float(np.finfo(float).tiny)  # terms of a sum that are below it have no relative precision
ON_EDGE = 1e-9  # share of the clipping bound: values this close to the bound count as clipped
CLEAR = 1e-6  # share of k(x, x): the squared distance to the span that makes a point clearly independent
DEPENDENT = 1e-13  # share of k(x, x): the squared distance up to which a point clearly lies in the span


def not_too_long(run: Transcript) -> Assumption:
    """Assumption: there are at most `MOST_ROUNDS` rounds, few enough to repeat the algorithm."""
    return Assumption(
        f"at most {MOST_ROUNDS} rounds are repeated", run.rounds <= MOST_ROUNDS, f"there are {run.rounds}"
    )


class Recursion(Identity, abc.ABC):
    """Base class of identities that repeat an algorithm: its predictions equal those of the match, up to rounding."""

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (not_too_long(run),)

    def measured(self, run: Transcript) -> Array:
        values, masses = self.repeated(run)
        return np.asarray(np.maximum(np.abs(values - run.predictions) - ROUNDED * masses - DENORMAL, 0.0))

    def scale(self, run: Transcript) -> Array:
        return np.maximum.accumulate(np.abs(run.predictions))

    @abc.abstractmethod
    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        """Return the predictions of the algorithm, and the scale of each prediction's rounding error."""


@once_per_match
def gram(run: Transcript) -> Array:
    """Return the kernel matrix of all points of the match."""
    return np.asarray(run.game.kernel.gram(run.points, run.points))


@dataclass(frozen=True)
class DescentIdentity(Recursion):
    """The predictions are those of functional gradient descent with the given steps, shrinkage and projection."""

    name: ClassVar[str] = "descent-identity"
    paper: ClassVar[str] = "Kivinen, Smola and Williamson 2004, section 3; Zinkevich 2003"
    statement: ClassVar[str] = "prediction_t = f_t(x_t), f_{t+1} = P((1 - eta_t shrinkage) f_t - eta_t g_t k(x_t, .))"
    formula: ClassVar[str] = (
        r"$\hat y_t = f_t(x_t)$, $f_{t+1} = P\left( (1 - \eta_t \cdot \text{shrinkage}) f_t - \eta_t g_t\, k(x_t, "
        r"\cdot) \right)$"
    )

    rate: float | None = parameter(None, "eta: the step, or its value in round 1 (none: that of fgd)", above=0)
    steps: Literal["constant", "square-root", "inverse"] = parameter("constant", "eta, eta / sqrt(t) or eta / t")
    shrinkage: float = parameter(0.0, "lambda of NORMA", at_least=0)
    radius: float | None = parameter(None, "P projects on |f| <= radius (none: it does not)", above=0)

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        K, T = gram(run), run.rounds
        eta = falling(self.steps, self._first_step(run), T)
        a, values, masses = np.zeros(T), np.empty(T), np.empty(T)
        for t in range(T):
            values[t], masses[t] = K[t, :t] @ a[:t], np.abs(K[t, :t]) @ np.abs(a[:t])
            a *= max(1.0 - eta[t] * self.shrinkage, 0.0)
            a[t] = -eta[t] * run.slopes[t]
            if self.radius is not None:
                seen = a[: t + 1]
                norm = math.sqrt(max(float(seen @ K[: t + 1, : t + 1] @ seen), 0.0))
                a *= min(1.0, self.radius / norm) if norm else 1.0
        return values, masses

    def _first_step(self, run: Transcript) -> float:
        if self.rate is not None:
            return self.rate
        plain = default_step(run.game, self.steps)
        if not self.shrinkage:
            return plain
        return 1.0 / self.shrinkage if self.steps == "inverse" else min(plain, 1.0 / self.shrinkage)


@dataclass(frozen=True)
class FourierDescentIdentity(Recursion):
    """The predictions are those of gradient descent on Fourier features z(x) with the frequencies of the evidence."""

    name: ClassVar[str] = "fourier-descent-identity"
    paper: ClassVar[str] = "Lu, Hoi, Wang, Zhao and Liu 2016, Algorithm 1"
    statement: ClassVar[str] = "prediction_t = w_t' z(x_t) with w_{t+1} = w_t - eta g_t z(x_t)"
    formula: ClassVar[str] = r"$\hat y_t = w_t^\top z(x_t)$ with $w_{t+1} = w_t - \eta g_t z(x_t)$"

    rate: float | None = parameter(None, "eta, the constant step (none: 1/sqrt(T))", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        known = "frequencies" in run.evidence
        return (not_too_long(run), left_as_evidence(run, "its frequencies", known))

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        phases = run.points @ run.evidence["frequencies"].T
        K = (np.cos(phases) @ np.cos(phases).T + np.sin(phases) @ np.sin(phases).T) / phases.shape[1]
        eta = descent_step(run.game, peak=1.0) if self.rate is None else self.rate
        terms = np.tril(K, -1) * (-eta * run.slopes)
        return terms.sum(axis=1), np.abs(terms).sum(axis=1)


@dataclass(frozen=True)
class NewtonIdentity(Recursion):
    """The predictions are those of KONS: clipped Newton steps in the space that the points of the match span.

    The learner with the weights u_t predicts f_t' u_t, clipped to [-C, C], where f_t are the coordinates of x_t. Then
    it projects u_t onto |f_t' w| <= C in the norm of A_{t-1}. From the projection w_t it steps to
    u_{t+1} = w_t - g_t A_t^-1 f_t, where A_t = A_{t-1} + eta_t z_t g_t^2 f_t f_t'. Here z_t is 1 if the learner keeps
    the gradient of round t, and 0 otherwise. Without "kept" in the evidence all gradients are kept.
    """

    name: ClassVar[str] = "newton-identity"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (ICML), Algorithms 1 and 3"
    statement: ClassVar[str] = (
        "prediction_t = clip(f_t' u_t), u_{t+1} = w_t - g_t A_t^-1 f_t, A_t = A_{t-1} + eta_t z_t g_t^2 f_t f_t'"
    )
    formula: ClassVar[str] = (
        r"$\hat y_t = \operatorname{clip}(f_t^\top u_t)$, $u_{t+1} = w_t - g_t A_t^{-1} f_t$, $A_t = A_{t-1} + "
        r"\eta_t z_t g_t^2 f_t f_t^\top$"
    )
    share: ClassVar[float] = 1.0

    alpha: float = parameter(1.0, "A_0 = alpha I", above=0)
    step: float | None = parameter(None, "eta (none: the learner's own)", above=0)
    dimension: float | None = parameter(None, "d of steps sqrt(d / t) / (L C), in place of eta", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        slopes = np.square(run.slopes)
        steps = newton_steps(run, self.step, self.share, self.dimension)
        with np.errstate(over="ignore", invalid="ignore"):
            condition = float((steps * slopes * run.game.kernel.diagonal(run.points)).sum() / self.alpha)
            steep = float((np.sqrt(slopes) * np.sqrt(run.game.kernel.diagonal(run.points))).max() / self.alpha)
        worst = max(condition, steep)
        return (
            not_too_long(run),
            Assumption(f"the matrix A has a condition of at most {CONDITION:g}", worst <= CONDITION, f"{worst:.3g}"),
        )

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        features, T = self.features(run), run.rounds
        game, steps = run.game, newton_steps(run, self.step, self.share, self.dimension)
        kept = np.ones(T, dtype=bool)
        if "kept" in run.evidence:
            kept = np.isin(np.arange(1, T + 1), run.evidence["kept"])
        restarts = set(run.evidence.get("restarts", np.empty(0)).astype(int).tolist())
        inverse, u = np.eye(features.shape[1]) / self.alpha, np.zeros(features.shape[1])
        values, masses = np.empty(T), np.empty(T)
        condition = 1.0
        # A_t u_{t+1} is a sum of multiples of the f_s: a projection may leave little of it, and the errors of all terms
        spent = 0.0
        for t, (f, made, g, eta) in enumerate(zip(features, run.predictions, run.slopes, steps, strict=True)):
            ahead = float(f @ u)
            values[t] = min(max(ahead, -game.clip), game.clip)
            length = math.sqrt(float(f @ f))
            norms = COORDINATES / ROUNDED * length * spent / self.alpha
            masses[t] = condition * (abs(ahead) + game.clip + np.abs(f) @ np.abs(u) + norms) + abs(g)
            direction = inverse @ f
            q = float(f @ direction)
            if q > 0.0:
                # u_t becomes w_t, then A_{t-1} becomes A_t, then w_t becomes u_{t+1}
                spent += length * (abs(g) + eta * g * g * abs(made))
                if abs(ahead) >= game.clip * (1.0 - ON_EDGE):
                    u = u - direction * ((ahead - made) / q)
                    spent += length * abs(ahead - made) / q
                if kept[t]:
                    inverse -= np.outer(direction, direction) * (eta * g * g / (1.0 + eta * g * g * q))
                u = u - g * (inverse @ f)
                condition += eta * g * g * q
            if t + 1 in restarts:
                inverse, u, spent = np.eye(len(u)) / self.alpha, np.zeros(len(u)), 0.0
        return values, masses

    def features(self, run: Transcript) -> Array:
        """Return vectors whose inner products are the kernel values of the points, one row for each round."""
        return ambient(run)


@once_per_match
def ambient(run: Transcript) -> Array:
    """Return coordinates of all points in the space that they span, one row for each round."""
    points, which = np.unique(run.points + 0.0, axis=0, return_inverse=True)
    return coordinates(run.game.kernel, points)[which.reshape(-1)]


@dataclass(frozen=True)
class EpochIdentity(NewtonIdentity):
    """The predictions are those of Newton steps with restarts, in the span of the points that KORS accepted so far."""

    name: ClassVar[str] = "epoch-identity"
    paper: ClassVar[str] = "Calandriello, Lazaric and Valko 2017 (NIPS), Algorithm 2 and section 5"
    statement: ClassVar[str] = (
        "the recursion of KONS for f_t projected on the dictionary; u = 0, A = alpha I at restarts"
    )
    formula: ClassVar[str] = (
        r"the recursion of KONS for $f_t$ projected on the dictionary; $u = 0$, $A = \alpha I$ at restarts"
    )
    share: ClassVar[float] = 0.5

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        if "accepted" not in run.evidence or "restarts" not in run.evidence:
            return (left_as_evidence(run, "accepted points and restarts", False),)
        others = super().assumptions(run)
        if not all(each.holds for each in others):
            return others
        clear = "points of the dictionary lie in the span of those before or clearly outside"
        return (*others, Assumption(clear, projected(run)[1]))

    def features(self, run: Transcript) -> Array:
        return projected(run)[0]


@once_per_match
def projected(run: Transcript) -> tuple[Array, bool]:
    """Return the projection of each point onto the span of the points that KORS accepted before it; and a flag.

    Each row has the coordinates of one round's projection, in the basis that `ambient` uses for all points. The flag is
    false if rounding decides whether an accepted point lies in the span of the earlier ones.
    """
    F = ambient(run)
    accepted = set(run.evidence["accepted"].astype(int).tolist())
    basis, found, clear = np.empty((0, F.shape[1])), np.empty_like(F), True
    dependent = max(DEPENDENT, 100.0 * np.finfo(float).eps * run.rounds)  # rounding errors of `ambient` grow with T
    for t, f in enumerate(F):
        found[t] = basis.T @ (basis @ f)
        if t + 1 in accepted:
            rest = f - found[t]
            rest -= basis.T @ (basis @ rest)
            share = float(rest @ rest) / max(float(f @ f), 1e-300)
            # not certain if rounding decides whether the accepted point lies in the span
            clear = clear and not dependent < share < CLEAR
            if share >= CLEAR:
                basis = np.vstack([basis, rest / math.sqrt(float(rest @ rest))])
    return found, clear


@dataclass(frozen=True)
class PerceptronIdentity(Recursion):
    """The predictions are those of the Perceptron: every mistake adds its point with the sign of its label."""

    name: ClassVar[str] = "perceptron-identity"
    paper: ClassVar[str] = "Freund and Schapire 1999, section 2"
    statement: ClassVar[str] = "prediction_t = sum of sign(y_s) k(x_s, x_t) over the mistakes s < t"
    formula: ClassVar[str] = r"$\hat y_t = \sum_s \operatorname{sign}(y_s)\, k(x_s, x_t)$ over the mistakes $s < t$"

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        terms = np.tril(gram(run), -1) * np.where(mistakes_of(run), np.sign(run.labels), 0.0)
        masses = np.abs(terms).sum(axis=1)
        return terms.sum(axis=1) + misnoted(run) * (1.0 + masses), masses


def misnoted(run: Transcript) -> Array:
    """Return 1 for each round that is a mistake by its prediction or by the evidence, but not by both; otherwise 0.

    Without "mistake_rounds" in the evidence all entries are 0.
    """
    if "mistake_rounds" not in run.evidence:
        return np.zeros(run.rounds)
    noted = np.isin(np.arange(1, run.rounds + 1), run.evidence["mistake_rounds"])
    return np.asarray(noted != mistakes_of(run), dtype=float)


@dataclass(frozen=True)
class ForgetronIdentity(Recursion):
    """The predictions are those of the self-tuned Forgetron."""

    name: ClassVar[str] = "forgetron-identity"
    paper: ClassVar[str] = "Dekel, Shalev-Shwartz and Singer 2008, section 5"
    statement: ClassVar[str] = "a mistake adds its point; beyond B points f shrinks by phi, and the oldest point goes"
    formula: ClassVar[str] = (
        r"a mistake adds its point; beyond $B$ points $f$ shrinks by $\phi$, and the oldest point goes"
    )

    budget: int = parameter(100, "B, the largest number of atoms", at_least=1)

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        K, wrong = gram(run), mistakes_of(run)
        atoms: list[int] = []  # the oldest first
        a, values, masses = np.zeros(run.rounds), np.empty(run.rounds), np.empty(run.rounds)
        spent, count = 0.0, 0
        for t in range(run.rounds):
            values[t], masses[t] = K[t, atoms] @ a[atoms], np.abs(K[t, atoms]) @ np.abs(a[atoms])
            if wrong[t]:
                a[t] = np.sign(run.labels[t])
                atoms.append(t)
                count += 1
            if len(atoms) > self.budget:
                oldest = atoms.pop(0)
                size = abs(a[oldest])
                margin = math.copysign(1.0, a[oldest]) * float(K[oldest, [oldest, *atoms]] @ a[[oldest, *atoms]])
                # 15/32 of the mistakes, minus the left-hand sides of the inequality for phi at earlier removals
                phi = self._shrinking(size, margin, 15.0 * count / 32.0 - spent)
                spent += (size * phi) ** 2 + 2.0 * size * phi * (1.0 - phi * margin)
                a *= phi
                a[oldest] = 0.0
        return values + misnoted(run) * (1.0 + masses), masses

    @staticmethod
    def _shrinking(size: float, margin: float, allowed: float) -> float:
        """Return phi, the factor by which the Forgetron multiplies its function f when it removes the oldest atom.

        phi is the largest number in (0, 1] with (size phi)^2 + 2 size phi (1 - phi margin) <= allowed. `size` is the
        |coefficient| of the oldest atom, and `margin` is f at its point times the sign of the coefficient. `allowed` is
        15/32 of the number of mistakes, minus the left-hand sides of this inequality at earlier removals.
        """
        square, linear = size**2 - 2.0 * size * margin, 2.0 * size
        if square + linear <= allowed:
            return 1.0
        roots = np.roots([square, linear, -allowed]) if square else np.array([allowed / linear])
        real = roots[np.abs(roots.imag) <= 1e-12 * np.abs(roots)].real
        return float(min((each for each in real.tolist() if each > 0.0), default=1.0))
