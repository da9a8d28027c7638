"""KORS: online sampling of points by their estimated leverage (Calandriello, Lazaric and Valko 2017, ICML; theory B4).

The dictionary has the atoms x_i, accepted with the probabilities p_i. It represents the covariance
M = sum_i phi_i phi_i' / p_i. The part of k(x, x) that the dictionary leaves unexplained is

    w(x) = ridge phi(x)' (M + ridge I)^-1 phi(x),

and the leverage of x is w(x) / (ridge + w(x)). With the oversampling beta and the accuracy epsilon, x is accepted with
the probability

    p(x) = min(1, beta (1 + epsilon) w(x) / (ridge + w(x))).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, GrowingArray
from arena.components.weighted_points import WeightedPoints
from arena.game.kernels import Kernel

BLOCK = 256  # points whose coordinates are computed together


class Kors:
    """A dictionary of points, sampled by leverage.

    Let w be the variance at x of ridge regression on the dictionary, where a point accepted with the probability p
    counts 1/p times (with `power` 2: 1/p^2 times). Then x is accepted with the probability
    min(1, beta (1 + epsilon) w / (ridge + w)). Adding a point to a dictionary of j different points costs O(j^2).

    >>> from arena.game.kernels import Gaussian
    >>> kors = Kors(Gaussian(), dimension=1, ridge=1.0, beta=1.0, epsilon=0.5)
    >>> kors.probability(np.zeros(1))  # 1.5 / (1 + 1)
    0.75
    >>> kors.add(np.zeros(1), 0.75)
    >>> len(kors), round(kors.probability(np.zeros(1)), 6)  # 1.5 / (1/0.75 + 1 + 1)
    (1, 0.45)
    """

    def __init__(self, kernel: Kernel, dimension: int, *, ridge: float, beta: float, epsilon: float, power: int = 1):
        self.kernel = kernel
        self.ridge, self.beta, self.epsilon = ridge, beta, epsilon
        self.power = power  # exponent of 1 / p in the weights of atoms; the published code has 2, a mistake (theory G1)
        self._atoms = GrowingArray((dimension,))
        self._probabilities = GrowingArray()
        self._covered = WeightedPoints(kernel, dimension, ridge=ridge)

    def __len__(self) -> int:
        return len(self._atoms)

    @property
    def atoms(self) -> Array:
        """The accepted points in the order of their acceptance, repeated points included."""
        return self._atoms.view()

    @property
    def probabilities(self) -> Array:
        """The probability with which each atom was accepted, in the order of `atoms`."""
        return self._probabilities.view()

    def unexplained(self, X: Array) -> Array:
        """Return the part of k(x, x) that the dictionary leaves unexplained, w(x), for each row x of `X`."""
        return self._covered.unexplained(X, self._covered.coordinates(X))

    def probability(self, x: Array, *, scale: float = 1.0) -> float:
        """Return the probability with which `x` is accepted into the current dictionary.

        The feature of `x` is `scale` * phi(x), so the unexplained part of k(x, x) is multiplied by `scale`^2.
        """
        return float(self._probability(scale**2 * self.unexplained(x[np.newaxis]))[0])

    def add(self, x: Array, probability: float, *, scale: float = 1.0) -> None:
        """Add `x`, with the feature `scale` * phi(x), to the dictionary; `x` was accepted with `probability`."""
        X = x[np.newaxis]
        coordinates, diagonal = self._covered.coordinates(X)[:, 0], float(self.kernel.diagonal(X)[0])
        self._accept(x, probability, scale**2 / probability**self.power, coordinates, diagonal)
        self._covered.fold()

    def sample(self, X: Array, coins: Array, *, limit: float = np.inf) -> tuple[NDArray[np.bool_], Array]:
        """Sample the rows of `X` in order, and add each accepted row to the dictionary.

        Return a mask of the accepted rows, and the probabilities of all rows. Row t is accepted if coins[t], a number
        in [0, 1), is below the row's probability. The probability of a row is computed after the accepted rows before
        it were added. Once the dictionary has `limit` atoms, every probability is zero.
        """
        probabilities = np.zeros(len(X))
        for start in range(0, len(X), BLOCK):
            if len(self) >= limit:
                break
            stop = start + BLOCK
            probabilities[start:stop] = self._sample_block(X[start:stop], coins[start:stop], limit)
        return coins < probabilities, probabilities

    def _sample_block(self, X: Array, coins: Array, limit: float) -> Array:
        before = self._covered.coordinates(X)
        unexplained = self._covered.unexplained(X, before)
        diagonal = self.kernel.diagonal(X)
        # row j: the coordinate that point j of those accepted in this block adds to all rows after it
        appended = np.empty((len(X), len(X)))
        probabilities = self._probability(unexplained)
        count, i = 0, -1
        while (hits := coins[i + 1 :] < probabilities[i + 1 :]).any():
            i += 1 + int(hits.argmax())
            own, probability = np.concatenate([before[:, i], appended[:count, i]]), float(probabilities[i])
            pivot = self._accept(X[i], probability, 1.0 / probability**self.power, own, float(diagonal[i]))
            if len(self) >= limit:
                probabilities[i + 1 :] = 0.0
                break
            covariance = self.kernel.gram(X[i : i + 1], X[i + 1 :])[0]
            covariance -= before[:, i] @ before[:, i + 1 :]
            covariance -= appended[:count, i] @ appended[:count, i + 1 :]
            appended[count, i + 1 :] = covariance * (probability ** (-0.5 * self.power) / pivot)
            unexplained[i + 1 :] -= np.square(appended[count, i + 1 :])
            probabilities[i + 1 :] = self._probability(unexplained[i + 1 :])
            count += 1
        self._covered.fold()
        return probabilities

    def _probability(self, unexplained: Array) -> Array:
        left = np.maximum(unexplained, 0.0)
        return np.asarray(np.minimum(1.0, self.beta * (1.0 + self.epsilon) * left / (self.ridge + left)))

    def _accept(self, x: Array, probability: float, weight: float, coordinates: Array, diagonal: float) -> float:
        """Add `x` to the dictionary; return the last diagonal entry of the new Cholesky factor of D K D + ridge I.

        K is the kernel matrix of the dictionary's points, and D the diagonal matrix of the roots of their weights. `x`
        was accepted with `probability`, and its weight is `weight`. `coordinates` is what `WeightedPoints.coordinates`
        returns for `x`, and `diagonal` is k(x, x).
        """
        self._atoms.append(x)
        self._probabilities.append(probability)
        return self._covered.append(x, weight, coordinates, diagonal)
