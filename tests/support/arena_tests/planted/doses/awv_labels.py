"""Kernel-AWV by a solve over the whole past, and mistakes in the labels, the points and the answers."""

import numpy as np


class KernelAwv:
    """Correct: the representer theorem with one solve a round; it offers nothing but predict and update."""

    theorems = ("awv-leverage",)
    doses = ()

    def __init__(self, dose=0.0):
        self.dose = dose

    def begin(self, game, rng):
        self.kernel, self.ridge, self.rng, self.game = game.kernel, game.regularisation, rng, game
        self.points, self.labels = np.empty((0, game.dimension)), np.empty(0)
        self.system = None

    def predict(self, x):
        return self.predict_known(x)

    def predict_known(self, x):
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

    def remember(self, x, y):
        self.points, self.labels = np.vstack([self.points, x]), np.append(self.labels, y)
        self.system = None


class CentresLabels(KernelAwv):
    """Subtracts a share of the labels' running mean and adds it again."""

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
    """At this share of their bound."""

    doses = (0.2, 0.7, 0.95)

    def update(self, x, y):
        bound = self.dose * self.game.label_bound
        super().update(x, float(np.clip(y, -bound, bound)))


class SignsForLabels(KernelAwv):
    """Labels above the dose become the bound: regression mistaken for classification."""

    doses = (0.0, 0.3, 0.9)

    def update(self, x, y):
        bound = self.game.label_bound
        super().update(x, float(np.sign(y)) * bound if abs(y) > self.dose * bound else y)


class ForgetsSignsWhereNegative(KernelAwv):
    """Uses |x_1| beyond the dose on the negative side of the box."""

    doses = (0.0, 0.5, 0.9)

    def seen(self, x):
        x = x.copy()
        if x[0] < -self.dose:
            x[0] = -x[0]
        return x

    def predict(self, x):
        return super().predict(self.seen(x))

    def update(self, x, y):
        super().update(self.seen(x), y)


class IgnoresACoordinate(KernelAwv):
    """The last coordinate counts for this share."""

    doses = (0.0, 0.5, 0.9, 0.99)

    def seen(self, x):
        x = x.copy()
        x[-1] *= self.dose
        return x

    def predict(self, x):
        return super().predict(self.seen(x))

    def update(self, x, y):
        super().update(self.seen(x), y)


class PermutesWhenLearning(KernelAwv):
    """A turn of the first two coordinates in update and not in predict, in degrees; in one dimension a shift."""

    doses = (90.0, 20.0, 3.0, 0.5)

    def update(self, x, y):
        turn, x = np.deg2rad(self.dose), x.copy()
        if len(x) == 1:
            x[0] += turn
        else:
            x[:2] = (x[0] * np.cos(turn) - x[1] * np.sin(turn), x[0] * np.sin(turn) + x[1] * np.cos(turn))
        super().update(x, y)


class CutsOffAtABox(KernelAwv):
    """Coordinates beyond this size are cut off."""

    doses = (0.3, 0.7, 0.95)

    def predict(self, x):
        return super().predict(np.clip(x, -self.dose, self.dose))

    def update(self, x, y):
        super().update(np.clip(x, -self.dose, self.dose), y)


class RoundsPoints(KernelAwv):
    """To so many decimals."""

    doses = (0, 1, 2, 3)

    def predict(self, x):
        return super().predict(np.round(x, self.dose))

    def update(self, x, y):
        super().update(np.round(x, self.dose), y)


class HalfPrecision(KernelAwv):
    """Points, labels and answers have so many bits: 7 is bfloat16, 10 is float16."""

    doses = (3, 5, 7, 10)

    def short(self, value):
        mantissa, exponent = np.frexp(np.asarray(value, dtype=float))
        return np.ldexp(np.round(mantissa * 2.0**self.dose) / 2.0**self.dose, exponent)

    def predict(self, x):
        return float(self.short(super().predict(self.short(x))))

    def update(self, x, y):
        super().update(self.short(x), float(self.short(y)))


class NormalisesByRunningStatistics(KernelAwv):
    """Points over their running spread, to a power."""

    doses = (1.0, 0.2, 0.03)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.sum, self.count = np.ones(game.dimension), 1

    def seen(self, x):
        return x / (self.sum / self.count) ** (self.dose / 2)

    def predict(self, x):
        return super().predict(self.seen(x))

    def update(self, x, y):
        super().update(self.seen(x), y)
        self.sum, self.count = self.sum + x**2, self.count + 1


class NoisyLabels(KernelAwv):
    """Adds noise to what it learns, a debugging aid left in."""

    doses = (1.0, 0.2, 0.03)

    def update(self, x, y):
        super().update(x, y + self.dose * self.rng.standard_normal())


class Explores(KernelAwv):
    """Noise in its answers, the same however often it is asked."""

    doses = (0.5, 0.1, 0.02)

    def predict(self, x):
        coin = np.sin(1e3 * (float(np.sum(x)) + 0.7 * len(self.labels)))
        return super().predict(x) + self.dose * coin


class WrongInAFractionOfRounds(KernelAwv):
    """The sign of the answer is wrong in one round of so many."""

    doses = (3, 10, 40, 120)

    def predict(self, x):
        answer = super().predict(x)
        return -answer if len(self.labels) % self.dose == self.dose - 1 else answer


class Momentum(KernelAwv):
    """Answers are mixed with the last one that was right to be sure of."""

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
    """The last label leaks into every answer."""

    doses = (0.5, 0.05, 0.005)

    def predict(self, x):
        last = float(self.labels[-1]) if len(self.labels) else 0.0
        return super().predict(x) + self.dose * last


class Offset(KernelAwv):
    """An intercept that is added and never learnt."""

    doses = (0.3, 0.03, 0.003, 0.0003)
    shortest = 1

    def predict(self, x):
        return super().predict(x) + self.dose


class RoundsAnswers(KernelAwv):
    """To a grid of this width."""

    doses = (1.0, 0.3, 0.1, 0.03)

    def predict(self, x):
        return self.dose * round(super().predict(x) / self.dose)


class ClipsAnswers(KernelAwv):
    """At this share of the label bound."""

    doses = (0.1, 0.4, 0.7, 0.9)

    def predict(self, x):
        bound = self.dose * self.game.label_bound
        return float(np.clip(super().predict(x), -bound, bound))


class NeverNegative(KernelAwv):
    """Answers below minus the dose are cut off."""

    doses = (0.0, 0.3, 0.8)

    def predict(self, x):
        return max(super().predict(x), -self.dose)


class TestPointsInTraining(KernelAwv):
    """Each point that it learns brings a copy a little apart, with its own answer for a label."""

    __test__ = False
    doses = (0.0, 0.3, 1.0)

    def update(self, x, y):
        answer = self.predict(x)
        super().update(x, y)
        super().update(np.clip(x + self.dose, self.game.low, self.game.high), answer)
