"""Where wrong players are noted, with the checks that must catch them and no others."""

import pytest

LEARNERS, ADVERSARIES = [], []


def wrong_learner(*caught_by):
    """A learner with a mistake in it."""
    return _noted(LEARNERS, caught_by)


def wrong_adversary(*caught_by):
    """An adversary with a mistake in it."""
    return _noted(ADVERSARIES, caught_by)


def _noted(mistakes, caught_by):
    def note(cls):
        mistakes.append(pytest.param(cls, set(caught_by), id=cls.__name__))
        return cls

    return note
