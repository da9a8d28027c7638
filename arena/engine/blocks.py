"""Blocks of rounds against an oblivious adversary: the adversary's moves are recorded first, then all predictions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.game.game import Game
from arena.game.legality import first_illegal_move
from arena.players.adversary import Adversary, has_own_block
from arena.players.learner import Learner, UserLearner, overrides, point_explained
from arena.players.referee import (
    QUESTIONED,
    Foul,
    ask,
    check_last_question,
    check_purity,
    first_illegal_prediction,
    foul_of_move,
    fouls_of,
    legal_label,
    legal_point,
    legal_prediction,
    legal_predictions,
    well_shaped_moves,
)
from arena.players.view import Record, View


def gather_moves(game: Game, adversary: Adversary, view: View, record: Record, wanted: int) -> Foul | None:
    """Record at most `wanted` further moves of the adversary; return the adversary's foul, or None without a foul."""
    start, foul = len(record.labels), None
    try:
        with fouls_of("adversary", "its move"):
            if not has_own_block(adversary):
                _gather_one_by_one(game, adversary, view, record, wanted)
            else:
                _gather_blocks(game, adversary, view, record, wanted)
    except Foul as raised:
        foul = raised
    size = len(record.labels)
    illegal = first_illegal_move(game, record.points.view()[start:size], record.labels.view()[start:])
    if illegal:
        size, foul = start + illegal.row, foul_of_move(illegal)
    record.points.shrink(size)
    record.labels.shrink(size)
    return foul


def _gather_one_by_one(game: Game, adversary: Adversary, view: View, record: Record, wanted: int) -> None:
    point, label, nan = adversary.point, adversary.label, np.nan
    points, labels = record.points, record.labels
    for _ in range(wanted):
        raw = point(view)
        if raw is None:
            return
        x = legal_point(game, raw)
        points.append(x)
        labels.append(legal_label(label(view, x, nan)))


def _gather_blocks(game: Game, adversary: Adversary, view: View, record: Record, wanted: int) -> None:
    stop = len(record.labels) + wanted
    while (missing := stop - len(record.labels)) > 0:
        X, y = well_shaped_moves(game, *adversary.block(view, missing))
        if not len(X):
            return
        record.points.extend(X[:missing])
        record.labels.extend(y[:missing])


class Aside:
    """Context manager: adds the time of each `with` block to `seconds`; the learner's time excludes these seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self.started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self.started


def answer_moves(
    game: Game, learner: Learner, record: Record, X: Array, y: Array, note_size: Callable[[int], None] | None
) -> None:
    """Let the learner play the rounds with the points `X` and the labels `y`; record its predictions and times.

    If the learner commits a foul, the predictions before it are recorded, and the `Foul` is raised. A learner without a
    `replay` of its own plays round by round. After each of these rounds, `note_size` is called with the number of
    rounds played, to record the size of the dictionary. The times exclude these calls, and also the extra predictions
    by which the arena checks that `predict` changes nothing.
    """
    started, aside = time.perf_counter(), Aside()
    try:
        if overrides(learner, "replay"):
            _answer_block(learner, record, X, y)
        else:
            _answer_one_by_one(game, learner, record, X, y, note_size, aside)
    finally:
        rounds = len(record.predictions) - len(record.seconds)
        each = (time.perf_counter() - started - aside.seconds) / max(rounds, 1)
        record.seconds.extend(np.full(rounds, each))


def _answer_block(learner: Learner, record: Record, X: Array, y: Array) -> None:
    raw = ask("learner", learner.replay, X, y)
    predictions = legal_predictions(raw, len(X), "replay")
    illegal = first_illegal_prediction(predictions)
    record.predictions.extend(predictions[:illegal])
    if illegal is not None:
        legal_prediction(predictions[illegal])


def _answer_one_by_one(
    game: Game,
    learner: Learner,
    record: Record,
    X: Array,
    y: Array,
    note_size: Callable[[int], None] | None,
    aside: Aside,
) -> None:
    playing: Any = learner.given if isinstance(learner, UserLearner) else learner
    infinity, predictions, done = np.inf, record.predictions, len(record.predictions)
    with fouls_of("learner", "its move"), point_explained(learner, game):
        predict, update = playing.predict, playing.update
        reveal = playing.reveal if overrides(learner, "reveal") else None
        for x, label in zip(X, y.tolist(), strict=True):
            if reveal:
                reveal(x)
            prediction = predict(x)
            if type(prediction) is not float or not -infinity < prediction < infinity:
                prediction = legal_prediction(prediction)
            if done & (done + 1) == 0:  # the same rounds as in `Match._play_rounds`
                with aside:
                    check_purity(prediction, predict(x))
            done += 1
            if done == QUESTIONED:
                with aside:
                    check_last_question(game, learner, x, prediction)
            update(x, label)
            if note_size:
                with aside:
                    note_size(len(predictions) + 1)
            predictions.append(prediction)
