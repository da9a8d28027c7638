"""Nonsense is refused: asked only of learners that declare `checks_input = True`.

The referee never passes a wrong shape or a NaN on, so a learner need not check what it is given, and most papers' do
not. A learner that is used outside the arena too may promise that it does.
"""

from __future__ import annotations

import numpy as np

from arena.players.learner import Guest
from arena.testing.checks.applicable import round_by_round
from arena.testing.checks.check import CheckFailed, check
from arena.testing.checks.compare import same
from arena.testing.checks.subject import Subject, peek

SHORTEST = 12  # characters of a message that can say what is wrong


def _declared(subject: Subject) -> str | None:
    playing = subject.learner.guest if isinstance(subject.learner, Guest) else subject.learner
    if getattr(playing, "checks_input", False):
        return round_by_round(subject)
    return "the referee never passes nonsense on; declare checks_input = True if it refuses that by itself"


@check("plays", why_not=_declared)
def nonsense_is_refused(subject: Subject) -> None:
    """Wrong shapes, NaN and infinity raise ValueError or TypeError with a message, and teach it nothing."""
    learner, X, _ = subject.midway()
    before = peek(learner, X)
    x = X[0]
    points = {
        "a point with a coordinate too many": np.append(x, 0.0),
        "a point without coordinates": x[:0],
        "a matrix for a point": x[np.newaxis],
        "NaN in the point": np.full_like(x, np.nan),
        "infinity in the point": np.full_like(x, np.inf),
    }
    for what, point in points.items():
        _refused(f"predict with {what}", learner.predict, point)
        _refused(f"update with {what}", learner.update, point, 1.0)
    for label in (np.nan, np.inf):
        _refused(f"update with the label {label}", learner.update, x, label)
    same(before, peek(learner, X), "what it refused has changed its predictions")


def _refused(what: str, method: object, *arguments: object) -> None:
    try:
        method(*arguments)  # type: ignore[operator]
    except (ValueError, TypeError) as error:
        if len(str(error)) < SHORTEST:
            raise CheckFailed(f"{what}: the message does not say what is wrong: {str(error)!r}") from error
    except Exception as error:
        raise CheckFailed(f"{what} raised {type(error).__name__}; ValueError or TypeError is asked for") from error
    else:
        raise CheckFailed(f"{what} was accepted")
