"""Wrappers of pyroomacoustics' adaptive filters; the values of a row are pushed through the filter's delay line."""

import numpy as np
from pyroomacoustics import adaptive


class RLS:
    theorems = ("rls-identity(regularisation=1)",)

    def __init__(self, n=3):
        self.filter = adaptive.RLS(n, lmbd=1.0, delta=1.0, dtype=np.float64)

    def predict(self, x):
        return float(self.filter.w @ x[::-1])

    def update(self, x, y):
        for value in x[:-1]:
            self.filter.x.push(value)
        self.filter.update(x[-1], y)


class NLMS:
    theorems = ("pa(task=regression, epsilon=0, kernel=linear)",)

    def __init__(self, n=3):
        self.filter = adaptive.NLMS(n, mu=1.0)

    def predict(self, x):
        return float(self.filter.w @ x[::-1])

    def update(self, x, y):
        for value in x[:-1]:
            adaptive.AdaptiveFilter.update(self.filter, value, 0.0)  # only moves the delay line
        self.filter.update(x[-1], y)
