"""Hunts of learners that raise errors, hang, end their process, are slow, or cannot be copied."""

import os
import re
import signal
import threading
import time

import pytest

from arena.errors import ArenaError
from arena.hunt import hunt
from arena_tests.planted.by_hand import ByHand


def test_a_learner_that_raises_is_reported():
    class Raises(ByHand):
        def predict(self, x):
            if len(self.points) >= 15:
                raise ValueError("fifteen")
            return super().predict(x)

    found = hunt(Raises, "awv-leverage", matches=50, workers=1)
    assert found.violation.kind == "forfeit"
    assert "in round 16" in found.violation.reason
    assert "fifteen" in found.violation.reason
    assert found.violation.transcript.rounds == 15


@pytest.fixture
def gone():
    """Return classes of learners that stop answering after 15 rounds, by name."""

    class Hangs(ByHand):
        def predict(self, x):
            if len(self.points) >= 15:
                time.sleep(100)
            return super().predict(x)

    class HangsDeafly(ByHand):
        """A learner that hangs and blocks the timer's signal."""

        def predict(self, x):
            if len(self.points) >= 15:
                signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
                time.sleep(100)
            return super().predict(x)

    class Dies(ByHand):
        def predict(self, x):
            if len(self.points) >= 15:
                os._exit(7)
            return super().predict(x)

    return {each.__name__: each for each in (Hangs, HangsDeafly, Dies)}


@pytest.mark.parametrize(
    ("learner", "kind", "words"),
    [
        ("Hangs", "hang", "did not answer within .* in round 16 against"),
        ("HangsDeafly", "hang", "did not answer within .*, and was killed"),
        ("Dies", "death", "exit code 7"),
    ],
)
def test_a_learner_that_hangs_or_dies_is_reported(learner, kind, words, gone):
    found = hunt(gone[learner](), "awv-leverage", budget=4, workers=1)
    assert found.violation.kind == kind
    assert re.search(words, found.violation.reason)


def test_a_slow_learner_gets_shorter_matches():
    class Slow(ByHand):
        def predict(self, x):
            time.sleep(0.05)
            return super().predict(x)

    found = hunt(Slow(), "awv-leverage", budget=3, workers=2)
    assert found.violation is None
    assert found.applied
    assert found.rounds < 150


def test_a_learner_that_cannot_be_pickled_or_copied_must_be_given_as_a_class():
    class Locked(ByHand):
        regularisation = 1.1  # where the theorem allows 1

        def __init__(self):
            super().__init__()
            self.lock = threading.Lock()

    assert hunt(Locked, "awv-leverage", matches=50, workers=1).violation.kind == "bound"
    with pytest.raises(ArenaError, match="cannot be copied, and has no method"):
        hunt(Locked(), "awv-leverage", matches=5)
