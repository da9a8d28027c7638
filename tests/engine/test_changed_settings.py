"""NumPy's treatment of errors and the handler of Ctrl-C are after a match as they were before it."""

import signal

import numpy as np
import pytest

from arena import play
from arena.guards.user_code import CtrlC


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
    "Ctrl-C": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
}


def settings():
    return np.geterr(), signal.getsignal(signal.SIGINT)


@pytest.mark.parametrize("adversary", ["alternating", "contrarian"])
@pytest.mark.parametrize("change", CHANGES)
def test_settings_are_restored(change, adversary):
    before = settings()
    play(Changes(CHANGES[change]), adversary, rounds=3)
    assert settings() == before


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
