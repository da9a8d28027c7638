"""A learner that changes settings of the process changes neither the match nor what follows it."""

import signal
import sys
import warnings

import numpy as np
import pytest

from arena import play
from arena.guards.user_code import CtrlC
from arena_tests.players import Script


class Changes:
    """A learner that predicts 0.001, and calls the function `change` in its first round."""

    def __init__(self, change):
        self.change = change

    def predict(self, x):
        if self.change:
            change, self.change = self.change, None
            change()
        return 1e-3

    def update(self, x, y):
        pass


CHANGES = {
    "errors": lambda: np.seterr(all="raise"),
    "filters": lambda: warnings.simplefilter("error"),
    "recursion": lambda: sys.setrecursionlimit(10_000),
    "stdout": lambda: setattr(sys, "stdout", None),
    "trace": lambda: sys.settrace(lambda *_: None),
    "Ctrl-C": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
}


def settings():
    return (
        np.geterr(), list(warnings.filters), sys.getrecursionlimit(), sys.stdout, sys.gettrace(),
        signal.getsignal(signal.SIGINT),
    )  # fmt: skip


@pytest.mark.parametrize("adversary", ["alternating", "contrarian"])
@pytest.mark.parametrize("change", CHANGES)
def test_settings_are_restored(change, adversary):
    before = settings()
    play(Changes(CHANGES[change]), adversary, rounds=3)
    assert settings() == before


def test_the_adversary_does_not_forfeit_by_a_learner_that_makes_numpy_raise():
    class Underflows(Script):
        def label(self, view, x, prediction):
            return float(np.exp(np.array([-1000.0]))[0])

    run = play(Changes(CHANGES["errors"]), Underflows([([0.0, 0.0], 0.0)] * 4), rounds=4)
    assert run.forfeit is None
    assert run.rounds == 4


@pytest.mark.parametrize("pressed", [False, True])
def test_a_keyboard_interrupt_that_the_learner_raises_is_a_foul(pressed):
    def raises():
        raise KeyboardInterrupt

    handler = CtrlC()
    handler.pressed = pressed
    before = signal.signal(signal.SIGINT, handler)
    try:
        if pressed:
            with pytest.raises(KeyboardInterrupt):
                play(Changes(raises), "alternating", rounds=3)
        else:
            assert "KeyboardInterrupt" in play(Changes(raises), "alternating", rounds=3).forfeit.reason
    finally:
        signal.signal(signal.SIGINT, before)
