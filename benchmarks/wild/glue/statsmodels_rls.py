"""Wrapper of statsmodels' recursive least squares, which cannot add a row: it is fitted again to all past rows."""

import numpy as np
from statsmodels.regression.recursive_ls import RecursiveLS


class RecursiveLeastSquares:
    def __init__(self):
        self.rows, self.labels, self.weights = [], [], None

    def predict(self, x):
        if len(self.rows) <= len(x):
            return 0.0
        if self.weights is None:
            fitted = RecursiveLS(np.array(self.labels), np.array(self.rows)).fit()
            self.weights = np.asarray(fitted.params)
        return float(self.weights @ x)

    def update(self, x, y):
        self.rows, self.labels, self.weights = [*self.rows, x.copy()], [*self.labels, y], None
