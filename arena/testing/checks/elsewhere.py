"""Another Python process, which is asked to do the same: started once, with other hashes, and closed at the end."""

from __future__ import annotations

import atexit
import base64
import contextlib
import functools
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from arena.errors import ArenaError, describe_error
from arena.specs.addresses import address_of
from arena.testing.checks.check import CheckFailed, NotApplicable

HASH_SEED = "4711"


class _Serving:
    """Whether this process is the other one, which must not ask for yet another."""

    here = False


def portable(given: Any, name: str, home: str) -> Any:
    """What another process can make the same subject of: a spec, the address of a factory, or what can be pickled."""
    if isinstance(given, str):
        return given
    if home == "__main__":
        raise NotApplicable("it is defined in the script that is running, which would have to run a second time")
    if not name.startswith("<"):
        return name
    if hasattr(given, "__qualname__"):  # a function that makes it, wherever it stands
        with contextlib.suppress(ArenaError):
            return address_of(given)
    try:
        pickle.dumps(given)
    except Exception as error:
        raise NotApplicable(f"no spec names it in another process, and it cannot be pickled: {error}") from error
    return given


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function gives in the other process."""
    if _Serving.here:
        raise NotApplicable("this is the other process")
    try:
        request = (os.getcwd(), list(sys.path), pickle.dumps((function, arguments)))
    except Exception as error:
        raise NotApplicable(f"the game cannot be sent to another process: {error}") from error
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_as_line(request))
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        _process.cache_clear()
        raise CheckFailed("the other process ended while it played")
    outcome, value = _from_line(answer)
    if outcome == "unavailable":
        raise NotApplicable(f"another process cannot make it: {value}")
    if outcome == "failed":
        raise CheckFailed(f"in another process: {value}")
    return value


def serve() -> None:
    """The other side: answer requests until there are no more."""
    _Serving.here = True
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # what a subject prints is no answer
    for line in sys.stdin.buffer:
        answers.write(_as_line(_answer(*_from_line(line))))
        answers.flush()


def _answer(folder: str, path: list[str], pickled: bytes) -> tuple[str, Any]:
    from arena.linalg.threads import one_thread

    os.chdir(folder)
    sys.path[:] = path
    try:
        function, arguments = pickle.loads(pickled)
    except Exception as error:
        return "unavailable", describe_error(error)
    try:
        with one_thread():
            return "done", function(*arguments)
    except NotApplicable as error:
        return "unavailable", str(error)
    except Exception as error:
        return "failed", describe_error(error)


@functools.cache
def _process() -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONHASHSEED": HASH_SEED}
    environment["PYTHONPATH"] = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    process = subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import serve; serve()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    atexit.register(_close, process)
    return process


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


def _as_line(value: Any) -> bytes:
    return base64.b64encode(pickle.dumps(value)) + b"\n"


def _from_line(line: bytes) -> Any:
    return pickle.loads(base64.b64decode(line))
