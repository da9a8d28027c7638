"""Wrappers of reservoirpy's online readouts: linear models that learn one row at a time."""

import numpy as np
from reservoirpy import nodes


class RLS:
    theorems = ("rls-identity(regularisation=1)",)

    def __init__(self):
        self.node = nodes.RLS(alpha=1.0, fit_bias=False)

    def predict(self, x):
        return (x @ self.node.Wout).item() if self.node.initialized else 0.0

    def update(self, x, y):
        self.node.partial_fit(x[np.newaxis], np.array([[y]]))


class RLSWithBias:
    def __init__(self):
        self.node = nodes.RLS(alpha=1.0)

    def predict(self, x):
        return (x @ self.node.Wout + self.node.bias).item() if self.node.initialized else 0.0

    def update(self, x, y):
        self.node.partial_fit(x[np.newaxis], np.array([[y]]))


class LMS:
    theorems = ("sgd(rate=0.05, halved=true, intercept=false)",)

    def __init__(self):
        self.node = nodes.LMS(learning_rate=0.05, fit_bias=False)

    def predict(self, x):
        return (x @ self.node.Wout).item() if self.node.initialized else 0.0

    def update(self, x, y):
        self.node.partial_fit(x[np.newaxis], np.array([[y]]))
