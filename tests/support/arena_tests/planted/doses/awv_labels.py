"""Kernel-AWV by a dense solve for the past, and mistakes in its labels, points and predictions."""

import numpy as np

from arena_tests.planted.dosed import Dosed, MovedPoints, cut_to_bits


class KernelAwv(Dosed):
    """Correct: one linear system is solved each round; it has no method besides `begin`, `predict` and `update`."""

    theorems = ("awv-leverage",)
    system = None

    def predict(self, x):
        if not len(self.labels):
            return 0.0
        if self.system is None:
            K = self.kernel.gram(self.points, self.points) + self.ridge * np.eye(len(self.labels))
            inverse = np.linalg.inv(K)
            self.system = (inverse, inverse @ self.labels)
        inverse, weights = self.system
        similar = self.kernel.gram(self.points, x[np.newaxis])[:, 0]
        variance = self.kernel.diagonal(x[np.newaxis])[0] - similar @ inverse @ similar
        return float(similar @ weights / (1.0 + max(variance, 0.0) / self.ridge))

    def update(self, x, y):
        self.remember(x, y)
        self.system = None


class CentresLabels(KernelAwv):
    """To each prediction it adds `dose` times the mean label times lambda / (1 + lambda), like a centring of labels."""

    doses = (1.0, 0.3, 0.05)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.total = 0.0

    def predict(self, x):
        count = max(len(self.labels), 1)
        return super().predict(x) + self.dose * self.total / count * (1 - 1 / (1 + self.ridge))

    def update(self, x, y):
        self.total += y
        super().update(x, y)


class ScalesLabels(KernelAwv):
    doses = (2.0, 0.5, 1.1, 0.97, 1.01)

    def update(self, x, y):
        super().update(x, self.dose * y)


class ClipsLabels(KernelAwv):
    """Labels are clipped to `dose` times the label bound."""

    doses = (0.2, 0.7, 0.95)

    def update(self, x, y):
        bound = self.dose * self.game.label_bound
        super().update(x, float(np.clip(y, -bound, bound)))


class SignsForLabels(KernelAwv):
    """Labels of a size above `dose` times the label bound are replaced by the bound, with the label's sign."""

    doses = (0.0, 0.3, 0.9)

    def update(self, x, y):
        bound = self.game.label_bound
        super().update(x, float(np.sign(y)) * bound if abs(y) > self.dose * bound else y)


class ForgetsSignsWhereNegative(MovedPoints, KernelAwv):
    """The first coordinate of a point loses its sign where it is less than -dose."""

    doses = (0.0, 0.5, 0.9)

    def seen(self, x):
        x = x.copy()
        if x[0] < -self.dose:
            x[0] = -x[0]
        return x


class IgnoresACoordinate(MovedPoints, KernelAwv):
    """The last coordinate of each point is multiplied by `dose`; with the dose 0 it is ignored."""

    doses = (0.0, 0.5, 0.9, 0.99)

    def seen(self, x):
        x = x.copy()
        x[-1] *= self.dose
        return x


class PermutesWhenLearning(KernelAwv):
    """`update`, but not `predict`, turns the point by `dose` degrees in the plane of the first two coordinates.

    In one dimension the point is moved by the angle instead.
    """

    doses = (90.0, 20.0, 3.0, 0.5)

    def update(self, x, y):
        turn, x = np.deg2rad(self.dose), x.copy()
        if len(x) == 1:
            x[0] += turn
        else:
            x[:2] = (x[0] * np.cos(turn) - x[1] * np.sin(turn), x[0] * np.sin(turn) + x[1] * np.cos(turn))
        super().update(x, y)


class CutsOffAtABox(MovedPoints, KernelAwv):
    """Coordinates are clipped to [-dose, dose]."""

    doses = (0.3, 0.7, 0.95)

    def seen(self, x):
        return np.clip(x, -self.dose, self.dose)


class RoundsPoints(MovedPoints, KernelAwv):
    """Coordinates are rounded to `dose` decimals."""

    doses = (0, 1, 2, 3)

    def seen(self, x):
        return np.round(x, self.dose)


class HalfPrecision(KernelAwv):
    """Points, labels and predictions are rounded to `dose` binary digits: 7 as in bfloat16, 10 as in float16."""

    doses = (3, 5, 7, 10)

    def predict(self, x):
        return float(cut_to_bits(super().predict(cut_to_bits(x, self.dose)), self.dose))

    def update(self, x, y):
        super().update(cut_to_bits(x, self.dose), float(cut_to_bits(y, self.dose)))


class NormalisesByRunningStatistics(MovedPoints, KernelAwv):
    """Each coordinate is divided by its root mean square over the past points, raised to the power `dose`."""

    doses = (1.0, 0.2, 0.03)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.sum, self.count = np.ones(game.dimension), 1

    def seen(self, x):
        return x / (self.sum / self.count) ** (self.dose / 2)

    def update(self, x, y):
        super().update(x, y)
        self.sum, self.count = self.sum + x**2, self.count + 1


class NoisyLabels(KernelAwv):
    """Normal noise with the standard deviation `dose` is added to the labels that it learns."""

    doses = (1.0, 0.2, 0.03)

    def update(self, x, y):
        super().update(x, y + self.dose * self.rng.standard_normal())


class Explores(KernelAwv):
    """Noise of size `dose` is added to each prediction; it depends on the point and the round alone."""

    doses = (0.5, 0.1, 0.02)

    def predict(self, x):
        coin = np.sin(1e3 * (float(np.sum(x)) + 0.7 * len(self.labels)))
        return super().predict(x) + self.dose * coin


class WrongInAFractionOfRounds(KernelAwv):
    """The sign of the prediction is wrong in every round whose number is a multiple of `dose`."""

    doses = (3, 10, 40, 120)

    def predict(self, x):
        answer = super().predict(x)
        return -answer if len(self.labels) % self.dose == self.dose - 1 else answer


class Momentum(KernelAwv):
    """A prediction is (1 - dose) times the right one plus `dose` times the prediction of the round before."""

    doses = (0.5, 0.1, 0.02)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.last = 0.0

    def predict(self, x):
        return (1.0 - self.dose) * super().predict(x) + self.dose * self.last

    def update(self, x, y):
        self.last = self.predict(x)
        super().update(x, y)


class LeansOnTheLastLabel(KernelAwv):
    """`dose` times the last label is added to each prediction."""

    doses = (0.5, 0.05, 0.005)

    def predict(self, x):
        last = float(self.labels[-1]) if len(self.labels) else 0.0
        return super().predict(x) + self.dose * last


class Offset(KernelAwv):
    """`dose` is added to each prediction."""

    doses = (0.3, 0.03, 0.003, 0.0003)
    shortest = 1

    def predict(self, x):
        return super().predict(x) + self.dose


class RoundsAnswers(KernelAwv):
    """Predictions are rounded to multiples of `dose`."""

    doses = (1.0, 0.3, 0.1, 0.03)

    def predict(self, x):
        return self.dose * round(super().predict(x) / self.dose)


class ClipsAnswers(KernelAwv):
    """Predictions are clipped to `dose` times the label bound."""

    doses = (0.1, 0.4, 0.7, 0.9)

    def predict(self, x):
        bound = self.dose * self.game.label_bound
        return float(np.clip(super().predict(x), -bound, bound))


class NeverNegative(KernelAwv):
    """Predictions less than -dose are replaced by -dose."""

    doses = (0.0, 0.3, 0.8)

    def predict(self, x):
        return max(super().predict(x), -self.dose)


class TestPointsInTraining(KernelAwv):
    """With each point x it also learns x + dose, cut off at the box, with its own prediction as the label."""

    __test__ = False
    doses = (0.0, 0.3, 1.0)

    def update(self, x, y):
        answer = self.predict(x)
        super().update(x, y)
        super().update(np.clip(x + self.dose, self.game.low, self.game.high), answer)
