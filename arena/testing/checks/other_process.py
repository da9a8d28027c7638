"""Calls functions in another Python process, where strings have other hashes."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

from arena.engine.workers import Channel, work_off
from arena.errors import ArenaError, describe_error
from arena.guards.user_code import guarded
from arena.linalg.threads import one_thread
from arena.specs.addresses import address_of
from arena.specs.spelling import is_unnamed
from arena.testing.checks.check import CheckFailed, NotApplicable

# An environment variable set in the other process, where an imported module may try to run checks, too.
_WORKER = "REGRET_ARENA_OTHER_PROCESS"


def portable(given: Any, name: str, home: str) -> Any:
    """Return a value from which another process can make the learner or adversary `given`.

    The value is the first of these that exists: `given` itself if it is a text; the player's spec; the address of
    `given` if it is a function that makes the player; `given` itself if it can be pickled. Raise `NotApplicable` if
    none exists, or if the player's class is in the running script and `given` is no text.

    - `name` is the player's spec, or its class in angle brackets if it has no spec.
    - `home` is the name of the module that has the player's class.
    """
    if isinstance(given, str):
        return given
    if home == "__main__":
        raise NotApplicable("it is defined in the script that is running, which would have to run a second time")
    if not is_unnamed(name):
        return name
    if hasattr(given, "__qualname__"):  # a function that makes the subject
        with contextlib.suppress(ArenaError):
            return address_of(given)
    why = "no spec names it in another process, and it cannot be pickled: "
    with guarded(lambda error: NotApplicable(why + describe_error(error)), passing=()):
        pickle.dumps(given)
    return given


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return `function(*arguments)`, computed in another process.

    `CheckFailed` is raised if the call fails there, and `NotApplicable` if the call cannot be made there.
    """
    if _WORKER in os.environ:
        raise NotApplicable("this is the other process")
    why = "the game cannot be sent to another process: "
    with guarded(lambda error: NotApplicable(why + describe_error(error)), passing=()):
        pickled = pickle.dumps((function, arguments))
    with contextlib.closing(work_off(partial(_answer, pickled), [0], workers=1, runs_script=False)) as events:
        event = next(event for event in events if event is not None)
    if event.kind == "died":
        raise CheckFailed("the other process ended while it played")
    outcome, value = event.content
    if outcome == "unavailable":
        raise NotApplicable(f"another process cannot make it: {value}")
    if outcome == "failed":
        raise CheckFailed(f"in another process: {value}")
    return value


def _answer(pickled: bytes, _number: int, _channel: Channel) -> tuple[str, Any]:
    """Run a pickled call, a pair (function, arguments), in the other process; return its outcome as one of these pairs.

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
        function, arguments = pickle.loads(pickled)
    except BaseException as error:
        return "unavailable", describe_error(error)
    try:
        with one_thread():
            return "done", function(*arguments)
    except NotApplicable as error:
        return "unavailable", str(error)
    except BaseException as error:
        return "failed", describe_error(error)
