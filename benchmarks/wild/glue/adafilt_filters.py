"""Wrappers of adafilt's filters, which take a signal value by value.

The values of a row are pushed through the filter's delay line, and the last value causes the step.
"""

from adafilt import LMSFilter


class LMS:
    theorems = ("sgd(rate=0.05, halved=true, intercept=false)",)

    def __init__(self, n=3):
        self.filter = LMSFilter(n, stepsize=0.05, normalized=False)

    def predict(self, x):
        return float(self.filter.w @ x[::-1])

    def update(self, x, y):
        error = y - self.predict(x)
        for value in x[:-1]:
            self.filter.adapt(value, 0.0)
        self.filter.adapt(x[-1], error)


class NormalisedLMS(LMS):
    theorems = ("pa-2(task=regression, epsilon=0, aggressiveness=5, kernel=linear)",)  # 1 / (2 C) = 0.1

    def __init__(self, n=3):
        self.filter = LMSFilter(n, stepsize=1.0, epsilon_power=0.1)
