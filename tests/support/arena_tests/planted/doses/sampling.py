"""Newton steps in the span of a KORS dictionary, and mistakes in the sampling, the restarts and the coordinates."""

import numpy as np

from arena_tests.planted.dosed import Dosed

TINY = 1e-10


class ConKons(Dosed):
    """Correct: Con-KONS, which continues its Newton steps when the dictionary grows."""

    theorems = ("epoch-gradients",)
    alpha, gamma, beta, epsilon = 1.0, 1.0, 1.0, 0.5

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bound = game.clip
        self.eta = 0.25 / (game.label_bound + game.clip) ** 2
        self.atoms = np.empty((0, game.dimension))
        self.basis = np.empty((0, game.dimension))
        self.probabilities, self.accepted, self.restarts = [], [], []
        self.size = 0
        self.restart()

    def restart(self):
        self.A, self.Au = self.alpha * np.eye(len(self.basis)), np.zeros(len(self.basis))

    def predict(self, x):
        f = self.coordinates(x)
        return float(np.clip(f @ np.linalg.solve(self.A, self.Au), -self.bound, self.bound)) if len(f) else 0.0

    def coordinates(self, x):
        return self.projected(x)

    def projected(self, x):
        if not len(self.basis):
            return np.empty(0)
        L = np.linalg.cholesky(self.kernel.gram(self.basis, self.basis))
        return np.linalg.solve(L, self.kernel.gram(self.basis, x[np.newaxis])[:, 0])

    def update(self, x, y):
        f, prediction = self.coordinates(x), self.predict(x)
        if len(f):
            self.newton(f, prediction, 2.0 * (prediction - y))
        probability = self.probability(x)
        self.probabilities.append(probability)
        if self.rng.random() < probability:
            self.accept(x, probability)

    def newton(self, f, prediction, slope):
        energy = f @ np.linalg.solve(self.A, f)
        excess = f @ np.linalg.solve(self.A, self.Au) - prediction
        step = self.eta * slope**2 * prediction - slope
        self.Au = self.Au + (step - (excess / energy if energy > 0 and excess else 0.0)) * f
        self.A = self.A + self.eta * slope**2 * np.outer(f, f)

    def probability(self, x):
        return min(1.0, self.beta * (1.0 + self.epsilon) * self.leverage(x))

    def leverage(self, x):
        left = float(self.kernel.diagonal(x[np.newaxis])[0])
        if len(self.atoms):
            S = np.sqrt(self.weights)
            K = S[:, np.newaxis] * self.kernel.gram(self.atoms, self.atoms) * S + self.gamma * np.eye(len(S))
            c = S * self.kernel.gram(self.atoms, x[np.newaxis])[:, 0]
            left = max(left - float(c @ np.linalg.solve(K, c)), 0.0)
        return left / (self.gamma + left)

    def accept(self, x, probability):
        self.accepted.append(float(len(self.probabilities)))
        self.size += 1
        known = np.flatnonzero((self.atoms == x).all(axis=1))
        if len(known):
            self.weights[known[0]] += self.weight(probability)
        else:
            self.atoms = np.vstack([self.atoms, x])
            self.weights = np.append(self.weights, self.weight(probability))
        f, diagonal = self.projected(x), float(self.kernel.diagonal(x[np.newaxis])[0])
        if diagonal - f @ f > TINY * diagonal:
            self.basis = np.vstack([self.basis, x])
            self.grown()
        self.joined()

    def weight(self, probability):
        return 1.0 / probability

    def grown(self):
        self.Au = np.append(self.Au, 0.0)
        self.A = np.pad(self.A, (0, 1))
        self.A[-1, -1] = self.alpha

    def joined(self):
        """Called after a point was accepted, whether or not the span has grown."""

    @property
    def dictionary_size(self):
        return self.size

    def evidence(self):
        found = {"probabilities": self.probabilities, "accepted": self.accepted, "restarts": self.restarts}
        return {name: np.array(values, dtype=float) for name, values in found.items()}


class ProsNKons(ConKons):
    """Correct: PROS-N-KONS, which restarts whenever a point is accepted."""

    def joined(self):
        self.restarts.append(float(len(self.probabilities)))
        self.restart()


class SteadyKors(ConKons):
    """Correct: KORS alone, with the oversampling of its theorem for epsilon = 0.5 and delta = 0.1; it predicts zero."""

    theorems = ("kors-overestimation(ridge=1)", "kors-accuracy(ridge=1)")

    def begin(self, game, rng):
        super().begin(game, rng)
        self.beta = 3.0 * np.log(game.rounds / 0.1) / self.epsilon**2

    def update(self, x, y):
        probability = self.probability(x)
        self.probabilities.append(probability)
        if self.coin(x) < probability:
            self.accept(x, probability)

    def coin(self, x):
        return self.rng.random()

    def grown(self):
        pass

    def predict(self, x):
        return 0.0


class OnlyClaimsToRestart(ProsNKons):
    """It restarts only after every `dose` accepted points, although its evidence has a restart after each."""

    doses = (1000, 3, 2)

    def joined(self):
        self.restarts.append(float(len(self.probabilities)))
        if len(self.restarts) % self.dose == 0:
            self.restart()


class NewCoordinateTakesAll(ConKons):
    """The diagonal of A for a new coordinate is `dose` times alpha."""

    doses = (1e-6, 0.01, 0.2)

    def grown(self):
        super().grown()
        self.A[-1, -1] = self.dose * self.alpha


class LosesWhatItLearnt(ConKons):
    """When the dictionary grows, the learnt weights are multiplied by `dose`, and A keeps all rounds."""

    doses = (-1.0, 0.0, 0.5)

    def grown(self):
        super().grown()
        self.Au *= self.dose


class StepTimes(ConKons):
    """The step is multiplied by `dose`."""

    doses = (100.0, 0.01, 16.0)
    harmless = (2.0,)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.eta *= self.dose


class OldCoordinates(ConKons):
    """The last `dose` coordinates of each point are in the wrong order."""

    doses = (1000, 3, 2)

    def coordinates(self, x):
        f = super().coordinates(x)
        count = min(self.dose, len(f))
        f[len(f) - count :] = np.roll(f[len(f) - count :], 1) if len(f) else f
        return f


class MissedBasis(ConKons):
    """Only the first `dose` coordinates of each point are used."""

    doses = (1, 4, 8)

    def coordinates(self, x):
        f = super().coordinates(x)
        f[self.dose :] = 0.0
        return f


class ProbabilityTimes(SteadyKors):
    """The probability of accepting a point is multiplied by `dose`."""

    doses = (0.01, 0.1, 0.5, 30.0)
    tool = "seeds"

    def probability(self, x):
        return min(1.0, self.dose * self.beta * (1.0 + self.epsilon) * self.leverage(x))


class WeightToThePower(SteadyKors):
    """The weight of a point accepted with the probability p is p^-dose instead of 1 / p."""

    doses = (3.0, 2.0)
    harmless = (0.0, 0.5)
    tool = "seeds"

    def weight(self, probability):
        return probability**-self.dose


class SameCoinEveryRound(SteadyKors):
    """The coin is the same in `dose` rounds in a row, and takes only two values."""

    doses = (1, 3, 10)
    tool = "seeds"

    def coin(self, x):
        return np.random.default_rng(len(self.probabilities) // self.dose % 2).random()


class DictionaryStopsGrowing(SteadyKors):
    """No point is accepted after the first `dose` accepted points."""

    doses = (1, 10, 60)

    def accept(self, x, probability):
        if self.size < self.dose:
            super().accept(x, probability)


class WrongSideOfTheCoin(SteadyKors):
    """With the probability `dose`, a point is accepted if its coin is above, instead of below, the probability."""

    doses = (1.0, 0.5)
    harmless = (0.2,)
    tool = "seeds"

    def coin(self, x):
        turned = self.rng.random() < self.dose
        return self.probabilities[-1] * 2.0 - self.rng.random() if turned else self.rng.random()


class LeverageOfTheKernel(SteadyKors):
    """The ridge is multiplied by `dose` in the divisor of the leverage."""

    doses = (0.0, 0.02, 0.1)
    tool = "seeds"

    def leverage(self, x):
        exact = super().leverage(x)
        left = exact * self.gamma / (1.0 - exact)
        return left / (self.dose * self.gamma + left) if left > 0 else 0.0
