"""A learner by hand, in which mistakes and misbehaviour are planted."""

import numpy as np
import pytest


class ByHand:
    """Kernel-AWV with lambda = 1 and bandwidth 1, written by somebody who knows nothing of games."""

    regularisation = 1.0

    def __init__(self):
        self.points, self.labels = [], []

    def predict(self, x):
        if not self.points:
            return 0.0
        past = np.array([*self.points, x])
        K = np.exp(-((past[:, None] - past[None]) ** 2).sum(axis=2) / 2)
        return float(K[-1] @ np.linalg.solve(K + self.regularisation * np.eye(len(K)), [*self.labels, 0.0]))

    def update(self, x, y):
        self.points.append(np.array(x))
        self.labels.append(y)


@pytest.fixture(scope="session")
def by_hand():
    """A correct learner, to be made wrong."""
    return ByHand
