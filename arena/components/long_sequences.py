"""Predictions of exact learners on long sequences: through features, with certified error bars."""

from __future__ import annotations

from arena.arrays import Array
from arena.game.kernels import Kernel
from arena.hindsight.certificate import interval_hindsight, rank_within
from arena.hindsight.watching import Watch
from arena.record.error_bars import Approximation

WORK = 1.4e11  # largest value of rounds times features^2, which takes about a minute
MOST = 3000  # largest number of features
WIDTH = 1.5e-5  # features are chosen so that the optimum's interval has this relative width, if `MOST` suffice


def ridge_through_features(
    kernel: Kernel, regularisation: float, X: Array, y: Array, *, awv: bool = False, watch: Watch | None = None
) -> Approximation:
    """Return approximate predictions of kernel ridge regression for a whole sequence, with their error bars.

    With `awv` the predictions of Kernel-AWV are approximated instead. `watch` is called with the progress.

    >>> import numpy as np
    >>> from arena.game.kernels import Gaussian
    >>> X = np.linspace(-1.0, 1.0, 50)[:, np.newaxis]
    >>> found = ridge_through_features(Gaussian(), 1.0, X, np.sin(X[:, 0]))
    >>> bool(found.error_bars.max() < 1e-2)
    True
    """
    rank = rank_within(len(y), work=WORK, most=MOST)
    hindsight = interval_hindsight(kernel, regularisation, X, y, width=WIDTH, features=rank, sharp=True, watch=watch)
    return Approximation(hindsight.predictions(awv=awv), hindsight.error_bars(awv=awv), hindsight.features, hindsight)
