"""Gradient descent in an RKHS, and mistakes in it."""

import numpy as np

from arena_tests.planted.dosed import FirstAtoms, KernelSum, LateAtoms, NewestAtoms, RoundedAtoms


class Descent(KernelSum):
    """Correct: squared loss, constant steps 1 / sqrt(T), divided by the largest k(x, x) if this is above 1."""

    theorems = ("ogd",)

    def begin(self, game, rng):
        super().begin(game, rng)
        corner = np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high)
        self.rate = game.rounds**-0.5 / max(1.0, float(game.kernel.diagonal(corner[np.newaxis])[0]))

    def update(self, x, y):
        self.round += 1
        self.add(x, -self.step() * self.slope(self.predict(x), y))

    def step(self):
        return self.rate

    def slope(self, prediction, y):
        return 2.0 * (prediction - y)


class StepTimes(Descent):
    """The step is multiplied by `dose`; with the dose 0.5, the factor 2 of the gradient is forgotten."""

    doses = (0.01, 30.0, 4.0, 0.25, 2.0, 0.5, 1.2)

    def step(self):
        return self.dose * self.rate


class StepOverTime(Descent):
    """The step of round t is multiplied by t^dose."""

    doses = (-1.0, 0.5, -0.5, -0.25)

    def step(self):
        return self.rate * self.round**self.dose


class UnknownHorizon(Descent):
    """The steps are for a horizon of `dose` times T rounds, and at most 1."""

    doses = (1e-4, 1e4, 0.05, 20.0)

    def step(self):
        return min(self.rate / self.dose**0.5, 1.0)


class WrongSign(Descent):
    """The gradient has the wrong sign in every round whose number is a multiple of `dose`."""

    doses = (1, 3, 10, 30)

    def slope(self, prediction, y):
        return super().slope(prediction, y) * (-1.0 if self.round % self.dose == 0 else 1.0)


class AbsoluteLoss(Descent):
    """The gradient is `dose` times the absolute loss's plus (1 - dose) times the squared loss's."""

    doses = (1.0, 0.6, 0.3)

    def slope(self, prediction, y):
        error = prediction - y
        return (1.0 - self.dose) * 2.0 * error + self.dose * float(np.sign(error))


class ClippedGradient(Descent):
    """The loss's derivative is clipped to `dose` times the label bound."""

    doses = (0.05, 0.3, 1.0)

    def slope(self, prediction, y):
        most = self.dose * self.game.label_bound
        return float(np.clip(super().slope(prediction, y), -most, most))


class NothingToLearn(Descent):
    """A round is not learnt if the prediction is wrong by at most `dose` times the label bound."""

    doses = (0.95, 0.6, 0.3, 0.1)

    def slope(self, prediction, y):
        error = abs(prediction - y)
        return super().slope(prediction, y) if error > self.dose * self.game.label_bound else 0.0


class SlopeAtZero(Descent):
    """The loss's derivative is taken at `dose` times the prediction."""

    doses = (0.0, 0.5, 0.8)

    def slope(self, prediction, y):
        return super().slope(self.dose * prediction, y)


class ShrinksUnasked(Descent):
    """f is multiplied by `dose` after each round."""

    doses = (0.5, 0.9, 0.97, 0.99)

    def update(self, x, y):
        super().update(x, y)
        self.weights *= self.dose


class Budget(NewestAtoms, Descent):
    """Only the newest `dose` atoms are kept."""

    doses = (2, 10, 30, 80)


class BudgetFull(FirstAtoms, Descent):
    """No atom is added after the first `dose` atoms."""

    doses = (2, 10, 30, 80)


class RemovesTheHeaviest(Descent):
    """Only `dose` atoms are kept; the atom with the largest weight is removed."""

    doses = (2, 10, 30, 80)

    def add(self, x, weight):
        super().add(x, weight)
        if len(self.weights) > self.dose:
            kept = np.arange(len(self.weights)) != np.abs(self.weights).argmax()
            self.points, self.weights = self.points[kept], self.weights[kept]


class Momentum(Descent):
    """`dose` times the previous change of f is added to each step."""

    doses = (0.9, 0.5, 0.2)

    def add(self, x, weight):
        fresh = np.zeros(len(self.weights) + 1)
        if self.round > 1:
            fresh[:-1] = self.dose * (self.weights - self.before)
        self.before = np.append(self.weights, 0.0)
        super().add(x, weight)
        self.weights = self.weights + fresh


class DelayedSteps(LateAtoms, Descent):
    """Steps are taken `dose` rounds late."""

    doses = (60, 20, 5)


class SkipsRounds(Descent):
    """Rounds whose numbers are multiples of `dose` are not learnt."""

    doses = (1, 2, 4)

    def add(self, x, weight):
        if self.round % self.dose:
            super().add(x, weight)


class MovedAtoms(RoundedAtoms, Descent):
    """The coordinates of atoms are rounded to multiples of `dose`."""

    doses = (2.0, 1.0, 0.5)


class NarrowKernel(Descent):
    """The kernel is computed for coordinates multiplied by `dose`."""

    doses = (100.0, 5.0, 2.0)

    def peek(self, X):
        return self.kernel.gram(self.dose * X, self.dose * self.points) @ self.weights


class NegativeHalfMissing(Descent):
    """Predictions are at least -dose times the label bound."""

    doses = (0.0, 0.3, 0.7)

    def peek(self, X):
        return np.maximum(super().peek(X), -self.dose * self.game.label_bound)


class Averages(Descent):
    """Predictions are made with (1 - dose) f plus `dose` times the mean of all functions so far."""

    doses = (1.0, 0.7, 0.5)
    harmless = (0.2,)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.sums = np.empty(0)

    def peek(self, X):
        if not self.round:
            return np.zeros(len(X))
        own = (1.0 - self.dose) * self.weights + self.dose * self.sums / self.round
        return self.kernel.gram(X, self.points) @ own

    def add(self, x, weight):
        super().add(x, weight)
        self.sums = np.append(self.sums, 0.0) + self.weights


class ProjectedDescent(Descent):
    """Correct: `Descent` with f projected onto the ball of radius 1 after each round."""

    theorems = ("ogd-projected(radius=1)",)

    def update(self, x, y):
        super().update(x, y)
        norm = np.sqrt(max(self.weights @ self.kernel.gram(self.points, self.points) @ self.weights, 0.0))
        self.weights = self.weights * min(1.0, self.radius() / norm if norm > 0 else 1.0)

    def radius(self):
        return 1.0


class ProjectionTooTight(ProjectedDescent):
    """f is projected onto the ball of radius `dose`, which is smaller than the radius 1 that the theorem states."""

    doses = (0.05, 0.3, 0.7)

    def radius(self):
        return self.dose


class Pegasos(Descent):
    """Correct: steps 1 / (lambda t) on the loss plus (lambda / 2) |f|^2 with lambda = 1."""

    theorems = ("ogd-strongly-convex(shrinkage=1)",)

    def update(self, x, y):
        self.round += 1
        slope = self.slope(self.predict(x), y)
        self.weights = self.weights * self.shrink()
        self.add(x, -self.step() * slope)

    def step(self):
        return 1.0 / self.round

    def shrink(self):
        return 1.0 - 1.0 / self.round


class StepsFromZero(Pegasos):
    """The step of round t is 1 / (t + dose) instead of 1 / t."""

    doses = (100, 20, 5)

    def step(self):
        return 1.0 / (self.round + self.dose)


class ShrinkingForgotten(Pegasos):
    """f is multiplied by 1 - dose / t in round t, instead of 1 - 1 / t."""

    doses = (0.0, 0.5, 0.9)

    def shrink(self):
        return 1.0 - self.dose / self.round


class ShrinksAfterwards(Pegasos):
    """The weights of the newest `dose` atoms are not shrunk."""

    doses = (100, 20, 3)

    def update(self, x, y):
        recent = self.weights[-self.dose :].copy()
        super().update(x, y)
        if len(recent):
            self.weights[-len(recent) - 1 : -1] = recent


class ConstantSteps(Pegasos):
    """The steps 1 / t are replaced by `dose` where they are smaller."""

    doses = (0.5, 0.1, 0.02)

    def step(self):
        return max(1.0 / self.round, self.dose)
