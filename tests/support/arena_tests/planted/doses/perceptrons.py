"""The kernel Perceptron and its relatives, and mistakes in them."""

import numpy as np

NOTHING = 1e-10


class Perceptron:
    """Correct: a mistake, or no answer at all, adds the point with its sign."""

    theorems = ("perceptron-mistakes",)
    doses = ()

    def __init__(self, dose=1.0):
        self.dose = dose

    def begin(self, game, rng):
        self.kernel, self.rng, self.game = game.kernel, rng, game
        self.points, self.weights = np.empty((0, game.dimension)), np.empty(0)
        self.round = self.mistakes = 0

    def predict(self, x):
        return float(self.peek(x[np.newaxis])[0])

    def peek(self, X):
        return self.kernel.gram(X, self.points) @ self.weights

    def update(self, x, y):
        self.round += 1
        sign, diagonal = float(np.sign(y)), float(self.kernel.diagonal(x[np.newaxis])[0])
        if sign and self.wrong(sign * self.predict(x), diagonal):
            self.mistakes += 1
            self.correct(x, sign)

    def wrong(self, margin, diagonal):
        return margin <= NOTHING * diagonal

    def correct(self, x, weight):
        self.points, self.weights = np.vstack([self.points, x]), np.append(self.weights, weight)


class NeverOnTies(Perceptron):
    """Margins within the dose of zero are no mistakes."""

    doses = (0.0, 0.01, 0.3)
    shortest = 2

    def wrong(self, margin, diagonal):
        return margin < -self.dose * diagonal


class CorrectRoundsToo(Perceptron):
    """Learns wherever the margin is below the dose."""

    doses = (np.inf, 10.0, 3.0)

    def wrong(self, margin, diagonal):
        return margin <= self.dose * diagonal


class WrongSign(Perceptron):
    """One correction in so many has the wrong sign."""

    doses = (1, 3, 10, 30)

    def correct(self, x, weight):
        super().correct(x, weight * (-1.0 if self.mistakes % self.dose == 0 else 1.0))


class LosesCorrections(Perceptron):
    """One in so many is lost."""

    doses = (1, 2, 5, 20)

    def correct(self, x, weight):
        if self.mistakes % self.dose:
            super().correct(x, weight)


class Budget(Perceptron):
    """The oldest atom goes when there are more than so many."""

    doses = (1, 3, 10, 30)

    def correct(self, x, weight):
        super().correct(x, weight)
        self.points, self.weights = self.points[-self.dose :], self.weights[-self.dose :]


class BudgetFull(Perceptron):
    """Nothing more is added when there are so many."""

    doses = (1, 3, 10, 30)

    def correct(self, x, weight):
        if len(self.weights) < self.dose:
            super().correct(x, weight)


class Fades(Perceptron):
    """All weights shrink by a factor at each mistake."""

    doses = (0.1, 0.5, 0.8, 0.95)

    def correct(self, x, weight):
        self.weights *= self.dose
        super().correct(x, weight)


class GrowingSteps(Perceptron):
    """Corrections grow, or fall, like the number of mistakes to this power."""

    doses = (3.0, 1.0, -1.0, 0.3)

    def correct(self, x, weight):
        super().correct(x, weight * self.mistakes**self.dose)


class MovedAtoms(Perceptron):
    """Coordinates of atoms are rounded to a multiple of the dose."""

    doses = (4.0, 2.0, 1.0)

    def correct(self, x, weight):
        super().correct(np.round(x / self.dose) * self.dose, weight)


class LabelForMargin(Perceptron):
    """A mistake is what is off by more than the dose, as in regression."""

    doses = (2.0, 1.5, 1.2)

    def wrong(self, margin, diagonal):
        return 1.0 - margin > self.dose


class OneSided(Perceptron):
    """Negative corrections have this share."""

    doses = (0.0, 0.2, 0.6)

    def correct(self, x, weight):
        super().correct(x, weight if weight > 0 else self.dose * weight)


class Delayed(Perceptron):
    """Corrections come so many mistakes late."""

    doses = (20, 5, 1)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.waiting = []

    def correct(self, x, weight):
        self.waiting.append((x.copy(), weight))
        if len(self.waiting) > self.dose:
            super().correct(*self.waiting.pop(0))


class Biased(Perceptron):
    """An intercept that is never learnt."""

    doses = (100.0, 3.0, 0.5)

    def peek(self, X):
        return super().peek(X) + self.dose


class Projectron(Perceptron):
    """Correct: a point near the span of the atoms is projected onto it; threshold 0.1."""

    theorems = ("projectron-mistakes(threshold=0.1)",)

    def correct(self, x, weight):
        known = len(self.points)
        if known:
            K = self.kernel.gram(self.points, self.points)
            column = self.kernel.gram(self.points, x[np.newaxis])[:, 0]
            along = np.linalg.solve(K, column)
            squared = float(self.kernel.diagonal(x[np.newaxis])[0]) - float(column @ along)
            if max(squared, 0.0) ** 0.5 <= self.threshold():
                self.weights = self.weights + weight * self.projected(along)
                return
        super().correct(x, weight)

    def threshold(self):
        return 0.1

    def projected(self, along):
        return along


class ProjectsTooMuch(Projectron):
    """The threshold is larger than claimed: the squared distance was compared with it, say."""

    doses = (10.0, 0.9, 0.6)
    harmless = (0.32,)

    def threshold(self):
        return self.dose


class DropsInsteadOfProjecting(Projectron):
    """This share of the projection is added."""

    doses = (-1.0, 0.0)
    harmless = (0.5,)

    def projected(self, along):
        return self.dose * along


class ProjectsOntoOneAtom(Projectron):
    """Only the largest coefficients of the projection are kept."""

    doses = (0, 1, 2)

    def projected(self, along):
        small = np.argsort(np.abs(along))[: max(len(along) - self.dose, 0)]
        along = along.copy()
        along[small] = 0.0
        return along


class Forgetron(Perceptron):
    """Correct: shrinks before it drops the oldest atom, by as much as the damage allows; budget 100."""

    theorems = ("forgetron-mistakes(budget=100)",)
    budget = 100

    def begin(self, game, rng):
        super().begin(game, rng)
        self.damage = 0.0

    def correct(self, x, weight):
        super().correct(x, weight)
        if len(self.weights) <= self.budget:
            return
        size = abs(float(self.weights[0]))
        margin = float(np.sign(self.weights[0])) * self.predict(self.points[0])
        shrink = self.shrink(size, margin, 15 / 32 * self.mistakes - self.damage)
        self.weights *= shrink
        self.damage += self.cost(shrink, size, margin)
        self.forget()

    def cost(self, shrink, size, margin):
        return (size * shrink) ** 2 + 2.0 * size * shrink * (1.0 - shrink * margin)

    def shrink(self, size, margin, allowed):
        if self.cost(1.0, size, margin) <= allowed:
            return 1.0
        return allowed / (size + np.sqrt(size**2 + (size**2 - 2.0 * size * margin) * allowed))

    def forget(self):
        self.points, self.weights = self.points[1:], self.weights[1:]


class BudgetTooSmall(Forgetron):
    """A budget far below the one that is claimed; the theorem speaks of small functions only."""

    doses = (1,)
    harmless = (4, 12, 40)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.budget = self.dose


class ShrinksWithoutNeed(Forgetron):
    """All weights shrink at every mistake, room or no room."""

    doses = (0.001, 0.01)
    harmless = (0.3, 0.7)

    def correct(self, x, weight):
        self.weights *= self.dose
        super().correct(x, weight)


class DropsTheNewest(Forgetron):
    """The victim is the newest atom; the dose is the budget."""

    doses = (1, 4, 12)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.budget = self.dose

    def forget(self):
        self.points, self.weights = self.points[:-1], self.weights[:-1]
