"""The passes of shrinking: each simplifies a failing case in one way, such as fewer rounds or rounder numbers.

A pass gets the `ShrinkingTrials`, and proposes simpler cases to `trials.improve`. This method plays a case, and makes
it `trials.simplest` if the learner fails in it. `try_prefixes` is applied first. `PASSES` lists the other passes in the
order in which they are applied.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from arena.arrays import Array, clearly_above, first_bests
from arena.counterexamples.case import Case
from arena.counterexamples.trials import ShrinkingTrials

PLACES = 4  # points at which regular sequences are tried
EXHAUSTED = 3  # all sequences of at most this many rounds, at a few points, are tried
MOST_REGULAR_ROUNDS = 16  # rounds of a regular sequence
REPAIRABLE = 24  # rounds of the longest case on which `repair` is tried
REPAIRED = 6  # rounds that `repair` tries to leave out: those without which measured - allowed is largest
DIGITS = (1, 2, 3)
MANY = 32  # number of points above which points are merged in groups only

Passes: TypeAlias = tuple[Callable[[ShrinkingTrials], None], ...]


def try_prefixes(trials: ShrinkingTrials) -> None:
    """Shorten the simplest failing case to its first 1, 2, 3, 4, 6, 8, 12, ... rounds.

    The new number of rounds is the smallest of these with which the learner still fails.
    """
    # not by bisection: parameters may depend on the horizon, so that 3 rounds may fail even if 4 rounds do not
    for rounds in prefix_lengths(trials.simplest.rounds):
        if trials.improve(trials.simplest.prefix(rounds)):
            return


def prefix_lengths(limit: int) -> Iterator[int]:
    """Yield 1, 2, 3, 4, 6, 8, 12, 16, ... as long as the numbers are below the limit."""
    power = 1
    while power < limit:
        yield power
        if power > 1 and power + power // 2 < limit:
            yield power + power // 2
        power *= 2


def leave_out_blocks(trials: ShrinkingTrials) -> None:
    """Leave out halves of the simplest failing case, then quarters, and so on down to single rounds (delta debugging).

    At the end no single round can be left out: the learner would no longer fail.
    """
    size = max(1, trials.simplest.rounds // 2)
    while True:
        spared = _leave_out_each(trials, size)
        if size == 1 and not spared:
            return
        size = max(1, min(size, trials.simplest.rounds) // 2)


def _leave_out_each(trials: ShrinkingTrials, size: int) -> bool:
    """Try to leave out each block of `size` consecutive rounds of the simplest failing case, from the end.

    Return whether a block was left out.
    """
    spared = False
    start = trials.simplest.rounds - size
    while start > -size:
        if trials.improve(trials.simplest.without(slice(max(start, 0), start + size))):
            spared = True
        start = min(start, trials.simplest.rounds) - size
    return spared


def try_regular_sequences(trials: ShrinkingTrials) -> None:
    """Replace the moves of the simplest failing case by the shortest regular sequence on which the learner fails.

    A regular sequence plays one point, or a few points in turn, with regular labels. Regular labels are B and -B in a
    simple order: constant, alternating, alternating in pairs, changing once in the middle, or changing in the last
    round.
    """
    for rounds in range(1, MOST_REGULAR_ROUNDS + 1):
        if rounds >= trials.simplest.rounds:
            return
        for regular in regular_sequences(trials.simplest, rounds):
            if trials.improve(regular):
                return


def regular_sequences(case: Case, rounds: int) -> Iterator[Case]:
    """Yield cases with this number of rounds that play one point, or a few points in turn, with regular labels.

    Regular labels are B and -B in a simple order, such as alternating. The points are the first, the last and the most
    frequent points of the case, the middle of the box, and two corners of the box.
    """
    ones = np.ones(rounds)
    turns = np.where(np.arange(rounds) % 2, -1.0, 1.0)
    pairs = np.where(np.arange(rounds) // 2 % 2, -1.0, 1.0)
    halves = np.where(np.arange(rounds) < (rounds + 1) // 2, 1.0, -1.0)
    last = np.append(np.ones(rounds - 1), -1.0)
    patterns = np.unique(np.array([ones, turns, pairs, halves, last]), axis=0)[::-1]
    points, landmarks = _prominent(case), _landmarks(case)
    cycles = [points[:1]]
    if rounds > 1:
        cycles += [*points[1:, None], points[:2], landmarks[:2], landmarks[1:], landmarks]
    for signs in np.concatenate([patterns, -patterns]):
        for cycle in cycles:
            yield case.with_moves(cycle[np.arange(rounds) % len(cycle)], case.game.label_bound * signs)


def try_all_short_sequences(trials: ShrinkingTrials) -> None:
    """Replace the moves of the simplest failing case by the shortest failing sequence of up to three rounds.

    The labels are B and -B. The points are the middle and two corners of the box, and the last point of the case.
    """
    places = np.concatenate([_landmarks(trials.simplest), _prominent(trials.simplest)[:1]])
    for rounds in range(1, EXHAUSTED + 1):
        if rounds >= trials.simplest.rounds:
            return
        for signs in itertools.product((1.0, -1.0), repeat=rounds):
            labels = trials.simplest.game.label_bound * np.array(signs)
            for which in itertools.product(range(len(places)), repeat=rounds):
                if trials.improve(trials.simplest.with_moves(places[list(which)], labels)):
                    return


def _landmarks(case: Case) -> Array:
    """Return three points: the middle of the box, its lower corner, and its upper corner."""
    return np.array([(case.game.low + case.game.high) / 2, case.game.low, case.game.high])


def _prominent(case: Case) -> Array:
    """Return up to four different points of the case: the last one, the first one, and the most frequent ones."""
    distinct = case.distinct
    frequent = sorted(range(len(distinct)), key=lambda i: -int(case.where(distinct[i]).sum()))[:PLACES]
    chosen = [case.points[-1], case.points[0], *distinct[frequent]]
    return np.array(list(dict.fromkeys(map(tuple, chosen)))[:PLACES])


def repair(trials: ShrinkingTrials) -> None:
    """Leave out a round of the simplest failing case, change other moves until the learner fails again, and repeat."""
    improved = True
    while improved and 1 < trials.simplest.rounds <= REPAIRABLE:
        without = [trials.simplest.without([number]) for number in range(trials.simplest.rounds)]
        promising = first_bests(np.array([trials.outcome(case).excess for case in without]), REPAIRED)
        improved = any(_climb(trials, without[number]) for number in promising)


def _climb(trials: ShrinkingTrials, case: Case) -> bool:
    """Change one move of `case` at a time until the learner fails; return whether this gave a simpler failing case.

    Each change must bring the measured value of the theorem closer to the bound. The search ends if no change does.
    """
    here = trials.outcome(case)
    if here.fails:
        return trials.improve(case)
    if not np.isfinite(here.excess):
        return False
    changed = True
    while changed:
        changed = False
        for number in range(case.rounds):
            for other in _variants(case, number):
                there = trials.outcome(other)
                if there.fails:
                    return trials.improve(other)
                if clearly_above(there.excess, here.excess, scale=abs(here.excess)):
                    case, here, changed = other, there, True
    return False


def _variants(case: Case, number: int) -> Iterator[Case]:
    """Yield copies of the case in which round `number` (from 0) has another label, B or -B, or another point."""
    bound = case.game.label_bound
    for label in (bound, -bound):
        if case.labels[number] != label:
            yield case.with_label(number, label)
    for point in _prominent(case):
        if not np.array_equal(point, case.points[number]):
            yield case.with_point(number, point)


def merge_points(trials: ShrinkingTrials) -> None:
    """Reduce the number of different points of the simplest failing case.

    First each point is replaced by the nearest of n points of the case, for n = 1, 2, 4, ..., until the learner fails.
    Then the points are replaced one by one, by the nearest other point with which the learner still fails.
    """
    groups = 1
    while groups < len(trials.simplest.distinct) and groups <= MANY:
        distinct = trials.simplest.distinct
        if trials.improve(_merged(trials.simplest, distinct[:: -(-len(distinct) // groups)])):
            groups = 1
        else:
            groups *= 2
    for point in trials.simplest.distinct[::-1]:
        if len(trials.simplest.distinct) > MANY:
            return
        rows = trials.simplest.where(point)
        if not rows.any():
            continue
        distinct = trials.simplest.distinct
        nearest = np.argsort(((distinct - point) ** 2).sum(axis=1), kind="stable")
        for other in distinct[nearest[1:]]:
            if trials.improve(trials.simplest.with_point(rows, other)):
                break


def _merged(case: Case, centres: Array) -> Case:
    """Return the case with each point replaced by the nearest point of `centres`."""
    distances = ((case.points[:, None] - centres[None]) ** 2).sum(axis=2)
    return case.with_moves(centres[distances.argmin(axis=1)], case.labels)


def round_labels(trials: ShrinkingTrials) -> None:
    """Make the labels of the simplest failing case rounder: all labels at once, then one by one.

    A label is set to the label of the round before, B, -B, 0, B/2, -B/2, or a value with fewer digits.
    """
    case = trials.simplest
    bound = case.game.label_bound
    for labels in (np.full(case.rounds, bound), np.where(case.labels < 0, -bound, bound)):
        trials.improve(case.with_label(slice(None), labels))
    for digits in DIGITS:
        trials.improve(case.with_label(slice(None), _rounded(case.labels, digits, -bound, bound)))
    number = trials.simplest.rounds
    while number > 0:
        number = min(number, trials.simplest.rounds) - 1
        value = float(trials.simplest.labels[number])
        before = float(trials.simplest.labels[max(0, number - 1)])
        large, half = np.copysign(bound, value), np.copysign(bound / 2, value)
        for wanted in (before, large, -large, 0.0, half, -half, *_shorter(value, -bound, bound)):
            if trials.improve(trials.simplest.with_label(number, wanted)):
                break


def round_points(trials: ShrinkingTrials) -> None:
    """Make the points of the simplest failing case rounder: all points at once, then point by point.

    A point is set to (0, ..., 0), (1, ..., 1), (-1, ..., -1) or a corner of the box. Then each of its coordinates is
    set to 0, 1, -1, an end of the box, 1/2, -1/2, or a value with fewer digits.
    """
    low, high = trials.simplest.game.low, trials.simplest.game.high
    for digits in DIGITS:
        trials.improve(
            trials.simplest.with_moves(_rounded(trials.simplest.points, digits, low, high), trials.simplest.labels)
        )
    for point in trials.simplest.distinct:
        here = point
        for whole in _whole(low, high):
            if trials.simplest.where(here).any() and trials.improve(
                trials.simplest.with_point(trials.simplest.where(here), whole)
            ):
                here = whole
                break
        for i in range(len(point)):
            here = _round_coordinate(trials, here, i, float(low[i]), float(high[i]))


def _whole(low: Array, high: Array) -> Iterator[Array]:
    """Yield (0, ..., 0), (1, ..., 1) and (-1, ..., -1) if they lie in the box, and then two corners of the box."""
    for each in (np.zeros_like(low), np.ones_like(low), -np.ones_like(low), low, high):
        if (low <= each).all() and (each <= high).all():
            yield each


def _round_coordinate(trials: ShrinkingTrials, point: Array, i: int, low: float, high: float) -> Array:
    """Make coordinate `i` of the point rounder, so that the learner still fails; return the new point.

    The values 0, 1, -1, the ends `low` and `high` of the box, 1/2, -1/2, and values with fewer digits are tried in this
    order. If the learner fails with none of them, `point` itself is returned.
    """
    for value in (0.0, 1.0, -1.0, low, high, 0.5, -0.5, *_shorter(float(point[i]), low, high)):
        other = point.copy()
        other[i] = value
        rows = trials.simplest.where(point)
        if low <= value <= high and rows.any() and trials.improve(trials.simplest.with_point(rows, other)):
            return other
    return point


def plainer_game(trials: ShrinkingTrials) -> None:
    """Make the game of the simplest failing case plainer: lambda = 1, B = 1, C = B, and fewer coordinates of points.

    With B = 1 the labels are divided by the old B. The changes are tried one after the other, and each is kept if the
    learner still fails. Nothing is changed if the failure is about the given game only, such as a violated demand.
    """
    if trials.failing.keeps_game:
        return
    _change_game(trials, trials.simplest, regularisation=1.0)
    case = trials.simplest
    _change_game(trials, case.with_moves(case.points, case.labels / case.game.label_bound), label_bound=1.0)
    _change_game(trials, trials.simplest, prediction_bound=None)
    i = trials.simplest.game.dimension
    while trials.simplest.game.dimension > 1 and i > 0:
        i -= 1
        trials.improve(_without_coordinate(trials.simplest, i))


def _change_game(trials: ShrinkingTrials, case: Case, **changes: Any) -> None:
    """Change fields of the game of `case`; keep the changed case if it is simpler and the learner still fails.

    `changes` has the new values of the fields. The changed case is tried only if the learner, not the change, would be
    to blame for a failure (`ShrinkingTrials.may_blame`).
    """
    other = replace(case, setting=case.setting.replace(**changes))
    if other.game != case.game and trials.may_blame(case, other):
        trials.improve(other)


def _without_coordinate(case: Case, i: int) -> Case:
    box = np.delete(np.column_stack([case.game.low, case.game.high]), i, axis=0)
    names = [name for number, name in enumerate(case.game.features) if number != i]
    setting = case.setting.replace(dimension=len(box), box=tuple(map(tuple, box.tolist())), features=names)
    return Case(setting, np.delete(case.points, i, axis=1), case.labels, case.horizon)


def _shorter(value: float, low: float, high: float) -> Sequence[float]:
    return [float(_rounded(np.array(value), digits, low, high)) for digits in DIGITS]


def _rounded(values: Array, digits: int, low: Any, high: Any) -> Array:
    shorter = np.array([float(f"{value:.{digits}g}") for value in values.ravel().tolist()]).reshape(values.shape)
    return np.asarray(np.clip(shorter, low, high))


OF_ROWS: Passes = (leave_out_blocks,)  # passes for moves that are rows of a file and must remain rows
PASSES: Passes = (
    try_regular_sequences,
    leave_out_blocks,
    merge_points,
    leave_out_blocks,
    round_labels,
    try_all_short_sequences,
    repair,
    plainer_game,
    round_points,
)
