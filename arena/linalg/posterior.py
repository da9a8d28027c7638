"""Ridge regression on a growing past: its mean and variance at any point, and the optimum of every prefix.

As for Gaussian processes, with the kernel matrix K of the past, and lambda as the variance of the noise,

    mean(x)     = k(x)' (K + lambda I)^-1 y
    variance(x) = k(x, x) - k(x)' (K + lambda I)^-1 k(x).

With K + lambda I = L L' and e = L^-1 y, the regularised optimum of the first t rounds is lambda (e_1^2 + ... + e_t^2).
So one growing factor gives the optima of all prefixes. Rounds at the same point can share a row of the factor
(`gram_factor`).
"""

from __future__ import annotations

import numpy as np

from arena.arrays import Array, GrowingArray
from arena.game.kernels import Kernel
from arena.linalg.cholesky import PANEL, triangular_solve
from arena.linalg.gram_factor import GramFactor, factor_for


class RidgePosterior:
    """Ridge regression on a growing past: mean and variance at any point, and the regularised optimum.

    >>> from arena.game.kernels import Linear
    >>> past = RidgePosterior(Linear(), regularisation=1.0)
    >>> past.append(np.array([1.0]), 1.0)
    >>> mean, variance = past.at(np.array([[1.0], [2.0]]))
    >>> mean, variance
    (array([0.5, 1. ]), array([0.5, 2. ]))
    >>> round(past.optimum, 12)  # min over w of (w - 1)^2 + w^2
    0.5
    """

    def __init__(self, kernel: Kernel, regularisation: float):
        self.kernel = kernel
        self.regularisation = regularisation
        self.rounds = 0
        self.optimum = 0.0
        self._factor: GramFactor | None = None
        self._labels = GrowingArray()
        self._whitened = GrowingArray()  # e = L^-1 y, one for each row of the factor
        # the mean and the variance at each round's point, given all earlier rounds
        self.means, self.variances = GrowingArray(), GrowingArray()

    def at(self, X: Array) -> tuple[Array, Array]:
        """Return the mean and the variance at each row of `X`."""
        prior = self.kernel.diagonal(X)
        if self._factor is None or not self.rounds:
            return np.zeros(len(X)), prior
        solved = self._factor.solve_cross(X, len(self._whitened))
        mean = self._whitened.view() @ solved
        return mean, np.maximum(prior - np.einsum("ij,ij->j", solved, solved), 0.0)

    def append(self, x: Array, y: float) -> None:
        """Add one round, in time quadratic in the number of distinct points."""
        self.extend(x[np.newaxis], np.array([y]))

    def extend(self, X: Array, y: Array) -> tuple[Array, Array]:
        """Add rounds; return the mean and the variance at each round's point, given all earlier rounds."""
        first = self.rounds
        while len(X):
            factor = self._factor or factor_for.get()(self.kernel, self.regularisation, X.shape[1])
            # Another posterior that shares the factor may have added these rounds already, or rounds at other points.
            row, block = len(self._whitened), X[:PANEL]
            known = factor.points.view()[row : row + len(block)]
            # Ctrl-C while rows are added leaves more rounds than rows, or rows without their points.
            whole = len(factor.points) == factor.cholesky.size == factor.rounds - factor.saved
            if not whole or not np.array_equal(known, block[: len(known)]):
                factor = factor.truncated(self.rounds)
            factor.extend(block[factor.rounds - self.rounds :])
            self._factor, new = factor, min(len(block), factor.rounds - self.rounds)
            self._add_labels(factor, y[:new], self.kernel.diagonal(X[:new]))
            X, y = X[new:], y[new:]
        return self.means.view()[first:].copy(), self.variances.view()[first:].copy()

    def dual_weights(self) -> Array:
        """Return a = (K + lambda I)^-1 y, the coefficients of the best function f = sum_s a_s k(x_s, .).

        The residuals y_s - f(x_s) are lambda a_s.
        """
        if self._factor is None:
            return np.empty(0)
        factor, labels = self._factor, self._labels.view()
        weights = factor.cholesky.solve_transposed(self._whitened.view(), size=len(self._whitened))
        if not len(factor.folded):
            return weights
        labels, roots = labels[: len(factor.folded)], factor.roots
        means = np.bincount(factor.folded, labels) / np.square(roots)
        # A round's weight is that of the mean label at its point, plus (label - mean label) / lambda.
        of_mean = weights[: len(roots)] / roots
        deviation = (labels - means[factor.folded]) / self.regularisation
        return np.concatenate([of_mean[factor.folded] + deviation, weights[len(roots) :]])

    def effective_dimensions(self) -> Array:
        """Return tr K_t (K_t + lambda I)^-1 for every prefix t, without a factorisation for each prefix."""
        if self._factor is None:
            return np.empty(0)
        factor, added = self._factor, []
        rows = factor.points.view()[: len(self._whitened)]
        points = np.concatenate([rows[factor.folded], rows[len(factor.roots) :]])
        if len(factor.folded):
            # The prefixes that end among the folded rounds need these rounds' own rows, so the factors are made again.
            factor = GramFactor(self.kernel, self.regularisation, points.shape[1])
            factor.extend(points)
        while True:
            # Let m be row t of L^-1 without its diagonal entry. Round t, which has a row of its own in this factor,
            # adds leverage - lambda |m|^2. This is 1 - lambda times the squared norm of the whole row, a difference
            # that would lose digits where lambda is large.
            size, own = min(factor.rounds, self.rounds) - factor.saved, len(factor.roots)
            explained, lost = factor.cholesky.off_diagonal_norms(size)
            variance = np.maximum(self.kernel.diagonal(factor.points.view()[own:size]) - explained[own:], 0.0)
            leverage = variance / (variance + self.regularisation)
            added.append(np.maximum(leverage - self.regularisation * lost[own:], 0.0))
            if factor.rounds >= self.rounds:
                return np.asarray(np.cumsum(np.concatenate(added)))
            factor = factor.successor()
            factor.extend(points[factor.rounds :])

    def _add_labels(self, factor: GramFactor, y: Array, prior: Array) -> None:
        """Record the labels `y` of new rounds, whose points are already in `factor`.

        The mean and the variance at each new point, given all earlier rounds, are computed and recorded, too. `prior`
        has k(x, x) for each new point x.
        """
        start = len(self._whitened)
        rows = factor.cholesky.rows(start, start + len(y))
        corner = rows[:, start:]
        before = rows[:, :start] @ self._whitened.view()
        whitened = triangular_solve(corner, y - before)
        strict = corner.copy()
        np.fill_diagonal(strict, 0.0)
        # mean_t = (strictly lower part of L) e: nothing cancels, and y_t does not enter.
        mean = before + strict @ whitened
        # made before anything is recorded, since a user's kernel may raise an error
        heir = factor.successor() if factor.full and factor.rounds == self.rounds + len(y) else None
        self._labels.extend(y)
        self.rounds += len(y)
        self._whitened.extend(whitened)
        self.optimum += self.regularisation * float(whitened @ whitened)
        if heir is not None:
            # the successor has all rounds folded, so L^-1 y is computed again for its Cholesky factor L
            sums = np.bincount(heir.folded, self._labels.view())
            self._whitened = GrowingArray()
            self._whitened.extend(heir.cholesky.solve(sums / heir.roots, size=len(sums)))
            self._factor = heir
        # not as L_tt^2 - lambda, a difference that loses its digits where lambda is large
        explained = np.square(rows[:, :start]).sum(axis=1) + np.square(strict).sum(axis=1)
        # added last: if Ctrl-C ends this method early, there are fewer means or variances than rounds
        self.means.extend(mean)
        self.variances.extend(np.maximum(prior - explained, 0.0))

    def __getstate__(self) -> dict[str, object]:
        factor = None if self._factor is None else self._factor.truncated(self.rounds)
        return {**self.__dict__, "_factor": factor}
