"""Exceptions, values and learners that break usual assumptions, such as exceptions that cannot be printed."""

import asyncio
from unittest.mock import MagicMock, Mock

import numpy as np


class OfItsOwnKind(BaseException):
    """A `BaseException` that is not an `Exception`."""


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


class UnprintableToo(OfItsOwnKind):
    def __str__(self):
        raise OfItsOwnKind

    __repr__ = __str__


RAISED = {
    "exit": SystemExit(0),
    "generator exit": GeneratorExit(),
    "cancelled": asyncio.CancelledError(),
    "of its own kind": OfItsOwnKind("odd"),
    "unprintable": Unprintable(),
    "unprintable too": UnprintableToo(),
    "long": ValueError("x" * 200_000),
    "escape sequence": ValueError("\x1b[2J\x1b]0;title\x07"),
    "half a character": ValueError("\udcff"),
    "memory": MemoryError("Unable to allocate 7.28 TiB"),
    "stop": StopIteration(3),
    "group": BaseExceptionGroup("several", [SystemExit(0), KeyError(1)]),
}


class Learner:
    """Correct: predicts zero."""

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass


class Masked(Learner):
    def predict(self, x):
        return np.ma.masked


class MaskedInBlocks(Learner):
    def replay(self, X, y):
        return np.ma.array(np.zeros(len(X)), mask=[False, *[True] * (len(X) - 1)])


class MaskedPeek(Learner):
    def peek(self, X):
        return np.ma.array(np.zeros(len(X)), mask=True)


class Value:
    """A value that raises an error when it is printed, or converted to an array or a number."""

    def __repr__(self):
        raise OfItsOwnKind

    def __array__(self, *arguments, **options):
        raise OSError("no array")

    def __float__(self):
        raise SystemExit(0)


class Odd(Learner):
    def predict(self, x):
        return Value()


class NoAttributes(Learner):
    def __getattr__(self, name):
        raise OfItsOwnKind(name)


class NothingAtAll(Learner):
    def __getattribute__(self, name):
        raise RuntimeError(name)


class Thinks(Learner):
    """A learner whose attribute `foresight` raises an error."""

    @property
    def foresight(self):
        raise OfItsOwnKind("hm")


UNUSABLE = {
    "no attributes": NoAttributes,
    "nothing at all": NothingAtAll,
    "mock": Mock,
    "magic": MagicMock,
    "thinks": Thinks,
}
FOULS = {"masked": Masked, "masked in blocks": MaskedInBlocks, "masked peek": MaskedPeek, "odd value": Odd}


class HangsWhenMade(Learner):
    def __init__(self):
        while True:
            pass


class HangsInTheFirstRound(Learner):
    def begin(self, game, rng):
        pass

    def predict(self, x):
        while True:
            pass


class HangsInBegin(HangsInTheFirstRound):
    def begin(self, game, rng):
        while True:
            pass


class HangsInUpdate(Learner):
    def begin(self, game, rng):
        pass

    def update(self, x, y):
        while True:
            pass


HANGS = {"begin": HangsInBegin, "predict": HangsInTheFirstRound, "update": HangsInUpdate}
