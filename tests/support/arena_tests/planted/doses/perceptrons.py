"""The kernel Perceptron and its relatives, and mistakes in them.

The margin of a round is the prediction times the sign of the label. A correct learner makes a correction after each
mistake, which is a round whose margin is not positive.
"""

import numpy as np

from arena_tests.planted.dosed import FirstAtoms, KernelSum, LateAtoms, NewestAtoms, RoundedAtoms

NOTHING = 1e-10


class Perceptron(KernelSum):
    """Correct: after each mistake the point is added with the sign of its label as its weight."""

    theorems = ("perceptron-mistakes",)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.mistakes = 0

    def update(self, x, y):
        self.round += 1
        sign, diagonal = float(np.sign(y)), float(self.kernel.diagonal(x[np.newaxis])[0])
        if sign and self.wrong(sign * self.predict(x), diagonal):
            self.mistakes += 1
            self.add(x, sign)

    def wrong(self, margin, diagonal):
        return margin <= NOTHING * diagonal


class NeverOnTies(Perceptron):
    """Margins of at least -dose times k(x, x) are not counted as mistakes."""

    doses = (0.0, 0.01, 0.3)
    shortest = 2

    def wrong(self, margin, diagonal):
        return margin < -self.dose * diagonal


class CorrectRoundsToo(Perceptron):
    """Margins of at most `dose` times k(x, x) are counted as mistakes."""

    doses = (np.inf, 10.0, 3.0)

    def wrong(self, margin, diagonal):
        return margin <= self.dose * diagonal


class WrongSign(Perceptron):
    """Every correction whose number is a multiple of `dose` has the wrong sign."""

    doses = (1, 3, 10, 30)

    def add(self, x, weight):
        super().add(x, weight * (-1.0 if self.mistakes % self.dose == 0 else 1.0))


class LosesCorrections(Perceptron):
    """Every correction whose number is a multiple of `dose` is left out."""

    doses = (1, 2, 5, 20)

    def add(self, x, weight):
        if self.mistakes % self.dose:
            super().add(x, weight)


class Budget(NewestAtoms, Perceptron):
    """Only the newest `dose` atoms are kept."""

    doses = (1, 3, 10, 30)


class BudgetFull(FirstAtoms, Perceptron):
    """No atom is added after the first `dose` atoms."""

    doses = (1, 3, 10, 30)


class Fades(Perceptron):
    """All weights are multiplied by `dose` at each mistake."""

    doses = (0.1, 0.5, 0.8, 0.95)

    def add(self, x, weight):
        self.weights *= self.dose
        super().add(x, weight)


class GrowingSteps(Perceptron):
    """Each correction is multiplied by (number of mistakes so far)^dose."""

    doses = (3.0, 1.0, -1.0, 0.3)

    def add(self, x, weight):
        super().add(x, weight * self.mistakes**self.dose)


class MovedAtoms(RoundedAtoms, Perceptron):
    """The coordinates of atoms are rounded to multiples of `dose`."""

    doses = (4.0, 2.0, 1.0)


class LabelForMargin(Perceptron):
    """Margins less than 1 - dose are counted as mistakes."""

    doses = (2.0, 1.5, 1.2)

    def wrong(self, margin, diagonal):
        return 1.0 - margin > self.dose


class OneSided(Perceptron):
    """Corrections with a negative sign are multiplied by `dose`."""

    doses = (0.0, 0.2, 0.6)

    def add(self, x, weight):
        super().add(x, weight if weight > 0 else self.dose * weight)


class Delayed(LateAtoms, Perceptron):
    """Each correction is made `dose` mistakes late."""

    doses = (20, 5, 1)


class Biased(Perceptron):
    """`dose` is added to each prediction."""

    doses = (100.0, 3.0, 0.5)

    def peek(self, X):
        return super().peek(X) + self.dose


class Projectron(Perceptron):
    """Correct: a point at a distance of at most 0.1 from the span of the atoms is projected onto the span."""

    theorems = ("projectron-mistakes(threshold=0.1)",)

    def add(self, x, weight):
        known = len(self.points)
        if known:
            K = self.kernel.gram(self.points, self.points)
            column = self.kernel.gram(self.points, x[np.newaxis])[:, 0]
            along = np.linalg.solve(K, column)
            squared = float(self.kernel.diagonal(x[np.newaxis])[0]) - float(column @ along)
            if max(squared, 0.0) ** 0.5 <= self.threshold():
                self.weights = self.weights + weight * self.projected(along)
                return
        super().add(x, weight)

    def threshold(self):
        return 0.1

    def projected(self, along):
        return along


class ProjectsTooMuch(Projectron):
    """The threshold of the projection is `dose` instead of 0.1."""

    doses = (10.0, 0.9, 0.6)
    harmless = (0.32,)

    def threshold(self):
        return self.dose


class DropsInsteadOfProjecting(Projectron):
    """The projection is multiplied by `dose` before it is added."""

    doses = (-1.0, 0.0)
    harmless = (0.5,)

    def projected(self, along):
        return self.dose * along


class ProjectsOntoOneAtom(Projectron):
    """Only the `dose` largest coefficients of the projection are kept."""

    doses = (0, 1, 2)

    def projected(self, along):
        small = np.argsort(np.abs(along))[: max(len(along) - self.dose, 0)]
        along = along.copy()
        along[small] = 0.0
        return along


class Forgetron(Perceptron):
    """Correct: with the budget 100, it removes the oldest atom after it has shrunk all weights as far as necessary."""

    theorems = ("forgetron-mistakes(budget=100)",)
    budget = 100

    def begin(self, game, rng):
        super().begin(game, rng)
        self.damage = 0.0

    def add(self, x, weight):
        super().add(x, weight)
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
    """The budget is `dose`, although the theorem is about the budget 100."""

    doses = (1,)
    harmless = (4, 12, 40)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.budget = self.dose


class ShrinksWithoutNeed(Forgetron):
    """All weights are multiplied by `dose` at each mistake."""

    doses = (0.001, 0.01)
    harmless = (0.3, 0.7)

    def add(self, x, weight):
        self.weights *= self.dose
        super().add(x, weight)


class DropsTheNewest(Forgetron):
    """The budget is `dose`, and the newest atom is removed instead of the oldest."""

    doses = (1, 4, 12)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.budget = self.dose

    def forget(self):
        self.points, self.weights = self.points[:-1], self.weights[:-1]
