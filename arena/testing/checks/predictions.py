"""Checks of a learner's predictions.

Predictions must be finite and must not depend on later labels. `predict`, `peek` and `replay` must agree.
"""

from __future__ import annotations

import contextlib

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.players.referee import Foul, ask, first_illegal_prediction, legal_predictions
from arena.record.setting import options_of
from arena.testing.checks.check import CheckFailed, check, require_same
from arena.testing.checks.subjects import (
    CheckedLearner,
    Kind,
    needs_own_replay,
    needs_rounds,
    peek,
    play_rounds,
    play_together,
    predict,
)

KINDS: tuple[Kind, ...] = ("random", "repeated", "rank one")
REPEATS = 1000


@check(varied=True)
def plays(subject: CheckedLearner) -> None:
    """Check that the learner plays a few rounds and predicts finite numbers."""
    subject.answers(*subject.sequence(12))


def _needs_own_peek(subject: CheckedLearner) -> str | None:
    return needs_rounds(subject) or (None if subject.offers("peek") else "it has no peek of its own")


@check("plays", "predict-is-pure", why_not=_needs_own_peek, varied=True)
def peek_equals_predict(subject: CheckedLearner) -> None:
    """Check that `peek` returns for many rows in one call what `predict` returns for each row."""
    for played in (0, 13):
        learner, X, _ = subject.midway(played)
        one_by_one = np.array([predict(learner, x) for x in X])
        together = peek(learner, X)
        single = all(np.array_equal(each, each.astype(np.float32)) for each in (one_by_one, together))
        tolerance = 1e-6 if single else 1e-9  # in single precision, rounding depends on the number of rows
        require_same(one_by_one, together, "predict and peek disagree", tolerance=tolerance)
        require_same(one_by_one[:1], peek(learner, X[:1]), "predict and peek of one row disagree", tolerance=tolerance)


@check("plays", "same-seed-same-run", why_not=needs_own_replay)
def no_label_is_used_before_it_is_seen(subject: CheckedLearner) -> None:
    """Check that a prediction does not change if the label of its round and all later labels change.

    Only `replay` is checked, since it is given all labels at once.
    """
    rounds = 40
    X, y = subject.sequence(rounds)
    expected = play_together(subject.begun(rounds), X, y)
    for known in (0, 1, 2, rounds // 2, rounds - 1):
        other = y.copy()
        other[known:] *= -0.5
        seen = play_together(subject.begun(rounds), X, other)
        what = f"with other labels from round {known + 1} on, replay predicts otherwise up to it"
        require_same(expected[: known + 1], seen[: known + 1], what, tolerance=1e-10)


@check("plays", "same-seed-same-run", "no-label-is-used-before-it-is-seen", why_not=needs_own_replay, varied=True)
def replay_equals_rounds(subject: CheckedLearner) -> None:
    """Check that `replay` returns the predictions of a match that is played round by round.

    `replay` is called with the whole match, with consecutive pieces of it, and after some single rounds.
    """
    rounds = 80 if subject.is_variant else 150
    pieces = {
        "replay in one piece": (0, rounds),
        "replay in pieces": (0, 1, 7, 70, rounds),
        "replay after 20 single rounds": (20, 60, rounds),
    }
    for kind in KINDS:
        X, y = subject.sequence(rounds, kind)
        expected = play_rounds(subject.begun(rounds), X, y)
        for what, cuts in pieces.items():
            require_same(expected, _in_pieces(subject, X, y, cuts),
                         f"round by round and {what} disagree on {kind} points",
                         tolerance=1e-6 if subject.is_variant else 1e-8)  # fmt: skip


def _needs_features(subject: CheckedLearner) -> str | None:
    return None if subject.offers("through_features") else "it plays no long match through features"


@check("plays", "same-seed-same-run", why_not=_needs_features, varied=True)
def features_keep_to_their_error_bars(subject: CheckedLearner) -> None:
    """Check that each prediction of `through_features` equals that of round-by-round play up to its error bar.

    Also check that `through_features` reports its progress to the function that it is given.
    """
    X, y = subject.sequence(60)
    expected = subject.answers(X, y)
    steps: list[tuple[str, int, int]] = []
    for watch in (None, lambda *progress: steps.append(progress)):
        found = ask("learner", subject.begun(len(X)).through_features, X.copy(), y.copy(), watch)
        predictions = legal_predictions(found.predictions, len(X), "through_features")
        beyond = np.abs(predictions - expected) - found.error_bars - 1e-8 * (1.0 + np.abs(expected))
        apart = ~(beyond <= 0.0)  # true for NaN, too
        if apart.any():
            t = int(apart.argmax())
            raise CheckFailed(
                f"through_features gives {predictions[t]:.9g} with an error bar of {found.error_bars[t]:.3g} in round "
                f"{t + 1}, but single rounds give {expected[t]:.9g}"
            )
    if not steps:
        raise CheckFailed("through_features never calls the function that watches its progress")


def _in_pieces(subject: CheckedLearner, X: Array, y: Array, cuts: tuple[int, ...]) -> Array:
    """Return the learner's predictions in the first `cuts[-1]` rounds.

    The first `cuts[0]` rounds are played one by one. Then one call of `replay` plays the rounds up to `cuts[1]`, the
    next call those up to `cuts[2]`, and so on.
    """
    learner = subject.begun(len(X))
    start = cuts[0]
    predictions = [play_rounds(learner, X[:start], y[:start])]
    for stop in cuts[1:]:
        predictions.append(play_together(learner, X[start:stop], y[start:stop]))
        start = stop
    return np.concatenate(predictions)


@check("plays")
def finite_after_repeated_points(subject: CheckedLearner) -> None:
    """Check that predictions are finite after a thousand rounds that all have the same point."""
    X, y = subject.sequence(REPEATS + 10)
    X[:REPEATS] = X[0]
    _require_finite(subject, X, y, f"{REPEATS:,} rounds at one point")


@check("plays", "finite-after-repeated-points")
def finite_in_extreme_games(subject: CheckedLearner) -> None:
    """Check that the learner's predictions are finite in extreme games and on extreme sequences.

    - The kernel is very wide or narrow, the regularisation very small or large, and all points are corners of the box.
    - All labels are B, all are -B, or all are zero.
    - A built-in learner also plays in games with other kernels and losses. If the box contains the origin, the learner
      also plays with the linear kernel, and every third point is the origin.
    """
    plain = subject.game
    X, y = subject.sequence(120, "corners")
    X[60:] = X[0]
    for kernel in ("gaussian(bandwidth=0.001)", "gaussian(bandwidth=1000)"):
        for regularisation in (1e-8, 1e8):
            with subject.in_game(plain.replace(kernel=kernel, regularisation=regularisation)):
                _require_finite(subject, X, y, f"corners, kernel {kernel}, regularisation {regularisation:g}")
    X, y = subject.sequence(40)
    _require_finite(subject, X, np.abs(y), "labels of one class")
    _require_finite(subject, X, -np.abs(y), "labels of the other class")
    _require_finite(subject, X, 0.0 * y, "labels of zero")
    if subject.is_built_in and bool((plain.low <= 0.0).all() and (plain.high >= 0.0).all()):
        X[::3] = 0.0
        with contextlib.suppress(ArenaError), subject.in_game(plain.replace(kernel="linear")):
            _require_finite(subject, X, y, "the origin among random points, kernel linear")
    for game in subject.other_games:
        with contextlib.suppress(ArenaError), subject.in_game(game):
            _require_finite(subject, *subject.sequence(20), " ".join(options_of(game)))


def _require_finite(subject: CheckedLearner, X: Array, y: Array, where: str) -> None:
    learner = subject.begun(len(X))
    play = play_together if subject.foresight or subject.offers("replay") else play_rounds
    try:
        with np.errstate(all="ignore"):
            predictions = play(learner, X, y)
    except Foul as foul:
        raise CheckFailed(f"{foul} ({where})") from foul
    bad = first_illegal_prediction(predictions)
    if bad is not None:
        raise CheckFailed(f"the prediction is {predictions[bad]} in round {bad + 1} ({where})")
