"""Mistakes around a correct learner: in what it learns, in what it predicts, or in its evidence."""

from arena import Learner
from arena.specs.building import build


class Around(Learner):
    """A learner that passes everything on to another learner, made from a spec, with mistakes.

    - `say` changes predictions.
    - `hear` gets a round's (x, y) and returns the (x, y) to learn, or None for nothing.
    - `tell` changes the evidence.
    - `arranged` changes the game in which the other learner begins.
    - `begun` is called with the other learner after it has begun.
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
    """A function for `Around(hear=...)` with which each round is learnt one round late."""

    def __init__(self):
        self.held = None

    def __call__(self, x, y):
        heard, self.held = self.held, (x.copy(), y)
        return heard


class WrongWay(Around):
    """Gradient descent on the squared loss with the sign of the gradient changed."""

    def update(self, x, y):
        self.inner.update(x, 2 * self.inner.predict(x) - y)
