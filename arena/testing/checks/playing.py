"""A learner can play at all, and leaves other learners alone."""

from __future__ import annotations

import numpy as np

from arena.testing.checks.applicable import round_by_round
from arena.testing.checks.check import check
from arena.testing.checks.compare import same
from arena.testing.checks.subject import Subject, peek, play_round


@check()
def plays(subject: Subject) -> None:
    """It plays a few rounds and predicts finite numbers."""
    subject.answers(*subject.sequence(12))


@check("plays", why_not=round_by_round)
def learners_share_no_state(subject: Subject) -> None:
    """Two learners made in the same way do not learn from each other's labels."""
    learner, X, y = subject.midway()
    other = subject.begun(len(X))
    before = peek(learner, X)
    if not np.array_equal(before, peek(learner, X)):
        return  # it changes when it is asked, which is for another check to say
    for x, label in zip(X, y.tolist(), strict=True):
        play_round(other, x, label)
        same(
            before,
            peek(learner, X),
            "predictions changed when another learner learnt (is its state kept in the class?)",
        )
