"""Kernels that tests observe."""

import numpy as np

from arena.game.kernels import Kernel


class CountingKernel(Kernel):
    """The linear kernel; counts how often it is asked for a matrix, and the most rows that it was asked for at once."""

    def __init__(self):
        self.questions, self.largest = 0, 0

    def gram(self, X, Z):
        self.questions, self.largest = self.questions + 1, max(self.largest, len(X))
        return X @ Z.T

    def diagonal(self, X):
        return np.einsum("ij,ij->i", X, X)
