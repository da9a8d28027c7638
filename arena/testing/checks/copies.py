"""A copy of a learner is a learner of its own, in the same state."""

from __future__ import annotations

import copy
import pickle

from arena.errors import describe_error
from arena.players.learner import Learner
from arena.testing.checks.applicable import round_by_round
from arena.testing.checks.check import CheckFailed, NotApplicable, check
from arena.testing.checks.compare import same
from arena.testing.checks.randomness import set_global_state
from arena.testing.checks.subject import Subject, peek, play_rounds

NEEDS = ("plays", "learners-share-no-state", "predict-is-pure")


@check(*NEEDS, why_not=round_by_round)
def deep_copies_are_independent(subject: Subject) -> None:
    """A deep copy continues as the original does, and neither learns from the other's labels."""
    learner, _, _ = subject.midway()
    try:
        twin = copy.deepcopy(learner)
    except Exception as error:
        raise CheckFailed(f"it cannot be copied: {describe_error(error)}") from error
    _independent(subject, learner, twin, "deep copy")


@check(*NEEDS, why_not=round_by_round)
def pickles_are_independent(subject: Subject) -> None:
    """What comes out of a pickle continues as the original does, and neither learns from the other's labels."""
    learner, _, _ = subject.midway()
    try:
        twin = pickle.loads(pickle.dumps(learner))
    except Exception as error:  # nobody promised that it can be written down; if it can, it must be right
        raise NotApplicable(f"it cannot be pickled: {describe_error(error)}") from error
    _independent(subject, learner, twin, "pickled copy")


def _independent(subject: Subject, learner: Learner, twin: Learner, what: str) -> None:
    X, y = subject.sequence(16, which=3)
    same(peek(learner, X), peek(twin, X), f"the {what} predicts otherwise")
    before = peek(learner, X)
    set_global_state()
    then = play_rounds(twin, X, y)
    same(before, peek(learner, X), f"the original's predictions changed when its {what} learnt")
    before = peek(twin, X)
    set_global_state()
    now = play_rounds(learner, X, y)
    same(before, peek(twin, X), f"the {what}'s predictions changed when the original learnt")
    same(then, now, f"the {what} continues otherwise than the original", tolerance=1e-12)
