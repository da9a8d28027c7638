"""Players whose moves and answers a test lists, fouls included."""

import numpy as np

from arena import Adversary, Learner


class Script(Adversary):
    """Adversary that plays the listed moves, legal or not; it raises the exceptions in the list."""

    def __init__(self, moves, oblivious=False):
        self.moves, self.oblivious = moves, oblivious

    def begin(self, game, rng):
        self.next = iter(self.moves)

    def point(self, view):
        self.move = next(self.next, None)
        return None if self.move is None else _raised_or(self.move[0])

    def label(self, view, x, prediction):
        return _raised_or(self.move[1])


class ScriptInBlocks(Adversary):
    """Oblivious adversary that plays the listed blocks, legal or not; it raises the exceptions in the list."""

    oblivious = True

    def __init__(self, *blocks):
        self.blocks = blocks

    def begin(self, game, rng):
        self.next = iter(self.blocks)

    def block(self, view, rounds):
        return _raised_or(next(self.next, (np.empty((0, 2)), np.empty(0))))


class Answers:
    """Learner that predicts the listed values, and then 0; it raises the exceptions in the lists.

    `updates` lists, for each round, an exception that `update` raises, or None.
    """

    def __init__(self, predictions, updates=()):
        self.predictions, self.updates = list(predictions), list(updates)

    def begin(self, game, rng):
        self.round = 0

    def predict(self, x):
        return _raised_or(self.predictions[self.round]) if self.round < len(self.predictions) else 0.0

    def update(self, x, y):
        outcome = self.updates[self.round] if self.round < len(self.updates) else None
        self.round += 1
        _raised_or(outcome)


class AnswersInBlocks(Learner):
    """Learner whose `replay` returns the given predictions; a function as `predictions` is called with the points."""

    def __init__(self, predictions):
        self.predictions = predictions

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass

    def replay(self, X, y):
        return _raised_or(self.predictions(X)) if callable(self.predictions) else self.predictions


class Fails(Learner):
    """Learner that raises an error in the method or property named `method`."""

    def __init__(self, method, error=None):
        self.method, self.error = method, error or RuntimeError("sick")

    def _fail_in(self, method):
        if method == self.method:
            raise self.error

    def begin(self, game, rng):
        self._fail_in("begin")

    def reveal(self, x):
        self._fail_in("reveal")

    def predict(self, x):
        self._fail_in("predict")
        return 0.0

    def peek(self, X):
        self._fail_in("peek")
        return np.zeros(len(X))

    def update(self, x, y):
        self._fail_in("update")

    @property
    def dictionary_size(self):
        self._fail_in("dictionary_size")
        return 1

    @property
    def theorems(self):
        self._fail_in("theorems")
        return ()

    def evidence(self):
        self._fail_in("evidence")
        return {}


def _raised_or(value):
    """Raise the value if it is an exception; otherwise return it."""
    if isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException)):
        raise value
    return value


class LeavesEvidence(Learner):
    """Learner that reports the given evidence; in round `fails`, if it is given, `predict` raises an error."""

    def __init__(self, evidence=None, fails=None):
        self.given, self.fails = evidence or {}, fails

    def begin(self, game, rng):
        self.round = 0

    def reveal(self, x):
        self.round += 1

    def predict(self, x):
        if self.round == self.fails:
            raise RuntimeError("quote ' \" and\nnew lines, ünïcode")
        return 0.25

    def update(self, x, y):
        pass

    def evidence(self):
        return self.given

    @property
    def dictionary_size(self):
        return self.round // 2


class EndsAtOnce(Adversary):
    def point(self, view):
        return None


class StopsWithoutALabel:
    """Adversary that plays legal moves for `after` rounds, and then returns None as its label."""

    def __init__(self, after=0):
        self.after = after

    def point(self, view):
        return [0.5, 0.5]

    def label(self, view, x, prediction):
        return 0.0 if view.round <= self.after else None
