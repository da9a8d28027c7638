"""Learners with a mistake in them, for tests that theorems notice."""

import numpy as np
import pytest

from arena import Learner
from arena.specs.building import build


class Around(Learner):
    """A learner around another one, given by its spec; mistakes are planted in what it passes on.

    `say` changes predictions, `hear` gives (x, y) to learn or nothing, `tell` changes the evidence; `begun` is shown
    the inner learner when it has begun in the game that `arranged` makes of the real one.
    """

    def __init__(self, spec, say=None, *, hear=None, tell=None, begun=None, arranged=None):
        self.spec, self.say, self.hear, self.tell, self.begun, self.arranged = spec, say, hear, tell, begun, arranged

    def begin(self, game, rng):
        self.inner = build("learner", self.spec)
        self.inner.begin(self.arranged(game) if self.arranged else game, rng)
        if self.begun:
            self.begun(self.inner)

    def reveal(self, x):
        self.inner.reveal(x)

    def predict(self, x):
        prediction = self.inner.predict(x)
        return float(self.say(prediction) if self.say else prediction)

    def peek(self, X):
        predictions = self.inner.peek(X)
        return self.say(predictions) if self.say else predictions

    def update(self, x, y):
        heard = self.hear(x, y) if self.hear else (x, y)
        if heard is not None:
            self.inner.update(*heard)

    def evidence(self):
        evidence = self.inner.evidence()
        return self.tell(evidence) if self.tell else evidence


class Late:
    """Each round is heard of in the round after it."""

    def __init__(self):
        self.held = None

    def __call__(self, x, y):
        heard, self.held = self.held, (x.copy(), y)
        return heard


@pytest.fixture(scope="session")
def around():
    """Makes learners around others."""
    return Around


@pytest.fixture
def late():
    """A `hear` that is one round late."""
    return Late()


@pytest.fixture(scope="session")
def newton_mistakes():
    """Of a class of learners that take Newton steps, and how it learns a round: itself, and with mistakes in it."""
    return _newton_mistakes


def _newton_mistakes(base, learn):
    class Stepping(base):
        """Nothing wrong: round by round, so that mistakes are not passed over."""

        replay = Learner.replay

        def update(self, x, y):
            learn(self, x, y)

    class WrongWay(Stepping):
        def begin(self, game, rng):
            super().begin(game, rng)
            right = self.derivative
            self.derivative = lambda prediction, label: -right(prediction, label)

    class TooSmallSteps(Stepping):
        def begin(self, game, rng):
            super().begin(game, rng)
            self.steps.constant /= 30

    class TooSmallRidge(Stepping):
        def begin(self, game, rng):
            self.alpha = 1e-3
            super().begin(game, rng)

    class Forgets(Stepping):
        """Starts afresh every ten rounds."""

        def begin(self, game, rng):
            super().begin(game, rng)
            self.game, self.again, self.count = game, np.random.default_rng(0), 0

        def update(self, x, y):
            super().update(x, y)
            self.count += 1
            if self.count == 10:
                self.begin(self.game, self.again)

    class OneRoundLate(Stepping):
        def begin(self, game, rng):
            super().begin(game, rng)
            self.last = 0.0

        def update(self, x, y):
            super().update(x, self.last)
            self.last = y

    every = (Stepping, WrongWay, TooSmallSteps, TooSmallRidge, Forgets, OneRoundLate)
    return {each.__name__: each for each in every}
