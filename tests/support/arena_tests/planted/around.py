"""Mistakes around a correct learner: in what it hears, in what it answers, in the evidence that it leaves."""

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


class WrongWay(Around):
    """Gradient descent on the squared loss that goes uphill."""

    def update(self, x, y):
        self.inner.update(x, 2 * self.inner.predict(x) - y)
