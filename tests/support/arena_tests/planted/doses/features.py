"""Learners on explicit features, and mistakes in the features, the matrices and the steps."""

import itertools
import math

import numpy as np

from arena_tests.planted.dosed import Dosed


class FourierAwv(Dosed):
    """Correct: the forecaster of Azoury, Warmuth and Vovk on random Fourier features of the Gaussian kernel."""

    theorems = ("pkawv-features",)
    frequencies = 20

    def begin(self, game, rng):
        bandwidth = getattr(game.kernel, "bandwidth", 1.0)
        self.spectrum = rng.standard_normal((self.frequencies, game.dimension)) / bandwidth
        super().begin(game, rng)

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
    """The change of the inverse matrix in each round is multiplied by `dose`."""

    doses = (0.0, 0.5, 0.9, 0.99)

    def learn(self, f, y):
        before = self.inverse
        super().learn(f, y)
        self.inverse = before + self.dose * (self.inverse - before)


class ShermanMorrisonWithoutOne(FourierAwv):
    """The divisor 1 + f' A^-1 f of the Sherman-Morrison formula is replaced by `dose` + f' A^-1 f."""

    doses = (3.0, 1.3, 1.02)

    def learn(self, f, y):
        column = self.inverse @ f
        self.inverse = self.inverse - np.outer(column, column) / (self.dose + f @ column)
        self.sum = self.sum + y * f


class AwvTermMissing(FourierAwv):
    """The divisor 1 + f' A^-1 f of the prediction is replaced by 1 + dose f' A^-1 f."""

    doses = (0.0, 0.5, 3.0, 0.95)

    def counted(self):
        return self.dose


class StaleMatrix(FourierAwv):
    """The matrix learns only rounds whose numbers are multiples of `dose`."""

    doses = (10, 3, 2)

    def learn(self, f, y):
        before = self.inverse
        super().learn(f, y)
        if self.round % self.dose:
            self.inverse = before


class UpdatesTwice(FourierAwv):
    """The matrix learns rounds whose numbers are multiples of `dose` twice."""

    doses = (1, 3, 20)

    def learn(self, f, y):
        if self.round % self.dose == 0:
            super().learn(f, 0.0)
        super().learn(f, y)


class MissingNormalisation(FourierAwv):
    """The features are multiplied by `dose`, as if a factor 1 / sqrt(D) or sqrt(2) were missing."""

    doses = (20**0.5, 0.2, 2.0**0.5, 1.03)

    def features(self, x):
        return self.dose * super().features(x)


class PhasesMissing(FourierAwv):
    """The sines among the features are multiplied by `dose`."""

    doses = (0.0, 0.5, 0.95)

    def features(self, x):
        f = super().features(x)
        f[len(f) // 2 :] *= self.dose
        return f


class OtherFrequencies(FourierAwv):
    """In `update`, the frequencies are multiplied by 1 + dose."""

    doses = (1.0, 0.2, 0.02)

    def update(self, x, y):
        super().update(x * (1.0 + self.dose), y)


class FewerFeatures(FourierAwv):
    """The last `dose` features are replaced by zero."""

    doses = (38, 20, 5, 1)

    def features(self, x):
        f = super().features(x)
        f[len(f) - self.dose :] = 0.0
        return f


class SymmetryLost(FourierAwv):
    """Above the diagonal, the inverse matrix changes by only 1 - dose times as much as it should."""

    doses = (1.0, 0.1, 0.01)

    def learn(self, f, y):
        before = self.inverse
        super().learn(f, y)
        self.inverse = self.inverse + self.dose * np.triu(before - self.inverse, 1)


class FadingSums(FourierAwv):
    """The sum of label times features is multiplied by `dose` in each round; the matrix is not."""

    doses = (0.7, 0.97, 0.999)

    def learn(self, f, y):
        self.sum = self.dose * self.sum
        super().learn(f, y)


class TaylorAwv(FourierAwv):
    """Correct: the same forecaster on Taylor features of degree 2 of the Gaussian kernel."""

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
    """The coefficients of the Taylor features have factorials to the power `dose` in the divisor, instead of 1/2."""

    doses = (-1.0, 0.0, 1.0, 0.6)

    def coefficient(self, powers):
        return math.prod(math.factorial(each) for each in powers) ** -self.dose


class CrossTermsMissing(TaylorAwv):
    """Taylor features that are products of different coordinates are multiplied by `dose`."""

    doses = (0.0, 0.7, 0.95)

    def coefficient(self, powers):
        return super().coefficient(powers) * (self.dose if sum(each > 0 for each in powers) > 1 else 1.0)


class FourierDescent(FourierAwv):
    """Correct: gradient descent on random Fourier features, with steps 1 / sqrt(T) and the squared loss."""

    theorems = ("ogd-features",)

    def begin(self, game, rng):
        super().begin(game, rng)
        corner = np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high)
        self.rate = game.rounds**-0.5 / max(1.0, float(game.kernel.diagonal(corner[np.newaxis])[0]))

    def predict(self, x):
        return float(self.features(x) @ self.sum)

    def learn(self, f, y):
        self.sum = self.sum - self.rate * 2.0 * (f @ self.sum - y) * f


class DescentWithoutNormalisation(MissingNormalisation, FourierDescent):
    doses = (20**0.5, 0.1, 2.0**0.5, 0.5)


class DescentOnHalfTheFeatures(FewerFeatures, FourierDescent):
    doses = (38, 20, 5)


class DescentStepTimes(FourierDescent):
    doses = (0.01, 6.0, 2.0, 0.3)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.rate *= self.dose
