"""Theorems on the averaged Perceptron: a bound on the number of its updates, and an identity for its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption
from arena.theorems.assumptions import left_as_evidence
from arena.theorems.mistakes import PerceptronMistakes
from arena.theorems.recursions import Recursion, gram


def updates_recorded(run: Transcript) -> Assumption:
    """Assumption: the evidence has the rounds in which the averaged Perceptron was updated."""
    return left_as_evidence(run, "its updates", "update_rounds" in run.evidence)


def updates_of(run: Transcript) -> Array:
    """Return 1 for each round in which the Perceptron was updated, and 0 for all other rounds."""
    return np.asarray(np.isin(np.arange(1, run.rounds + 1), run.evidence["update_rounds"]), dtype=float)


@dataclass(frozen=True)
class AveragedPerceptronUpdates(PerceptronMistakes):
    """The number of updates of the averaged Perceptron is at most the mistake bound of the Perceptron.

    The theorem says nothing about the averaged predictions.
    """

    name: ClassVar[str] = "averaged-perceptron-updates"
    paper: ClassVar[str] = "Freund and Schapire 1999, Theorem 2; Shalev-Shwartz and Singer 2005"
    statement: ClassVar[str] = (
        "updates <= ((N + (N^2 + 4 H)^1/2) / 2)^2, N = |g| max k(x, x)^1/2, H = sum of hinge(y g(x)) over the updates"
    )
    formula: ClassVar[str] = (
        r"updates $\le \left( \frac{N + \sqrt{N^2 + 4 H}}{2} \right)^2$, $N = \lVert g \rVert \max_t \sqrt{k(x_t, "
        r"x_t)}$, $H = \sum \operatorname{hinge}(y\, g(x))$ over the updates"
    )
    quantity: ClassVar[str] = "updates"

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), updates_recorded(run))

    def _wrong(self, run: Transcript) -> Array:
        return updates_of(run)


@dataclass(frozen=True)
class AveragedPerceptronIdentity(Recursion):
    """Each prediction is the mean of f_1(x_t), ..., f_t(x_t), where f_s is the Perceptron's function in round s."""

    name: ClassVar[str] = "averaged-perceptron-identity"
    paper: ClassVar[str] = "Freund and Schapire 1999, section 3"
    statement: ClassVar[str] = "prediction_t = sum of (t - s) / t sign(y_s) k(x_s, x_t) over the updates s < t"
    formula: ClassVar[str] = (
        r"$\hat y_t = \sum_s \frac{t - s}{t} \operatorname{sign}(y_s)\, k(x_s, x_t)$ over the updates $s < t$"
    )

    def assumptions(self, run: Transcript) -> Sequence[Assumption]:
        return (*super().assumptions(run), updates_recorded(run))

    def repeated(self, run: Transcript) -> tuple[Array, Array]:
        numbers = np.arange(1.0, run.rounds + 1.0)
        ages = (numbers[:, np.newaxis] - numbers) / numbers[:, np.newaxis]
        terms = np.tril(gram(run), -1) * ages * updates_of(run) * np.sign(run.labels)
        return terms.sum(axis=1), np.abs(terms).sum(axis=1)
