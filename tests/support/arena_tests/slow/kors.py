"""KORS as its paper states it, with a new matrix inverse for each probability.

The matrix has the points of the dictionary and the new point, which has weight one.
"""

import numpy as np


def probability(kernel, atoms, probabilities, x, scales=None, scale=1.0, *, ridge, beta, epsilon=0.5, power=1):
    """Return the probability with which KORS accepts x.

    `atoms` are the accepted points, and `probabilities` are the probabilities with which they were accepted.
    """
    points = np.vstack([atoms, x])
    factors = np.append(np.ones(len(atoms)) if scales is None else scales, scale)
    weights = np.append(np.asarray(probabilities) ** (-power / 2), 1.0)
    K = kernel.gram(points, points) * np.outer(factors, factors)
    k = weights * K[:, -1]
    inverse = np.linalg.inv(weights[:, np.newaxis] * K * weights + ridge * np.eye(len(points)))
    return min(1.0, beta * (1 + epsilon) / ridge * (K[-1, -1] - k @ inverse @ k))


def sample(kernel, X, coins, **parameters):
    """Return the indices of the points that KORS accepts, and the probability of every point.

    A point is accepted if its coin is smaller than its probability.
    """
    kept, asked = [], []
    for t, x in enumerate(X):
        known = np.array(asked)[kept] if kept else np.empty(0)
        asked.append(probability(kernel, X[kept], known, x, **parameters))
        if coins[t] < asked[-1]:
            kept.append(t)
    return kept, np.array(asked)
