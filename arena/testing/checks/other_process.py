"""Calls functions in another Python process, where strings have other hashes."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from arena.arrays import Array
from arena.engine.workers import Channel, work_off
from arena.errors import ArenaError, describe_error
from arena.guards.user_code import guarded
from arena.linalg.threads import one_thread
from arena.specs.addresses import address_of
from arena.specs.spelling import is_unnamed
from arena.testing.checks.check import CheckFailed, NotApplicable
from arena.testing.checks.subjects import Subject

S = TypeVar("S", bound=Subject)

# An environment variable set in the other process, where an imported module may try to run checks, too.
_WORKER = "REGRET_ARENA_OTHER_PROCESS"


def portable(subject: Subject) -> Any:
    """Return a value from which another process can make the player that is checked.

    The value is the first of these that exists: `subject.given` itself if it is a text; the player's spec; the address
    of `subject.given` if it is a function that makes the player; `subject.given` itself if it can be pickled. Raise
    `NotApplicable` if none exists, or if the player's class is in the running script and `subject.given` is no text.
    """
    given = subject.given
    if isinstance(given, str):
        return given
    if subject.home == "__main__":
        raise NotApplicable("it is defined in the script that is running, which would have to run a second time")
    if not is_unnamed(subject.name):
        return subject.name
    if hasattr(given, "__qualname__"):  # a function that makes the subject
        with contextlib.suppress(ArenaError):
            return address_of(given)
    why = "no spec names it in another process, and it cannot be pickled: "
    with guarded(lambda error: NotApplicable(why + describe_error(error)), passing=()):
        pickle.dumps(given)
    return given


def computed_there(function: Callable[[S], Array], subject: S) -> Array:
    """Return `function(subject)`, computed in another process, which makes the subject anew.

    `CheckFailed` is raised if the call fails there, and `NotApplicable` if the call cannot be made there.
    """
    making = type(subject), portable(subject), subject.game, subject.seed
    if _WORKER in os.environ:
        raise NotApplicable("this is the other process")
    why = "the game cannot be sent to another process: "
    with guarded(lambda error: NotApplicable(why + describe_error(error)), passing=()):
        pickled = pickle.dumps((function, *making))
    with contextlib.closing(work_off(partial(_answer, pickled), [0], workers=1, runs_script=False)) as events:
        event = next(event for event in events if event is not None)
    if event.kind == "died":
        raise CheckFailed("the other process ended while it played")
    outcome, value = event.content
    if outcome == "unavailable":
        raise NotApplicable(f"another process cannot make it: {value}")
    if outcome == "failed":
        raise CheckFailed(f"in another process: {value}")
    return np.asarray(value)


def _answer(pickled: bytes, _number: int, _channel: Channel) -> tuple[str, Any]:
    """Make the subject in the other process and call the function; return the outcome as one of these pairs.

    - ("done", the function's result);
    - ("failed", an error message), if the function raises an exception;
    - ("unavailable", the reason), if the call cannot be unpickled, or if the function raises `NotApplicable`.

    `_number` and `_channel`, which every worker gets, are not used.
    """
    os.environ[_WORKER] = "1"
    silence = os.open(os.devnull, os.O_WRONLY)
    # silent, since the parent process has already printed what the learner or adversary prints
    for stream in (1, 2):
        os.dup2(silence, stream)
    try:
        function, kind, *making = pickle.loads(pickled)
    except BaseException as error:
        return "unavailable", describe_error(error)
    try:
        with one_thread():
            return "done", function(kind(*making))
    except NotApplicable as error:
        return "unavailable", str(error)
    except BaseException as error:
        return "failed", describe_error(error)
