"""Why a check may have nothing to ask of a learner."""

from __future__ import annotations

from arena.testing.checks.subject import Subject


def round_by_round(subject: Subject) -> str | None:
    """It can be played round by round."""
    return "it must know the whole sequence beforehand, so there are no rounds to check" if subject.foresight else None


def own_peek(subject: Subject) -> str | None:
    """It answers many rows at once in its own way."""
    return round_by_round(subject) or (None if subject.offers("peek") else "it has no peek of its own")


def own_replay(subject: Subject) -> str | None:
    """It plays many rounds at once in its own way."""
    return round_by_round(subject) or (None if subject.offers("replay") else "it has no replay of its own")
