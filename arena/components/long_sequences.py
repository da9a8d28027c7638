"""Exact learners on long sequences: their predictions through features, with certified error bars."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.hindsight.certificate import interval_hindsight
from arena.hindsight.watching import Watch
from arena.record.error_bars import Approximation

WORK = 1.4e11  # rounds times features^2 at most: about a minute
MOST = 3000  # features
WIDTH = 1.5e-5  # relative width of the optimum's interval that features are chosen for, if so many suffice


def ridge_through_features(
    kernel: Kernel, regularisation: float, X: Array, y: Array, *, awv: bool = False, watch: Watch | None = None
) -> Approximation:
    """Return the predictions of kernel ridge regression, or with `awv` of Kernel-AWV, for a whole sequence.

    >>> from arena.game.kernels import Gaussian
    >>> X = np.linspace(-1.0, 1.0, 50)[:, np.newaxis]
    >>> found = ridge_through_features(Gaussian(), 1.0, X, np.sin(X[:, 0]))
    >>> bool(found.error_bars.max() < 1e-2)
    True
    """
    rank = int(min(MOST, max(32.0, np.sqrt(WORK / max(len(y), 1)))))
    hindsight = interval_hindsight(kernel, regularisation, X, y, width=WIDTH, features=rank, sharp=True, watch=watch)
    return Approximation(hindsight.predictions(awv=awv), hindsight.error_bars(awv=awv), hindsight.features, hindsight)
