"""Exponentially weighted averaging of a few experts, and mistakes in it."""

import numpy as np

from arena_tests.planted.dosed import Dosed


class Ewa(Dosed):
    """Correct: eta = 1 / (8 B^2), and five experts: the constants -B, 0 and B, and two that predict B or -B.

    The last two look at the first coordinate: one predicts B in the upper half of the box, the other in the lower half.
    """

    theorems = ("ewa",)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bound = game.label_bound
        self.eta = 1.0 / (8.0 * self.bound**2)
        self.totals, self.losses, self.heard = np.zeros(5), [], []

    def advice(self, x):
        side = 1.0 if x[0] > (self.game.low[0] + self.game.high[0]) / 2 else -1.0
        return self.bound * np.array([-1.0, 0.0, 1.0, side, -side])

    def shares(self):
        weights = np.exp(-self.eta * (self.totals - self.totals.min()))
        return weights / weights.sum()

    def predict(self, x):
        return float(self.advice(x) @ self.shares())

    def update(self, x, y):
        losses = (self.advice(x) - y) ** 2
        self.heard.append(self.advice(x))
        self.losses.append(losses)
        self.charge(x, y, losses)

    def charge(self, x, y, losses):
        self.totals = self.totals + losses

    def evidence(self):
        return {"expert_predictions": np.array(self.heard).reshape(-1, 5)}


class WrongTemperature(Ewa):
    """Eta is multiplied by `dose`."""

    doses = (1e-6, 0.01, 1000.0, 0.1, 30.0)

    def begin(self, game, rng):
        super().begin(game, rng)
        self.eta *= self.dose


class NeverCharged(Ewa):
    """Losses after the first `dose` rounds are not counted."""

    doses = (0, 5, 30, 80)

    def charge(self, x, y, losses):
        if len(self.losses) <= self.dose:
            super().charge(x, y, losses)


class Underflow(Ewa):
    """Weights less than `dose` become zero; if all of them are, the prediction is zero."""

    doses = (0.1, 1e-3, 1e-6)

    def shares(self):
        weights = np.exp(-self.eta * self.totals)
        weights[weights < self.dose] = 0.0
        return weights / max(weights.sum(), self.dose)


class WrongExpert(Ewa):
    """In rounds whose numbers are multiples of `dose`, each loss is counted for the next expert."""

    doses = (1, 2, 4)

    def charge(self, x, y, losses):
        super().charge(x, y, np.roll(losses, 1) if len(self.losses) % self.dose == 0 else losses)


class ForgetsLosses(Ewa):
    doses = (0.0, 0.5, 0.9)
    harmless = (0.98,)

    def charge(self, x, y, losses):
        self.totals = self.totals * self.dose
        super().charge(x, y, losses)


class FollowsTheLeader(Ewa):
    """The weights are `dose` times those of the best expert alone, plus (1 - dose) times the right weights."""

    doses = (1.0, 0.7, 0.5)
    harmless = (0.2,)

    def shares(self):
        leader = np.zeros(5)
        leader[self.totals.argmin()] = 1.0
        return self.dose * leader + (1.0 - self.dose) * super().shares()


class ExploresTooMuch(Ewa):
    """The weights are `dose` times equal weights, plus (1 - dose) times the right weights."""

    doses = (0.9, 0.3, 0.05)

    def shares(self):
        return self.dose / 5.0 + (1.0 - self.dose) * super().shares()


class UsesTheLastLossOnly(Ewa):
    """The weights are computed from the last `dose` losses alone."""

    doses = (1, 10, 40)

    def charge(self, x, y, losses):
        self.totals = np.sum(self.losses[-self.dose :], axis=0)


class SignOfTheExponent(Ewa):
    """Losses are multiplied by 1 - 2 dose; with the dose 1 they have the wrong sign."""

    doses = (1.0, 0.6, 0.45)

    def charge(self, x, y, losses):
        super().charge(x, y, (1.0 - 2.0 * self.dose) * losses)


class WinnerTakesNothing(Ewa):
    """The weight of the best expert is multiplied by `dose`."""

    doses = (0.0, 0.3)
    harmless = (0.8,)

    def shares(self):
        shares = super().shares()
        shares[self.totals.argmin()] *= self.dose
        return shares / shares.sum()
