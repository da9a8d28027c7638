"""Wrappers of adaptfilt's functions, which filter a whole signal: each row is a signal that causes exactly one step."""

import adaptfilt
import numpy as np


class LMS:
    theorems = ("sgd(rate=0.05, halved=true, intercept=false)",)

    def __init__(self, n=3):
        self.w = np.zeros(n)

    def predict(self, x):
        return float(self.w @ x)

    def update(self, x, y):
        self.w = adaptfilt.lms(x[::-1], np.full(len(x), y), len(x), 0.05, initCoeffs=self.w)[2]


class NormalisedLMS:
    theorems = ("pa-2(task=regression, epsilon=0, aggressiveness=5, kernel=linear)",)  # 1 / (2 C) = 0.1

    def __init__(self, n=3):
        self.w = np.zeros(n)

    def predict(self, x):
        return float(self.w @ x)

    def update(self, x, y):
        self.w = adaptfilt.nlms(x[::-1], np.full(len(x), y), len(x), 1.0, eps=0.1, initCoeffs=self.w)[2]
