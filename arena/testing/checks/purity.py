"""`predict` is a question: asking changes nothing."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from arena.players.learner import Guest, Learner
from arena.players.referee import ask
from arena.testing.checks.applicable import round_by_round
from arena.testing.checks.check import CheckFailed, check
from arena.testing.checks.compare import same, told
from arena.testing.checks.subject import Subject, peek, play_rounds, predict


@check("plays", "same-seed-same-run", why_not=round_by_round)
def predict_is_pure(subject: Subject) -> None:
    """Asked twice it says the same, before and after `reveal`; asking changes no state and nothing later."""
    _asked_twice(subject)
    _state_untouched(subject)
    _plays_on_unimpressed(subject)


def _asked_twice(subject: Subject) -> None:
    learner, X, _ = subject.midway()
    for _revealed in range(2):
        for x in X[:4]:
            first, again = predict(learner, x), predict(learner, x)
            if first != again:
                raise CheckFailed(f"asked twice at {told(x)} it says {first:.9g}, then {again:.9g}")
        ask("learner", learner.reveal, X[0].copy())
        X = X[:1]  # once the point is final, only that point may be asked for


def _state_untouched(subject: Subject) -> None:
    """Byte for byte, where the state can be written down at all."""
    learner, X, _ = subject.midway()
    predict(learner, X[0])  # what is computed once and kept, such as a property of the game, is there from now on
    peek(learner, X)
    before = state_of(learner)
    for x in X:
        predict(learner, x)
    peek(learner, X)
    changed = [key for key, value in state_of(learner).items() if before.get(key) != value]
    if changed:
        raise CheckFailed(f"asking changed its state: {', '.join(sorted(changed))}")


def _plays_on_unimpressed(subject: Subject) -> None:
    asked, X, y = subject.midway()
    peek(asked, X)
    for x in X:
        predict(asked, x)
    after_questions = play_rounds(asked, X, y)
    left_alone, X, y = subject.midway()
    same(
        play_rounds(left_alone, X, y), after_questions, "it plays on otherwise after having been asked", tolerance=1e-12
    )


def state_of(learner: Learner) -> dict[str, bytes]:
    """Each attribute as bytes; those that cannot be pickled are left out."""
    thing: Any = learner.guest if isinstance(learner, Guest) else learner
    return {key: written for key, value in _attributes(thing).items() if (written := _bytes(value)) is not None}


def _attributes(thing: Any) -> dict[str, Any]:
    slots = [name for cls in type(thing).__mro__ for name in np.atleast_1d(getattr(cls, "__slots__", ()))]
    return {**{name: getattr(thing, name) for name in slots if hasattr(thing, name)}, **getattr(thing, "__dict__", {})}


def _bytes(value: Any) -> bytes | None:
    try:
        return pickle.dumps(value)
    except Exception:  # a lambda, a lock: whatever pickle cannot write down
        return None
