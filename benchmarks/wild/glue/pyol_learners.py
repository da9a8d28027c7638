"""Linear regression by PyOL's algorithms for linear losses, which get gradients of the squared or the absolute loss."""

import numpy as np
from pyol import (
    KT,
    VAW,
    CoordinateWise,
    L2OptimisticFTRL,
    L2OptimisticOMD,
    LearningRateConstant,
    LearningRateSqrtSumSquareGrads,
)


class VovkAzouryWarmuth:
    def __init__(self, n=3):
        self.model = VAW(n, l=1)

    def predict(self, x):
        return float(self.model.get_x(x) @ x)

    def update(self, x, y):
        self.model.update(x, y)


class MirrorDescent:
    theorems = ("sgd(rate=0.05, intercept=false)",)

    def __init__(self, n=3):
        self.model = L2OptimisticOMD(n, lr_handler=LearningRateConstant(0.05))

    def predict(self, x):
        return float(self.model.get_x() @ x)

    def update(self, x, y):
        self.model.update(2 * (self.predict(x) - y) * x)


class RegularisedLeader:
    def __init__(self, n=3):
        self.model = L2OptimisticFTRL(n, lr_handler=LearningRateSqrtSumSquareGrads(1.0))

    def predict(self, x):
        return float(self.model.get_x() @ x)

    def update(self, x, y):
        self.model.update(2 * (self.predict(x) - y) * x)


class Coins:
    """Linear regression by coin betting in each coordinate, on gradients of the absolute loss.

    The gradients lie in [-1, 1] if all features do.
    """

    def __init__(self, n=3):
        self.model = CoordinateWise(n, [KT(1) for _ in range(n)])

    def predict(self, x):
        return float(self.model.get_x() @ x)

    def update(self, x, y):
        self.model.update(np.sign(self.predict(x) - y) * x)
