"""Squared distances between the rows of two matrices, exactly zero for rows that are equal.

The textbook formula |x|^2 + |z|^2 - 2 x'z is one matrix product, but for equal rows it gives about 1e-16 |x|^2 instead
of zero. With a bandwidth of 1e-3 the error in the kernel is 1e-10, enough to hide that the kernel matrix of a repeated
point has rank one. Therefore points of few coordinates are subtracted directly. For points of many coordinates the
product is used, and the distances of close pairs are computed again.
"""

from __future__ import annotations

import numpy as np
import scipy

from arena.arrays import Array
from arena.guards.disk import blocks, is_mapped

DIRECT_DIMENSIONS = 32  # number of coordinates up to which subtracting is as fast as the matrix product
CLOSE = 1e-4  # share of |x|^2 + |z|^2: smaller distances have lost 4 of 16 digits in the product formula
PAIRS = 65536  # close pairs computed again at once, which bounds the memory of their differences


def squared_norms(X: Array) -> Array:
    """Return |x|^2 for each row x of `X`; an array that lies in a file is read part by part."""
    if not is_mapped(X):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    return np.concatenate([np.einsum("ij,ij->i", X[rows], X[rows]) for rows in blocks(X)])


def squared_distances(X: Array, Z: Array) -> Array:
    """Return the matrix of |x_i - z_j|^2 for the rows x_i of `X` and z_j of `Z`."""
    if X.shape[1] <= DIRECT_DIMENSIONS:
        return np.asarray(scipy.spatial.distance.cdist(X, Z, "sqeuclidean"))
    sizes = np.einsum("ij,ij->i", X, X)[:, np.newaxis] + np.einsum("ij,ij->i", Z, Z)[np.newaxis, :]
    squared: Array = X @ (-2.0 * Z.T)
    squared += sizes
    sizes *= CLOSE
    rows, columns = np.nonzero(squared <= sizes)
    for start in range(0, len(rows), PAIRS):
        i, j = rows[start : start + PAIRS], columns[start : start + PAIRS]
        squared[i, j] = np.square(X[i] - Z[j]).sum(axis=1)
    return squared
