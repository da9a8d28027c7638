"""Checks of a learner's state.

Calls of `predict` and `peek`, other learners, and changes in the caller's arrays must not change the state.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import describe_error
from arena.guards.user_code import guarded, tolerated
from arena.players.learner import Learner, UserLearner, overrides
from arena.players.referee import ask
from arena.testing.checks.check import CheckFailed, NotApplicable, check, point_text, require_same
from arena.testing.checks.subjects import (
    CheckedLearner,
    needs_rounds,
    peek,
    play_round,
    play_rounds,
    predict,
    set_global_state,
)

COPIES_NEED = ("plays", "learners-share-no-state", "predict-is-pure")


@check("plays", why_not=needs_rounds)
def learners_share_no_state(subject: CheckedLearner) -> None:
    """Check that a learner does not learn from labels given to another learner that was made in the same way."""
    learner, X, y = subject.midway()
    other = subject.begun(len(X))
    before = peek(learner, X)
    # `predict-is-pure` reports a learner that is changed by `peek`
    if not np.array_equal(before, peek(learner, X)):
        return
    for x, label in zip(X, y.tolist(), strict=True):
        play_round(other, x, label)
        what = "predictions changed when another learner learnt (is its state kept in the class?)"
        require_same(before, peek(learner, X), what)


@check("plays", "same-seed-same-run", why_not=needs_rounds, varied=True)
def predict_is_pure(subject: CheckedLearner) -> None:
    """Check that `predict` returns the same value a second time, and that `predict` and `peek` change nothing.

    Neither call may change the learner's state or its predictions in later rounds.
    """
    _require_equal_answers(subject)
    _require_unchanged_state(subject)
    _require_unchanged_rounds(subject)


def _require_equal_answers(subject: CheckedLearner) -> None:
    learner, X, _ = subject.midway()
    for _revealed in range(2):
        for x in X[:4]:
            first, again = predict(learner, x), predict(learner, x)
            if first != again:
                raise CheckFailed(f"asked twice at {point_text(x)} it says {first:.9g}, then {again:.9g}")
        ask("learner", learner.reveal, X[0].copy())
        X = X[:1]  # after `reveal` only the revealed point may be asked for


def _require_unchanged_state(subject: CheckedLearner) -> None:
    """Raise `CheckFailed` if calls of `predict` and `peek` change the pickle of an attribute."""
    learner, X, _ = subject.midway()
    # the first calls may fill caches, such as cached properties of the game, which are no change of state
    predict(learner, X[0])
    peek(learner, X)
    before = _pickled_attributes(learner)
    for x in X:
        predict(learner, x)
    peek(learner, X)
    changed = [key for key, value in _pickled_attributes(learner).items() if before.get(key) != value]
    if changed:
        raise CheckFailed(f"asking changed its state: {', '.join(sorted(changed))}")


def _require_unchanged_rounds(subject: CheckedLearner) -> None:
    """Raise `CheckFailed` if calls of `predict` and `peek` change predictions in later rounds."""
    asked, X, y = subject.midway()
    peek(asked, X)
    for x in X:
        predict(asked, x)
    after_questions = play_rounds(asked, X, y)
    undisturbed, X, y = subject.midway()
    what = "it plays on otherwise after having been asked"
    require_same(play_rounds(undisturbed, X, y), after_questions, what, tolerance=1e-12)


@check("plays", "same-seed-same-run", "predict-is-pure", why_not=needs_rounds, varied=True)
def update_needs_no_prediction(subject: CheckedLearner) -> None:
    """Check that the effect of `update(x, y)` does not depend on earlier calls of `predict`.

    Four learners play the same rounds, and must make the same predictions later. They differ in the calls of `predict`:

    - the first predicts at the point of each round, before the label;
    - the second predicts at the point of each round and at another point, before the label;
    - the third never predicts before a label;
    - the fourth predicts at the points of three rounds, and then gets the three labels.
    """
    X, y = subject.sequence(24)
    expected = _later_predictions(subject, X, y, play_rounds)
    for rounds, what in (
        (_ask_elsewhere_then_update, "when it is asked at another point before it learns a label"),
        (_update_unasked, "when it learns without having been asked"),
        (_update_late, "when labels come late, after the predictions of later rounds"),
    ):
        require_same(expected, _later_predictions(subject, X, y, rounds),
                     f"it learns otherwise {what} (does update use what the last predict left behind?)",
                     tolerance=1e-9)  # fmt: skip


LATE = 3  # rounds that are predicted before their labels are given


def _later_predictions(
    subject: CheckedLearner, X: Array, y: Array, play_three: Callable[[Learner, Array, Array], object]
) -> Array:
    """Play a match with a new learner, and return its predictions at all points `X`, made after every third round.

    `y` has the labels of the match. `play_three(learner, points, labels)` plays three rounds.
    """
    learner, seen = subject.begun(len(X)), []
    for start in range(0, len(X), LATE):
        play_three(learner, X[start : start + LATE], y[start : start + LATE])
        seen.append(peek(learner, X))
    return np.concatenate(seen)


def _ask_elsewhere_then_update(learner: Learner, X: Array, y: Array) -> None:
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        other = X[t - 1]
        predict(learner, other)
        ask("learner", learner.reveal, x.copy())
        predict(learner, x)
        peek(learner, other[np.newaxis])
        # after `reveal` a learner with coins may be asked by `predict` at the revealed point only
        if not overrides(learner, "reveal"):
            predict(learner, other)
        ask("learner", learner.update, x.copy(), label)


def _update_unasked(learner: Learner, X: Array, y: Array) -> None:
    for x, label in zip(X, y.tolist(), strict=True):
        ask("learner", learner.reveal, x.copy())
        ask("learner", learner.update, x.copy(), label)


def _update_late(learner: Learner, X: Array, y: Array) -> None:
    for x in X:
        predict(learner, x)
    _update_unasked(learner, X, y)


def _pickled_attributes(learner: Learner) -> dict[str, bytes]:
    """Return the learner's attributes by name, each pickled; attributes that cannot be pickled are left out."""
    thing: Any = learner.given if isinstance(learner, UserLearner) else learner
    slots = [name for cls in type(thing).__mro__ for name in np.atleast_1d(getattr(cls, "__slots__", ()))]
    attributes = {name: getattr(thing, name) for name in slots if hasattr(thing, name)} | getattr(thing, "__dict__", {})
    pickled = {}
    for name, value in attributes.items():
        with tolerated():  # such as a lambda or a lock
            pickled[name] = pickle.dumps(value)
    return pickled


@check("plays")
def leaves_its_arguments_alone(subject: CheckedLearner) -> None:
    """Check that no method of the learner writes into the arrays that it is given."""
    X, y = subject.sequence(13)
    learner = subject.begun(len(X))
    if not subject.foresight:
        for x, label in zip(X, y.tolist(), strict=True):
            for method, rest in ((learner.reveal, ()), (learner.predict, ()), (learner.update, (label,))):
                _require_unchanged_arguments(method, x, *rest)
        _require_unchanged_arguments(learner.peek, X)
        learner = subject.begun(len(X))
    _require_unchanged_arguments(learner.replay, X, y)


def _require_unchanged_arguments(method: Callable[..., object], *arguments: Array | float) -> None:
    given = [np.array(each) if isinstance(each, np.ndarray) else each for each in arguments]
    ask("learner", method, *given)
    for before, after in zip(arguments, given, strict=True):
        if not np.array_equal(before, after):
            name = getattr(method, "__name__", "it")
            raise CheckFailed(f"{name} changed the array that it was given: work on a copy")


@check("plays", "leaves-its-arguments-alone", "same-seed-same-run", why_not=needs_rounds)
def keeps_no_reference(subject: CheckedLearner) -> None:
    """Check that the learner copies what it keeps.

    If the caller overwrites the arrays that the learner was given, the learner's predictions must not change.
    """
    X, y = subject.sequence(24)
    for overwriting, copying in ((_rounds_in_one_buffer, play_rounds), (_replay_then_overwrite, _replay_copies)):
        later = []
        for play in (copying, overwriting):
            learner = subject.begun(len(X))
            play(learner, X[:12], y[:12])
            later.append(play_rounds(learner, X[12:], y[12:]))
        what = "what it learnt changed when the caller used its array again: keep x.copy()"
        require_same(later[0], later[1], what, tolerance=1e-12)


def _rounds_in_one_buffer(learner: Learner, X: Array, y: Array) -> None:
    buffer = np.empty(X.shape[1])
    for x, label in zip(X, y.tolist(), strict=True):
        buffer[:] = x
        ask("learner", learner.reveal, buffer)
        ask("learner", learner.predict, buffer)
        ask("learner", learner.update, buffer, label)
        buffer[:] = 0.5 * (x - X[0])


def _replay_then_overwrite(learner: Learner, X: Array, y: Array) -> None:
    points, labels = X.copy(), y.copy()
    ask("learner", learner.replay, points, labels)
    points[:], labels[:] = 0.5 * X[::-1], -y


def _replay_copies(learner: Learner, X: Array, y: Array) -> None:
    ask("learner", learner.replay, X.copy(), y.copy())


@check(*COPIES_NEED, why_not=needs_rounds)
def deep_copies_are_independent(subject: CheckedLearner) -> None:
    """Check that a deep copy and the original predict the same, and that neither learns from the other's labels."""
    learner, _, _ = subject.midway()
    with guarded(lambda error: CheckFailed(f"it cannot be copied: {describe_error(error)}"), passing=()):
        twin = copy.deepcopy(learner)
    _require_independent(subject, learner, twin, "deep copy")


@check(*COPIES_NEED, why_not=needs_rounds)
def pickles_are_independent(subject: CheckedLearner) -> None:
    """Check that a pickled copy and the original predict the same, and that neither learns from the other's labels."""
    learner, _, _ = subject.midway()
    # the contract does not ask for pickling; where it works it must be right
    with guarded(lambda error: NotApplicable(f"it cannot be pickled: {describe_error(error)}"), passing=()):
        twin = pickle.loads(pickle.dumps(learner))
    _require_independent(subject, learner, twin, "pickled copy")


def _require_independent(subject: CheckedLearner, learner: Learner, twin: Learner, what: str) -> None:
    X, y = subject.sequence(16, which=3)
    require_same(peek(learner, X), peek(twin, X), f"the {what} predicts otherwise")
    before = peek(learner, X)
    set_global_state()
    then = play_rounds(twin, X, y)
    require_same(before, peek(learner, X), f"the original's predictions changed when its {what} learnt")
    before = peek(twin, X)
    set_global_state()
    now = play_rounds(learner, X, y)
    require_same(before, peek(twin, X), f"the {what}'s predictions changed when the original learnt")
    require_same(then, now, f"the {what} continues otherwise than the original", tolerance=1e-12)
