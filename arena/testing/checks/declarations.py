"""Checks of what a learner declares: `checks_input`, `memory_growth`, and `theorems`, its promises."""

from __future__ import annotations

import pickle

import numpy as np

from arena.engine.match import play
from arena.errors import ArenaError, describe_error
from arena.game.game import Game
from arena.guards.user_code import guarded, is_ctrl_c
from arena.players.learner import Learner
from arena.record.setting import options_of
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.testing.checks.check import CheckFailed, NotApplicable, check, require_same
from arena.testing.checks.subjects import CheckedLearner, needs_rounds, peek, play_rounds

SHORTEST = 12  # characters of the shortest message that counts as saying what is wrong

POWERS = {"constant": 0, "linear": 1, "quadratic": 2}
# rounds after which the state is measured; at the first number a full budget of atoms is already in use
EARLY_AND_LATE = {"constant": (512, 2048), "linear": (512, 2048), "quadratic": (64, 512)}
ANNOUNCED = 100_000  # horizon given to `begin`; some learners keep more if it is short
SLACK = 2.0  # factor for arrays that double as they grow
SMALL = 4096  # bytes that do not count as growth: counters, wider integers

OBLIVIOUS = ("alternating", "repeated(points=5)", "repeated(points=1)")
ADAPTIVE = ("repeated(points=5, labels=contrary)", "greedy(starts=16, polished=1)")


# The referee never passes a wrong shape or a NaN on, so that a learner need not check its input. A learner that is also
# used outside the arena may declare `checks_input = True`.
def _needs_checks_input(subject: CheckedLearner) -> str | None:
    if subject.declared("checks_input"):
        return needs_rounds(subject)
    return "the referee never passes nonsense on; declare checks_input = True if it refuses that by itself"


@check("plays", why_not=_needs_checks_input)
def nonsense_is_refused(subject: CheckedLearner) -> None:
    """Check that `predict` and `update` refuse wrong input by a ValueError or TypeError that says what is wrong.

    Wrong input is a point of a wrong shape, NaN or infinity. It must not change later predictions.
    """
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
        _require_refusal(f"predict with {what}", learner.predict, point)
        _require_refusal(f"update with {what}", learner.update, point, 1.0)
    for label in (np.nan, np.inf):
        _require_refusal(f"update with the label {label}", learner.update, x, label)
    require_same(before, peek(learner, X), "what it refused has changed its predictions")


def _require_refusal(what: str, method: object, *arguments: object) -> None:
    try:
        method(*arguments)  # type: ignore[operator]
    except (ValueError, TypeError) as error:
        if len(str(error)) < SHORTEST:
            raise CheckFailed(f"{what}: the message does not say what is wrong: {str(error)!r}") from error
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        raise CheckFailed(f"{what} raised {type(error).__name__}; ValueError or TypeError is asked for") from error
    else:
        raise CheckFailed(f"{what} was accepted")


def _needs_memory_growth(subject: CheckedLearner) -> str | None:
    if subject.declared("memory_growth") is None:
        return 'it declares no memory_growth = "constant", "linear" or "quadratic"'
    return needs_rounds(subject)


@check("plays", why_not=_needs_memory_growth)
def memory_grows_as_declared(subject: CheckedLearner) -> None:
    """Check that the size of the pickled learner grows with the rounds no faster than `memory_growth` declares."""
    declared = subject.declared("memory_growth")
    if declared not in POWERS:
        raise CheckFailed(f"memory_growth must be one of {', '.join(POWERS)}, but it is {declared!r}")
    early, late = EARLY_AND_LATE[declared]
    X, y = subject.sequence(late)
    try:
        learner = subject.begun(ANNOUNCED)
    except ArenaError as error:  # the game's lambda may be too small for so many rounds, which the user did not ask for
        raise NotApplicable(f"it cannot begin a match of {ANNOUNCED:,} rounds in this game: {error}") from error
    play_rounds(learner, X[:early], y[:early])
    first = _pickled_bytes(learner)
    play_rounds(learner, X[early:], y[early:])
    last = _pickled_bytes(learner)
    allowed = SLACK * first * (late / early) ** POWERS[declared] + SMALL
    if last > allowed:
        raise CheckFailed(
            f"memory is declared {declared}, but it grew from {first:,} bytes at round {early} "
            f"to {last:,} at round {late}; up to {allowed:,.0f} would pass"
        )


def _pickled_bytes(learner: Learner) -> int:
    why = "its state cannot be pickled, so its size is not known: "
    with guarded(lambda error: NotApplicable(why + describe_error(error)), passing=()):
        return len(pickle.dumps(learner))


def _needs_promises(subject: CheckedLearner) -> str | None:
    return None if subject.learner.theorems else "it promises no theorem"


@check("plays", "same-seed-same-run", why_not=_needs_promises, varied=True)
def promised_theorems_hold(subject: CheckedLearner) -> None:
    """Check that the learner breaks no promise and does not forfeit.

    The check is not applicable if no promised theorem can be judged in the subject's game.
    """
    judged = []
    # a variant plays only the fastest of the adaptive adversaries
    adaptive = () if subject.foresight else ADAPTIVE[:1] if subject.is_variant else ADAPTIVE
    for adversary in (*OBLIVIOUS, *adaptive):
        try:
            run = play(subject.fresh(), adversary, game=subject.game, rounds=60, seed=subject.seed)
        except ArenaError:
            if adversary in OBLIVIOUS:
                raise
            continue  # it needs the squared loss
        if run.forfeit:
            raise CheckFailed(f"against {adversary}: {run.forfeit}")
        judged += _kept(run, f"against {adversary}")
    for game in subject.other_games:
        _hold_elsewhere(subject, game)
    if not any(verdict.applicable for verdict in judged):
        why = judged[0] if judged else "the learner promises none in it"
        raise NotApplicable(f"no promised theorem applies to this game; give one with game=: {why}")


def _hold_elsewhere(subject: CheckedLearner, game: Game) -> None:
    """Raise `CheckFailed` if the learner breaks a promise or forfeits in `game`, which is not the subject's own game.

    It is no failure if the learner refuses the game, or forfeits because a prediction is NaN or infinite.
    """
    for adversary in OBLIVIOUS:
        try:
            run = play(subject.fresh(), adversary, game=game, rounds=60, seed=subject.seed)
        except ArenaError:
            return
        if run.forfeit:
            if "the prediction is " in run.forfeit.reason:  # the learner's steps may be too large for this kernel
                return
            raise CheckFailed(f"against {adversary} with {' '.join(options_of(game))}: {run.forfeit}")
        _kept(run, f"against {adversary} with {' '.join(options_of(game))}")


def _kept(run: Transcript, where: str) -> list[Verdict]:
    """Return the verdicts on the learner's promises in a match; raise `CheckFailed` if the learner breaks a promise.

    A promise is broken if its theorem is violated. It is also broken if its theorem does not apply, and all assumptions
    that fail are conditions on the learner. The message begins with `where`.
    """
    verdicts = list(run.verdicts())
    for verdict in verdicts:
        if verdict.violated or verdict.unmet:
            raise CheckFailed(f"{where}: {verdict}")
    return verdicts
