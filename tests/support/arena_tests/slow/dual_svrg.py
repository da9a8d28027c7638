"""DualSVRG with one coefficient for each round (theory B13); nothing is cached."""

import numpy as np

# the slopes of the losses by the margin
SLOPES = {
    "smooth-hinge(tau=0.5)": lambda m: -min(max((1.0 - m) / 0.5, 0.0), 1.0),
    "logistic": lambda m: -1.0 / (1.0 + np.exp(m)),
    "squared-hinge": lambda m: -2.0 * max(0.0, 1.0 - m),
}
SMOOTHNESS = {"smooth-hinge(tau=0.5)": 2.0, "logistic": 0.25, "squared-hinge": 2.0}


class DualSvrg:
    """The algorithm of theory B13, played in the constructor.

    `w` and `u` have one coefficient for each round. `moved[i]` is true if point i is represented by random features,
    and false if it is represented by the kernel.
    """

    def __init__(self, X, kernels, features, y, keep, *, loss, memory, period, rate=None, strength=0.1):
        slope, y = SLOPES[loss], np.sign(y)
        eta = 1.0 / (76.0 * SMOOTHNESS[loss]) if rate is None else rate
        fourier = features @ features.T
        w, u, past = np.zeros(len(X)), np.zeros(len(X)), []
        moved, self.core, self.checkpoint = np.zeros(len(X), dtype=bool), [], []
        self.predictions, self.sums, self.gaps = [], [], []
        for t in range(len(X)):
            inner = np.where(moved[:, np.newaxis], fourier, kernels)  # row i: the space where i lives
            self.predictions.append(w @ inner[:, t])
            self.gaps.append(abs(w @ kernels[:, t] - self.predictions[-1]))
            self.sums.append((np.abs(w).sum(), np.abs(w[moved]).sum()))
            self.checkpoint.append(u @ inner[:, t])
            if keep(X[self.core], X[t]):
                self.core.append(t)
            else:
                moved[t] = True
            v = np.zeros(len(X))
            v[t] = y[t] * (slope(y[t] * self.predictions[-1]) - slope(y[t] * self.checkpoint[-1]))
            remembered = range(max(0, t - memory + 1), t + 1)
            at_checkpoint = u @ np.where(moved[:, np.newaxis], fourier, kernels)
            for i in remembered:
                v[i] += slope(y[i] * at_checkpoint[i]) * y[i] / len(remembered)
            w = (w - eta * v) / (1.0 + eta * strength)
            past.append(w)
            if (t + 1) % period == 0:
                u = np.mean(past[-period:], axis=0)
                w = u
        self.moved, self.largest_gap = moved, np.abs(kernels - fourier).max()
