"""Base class and assumptions of theorems on learners that predict in subspaces H_t of the RKHS (theory E2, E4, E6).

H_t is spanned by the learner's features or dictionary in round t; the learner reports them as evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.arrays import Array
from arena.record.theorem import ROUNDING, Theorem, rounding_at, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.specs.parameters import parameter
from arena.theorems.recomputed.subspaces import SubspaceRidge, ridge_in_subspaces, subspaces_of


@dataclass(frozen=True)
class InSubspaces(Theorem):
    """Base class of theorems on learners that predict with functions of subspaces, under the squared loss.

    The subspace of round t is the span of the features or of the dictionary that the learner has in this round.
    """

    regularisation: float | None = parameter(None, "lambda of learner and comparator (none: the game's)", above=0)

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (squared_loss(run, self.regularisation), subspaces_known(run))

    def measured(self, run: Transcript) -> Array:
        return run.regret_against(self.at(run))

    def scale(self, run: Transcript) -> Array:
        # the stretches of subspaces and of the RKHS are computed in different ways, with errors like 1 / lambda
        return np.asarray(super().scale(run) + rounding_at(run, self.at(run)) / ROUNDING)

    def at(self, run: Transcript) -> float:
        """Return lambda, the regularisation of both the learner and the comparator."""
        return run.game.at(self.regularisation)

    def ridge(self, run: Transcript) -> SubspaceRidge:
        """Return ridge regression in the spans of the learner's features or dictionary, as a `SubspaceRidge`."""
        return ridge_in_subspaces(run, self.at(run))

    def estimation(self, run: Transcript) -> Array:
        """Return sum_t (1 - 1/s_t) y_t^2 of every prefix, where s_t is the stretch of ridge regression in a subspace.

        The subspace is the span of the learner's features, or of its dictionary in round t. The sum bounds the regret
        to the functions of these subspaces.
        """
        return np.asarray(np.cumsum(self.ridge(run).leverage * np.square(run.labels)))


def subspaces_known(run: Transcript) -> Assumption:
    """Assumption: the evidence describes the learner's features or dictionary, which span its subspaces."""
    return Assumption("the learner left its features or its dictionary as evidence", subspaces_of(run) is not None)


def subspaces_within(run: Transcript) -> Assumption:
    """Assumption: the evidence describes the learner's features or dictionary, and their spans lie in the RKHS."""
    subspaces = subspaces_of(run)
    return Assumption("the features are functions of the RKHS", bool(subspaces and subspaces.within))


def subspace_fixed(run: Transcript) -> Assumption:
    """Assumption: the span of the learner's features or dictionary is the same in all rounds."""
    subspaces = subspaces_of(run)
    sizes = "unknown" if subspaces is None else f"{subspaces.sizes[0]} dimensions at first, {subspaces.sizes[-1]} last"
    return Assumption("the subspace is fixed beforehand", bool(subspaces and subspaces.fixed), sizes)


def subspaces_nested(run: Transcript) -> Assumption:
    """Assumption: the span of the learner's features or dictionary grows or stays; it never loses a function."""
    subspaces = subspaces_of(run)
    remark = "unknown" if subspaces is None else subspaces.remark
    return Assumption("each subspace contains the one before it", bool(subspaces and subspaces.nested), remark)
