"""Learners on explicit features, and mistakes in the features and in what is done with them."""

import itertools
import math

import numpy as np


class FourierAwv:
    """Correct: the forecaster of Azoury, Warmuth and Vovk on random Fourier features of the Gaussian kernel."""

    theorems = ("pkawv-features",)
    doses = ()
    frequencies = 20

    def __init__(self, dose=1.0):
        self.dose = dose

    def begin(self, game, rng):
        bandwidth = getattr(game.kernel, "bandwidth", 1.0)
        self.game, self.rng, self.ridge = game, rng, game.regularisation
        self.spectrum = rng.standard_normal((self.frequencies, game.dimension)) / bandwidth
        self.clear()
        self.round = 0

    def clear(self):
        size = self.features(self.game.low).size
        self.inverse, self.sum = np.eye(size) / self.ridge, np.zeros(size)

    def features(self, x):
        phases = self.spectrum @ x
        return np.concatenate([np.cos(phases), np.sin(phases)]) / np.sqrt(len(phases))

    def predict(self, x):
        f = self.features(x)
        return float(f @ self.inverse @ self.sum / (1.0 + self.counted() * (f @ self.inverse @ f)))

    def counted(self):
        return 1.0

    def update(self, x, y):
        self.round += 1
        self.learn(self.features(x), y)

    def learn(self, f, y):
        column = self.inverse @ f
        self.inverse = self.inverse - np.outer(column, column) / (1.0 + f @ column)
        self.sum = self.sum + y * f

    def evidence(self):
        return {"frequencies": self.spectrum}


class ShermanMorrisonFactor(FourierAwv):
    """The rank-one correction has this share; -1 is the wrong sign."""

    doses = (0.0, 0.5, 0.9, 0.99)

    def learn(self, f, y):
        before = self.inverse
        super().learn(f, y)
        self.inverse = before + self.dose * (self.inverse - before)


class ShermanMorrisonWithoutOne(FourierAwv):
    """The denominator's one is this number."""

    doses = (3.0, 1.3, 1.02)

    def learn(self, f, y):
        column = self.inverse @ f
        self.inverse = self.inverse - np.outer(column, column) / (self.dose + f @ column)
        self.sum = self.sum + y * f


class AwvTermMissing(FourierAwv):
    """The current point counts this much."""

    doses = (0.0, 0.5, 3.0, 0.95)

    def counted(self):
        return self.dose


class StaleMatrix(FourierAwv):
    """The matrix is updated every so many rounds, with that round's features only."""

    doses = (10, 3, 2)

    def learn(self, f, y):
        before = self.inverse
        super().learn(f, y)
        if self.round % self.dose:
            self.inverse = before


class UpdatesTwice(FourierAwv):
    """Every so-manyth round enters the matrix twice: once in predict, once in update."""

    doses = (1, 3, 20)

    def learn(self, f, y):
        if self.round % self.dose == 0:
            super().learn(f, 0.0)
        super().learn(f, y)


class MissingNormalisation(FourierAwv):
    """Features times this factor: no 1 / sqrt(D), or no sqrt(2)."""

    doses = (20**0.5, 0.2, 2.0**0.5, 1.03)

    def features(self, x):
        return self.dose * super().features(x)


class PhasesMissing(FourierAwv):
    """The sines have this weight."""

    doses = (0.0, 0.5, 0.95)

    def features(self, x):
        f = super().features(x)
        f[len(f) // 2 :] *= self.dose
        return f


class OtherFrequencies(FourierAwv):
    """Frequencies in update that differ from those in predict by this share."""

    doses = (1.0, 0.2, 0.02)

    def update(self, x, y):
        super().update(x * (1.0 + self.dose), y)


class FewerFeatures(FourierAwv):
    """The last so many features are never used."""

    doses = (38, 20, 5, 1)

    def features(self, x):
        f = super().features(x)
        f[len(f) - self.dose :] = 0.0
        return f


class SymmetryLost(FourierAwv):
    """Only the lower triangle of the matrix is updated, up to a share."""

    doses = (1.0, 0.1, 0.01)

    def learn(self, f, y):
        before = self.inverse
        super().learn(f, y)
        self.inverse = self.inverse + self.dose * np.triu(before - self.inverse, 1)


class FadingSums(FourierAwv):
    """b fades and the matrix does not."""

    doses = (0.7, 0.97, 0.999)

    def learn(self, f, y):
        self.sum = self.dose * self.sum
        super().learn(f, y)


class TaylorAwv(FourierAwv):
    """Correct: the same on the Taylor features of the Gaussian kernel, degree 2; for that kernel alone."""

    theorems = ("pkawv-subspace-sharp", "pkawv-features")

    def features(self, x):
        z = x / getattr(self.game.kernel, "bandwidth", 1.0)
        powers = [p for p in itertools.product(range(3), repeat=len(z)) if sum(p) <= 2]
        scale = math.exp(-0.5 * float(z @ z))
        values = [self.coefficient(p) * np.prod(z ** np.array(p)) for p in powers]
        return scale * np.array(values)

    def coefficient(self, powers):
        return 1.0 / math.sqrt(math.prod(math.factorial(each) for each in powers))

    def evidence(self):
        return {"taylor_degree": np.array(2)}


class FactorialWithoutRoot(TaylorAwv):
    """The factorials to this power where the half is meant."""

    doses = (-1.0, 0.0, 1.0, 0.6)

    def coefficient(self, powers):
        return math.prod(math.factorial(each) for each in powers) ** -self.dose


class CrossTermsMissing(TaylorAwv):
    """Products of different coordinates count this much."""

    doses = (0.0, 0.7, 0.95)

    def coefficient(self, powers):
        return super().coefficient(powers) * (self.dose if sum(each > 0 for each in powers) > 1 else 1.0)


class FourierDescent(FourierAwv):
    """Correct: gradient descent on the same features, with steps 1 / sqrt(T); squared loss."""

    theorems = ("ogd-features",)

    def begin(self, game, rng):
        super().begin(game, rng)
        corner = np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high)
        self.rate = game.rounds**-0.5 / max(1.0, float(game.kernel.diagonal(corner[np.newaxis])[0]))

    def predict(self, x):
        return float(self.features(x) @ self.sum)

    def learn(self, f, y):
        self.sum = self.sum - self.rate * 2.0 * (f @ self.sum - y) * f


class DescentWithoutNormalisation(FourierDescent):
    """Features times this factor."""

    doses = (20**0.5, 0.1, 2.0**0.5, 0.5)

    def features(self, x):
        return self.dose * super().features(x)


class DescentOnHalfTheFeatures(FourierDescent):
    """The last so many features are never used."""

    doses = (38, 20, 5)

    def features(self, x):
        f = super().features(x)
        f[len(f) - self.dose :] = 0.0
        return f


class DescentStepTimes(FourierDescent):
    doses = (0.01, 6.0, 2.0, 0.3)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.rate *= self.dose
