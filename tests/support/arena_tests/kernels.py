"""A kernel that counts how often it is computed."""

import numpy as np

from arena.game.kernels import Kernel


class CountingKernel(Kernel):
    """The linear kernel; `questions` counts calls of `gram`, and `largest` is the most rows of X in a call."""

    def __init__(self):
        self.questions, self.largest = 0, 0

    def gram(self, X, Z):
        self.questions, self.largest = self.questions + 1, max(self.largest, len(X))
        return X @ Z.T

    def diagonal(self, X):
        return np.einsum("ij,ij->i", X, X)
