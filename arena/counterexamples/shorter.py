"""Fewer rounds: prefixes, blocks that are left out, the simplest sequences of all, and repairs after a loss."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from arena.arrays import Array
from arena.counterexamples.case import Case
from arena.counterexamples.trials import Trials

POINTS = 4  # whose simplest sequences are tried
SHORT = 3  # rounds up to which everything is tried
LONGEST_SIMPLE = 16  # rounds of these
REPAIRABLE = 24  # rounds up to which a loss is made up for
CANDIDATES = 6  # rounds whose removal hurts least, each of which is tried with a repair


def try_prefixes(trials: Trials) -> None:
    """Start again from the shortest: a learner's parameters depend on the horizon, so a short match is another one."""
    for rounds in lengths(trials.simplest.rounds):
        if trials.improve(trials.simplest.prefix(rounds)):
            return


def lengths(limit: int) -> Iterator[int]:
    """1, 2, 3, 4, 6, 8, 12, 16, ... below the limit."""
    power = 1
    while power < limit:
        yield power
        if power > 1 and power + power // 2 < limit:
            yield power + power // 2
        power *= 2


def leave_out_blocks(trials: Trials) -> None:
    """Delta debugging: half of the rounds, a quarter, ..., single ones until none can be spared."""
    size = max(1, trials.simplest.rounds // 2)
    while True:
        spared = _leave_out_each(trials, size)
        if size == 1 and not spared:
            return
        size = max(1, min(size, trials.simplest.rounds) // 2)


def _leave_out_each(trials: Trials, size: int) -> bool:
    """From the end to the beginning, blocks of this size; whether any could be spared."""
    spared = False
    start = trials.simplest.rounds - size
    while start > -size:
        if trials.improve(trials.simplest.without(slice(max(start, 0), start + size))):
            spared = True
        start = min(start, trials.simplest.rounds) - size
    return spared


def try_simple_sequences(trials: Trials) -> None:
    """One point, or a few in turn, with constant, alternating or other regular labels; the shortest first."""
    for rounds in range(1, LONGEST_SIMPLE + 1):
        if rounds >= trials.simplest.rounds:
            return
        for simple in simple_sequences(trials.simplest, rounds):
            if trials.improve(simple):
                return


def simple_sequences(case: Case, rounds: int) -> Iterator[Case]:
    """Regular sequences of this length at the case's points: those of the first and last round, and frequent ones."""
    ones = np.ones(rounds)
    turns = np.where(np.arange(rounds) % 2, -1.0, 1.0)
    pairs = np.where(np.arange(rounds) // 2 % 2, -1.0, 1.0)
    halves = np.where(np.arange(rounds) < (rounds + 1) // 2, 1.0, -1.0)
    last = np.append(np.ones(rounds - 1), -1.0)
    patterns = np.unique(np.array([ones, turns, pairs, halves, last]), axis=0)[::-1]
    points, places = _prominent(case), _landmarks(case)
    turns_at = (
        [points[:1], *points[1:, None], points[:2], places[:2], places[1:], places] if rounds > 1 else [points[:1]]
    )
    for signs in np.concatenate([patterns, -patterns]):
        for cycle in turns_at:
            yield case.with_moves(cycle[np.arange(rounds) % len(cycle)], case.game.label_bound * signs)


def try_all_short_sequences(trials: Trials) -> None:
    """Whatever can be played in one, two or three rounds at a few places, with the largest labels."""
    places = np.concatenate([_landmarks(trials.simplest), _prominent(trials.simplest)[:1]])
    for rounds in range(1, SHORT + 1):
        if rounds >= trials.simplest.rounds:
            return
        for signs in itertools.product((1.0, -1.0), repeat=rounds):
            labels = trials.simplest.game.label_bound * np.array(signs)
            for which in itertools.product(range(len(places)), repeat=rounds):
                if trials.improve(trials.simplest.with_moves(places[list(which)], labels)):
                    return


def _landmarks(case: Case) -> Array:
    """The middle of the box, and the two corners on its diagonal."""
    return np.array([(case.game.low + case.game.high) / 2, case.game.low, case.game.high])


def _prominent(case: Case) -> Array:
    distinct = case.distinct
    frequent = sorted(range(len(distinct)), key=lambda i: -int(case.where(distinct[i]).sum()))[:POINTS]
    chosen = [case.points[-1], case.points[0], *distinct[frequent]]
    return np.array(list(dict.fromkeys(map(tuple, chosen)))[:POINTS])


def repair(trials: Trials) -> None:
    """Leave a round out and make up for it: other labels and points in the rounds that stay, as long as it helps."""
    improved = True
    while improved and 1 < trials.simplest.rounds <= REPAIRABLE:
        without = [trials.simplest.without([number]) for number in range(trials.simplest.rounds)]
        promising = sorted(without, key=lambda case: -trials.outcome(case).excess)[:CANDIDATES]
        improved = any(_climb(trials, case) for case in promising)


def _climb(trials: Trials, case: Case) -> bool:
    """Change one round at a time for the better, until the case fails or nothing helps."""
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
                if there.excess > here.excess + 1e-12 * abs(here.excess):
                    case, here, changed = other, there, True
    return False


def _variants(case: Case, number: int) -> Iterator[Case]:
    """The round with the largest labels, and at the other points."""
    bound = case.game.label_bound
    for label in (bound, -bound):
        if case.labels[number] != label:
            yield case.with_label(number, label)
    for point in _prominent(case):
        if not np.array_equal(point, case.points[number]):
            yield case.with_point(number, point)
