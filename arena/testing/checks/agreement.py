"""Fast ways must give what the slow ways give."""

from __future__ import annotations

import numpy as np

from arena.arrays import Array
from arena.testing.checks.applicable import own_peek, own_replay
from arena.testing.checks.check import check
from arena.testing.checks.compare import same
from arena.testing.checks.sequences import Kind
from arena.testing.checks.subject import Subject, peek, play_rounds, play_together, predict

ROUNDS = 150
KINDS: tuple[Kind, ...] = ("random", "repeated", "rank one")


@check("plays", "predict-is-pure", why_not=own_peek)
def peek_equals_predict(subject: Subject) -> None:
    """`peek` gives for many rows at once what `predict` gives for each."""
    for played in (0, 13):
        learner, X, _ = subject.midway(played)
        one_by_one = np.array([predict(learner, x) for x in X])
        same(one_by_one, peek(learner, X), "predict and peek disagree", tolerance=1e-9)
        same(one_by_one[:1], peek(learner, X[:1]), "predict and peek of one row disagree", tolerance=1e-9)


@check("plays", "same-seed-same-run", "no-label-is-used-before-it-is-seen", why_not=own_replay)
def replay_equals_rounds(subject: Subject) -> None:
    """`replay` gives the predictions of the same rounds one by one, in one piece, in many, and after single rounds."""
    for kind in KINDS:
        X, y = subject.sequence(ROUNDS, kind)
        expected = play_rounds(subject.begun(ROUNDS), X, y)
        for what, cuts in (("in one piece", (ROUNDS,)), ("in pieces", (1, 7, 70, ROUNDS))):
            same(expected, _in_pieces(subject, X, y, cuts, single=0),
                 f"round by round and replay {what} disagree on {kind} points", tolerance=1e-8)  # fmt: skip
        same(expected, _in_pieces(subject, X, y, (60, ROUNDS), single=20),
             f"round by round and replay after 20 single rounds disagree on {kind} points", tolerance=1e-8)  # fmt: skip


def _in_pieces(subject: Subject, X: Array, y: Array, cuts: tuple[int, ...], single: int) -> Array:
    """Single rounds, then a replay up to each cut."""
    learner = subject.begun(len(X))
    predictions, start = [play_rounds(learner, X[:single], y[:single])], single
    for stop in cuts:
        predictions.append(play_together(learner, X[start:stop], y[start:stop]))
        start = stop
    return np.concatenate(predictions)
