"""Players that do what a test tells them, fouls included."""

import numpy as np
import pytest

from arena import Adversary, Learner


class Script(Adversary):
    """Plays these moves, whatever they are; an exception among them is raised."""

    def __init__(self, moves, oblivious=False):
        self.moves, self.oblivious = moves, oblivious

    def begin(self, game, rng):
        self.next = iter(self.moves)

    def point(self, view):
        self.move = next(self.next, None)
        return None if self.move is None else _raised_or(self.move[0])

    def label(self, view, x, prediction):
        return _raised_or(self.move[1])


class Blocks(Adversary):
    """Plays these blocks, whatever they are; an exception among them is raised."""

    oblivious = True

    def __init__(self, *blocks):
        self.blocks = blocks

    def begin(self, game, rng):
        self.next = iter(self.blocks)

    def block(self, view, rounds):
        return _raised_or(next(self.next, (np.empty((0, 2)), np.empty(0))))


class Answers:
    """Answers with these predictions, and fails in the update if told to."""

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


class InBlocks(Learner):
    """Answers whole blocks with these predictions, or with what is made of the points."""

    def __init__(self, predictions):
        self.predictions = predictions

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass

    def replay(self, X, y):
        return _raised_or(self.predictions(X)) if callable(self.predictions) else self.predictions


class Fails(Learner):
    """Fails in one method, told by name."""

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
    """What a list of moves or answers holds: a value to give, or an exception to raise."""
    if isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException)):
        raise value
    return value


@pytest.fixture
def script():
    """Makes adversaries that play what is written down."""
    return Script


@pytest.fixture
def blocks():
    """Makes adversaries whose blocks are written down."""
    return Blocks


@pytest.fixture
def answers():
    """Makes learners whose predictions are written down."""
    return Answers


@pytest.fixture
def in_blocks():
    """Makes learners whose replay is written down."""
    return InBlocks


@pytest.fixture
def fails():
    """Makes learners that fail in one method."""
    return Fails
