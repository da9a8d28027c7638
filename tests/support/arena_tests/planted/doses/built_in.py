"""Mistakes in subclasses of the arena's own learners, in several doses."""

from arena.components.kernel_sums import BudgetedSum
from arena.learners.budgeted import BudgetedGradientDescent
from arena.learners.dual_sgd import DualSGD
from arena.learners.nogd import NystromOnlineGradientDescent
from arena.learners.pkawv_kors import PKAWVKors
from arena.learners.projectron import ProjectronPlusPlus


class Wrapped:
    """A learner that passes everything on to a learner of the class `Own`, made with these `parameters`."""

    def __init__(self, dose=1.0):
        self.dose = dose
        self.learner = self.Own(**self.parameters)
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
    """Correct: NOGD with the budget 10."""

    doses = ()
    Own, parameters = NystromOnlineGradientDescent, {"budget": 10}


class ForgetsAtTheSwitch(Nogd):
    """When NOGD changes from kernels to Nyström features, the weights learnt so far are multiplied by `dose`."""

    doses = (-1.0, 0.0, 0.2)
    harmless = (0.5,)

    class Own(NystromOnlineGradientDescent):
        def _fix_features(self):
            super()._fix_features()
            self.descent.weights = self.dose * self.descent.weights


class PkawvKors(Wrapped):
    """Correct: PKAWV with a KORS dictionary."""

    doses = ()
    Own, parameters = PKAWVKors, {}


class NewcomersDoNotKnowThePast(PkawvKors):
    """When a point joins the dictionary, past labels are multiplied by `dose` in the sum for the new coordinate."""

    doses = (-1.0, 0.0, 0.5, 0.9)

    class Own(PKAWVKors):
        def _join(self, x):
            widen = self.past.widen
            self.past.widen = lambda past, labels, column: widen(past, self.dose * labels, column)
            super()._join(x)
            del self.past.widen


class Bogd(Wrapped):
    """Correct: BOGD with the budget 5."""

    doses = ()
    Own, parameters = BudgetedGradientDescent, {"budget": 5}


class DoesNotMakeUpForWhatGoes(Bogd):
    """When an atom is removed, the other weights grow by only `dose` times as much as they should.

    The evidence has the right growth.
    """

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
    """Correct: DualSGD with the budget 10, of which 3 atoms move together to 20 random frequencies."""

    doses = ()
    Own, parameters = DualSGD, {"budget": 10, "moved": 3, "frequencies": 20}


class LosesWhatMoves(DualSgd):
    """When atoms are replaced by random features, the features' weights change by `dose` times the right amount."""

    doses = (-1.0, 0.0, 0.5)

    class Own(DualSGD):
        def _make_room(self):
            before = self.function.weights.copy()
            super()._make_room()
            self.function.weights = before + self.dose * (self.function.weights - before)


class ProjectronPp(Wrapped):
    """Correct: Projectron++."""

    doses = ()
    Own, parameters = ProjectronPlusPlus, {}


class StrengthensTooMuch(ProjectronPp):
    """In rounds with a right sign but a small margin, the step is multiplied by `dose`."""

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
