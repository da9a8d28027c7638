"""Wrapper of pyoselm's extreme learning machine, which is first fitted to as many rows as it has hidden neurons."""

import numpy as np
from pyoselm import OSELMRegressor


class OSELM:
    def __init__(self):
        self.model, self.first = OSELMRegressor(n_hidden=10, activation_func="sigmoid", random_state=0), []

    def predict(self, x):
        return np.ravel(self.model.predict(x[np.newaxis])).item() if self.model.is_fitted else 0.0

    def update(self, x, y):
        self.first.append((x.copy(), y))
        if len(self.first) >= 10:
            rows, labels = zip(*self.first, strict=True)
            self.model.partial_fit(np.array(rows), np.array(labels)[:, np.newaxis])
            self.first = [] if self.model.is_fitted else self.first
