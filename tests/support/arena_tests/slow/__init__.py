"""Slow twins: implementations that are obviously right, with which the fast implementations are compared.

They follow the papers line by line, keep a coefficient for every round, solve every system anew, and may take O(T^3).
"""

import numpy as np


def gaussian(X, Z, bandwidth):
    """Return the Gaussian kernel matrix of the rows of X and the rows of Z."""
    return np.exp(-((X[:, np.newaxis] - Z[np.newaxis]) ** 2).sum(axis=2) / (2 * bandwidth**2))
