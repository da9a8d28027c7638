"""Decorators that put a wrong player on a list, with the names of all checks that find its mistake."""

import pytest

LEARNERS, ADVERSARIES = [], []


def wrong_learner(*caught_by):
    """Return a decorator that adds a wrong learner to `LEARNERS`, with the checks that must find its mistake."""
    return _noted(LEARNERS, caught_by)


def wrong_adversary(*caught_by):
    """Return a decorator that adds a wrong adversary to `ADVERSARIES`, with the checks that must find its mistake."""
    return _noted(ADVERSARIES, caught_by)


def _noted(mistakes, caught_by):
    def note(cls):
        mistakes.append(pytest.param(cls, set(caught_by), id=cls.__name__))
        return cls

    return note
