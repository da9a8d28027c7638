"""The arrays that a learner is given belong to the caller: it may neither change them nor keep them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.arrays import Array
from arena.players.learner import Learner
from arena.players.referee import ask
from arena.testing.checks.applicable import round_by_round
from arena.testing.checks.check import CheckFailed, check
from arena.testing.checks.compare import same
from arena.testing.checks.subject import Subject, play_rounds


@check("plays")
def leaves_its_arguments_alone(subject: Subject) -> None:
    """No method writes into the arrays that it is given."""
    X, y = subject.sequence(13)
    learner = subject.begun(len(X))
    if not subject.foresight:
        for x, label in zip(X, y.tolist(), strict=True):
            for method, rest in ((learner.reveal, ()), (learner.predict, ()), (learner.update, (label,))):
                _unchanged(method, x, *rest)
        _unchanged(learner.peek, X)
        learner = subject.begun(len(X))
    _unchanged(learner.replay, X, y)


def _unchanged(method: Callable[..., object], *arguments: Array | float) -> None:
    given = [np.array(each) if isinstance(each, np.ndarray) else each for each in arguments]
    ask("learner", method, *given)
    for before, after in zip(arguments, given, strict=True):
        if not np.array_equal(before, after):
            name = getattr(method, "__name__", "it")
            raise CheckFailed(f"{name} changed the array that it was given: work on a copy")


@check("plays", "leaves-its-arguments-alone", "same-seed-same-run", why_not=round_by_round)
def keeps_no_reference(subject: Subject) -> None:
    """The caller may use its arrays again: what was learnt stays as it was."""
    for play in (_from_one_buffer, _from_one_block):
        X, y = subject.sequence(24)
        careless = subject.begun(len(X))
        play(careless, X[:12], y[:12])
        later = play_rounds(careless, X[12:], y[12:])
        careful = subject.begun(len(X))
        play_each_apart(careful, X[:12], y[:12], together=play is _from_one_block)
        expected = play_rounds(careful, X[12:], y[12:])
        same(expected, later, "what it learnt changed when the caller used its array again: keep x.copy()",
             tolerance=1e-12)  # fmt: skip


def play_each_apart(learner: Learner, X: Array, y: Array, *, together: bool) -> None:
    """The same rounds with arrays that nobody touches again."""
    if together:
        ask("learner", learner.replay, X.copy(), y.copy())
    else:
        play_rounds(learner, X, y)


def _from_one_buffer(learner: Learner, X: Array, y: Array) -> None:
    buffer = np.empty(X.shape[1])
    for x, label in zip(X, y.tolist(), strict=True):
        buffer[:] = x
        ask("learner", learner.reveal, buffer)
        ask("learner", learner.predict, buffer)
        ask("learner", learner.update, buffer, label)
        buffer[:] = 0.5 * (x - X[0])


def _from_one_block(learner: Learner, X: Array, y: Array) -> None:
    points, labels = X.copy(), y.copy()
    ask("learner", learner.replay, points, labels)
    points[:], labels[:] = 0.5 * X[::-1], -y
