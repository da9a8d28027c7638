"""Mistakes in learners that are built upon the arena's own."""

from arena.components.kernel_sums import BudgetedSum
from arena.learners.budgeted import BudgetedGradientDescent
from arena.learners.dual_sgd import DualSGD
from arena.learners.nogd import NystromOnlineGradientDescent
from arena.learners.pkawv_kors import PKAWVKors
from arena.learners.projectron import ProjectronPlusPlus


class Wrapped:
    """Passes everything on to a learner of ours."""

    def __init__(self, dose=1.0):
        self.dose = dose
        self.learner = self.make()
        self.learner.dose = dose

    @property
    def theorems(self):
        return self.learner.theorems

    def begin(self, game, rng):
        self.learner.begin(game, rng)

    def reveal(self, x):
        self.learner.reveal(x)

    def predict(self, x):
        return self.learner.predict(x)

    def update(self, x, y):
        self.learner.update(x, y)

    def evidence(self):
        return self.learner.evidence()

    @property
    def dictionary_size(self):
        return self.learner.dictionary_size


class Nogd(Wrapped):
    """Correct."""

    doses = ()

    class Own(NystromOnlineGradientDescent):
        pass

    def make(self):
        return self.Own(budget=10)


class ForgetsAtTheSwitch(Nogd):
    """This share of what kernel descent had learnt goes into the features."""

    doses = (-1.0, 0.0, 0.2)
    harmless = (0.5,)

    class Own(NystromOnlineGradientDescent):
        def _fix_features(self):
            super()._fix_features()
            self.descent.weights = self.dose * self.descent.weights


class PkawvKors(Wrapped):
    """Correct."""

    doses = ()

    class Own(PKAWVKors):
        pass

    def make(self):
        return self.Own()


class NewcomersDoNotKnowThePast(PkawvKors):
    """Past labels count this much for the coordinate of a point that joins."""

    doses = (-1.0, 0.0, 0.5, 0.9)

    class Own(PKAWVKors):
        def _join(self, x):
            widen = self.past.widen
            self.past.widen = lambda past, labels, column: widen(past, self.dose * labels, column)
            super()._join(x)
            del self.past.widen


class Bogd(Wrapped):
    """Correct."""

    doses = ()

    class Own(BudgetedGradientDescent):
        pass

    def make(self):
        return self.Own(budget=5)


class DoesNotMakeUpForWhatGoes(Bogd):
    """Survivors grow by this share of what they should, and the record says that they did."""

    doses = (-3.0, 0.0, 0.5)

    class Survivors(BudgetedSum):
        def shrink(self, factor):
            super().shrink(1.0 + self.dose * (factor - 1.0) if factor > 1.0 else factor)

    class Own(BudgetedGradientDescent):
        def begin(self, game, rng):
            super().begin(game, rng)
            self.function = DoesNotMakeUpForWhatGoes.Survivors(game.kernel, game.dimension, self.budget)
            self.function.dose = self.dose


class DualSgd(Wrapped):
    """Correct."""

    doses = ()

    class Own(DualSGD):
        pass

    def make(self):
        return self.Own(budget=10, moved=3, frequencies=20)


class LosesWhatMoves(DualSgd):
    """This share of what leaves the core comes to the features."""

    doses = (-1.0, 0.0, 0.5)

    class Own(DualSGD):
        def _make_room(self):
            before = self.function.weights.copy()
            super()._make_room()
            self.function.weights = before + self.dose * (self.function.weights - before)


class ProjectronPp(Wrapped):
    """Correct."""

    doses = ()

    class Own(ProjectronPlusPlus):
        pass

    def make(self):
        return self.Own()


class StrengthensTooMuch(ProjectronPp):
    """Where it is right with a small margin it steps so many times as far as it should."""

    doses = (-3.0, 100.0, 10.0)

    class Own(ProjectronPlusPlus):
        def strengthen(self, i, prediction, sign):
            before = self.function.weights
            super().strengthen(i, prediction, sign)
            step = self.function.weights - before
            if step.any():
                self.function.put_projected(i, (self.dose - 1.0) * sign * self.stretch(step, i))

        def stretch(self, step, i):
            own = self.function.coordinates(i)
            return float(abs(step @ own) / (own @ own))
