"""Identities of PKAWV and PKRR, and regret bounds of PKAWV on fixed features.

The identities are theory E6 (growing subspaces included) and C1. The bounds are Theorems 3 and 4 of Jezequel, Gaillard
and Rudi 2019 (theory E2, E4, E5).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Gaussian
from arena.record.theorem import Identity, beyond_rounding, labels_within, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.theorems.in_subspaces import (
    InSubspaces,
    subspace_fixed,
    subspaces_known,
    subspaces_nested,
    subspaces_within,
)
from arena.theorems.recomputed.subspaces import unexplained


@dataclass(frozen=True)
class PkawvIdentity(Identity, InSubspaces):
    """The regret of PKAWV, which predicts in subspaces H_t, equals estimation plus approximation (theory E6).

    - Estimation is sum_t (1 - 1/s_t) (y_t^2 - s_t prediction_t^2), where s_t is the stretch in H_t.
    - Approximation is the sum of drop_t = L_{t-1}(H_{t-1}) - L_{t-1}(H_t) over t = 1, ..., T + 1. Here L_t(V) is the
      least regularised loss of the first t rounds for functions in V, and H_{T+1} is the whole RKHS.

    H_1, ..., H_T need not lie in the RKHS.
    """

    name: ClassVar[str] = "pkawv-identity"
    paper: ClassVar[str] = "the exact identity behind Jezequel, Gaillard and Rudi 2019, Theorem 9"
    statement: ClassVar[str] = "R_lambda = sum_t (1 - 1/s_t)(y_t^2 - s_t prediction_t^2) + sum_t drop_t, s_t in H_t"
    formula: ClassVar[str] = (
        r"$R_\lambda = \sum_t \left( 1 - \frac{1}{s_t} \right) \left( y_t^2 - s_t \hat y_t^2 \right) + \sum_t "
        r"\text{drop}_t$, $s_t$ in $H_t$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), subspaces_nested(run))

    def measured(self, run: Transcript) -> Array:
        ridge, hindsight = self.ridge(run), run.hindsight(self.at(run))
        estimation = ridge.leverage * np.square(run.labels) - ridge.surprise * np.square(run.predictions)
        # the sum of these terms over the rounds is the sum of the drops
        approximation = ridge.increments - hindsight.increments
        differences = run.losses - hindsight.increments - estimation - approximation
        return beyond_rounding(run, differences, self.at(run))


@dataclass(frozen=True)
class PkrrIdentity(Identity, InSubspaces):
    """The losses of ridge regression in a fixed subspace, each divided by s_t, sum to the optimum (theory C1).

    Here s_t is the stretch of round t, and the optimum is the least regularised loss in the subspace.
    """

    name: ClassVar[str] = "pkrr-identity"
    paper: ClassVar[str] = "Zhdanov and Kalnishkan 2013, Theorem 1, on the features' kernel"
    statement: ClassVar[str] = "sum_t (y_t - prediction_t)^2 / s_t = min_{f in H} sum_t (y_t - f(x_t))^2 + lambda |f|^2"
    formula: ClassVar[str] = (
        r"$\sum_t \frac{(y_t - \hat y_t)^2}{s_t} = \min_{f \in H} \sum_t (y_t - f(x_t))^2 + \lambda \lVert f "
        r"\rVert^2$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run, self.at(run), compared=False), subspaces_known(run), subspace_fixed(run))

    def measured(self, run: Transcript) -> Array:
        ridge = self.ridge(run)
        return beyond_rounding(run, run.losses / ridge.stretch - ridge.increments, self.at(run))


@dataclass(frozen=True)
class RegretInFeatures(InSubspaces):
    """Base class of bounds on the regret to linear functions of fixed features (theory E2).

    The features need not lie in the RKHS: the bounds hold for random Fourier features, too.
    """

    quantity: ClassVar[str] = "regret in the features"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run, self.at(run), compared=False), subspaces_known(run), subspace_fixed(run))

    def measured(self, run: Transcript) -> Array:
        return np.asarray(np.cumsum(run.losses - self.ridge(run).increments))


@dataclass(frozen=True)
class PkawvFeatures(RegretInFeatures):
    """Regret bound of PKAWV on features: sum_t (1 - 1/s_t) y_t^2, where s_t is the stretch of round t (theory E2)."""

    name: ClassVar[str] = "pkawv-features"
    paper: ClassVar[str] = "from the exact regret identity behind Jezequel et al. 2019, Proposition 1, on features"
    statement: ClassVar[str] = "R_lambda(linear functions of the features) <= sum_t (1 - 1/s_t) y_t^2"
    formula: ClassVar[str] = (
        r"$R_\lambda(\text{linear functions of the features}) \le \sum_t \left( 1 - \frac{1}{s_t} \right) y_t^2$"
    )

    def allowed(self, run: Transcript) -> Array:
        return self.estimation(run)


@dataclass(frozen=True)
class PkawvFeaturesLogdet(RegretInFeatures):
    """Regret bound of PKAWV on features: B^2 log det(I + K~ / lambda) (theory E2).

    K~ is the kernel matrix of the features.
    """

    name: ClassVar[str] = "pkawv-features-logdet"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Proposition 1, on features"
    statement: ClassVar[str] = "R_lambda(linear functions of the features) <= B^2 log det(I + K~_T / lambda)"
    formula: ClassVar[str] = (
        r"$R_\lambda(\text{linear functions of the features}) \le B^2 \log\det\left( I + \frac{\tilde K_T}{\lambda} "
        r"\right)$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), labels_within(run, run.game.label_bound))

    def allowed(self, run: Transcript) -> Array:
        return np.asarray(run.game.label_bound**2 * np.cumsum(np.log1p(self.ridge(run).surprise)))


@dataclass(frozen=True)
class InFixedSubspace(InSubspaces):
    """Base class of regret bounds of PKAWV in a subspace of the RKHS that is fixed before the match."""

    monotone: ClassVar[bool] = True

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), subspace_fixed(run), subspaces_within(run))


@dataclass(frozen=True)
class PkawvSubspaceSharp(InFixedSubspace):
    """Regret bound of PKAWV in a fixed subspace, from the labels of the match (theory E4').

    It sharpens Theorem 3 of Jezequel, Gaillard and Rudi 2019, which has the label bound B in place of the labels.
    """

    name: ClassVar[str] = "pkawv-subspace-sharp"
    paper: ClassVar[str] = "sharpens Jezequel, Gaillard and Rudi 2019, Theorem 3"
    statement: ClassVar[str] = (
        "R_lambda <= sum_t (1 - 1/s_t) y_t^2 + |y|^2 mu / (lambda + mu), mu the largest eigenvalue of K_T - K~_T"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le \sum_t \left( 1 - \frac{1}{s_t} \right) y_t^2 + \lVert y \rVert^2 \frac{\mu}{\lambda + "
        r"\mu}$, $\mu$ the largest eigenvalue of $K_T - \tilde K_T$"
    )

    def allowed(self, run: Transcript) -> Array:
        missing = unexplained(run)
        energy = np.cumsum(np.square(run.labels))
        return np.asarray(self.estimation(run) + energy * missing / (self.at(run) + missing))


@dataclass(frozen=True)
class PkawvSubspace(InFixedSubspace):
    """Regret bound of PKAWV in a fixed subspace, from the label bound B (theory E4).

    It is Theorem 3 of Jezequel, Gaillard and Rudi 2019.
    """

    name: ClassVar[str] = "pkawv-subspace"
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Theorem 3"
    statement: ClassVar[str] = (
        "R_lambda <= B^2 log det(I + K_T / lambda) + B^2 (mu + lambda) T mu / lambda^2, mu = |(I - P) C_T^1/2|^2"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le B^2 \log\det\left( I + \frac{K_T}{\lambda} \right) + \frac{B^2 (\mu + \lambda) T "
        r"\mu}{\lambda^2}$, $\mu = \lVert (I - P)\, C_T^{1/2} \rVert^2$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), labels_within(run, run.game.label_bound))

    def allowed(self, run: Transcript) -> Array:
        missing, at, rounds = unexplained(run), self.at(run), np.arange(1, run.rounds + 1)
        approximation = (missing + at) * rounds * missing / at**2
        return np.asarray(run.game.label_bound**2 * (run.hindsight(at).log_determinant + approximation))


@dataclass(frozen=True)
class PkawvTaylor(InSubspaces):
    """Regret bound of PKAWV on Taylor features of high degree: 1.5 times the bound of `awv-logdet` (theory E5).

    The degree must be much larger than the degrees 2 to 4 in the experiments of Jezequel, Gaillard and Rudi 2019. The
    bound of `awv-logdet` is B^2 log det(I + K_T / lambda).
    """

    name: ClassVar[str] = "pkawv-taylor"
    monotone: ClassVar[bool] = True
    paper: ClassVar[str] = "Jezequel, Gaillard and Rudi 2019, Theorem 4"
    statement: ClassVar[str] = (
        "R_lambda <= 1.5 B^2 log det(I + K_T / lambda) for the Gaussian kernel and Taylor features of "
        "degree >= max(8 R^2 / bandwidth^2, 2 log(T / min(lambda, 1))), R = max |x_t|"
    )
    formula: ClassVar[str] = (
        r"$R_\lambda \le 1.5\, B^2 \log\det\left( I + \frac{K_T}{\lambda} \right)$ for the Gaussian kernel and "
        r"Taylor features of degree $\ge \max\left( \frac{8 R^2}{\text{bandwidth}^2},\ 2 \log\frac{T}{\min(\lambda, "
        r"1)} \right)$, $R = \max_t \lVert x_t \rVert$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        gaussian = isinstance(run.game.kernel, Gaussian)
        return (
            squared_loss(run, self.regularisation),
            labels_within(run, run.game.label_bound),
            Assumption("the kernel is gaussian", gaussian, f"it is {run.game.kernel.name}"),
            Assumption("the features are those of Taylor's series", "taylor_degree" in run.evidence),
            *((self._degree(run),) if gaussian and "taylor_degree" in run.evidence else ()),
        )

    def allowed(self, run: Transcript) -> Array:
        return 1.5 * run.game.label_bound**2 * run.hindsight(self.at(run)).log_determinant

    def _degree(self, run: Transcript) -> Assumption:
        assert isinstance(run.game.kernel, Gaussian)
        ratio = float(np.einsum("ij,ij->i", run.points, run.points).max()) / run.game.kernel.bandwidth**2
        needed = math.ceil(max(8.0 * ratio, 2.0 * math.log(run.rounds / min(self.at(run), 1.0))) * (1.0 - 1e-12))
        degree = int(run.evidence["taylor_degree"])
        return Assumption(f"the degree is at least {needed}", degree >= needed, f"it is {degree}")
