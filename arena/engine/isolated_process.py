"""The process of an isolated learner: it answers the requests of `arena.engine.isolation`.

Requests are pickled, since they come from the trusted process. Answers are JSON and the bytes of numeric arrays, so
that reading them never runs code that the learner has written.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from arena.arrays import Array, locked
from arena.engine.blocks import answer_moves
from arena.engine.reaper import fork_reaper
from arena.engine.workers import end_with
from arena.errors import ArenaError, bounded, describe_error
from arena.game.game import Game
from arena.guards.streams import write_plainly
from arena.guards.user_code import tolerated
from arena.linalg.gram_factor import shared_factors
from arena.linalg.threads import one_thread
from arena.players.learner import Learner, as_learner, overrides, promised_theorems
from arena.players.referee import (
    SET_UP,
    Foul,
    ask,
    check_last_question,
    fouls_of,
    legal_evidence,
    legal_prediction,
    legal_predictions,
    legal_size,
)
from arena.players.view import Record
from arena.specs.addresses import load_instead
from arena.specs.building import build
from arena.specs.registry import find
from arena.specs.spelling import declared_name, identity, is_unnamed, name_of, spec_text, why_no_spec

HEARTBEAT = 0.5  # seconds between messages in a block that show that the process is alive

Answer = tuple[dict[str, Any], list[Array]]


@dataclass(frozen=True)
class GivenWithCheck:
    """A learner's spec, class or object, and a function that is called after the learner is built.

    The function may raise an `ArenaError`.
    """

    given: Any
    check: Callable[[], None]


def serve(pipe: Connection, given: Any, parent: int, limits: dict[str, int]) -> None:
    """Answer requests about the learner `given`, within `limits`, until the pipe is closed.

    The arena calls this function in a forked process. `parent` is the id of the arena's process. On Linux the forked
    process becomes the reaper (`arena.engine.reaper`) of a further process, which answers.
    """
    write_plainly("stderr")  # standard output may hold text of the parent
    fork_reaper(parent)
    end_with(os.getppid(), direct=True)
    _detach(pipe, limits)
    _answer(pipe, given)


def serve_alone(number: int) -> None:
    """Answer requests about the learner, within its limits, in a new interpreter, until the pipe is closed.

    `number` is the descriptor of the pipe. The first message is (learner, limits, copies). `copies` maps the path of
    each file of code to the path of the copy that is imported in its place.
    """
    write_plainly()
    pipe = Connection(number)
    given, limits, copies = pipe.recv()
    for path, copy in copies.items():
        load_instead(path, copy)
    _detach(pipe, limits)
    _answer(pipe, given)


def _answer(pipe: Connection, given: Any) -> None:
    responder = _Responder(pipe, given)
    with one_thread(), shared_factors(), contextlib.suppress(EOFError, OSError):
        while True:
            send(pipe, *responder.answer(pipe.recv_bytes()))
    os._exit(0)  # unlike sys.exit, it does not wait for the learner's threads and exit functions


def send(pipe: Connection, content: dict[str, Any], arrays: list[Array]) -> None:
    """Send `content` as JSON, and then the bytes of each of the `arrays`.

    The types and shapes of the arrays are added to `content`.
    """
    content["arrays"] = [[each.dtype.str, list(each.shape)] for each in arrays]
    pipe.send_bytes(json.dumps(content).encode())
    for each in arrays:
        pipe.send_bytes(np.ascontiguousarray(each).tobytes())


def _detach(pipe: Connection, limits: dict[str, int]) -> None:
    """Become the leader of a session, close all inherited files but the pipe and standard error, and set the limits."""
    with contextlib.suppress(PermissionError):  # it leads one already
        os.setsid()  # one signal reaches all processes in it, and Ctrl-C reaches the parent only
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(-1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = open(0), sys.stderr  # noqa: SIM115, they live as long as the process
    kept = pipe.fileno()
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX") if os.sysconf("SC_OPEN_MAX") > 0 else 65536)
    import resource

    wanted = {"RLIMIT_CORE": 0, "RLIMIT_AS": _address_space() + limits["memory"], "RLIMIT_NOFILE": limits["files"]}
    if os.geteuid():  # the system does not limit the superuser
        wanted["RLIMIT_NPROC"] = limits["running"] + limits["processes"]
    for name, value in wanted.items():
        number = getattr(resource, name, None)
        if number is not None:
            hard = resource.getrlimit(number)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(number, (value, value))


def processes_of_user() -> int:
    """Return the number of the user's processes and threads; 1024 if the system does not list processes."""
    count = 0
    for entry in os.scandir("/proc") if os.path.isdir("/proc") else ():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{entry.name}/task"))
    return count or 1024


def _address_space() -> int:
    """Return the size of this process's address space in bytes; 2^30 if the system does not state it."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 30


class _Responder:
    """The learner in its own process, its game, and a record of the rounds that it played in blocks.

    A method `on_ACTION` answers the arena's request ACTION, such as "predict".
    """

    learner: Learner
    game: Game
    record: Record

    def __init__(self, pipe: Connection, given: Any):
        self.pipe, self.given = pipe, given

    def answer(self, request: bytes) -> Answer:
        """Return the answer of the method `on_ACTION` to a pickled request (ACTION, arguments, options).

        If the method raises a `Foul` or an `ArenaError`, the answer describes this exception.
        """
        try:
            action, arguments, options = pickle.loads(request)
        except Exception as error:  # its class stands in the script that is running, or in a module that is gone
            complaint = f"isolation: the learner's process cannot read the game: {describe_error(error)}"
            return {
                "error": f"{complaint}. Give kernels as specs (./mine.py:MyKernel), or Isolation(bubblewrap=False)"
            }, []
        method: Callable[..., Answer] = getattr(self, f"on_{action}")
        try:
            # arrays are read-only for the learner, as in a match without isolation
            return method(*(locked(each) if isinstance(each, np.ndarray) else each for each in arguments), **options)
        except Foul as foul:
            return {"foul": foul.reason, "details": foul.details}, []
        except ArenaError as error:
            return {"error": str(error)}, []

    def on_load(self, kind: str, name: str) -> Answer:
        """Import the class with the address `name`; later requests may hold objects of this class.

        `kind` is the kind of the class, such as "kernel".
        """
        with tolerated():
            find(kind, name)
        return {}, []

    def on_make(self) -> Answer:
        given, check = (
            (self.given.given, self.given.check) if isinstance(self.given, GivenWithCheck) else (self.given, None)
        )
        built = build("learner", given)
        name, self.learner = identity(given, built), as_learner(built)
        if check is not None:
            check()
        tracks = overrides(type(self.learner), "dictionary_size")
        unnamed = why_no_spec(built) if is_unnamed(name) else ""
        features = overrides(self.learner, "through_features")
        growth = str(getattr(built, "memory_growth", ""))
        known = {"foresight": self.learner.foresight, "tracks": tracks, "features": features, "growth": growth}
        return {"name": name, "declared": name_of("", declared_name(built, name)), "unnamed": unnamed, **known}, []

    def on_call(self) -> Answer:
        return {"value": self.given()}, []

    def on_begin(self, game: Game, rng: np.random.Generator) -> Answer:
        self.game, self.record = game, Record(game)
        with fouls_of("learner", "begin", passing=SET_UP):
            self.learner.begin(game, rng)
        return {}, []

    def on_promises(self) -> Answer:
        def promises() -> list[str]:
            return [spec_text(each) for each in promised_theorems(self.learner.theorems)]

        return {"theorems": ask("learner", promises)}, []

    def on_block(self, X: Array, y: Array, played: int, *, noted: bool) -> Answer:
        record, beaten = self.record, time.monotonic()
        record.predictions.shrink(played)
        sizes: list[list[int]] = []

        def note_size(rounds: int) -> None:
            size = legal_size(self.learner) if noted else None
            if size is not None and (not sizes or sizes[-1][1] != size):
                sizes.append([rounds, size])

        def note(rounds: int) -> None:
            nonlocal beaten
            note_size(rounds)
            if (now := time.monotonic()) > beaten + HEARTBEAT:
                beaten = now
                send(self.pipe, {"alive": rounds}, [])

        content: dict[str, Any] = {}
        try:
            answer_moves(self.game, self.learner, record, X, y, note)
            note_size(len(record.predictions))
        except Foul as foul:
            content = {"foul": foul.reason, "details": foul.details}
        content["sizes"] = sizes
        return content, [record.predictions.view()[played:], record.seconds.view()[played:]]

    def on_predict(self, x: Array, *, revealed: bool) -> Answer:
        if revealed:
            ask("learner", self.learner.reveal, x)
        return {"prediction": legal_prediction(ask("learner", self.learner.predict, x))}, []

    def on_peek(self, X: Array) -> Answer:
        return {}, [legal_predictions(ask("learner", self.learner.peek, X), len(X), "peek")]

    def on_question(self, x: Array, prediction: float) -> Answer:
        check_last_question(self.game, self.learner, x, prediction)
        return {}, []

    def on_update(self, x: Array, y: float, *, noted: bool) -> Answer:
        ask("learner", self.learner.update, x, y)
        return ({"size": legal_size(self.learner)} if noted else {}), []

    def on_evidence(self) -> Answer:
        def evidence() -> dict[str, Array]:
            return legal_evidence(self.learner.evidence())

        found = ask("learner", evidence)
        return {"names": list(found)}, list(found.values())

    def on_remark(self) -> Answer:
        def remark() -> str:
            return bounded(str(self.learner.remark))

        return {"remark": ask("learner", remark)}, []
