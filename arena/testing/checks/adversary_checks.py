"""Checks of adversaries: moves are legal, they can be repeated, and they depend only on what an adversary may know."""

from __future__ import annotations

import contextlib

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError
from arena.players.adversary import has_own_block
from arena.record.transcript import Transcript
from arena.testing.checks.check import CheckFailed, check, require_same
from arena.testing.checks.other_process import computed_there
from arena.testing.checks.subjects import (
    CheckedAdversary,
    Moving,
    Still,
    require_same_moves,
    require_unused_global_state,
    set_global_state,
)
from arena.testing.moves import OneByOne

ODD_GAMES = (
    {"dimension": 1, "box": [3, 4], "label_bound": 0.1},
    {"dimension": 4, "kernel": "linear", "box": [[-1, 1], [0, 1], [2, 5], [-9, 0]]},
    {"dimension": 2, "kernel": "laplacian(bandwidth=0.01)", "regularisation": 1e-4},
)
TURN = 20


def _needs_oblivious(subject: CheckedAdversary) -> str | None:
    return None if subject.adversary.oblivious else "it does not say that it is oblivious"


def _needs_adaptive(subject: CheckedAdversary) -> str | None:
    return "it says that it is oblivious, and is held to that" if subject.adversary.oblivious else None


def _needs_own_block(subject: CheckedAdversary) -> str | None:
    return _needs_oblivious(subject) or (None if has_own_block(subject.adversary) else "it has no block of its own")


@check(why_not=_needs_oblivious)
def oblivious_never_looks(subject: CheckedAdversary) -> None:
    """Check that an adversary with `oblivious = True` makes the same moves against different learners."""
    first, still, again = (
        subject.match(learner, OneByOne(subject.fresh())) for learner in (Moving(), Still(), Moving())
    )
    try:
        require_same_moves(first, again, "")
    except CheckFailed:
        return  # `same-seed-same-moves` reports moves that vary against the same learner
    require_same_moves(first, still, "it says oblivious, but moves otherwise against another learner")


@check("oblivious-never-looks")
def moves_are_legal(subject: CheckedAdversary) -> None:
    """Check that the adversary's moves are legal, in the subject's game and in unusual games.

    No method may raise an exception. Points must lie in the box, and labels must not exceed the bound. The adversary
    may refuse an unusual game by an `ArenaError`.
    """
    _require_legal(subject.match())
    for fields in ODD_GAMES if subject.any_game else ():
        # an adversary may refuse a game, with an ArenaError: it may need another dimension or loss
        with contextlib.suppress(ArenaError):
            _require_legal(subject.match(game=subject.game.replace(**fields)))


def _require_legal(run: Transcript) -> None:
    if run.forfeit:
        raise CheckFailed(f"{run.forfeit} (dimension {run.game.dimension}, box {run.game.box})")


@check("moves-are-legal")
def same_seed_same_moves(subject: CheckedAdversary) -> None:
    """Check that two new adversaries with the same seed make the same moves against the same learner."""
    require_same_moves(subject.match(), subject.match(), "two matches with one seed differ")


@check("moves-are-legal", "same-seed-same-moves")
def begin_forgets(subject: CheckedAdversary) -> None:
    """Check that an adversary repeats the moves of its first match in a second one with the same learner and seed."""
    adversary = subject.fresh()
    first = subject.match(adversary=adversary)
    set_global_state()
    again = subject.match(adversary=adversary)
    require_same_moves(first, again, "in its second match it moves otherwise")


@check("moves-are-legal")
def global_random_state_is_untouched(subject: CheckedAdversary) -> None:
    """Check that the adversary neither draws from nor seeds the global states of `random` and `numpy.random`."""
    subject.match()
    require_unused_global_state()


@check("moves-are-legal", "same-seed-same-moves", "global-random-state-is-untouched")
def same_moves_in_another_process(subject: CheckedAdversary) -> None:
    """Check that the adversary makes the same moves in another process, where strings have other hashes."""
    there = computed_there(_moves, subject)
    here = _moves(subject)
    if len(here) != len(there):
        raise CheckFailed(f"here it played {len(here)} rounds, in another process {len(there)}")
    require_same(here.ravel(), there.ravel(), "this process and another one differ", tolerance=1e-9)


def _moves(subject: CheckedAdversary) -> Array:
    run = subject.match()
    return np.column_stack([run.points, run.labels])


@check("moves-are-legal", "same-seed-same-moves", why_not=_needs_own_block)
def blocks_equal_single_moves(subject: CheckedAdversary) -> None:
    """Check that the adversary's `block` returns the moves that its `point` and `label` return one by one."""
    single = subject.match(adversary=OneByOne(subject.fresh(), oblivious=True))
    require_same_moves(subject.match(), single, "block and single moves differ")


@check("moves-are-legal", why_not=_needs_adaptive)
def the_learner_is_let_alone(subject: CheckedAdversary) -> None:
    """Check that the adversary does not call the learner's `update`, which the engine calls once a round."""
    learner = Moving()
    run = subject.match(learner)
    played = [(x.tobytes(), float(y)) for x, y in zip(run.points, run.labels, strict=True)]
    if learner.heard != played:
        raise CheckFailed(
            f"the learner was taught {len(learner.heard)} labels in {len(played)} rounds: ask a copy of it instead"
        )


@check("moves-are-legal", "same-seed-same-moves", "the-learner-is-let-alone", why_not=_needs_adaptive)
def only_the_past_is_known(subject: CheckedAdversary) -> None:
    """Check that an adversary's moves do not depend on later predictions.

    Two learners predict in the same way up to some round, and differently later. Up to this round, the adversary must
    make the same moves against both.
    """
    what = f"learners that part after {TURN} rounds are met with different moves before"
    require_same_moves(subject.match(Moving()), subject.match(Moving(TURN)), what, rounds=TURN)
