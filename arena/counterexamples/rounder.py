"""Fewer points and rounder numbers: what is left of a sequence should be easy to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.counterexamples.case import Case
from arena.counterexamples.trials import Trials

DIGITS = (1, 2, 3)
MANY = 32  # points beyond which they are merged in groups alone


def merge_points(trials: Trials) -> None:
    """Play several points as one: all of them, half of them, then each as its nearest neighbours."""
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
        for other in _by_distance(trials.simplest.distinct, point):
            if rows.any() and trials.improve(trials.simplest.with_point(rows, other)):
                break


def _merged(case: Case, centres: Array) -> Case:
    """Each point moved to the nearest of the centres."""
    distances = ((case.points[:, None] - centres[None]) ** 2).sum(axis=2)
    return case.with_moves(centres[distances.argmin(axis=1)], case.labels)


def _by_distance(points: Array, point: Array) -> Array:
    order = np.argsort(((points - point) ** 2).sum(axis=1), kind="stable")
    return np.asarray(points[order[1:]])


def round_labels(trials: Trials) -> None:
    """Labels at the bound, else zero, half the bound, or a few digits: all at once, then one by one."""
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
        halves = (0.0, np.copysign(bound / 2, value), -np.copysign(bound / 2, value))
        before = float(trials.simplest.labels[max(0, number - 1)])
        wanted = (
            before,
            np.copysign(bound, value),
            -np.copysign(bound, value),
            *halves,
            *_shorter(value, -bound, bound),
        )
        _first(trials, (trials.simplest.with_label(number, each) for each in wanted))


def round_points(trials: Trials) -> None:
    """Points at zero or a corner, coordinates at 0, 1, a side, a half, or with a few digits."""
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
    """Zero and ones as far as they lie in the box, then its corners."""
    for each in (np.zeros_like(low), np.ones_like(low), -np.ones_like(low), low, high):
        if (low <= each).all() and (each <= high).all():
            yield each


def _round_coordinate(trials: Trials, point: Array, i: int, low: float, high: float) -> Array:
    """The point with the roundest value of this coordinate that still does."""
    for value in (0.0, 1.0, -1.0, low, high, 0.5, -0.5, *_shorter(float(point[i]), low, high)):
        other = point.copy()
        other[i] = value
        rows = trials.simplest.where(point)
        if low <= value <= high and rows.any() and trials.improve(trials.simplest.with_point(rows, other)):
            return other
    return point


def plainer_game(trials: Trials) -> None:
    """Lambda = 1, B = 1 and C = B, and no coordinate that does not matter."""
    case = trials.simplest
    trials.improve(_in_game(case, regularisation=1.0))
    scaled = case.labels / case.game.label_bound
    trials.improve(_in_game(trials.simplest.with_moves(trials.simplest.points, scaled), label_bound=1.0))
    trials.improve(_in_game(trials.simplest, prediction_bound=None))
    i = trials.simplest.game.dimension
    while trials.simplest.game.dimension > 1 and i > 0:
        i -= 1
        trials.improve(_without_coordinate(trials.simplest, i))


def _in_game(case: Case, **changes: Any) -> Case:
    return Case(case.setting.replace(**changes), case.points, case.labels, case.horizon)


def _without_coordinate(case: Case, i: int) -> Case:
    box = np.delete(np.column_stack([case.game.low, case.game.high]), i, axis=0)
    setting = case.setting.replace(dimension=len(box), box=tuple(map(tuple, box.tolist())))
    return Case(setting, np.delete(case.points, i, axis=1), case.labels, case.horizon)


def _first(trials: Trials, cases: Iterator[Case]) -> None:
    any(trials.improve(case) for case in cases)


def _shorter(value: float, low: float, high: float) -> Sequence[float]:
    return [float(_rounded(np.array(value), digits, low, high)) for digits in DIGITS]


def _rounded(values: Array, digits: int, low: Any, high: Any) -> Array:
    """So many significant digits, within the limits."""
    shorter = np.array([float(f"{value:.{digits}g}") for value in values.ravel().tolist()]).reshape(values.shape)
    return np.asarray(np.clip(shorter, low, high))
