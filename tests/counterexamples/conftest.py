"""Learners with a mistake in them, to be shrunk to its known length, and how a printed script is run."""

import contextlib
import io

import numpy as np
import pytest

from arena.learners.awv import KernelAWV
from arena.players.learner import Learner


class Awv(Learner):
    """Kernel-AWV in plain NumPy, with a place for mistakes."""

    def begin(self, game, rng):
        self.kernel, self.ridge = game.kernel, game.regularisation
        self.X, self.y, self.round = np.empty((0, game.dimension)), np.empty(0), 0

    def predict(self, x):
        X, y = np.vstack([self.X, x]), np.append(self.y, 0.0)
        weights = np.linalg.solve(self.kernel.gram(X, X) + self.ridge * np.eye(len(X)), y)
        return float(self.kernel.gram(x[None], X)[0] @ weights)

    def update(self, x, y):
        self.round += 1
        self.keep(x, y)

    def keep(self, x, y):
        self.X, self.y = np.vstack([self.X, x]), np.append(self.y, y)


class IgnoresTheSecondLabel(Awv):
    def keep(self, x, y):
        if not (x == self.X).all(axis=1).any():
            super().keep(x, y)


class ForgetsAfterTen(Awv):
    def keep(self, x, y):
        super().keep(x, y)
        self.X, self.y = self.X[-10:], self.y[-10:]


class StartsAgainAfterTen(Awv):
    def keep(self, x, y):
        super().keep(x, y)
        if len(self.y) > 10:
            self.X, self.y = self.X[:0], self.y[:0]


class ClipsLabels(Awv):
    def keep(self, x, y):
        super().keep(x, np.clip(y, -0.5, 0.5))


class WrongSignAtNegative(Awv):
    def keep(self, x, y):
        super().keep(x, -y if (x < 0).all() else y)


class IgnoresACoordinate(Awv):
    def predict(self, x):
        return super().predict(np.append(x[:-1], 0.0))

    def keep(self, x, y):
        super().keep(np.append(x[:-1], 0.0), y)


class SkipsEveryThird(Awv):
    def keep(self, x, y):
        if self.round % 3:
            super().keep(x, y)


class IsFullWithFive(Awv):
    def keep(self, x, y):
        if len(self.y) < 5:
            super().keep(x, y)


class WrongInACorner(KernelAWV):
    """Fast: blocks are replayed."""

    def update(self, x, y):
        super().update(x, -y if (x > 0.5).all() else y)

    def replay(self, X, y):
        return super().replay(X, np.where((X > 0.5).all(axis=1), -y, y))


class FailsAtTheFullHorizon(Awv):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.wrong = game.rounds == 33

    def keep(self, x, y):
        super().keep(x, -y if self.wrong else y)


class Crashes(Awv):
    def keep(self, x, y):
        super().keep(x, y)
        if (self.y < 0).sum() == 3:
            raise ZeroDivisionError(f"in round {self.round}")


class NotANumberAfterTwenty(Awv):
    def predict(self, x):
        return super().predict(x) if self.round < 20 else float("nan")


class CrashesInBlocks(WrongInACorner):
    def replay(self, X, y):
        if (self.past_rounds + np.arange(len(X)) >= 30).any():
            raise RuntimeError("too long")
        self.past_rounds += len(X)
        return super().replay(X, y)

    past_rounds = 0


class Counting:
    """An object with a state of its own, which must stay as it is."""

    def __init__(self):
        self.labels = []

    def predict(self, x):
        return -float(np.sign(sum(self.labels)))

    def update(self, x, y):
        self.labels.append(y)


class Lost:
    """Plays by the rules for so many rounds; then its label is none."""

    def __init__(self, after=0):
        self.after = after

    def point(self, view):
        return [0.5, 0.5]

    def label(self, view, x, prediction):
        return 0.0 if view.round <= self.after else None


def _run_script(text):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(text, "pasted", "exec"), {})
    return said.getvalue()


_WRONG = (
    IgnoresTheSecondLabel,
    ForgetsAfterTen,
    StartsAgainAfterTen,
    ClipsLabels,
    WrongSignAtNegative,
    IgnoresACoordinate,
    SkipsEveryThird,
    IsFullWithFive,
    WrongInACorner,
    FailsAtTheFullHorizon,
    Crashes,
    NotANumberAfterTwenty,
    CrashesInBlocks,
)


@pytest.fixture(scope="session")
def awv():
    """A correct learner with a place for mistakes."""
    return Awv


@pytest.fixture(scope="session")
def wrong():
    """Learners with a mistake in them, by name."""
    return {each.__name__: each for each in _WRONG}


@pytest.fixture(scope="session")
def counting():
    """A wrong learner that is no `Learner`."""
    return Counting


@pytest.fixture(scope="session")
def lost():
    """Makes adversaries that break the rules after so many rounds."""
    return Lost


@pytest.fixture(scope="session")
def run_script():
    """Runs a script that was printed, and gives back what it says."""
    return _run_script
