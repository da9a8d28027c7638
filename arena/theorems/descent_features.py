"""What is known of gradient descent on features: against linear functions of them, and against the RKHS (theory E15).

Descent on features competes with linear functions of these features. A function f of the RKHS has a stand-in among
them, and what the stand-in loses is paid for by the error of the kernel: l(stand-in) - l(f) <= |l'(stand-in)| times the
distance of their values, for any convex loss.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.hindsight.comparator import Optimum
from arena.record.theorem import Assumption, lambda_stands_out
from arena.record.transcript import Transcript
from arena.theorems.any_loss import features_comparator_known
from arena.theorems.descent import OnlineGradientDescent
from arena.theorems.pkawv import subspace_fixed, subspaces_known, subspaces_within
from arena.theorems.recomputed.once import once_per_match
from arena.theorems.recomputed.optima import best_of_features, regret_in_features
from arena.theorems.recomputed.stand_ins import LONGEST, StandIns, stand_ins
from arena.theorems.recomputed.subspace_ridge import ridge_in_subspaces
from arena.theorems.recomputed.subspaces import subspaces_of

PAPER = "Lu, Hoi, Wang, Zhao and Liu 2016"


@dataclass(frozen=True)
class OgdInFeatures(OnlineGradientDescent):
    """Descent on features against the linear functions of these features (theory E15).

    Features that are fixed on the way, as those of Nyström descent, are covered too if what was learnt is projected
    onto them: a projection brings f no farther from any function of the features.
    """

    name: ClassVar[str] = "ogd-features"
    paper: ClassVar[str] = f"Zinkevich 2003, Theorem 1, on features; {PAPER}"
    statement: ClassVar[str] = "R_{1/(2 eta)}(linear functions of the features) <= (eta / 2) sum_t g_t^2 k(x_t, x_t)"
    quantity: ClassVar[str] = "regret at 1/(2 eta) in the features"
    own_comparator: ClassVar[bool] = True

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """The best linear functions can be told, and the features are known."""
        precise = (lambda_stands_out(run, 0.5 / self._eta(run)),) if run.comparator.closed_form else ()
        return (*features_comparator_known(run), *precise, subspaces_known(run), subspace_fixed(run))

    def measured(self, run: Transcript) -> Array:
        """The regularised regret against the functions of the features; at checkpoints unless the loss is squared."""
        at = 0.5 / self._eta(run)
        return regret_in_features(
            run, lambda: ridge_in_subspaces(run, at).increments, lambda t: [best_in_features(run, at, t)]
        )


@once_per_match
def best_in_features(run: Transcript, regularisation: float, rounds: int) -> Optimum:
    """The best linear function of fixed features for so many rounds."""
    subspaces = subspaces_of(run)
    assert subspaces is not None
    return best_of_features(run, subspaces.coordinates[:rounds], slice(0, rounds), regularisation)


@dataclass(frozen=True)
class _AgainstTheSpace(OnlineGradientDescent, abc.ABC):
    """Any convex loss and all functions of the RKHS; a few are tried, with their stand-ins among the features."""

    monotone: ClassVar[bool] = False
    quantity: ClassVar[str] = "regret less what |f| and the features' error explain, worst of a few f,"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """The features are known and fixed, and the match is short enough."""
        short = Assumption(f"at most {LONGEST} rounds", run.rounds <= LONGEST, f"there are {run.rounds}")
        return (subspaces_known(run), subspace_fixed(run), short)

    def measured(self, run: Transcript) -> Array:
        """The regret, for whichever f it is the worst, less what is allowed for |f| and for its stand-in."""
        few = stand_ins(run)
        regret = np.cumsum(run.losses[:, np.newaxis] - few.losses, axis=0)
        return np.asarray((regret - self.explained(run, few)).max(axis=1))

    @abc.abstractmethod
    def explained(self, run: Transcript, few: StandIns) -> Array:
        """What the bound allows for each function beyond the gradients' energy, at every round."""


@dataclass(frozen=True)
class FourierAgainstTheSpace(_AgainstTheSpace):
    """Fourier features stand in for f = sum_i a_i k(x_i, .) with |f|_1 = sum_i |a_i| (theory E15).

    The theorem's probability is that of an event about the features: no kernel value is off by more than epsilon. Here
    epsilon is measured between the points of the match, and the bound is then certain. The slopes of the stand-in take
    the place of a Lipschitz constant, which the squared loss has not.
    """

    name: ClassVar[str] = "ogd-fourier-rkhs"
    paper: ClassVar[str] = f"{PAPER}, the bound of FOGD, given its event, for any convex loss"
    statement: ClassVar[str] = (
        "R(f) <= (|f|^2 + epsilon |f|_1^2) / (2 eta) + (eta / 2) sum_t g_t^2 k(x_t, x_t) + epsilon |f|_1 sum_t |l_t'| "
        "for all f = sum_i a_i k(x_i, .), epsilon = max |k - k~|, l_t' the slope at the same sum with k~"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """The features are random ones too."""
        fourier = Assumption("the learner left its frequencies as evidence", "frequencies" in run.evidence)
        return (*super().assumptions(run), fourier)

    def explained(self, run: Transcript, few: StandIns) -> Array:
        """The norm, what the kernel's error adds to it, and what it costs in every round."""
        mass = few.masses
        start = (few.squared_norms + few.kernel_error * np.square(mass)) / (2.0 * self._eta(run))
        return np.asarray(start + few.kernel_error * mass * np.cumsum(np.abs(few.slopes), axis=0))


@dataclass(frozen=True)
class NystromAgainstTheSpace(_AgainstTheSpace):
    """Features in the RKHS: the projection of f stands in for it, and its norm is no larger (theory E15)."""

    name: ClassVar[str] = "ogd-nystrom-rkhs"
    paper: ClassVar[str] = f"{PAPER}, the bound of NOGD, with the projection's residuals as they are"
    statement: ClassVar[str] = (
        "R(f) <= |f|^2 / (2 eta) + (eta / 2) sum_t g_t^2 k(x_t, x_t) + |f| sum_t |l_t'| e_t^1/2 for all f, "
        "e_t = k(x_t, x_t) - k~(x_t, x_t), l_t' the slope at the projection of f"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        """The features are functions of the RKHS too."""
        return (*super().assumptions(run), subspaces_within(run))

    def explained(self, run: Transcript, few: StandIns) -> Array:
        """The norm, and what is lost with the residual of every point."""
        missed = np.abs(few.slopes) * few.residuals[:, np.newaxis]
        norms = np.sqrt(few.squared_norms)
        return np.asarray(few.squared_norms / (2.0 * self._eta(run)) + norms * np.cumsum(missed, axis=0))
