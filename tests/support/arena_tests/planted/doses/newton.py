"""Kernel online Newton steps in the dual form, and mistakes in them."""

import numpy as np

from arena_tests.planted.dosed import Dosed


class Kons(Dosed):
    """Correct: KONS for the squared loss, with a dense solve each round.

    The coefficients are not divided by the gradient, so that a zero gradient is no special case.
    """

    theorems = ("kons-gradients", "kons-logdet")

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bound = game.clip
        self.alpha, self.eta = 1.0, 1.0 / (2.0 * (game.label_bound + game.clip) ** 2)

    def clear(self):
        super().clear()
        self.coefficients, self.slopes, self.solved = np.empty(0), np.empty(0), None

    def peek(self, X):
        return self.clipped(self.ahead(X)[0])

    def clipped(self, values):
        return np.clip(values, -self.bound, self.bound)

    def ahead(self, X):
        """Return phi' u and phi' A^-1 phi for the feature phi = k(x, .) of each row x of X."""
        if self.solved is None:
            K, D = self.kernel.gram(self.points, self.points), self.slopes * np.sqrt(self.steps())
            inverse = np.linalg.inv(D[:, np.newaxis] * K * D + self.alpha * np.eye(len(D)))
            inner = D[:, np.newaxis] * inverse * D
            self.solved = (inner, self.coefficients - inner @ (K @ self.coefficients))
        inner, weights = self.solved
        cross = self.kernel.gram(X, self.points)
        known = np.einsum("ij,jk,ik->i", cross, inner, cross, optimize=True)
        return cross @ weights / self.alpha, (self.kernel.diagonal(X) - known) / self.alpha

    def steps(self):
        return np.full(len(self.slopes), self.eta)

    def update(self, x, y):
        self.round += 1
        value, energy = (float(found[0]) for found in self.ahead(x[np.newaxis]))
        prediction = float(self.clipped(value))
        slope, excess = self.slope(prediction, y), value - prediction
        coefficient = self.eta * slope**2 * self.carried(prediction) - slope
        coefficient -= self.projection(excess, energy)
        self.learn(x, coefficient, slope)

    def slope(self, prediction, y):
        return 2.0 * (prediction - y)

    def carried(self, prediction):
        return prediction

    def projection(self, excess, energy):
        return excess / energy if excess and energy > 0 else 0.0

    def learn(self, x, coefficient, slope):
        self.points = np.vstack([self.points, x])
        self.coefficients = np.append(self.coefficients, coefficient)
        self.slopes, self.solved = np.append(self.slopes, slope), None


class StepTimes(Kons):
    """Eta is multiplied by `dose`."""

    doses = (100.0, 0.01, 8.0, 0.125, 2.0)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.eta *= self.dose


class SlopeTimes(Kons):
    """The loss's derivative is multiplied by `dose`."""

    doses = (-1.0, 0.1, 4.0, 0.5, 0.8)

    def slope(self, prediction, y):
        return self.dose * super().slope(prediction, y)


class AlphaTimes(Kons):
    """Alpha is `dose` instead of 1."""

    doses = (1000.0, 0.001, 30.0, 0.1)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.alpha = self.dose


class ProjectionMissing(Kons):
    """Predictions are clipped, but the projection moves the function by `dose` times as much as it should."""

    doses = (-1.0, -0.5)
    harmless = (0.0, 0.5)

    def projection(self, excess, energy):
        return self.dose * super().projection(excess, energy)


class ClipsTooLow(Kons):
    doses = (0.05, 0.3, 0.7)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bound *= self.dose


class OldPredictionMissing(Kons):
    """The term with the current prediction in the new coefficient is multiplied by `dose`."""

    doses = (0.0, 2.0, 0.5)
    harmless = (0.9,)

    def carried(self, prediction):
        return self.dose * prediction


class StepBeforeTheMatrix(Kons):
    """Each gradient enters the matrix `dose` rounds late."""

    doses = (20, 5, 1)

    def steps(self):
        steps = super().steps()
        steps[len(steps) - self.dose :] = 0.0
        return steps


class MatrixWithoutSquares(Kons):
    """The matrix has |g|^dose in place of g^2."""

    doses = (0.0, 1.0, 3.0, 1.8)

    def learn(self, x, coefficient, slope):
        super().learn(x, coefficient, float(np.sign(slope)) * abs(slope) ** (self.dose / 2.0))


class ForgetsGradients(Kons):
    """All past coefficients are multiplied by `dose` in each round."""

    doses = (0.5, 0.9, 0.99)

    def learn(self, x, coefficient, slope):
        self.coefficients *= self.dose
        super().learn(x, coefficient, slope)


class Window(Kons):
    """Only the latest `dose` gradients are kept."""

    doses = (2, 10, 40)

    def learn(self, x, coefficient, slope):
        super().learn(x, coefficient, slope)
        last = slice(-self.dose, None)
        self.points, self.coefficients, self.slopes = self.points[last], self.coefficients[last], self.slopes[last]


class StopsLearning(Kons):
    """Only the first `dose` rounds are learnt."""

    doses = (2, 10, 40)

    def learn(self, x, coefficient, slope):
        if len(self.slopes) < self.dose:
            super().learn(x, coefficient, slope)


class RestartsForNoReason(Kons):
    """Everything is forgotten after every `dose` rounds."""

    doses = (2, 10, 40)

    def learn(self, x, coefficient, slope):
        super().learn(x, coefficient, slope)
        if self.round % self.dose == 0:
            self.clear()


class DropsSmallGradients(Kons):
    """Gradients of at most `dose` times the largest possible gradient are dropped."""

    doses = (0.9, 0.45, 0.2)

    def learn(self, x, coefficient, slope):
        if abs(slope) > self.dose * 4.0 * self.bound:
            super().learn(x, coefficient, slope)


class DenseProjectionOnZero(Kons):
    """The coefficient of a round is replaced by zero if the size of the gradient is at most `dose`."""

    doses = (3.0, 2.0, 1.0)
    harmless = (0.1,)

    def learn(self, x, coefficient, slope):
        super().learn(x, coefficient if abs(slope) > self.dose else 0.0, slope)
