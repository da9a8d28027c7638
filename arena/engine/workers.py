"""The pool of processes: it runs numbered tasks, which may send reports, hang, or kill their process.

Each worker has its own pipe, so that the death of a worker is attributed to its task and does not affect other workers.
There are two kinds of workers:

- Tasks that cannot be pickled run in workers forked from this process.
- Tasks that can be pickled run in workers forked from a small server, which has the engine loaded and no threads. The
  server is a new interpreter, so hashes of strings differ from the hashes in this process.

Workers end when the process that started them ends, even if it is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any, Literal

from arena.errors import trace_of
from arena.guards.streams import write_plainly
from arena.guards.user_code import tolerated

PR_SET_PDEATHSIG = 1  # option of Linux' prctl: the signal that a process gets when the one that forked it ends
WATCH = 0.5  # seconds between checks of the parent, on systems without PR_SET_PDEATHSIG
GRACE = 1.5  # seconds after the deadline, or after the longest silence allowed, before a worker is killed
TICK = 0.1  # seconds between events, so that the caller can look at other things
FAREWELL = 2.0  # seconds in which an idle worker can end before it is killed
MOST_BYTES = 300  # largest size in bytes of the name of the current match
_STARTING = threading.Lock()  # held while the environment is changed to start a process
SERVER = {  # environment variables of the server
    # `python -c ...` would import `arena` from the working folder if there is a folder of that name: a checkout, say.
    "PYTHONSAFEPATH": "1",
    "PYTHONHASHSEED": "4711",
}


@dataclass(frozen=True)
class Channel:
    """The callbacks with which a task reports to the process that started it.

    `report` sends an intermediate result, `playing` the name of the current match, and `alive` the number of rounds
    played. Each call also shows that the worker does not hang. A signal handler may call `playing` and `alive`.
    """

    report: Callable[[Any], None]
    playing: Callable[[str], None] = lambda _: None
    alive: Callable[[int], None] = lambda _: None


Task = Callable[[int, Channel], Any]


class Unanswered(Exception):
    """Raised if a function called in a worker process returns no result: it took too long, or its process ended."""


@dataclass(frozen=True)
class Event:
    """An event of the task with this `number`, which runs in a worker process.

    - `content` depends on `kind`. "done": the result; "reported": an intermediate result; "hung": the seconds of
      silence; "died": the exit code or another reason.
    - `playing` is the name of the current match, and `rounds` how many of its rounds were played.
    - `worker` is the worker's number, from 0. A new worker takes over the number of the worker that it replaces.
    """

    kind: Literal["done", "reported", "hung", "died"]
    number: int
    content: Any
    playing: str = ""
    rounds: int = 0
    worker: int = 0


def can_fork() -> bool:
    """Return whether workers can be forked from this process; forked workers take tasks that cannot be pickled."""
    return "fork" in multiprocessing.get_all_start_methods()


def work_off(
    task: Task,
    numbers: Iterable[int],
    *,
    workers: int,
    forked: bool = False,
    runs_script: bool = True,
    deadline: float = math.inf,
    patience: float = math.inf,
) -> Generator[Event | None, None, None]:
    """Run the task with each of these numbers in a pool of processes, the workers; yield the tasks' events.

    - None is yielded about every tenth of a second, so that the caller can do other things.
    - The next number is taken from `numbers` as soon as a worker is free.
    - Workers are forked from this process if `forked`, otherwise from a server process, for which the task must be
      picklable.
    - With `runs_script`, the server's workers import the script that is running, because it may define the task.
    - A worker that reports nothing through its `Channel` for `patience` + `GRACE` seconds is taken to hang, and killed.
      A worker that hangs or dies is replaced; its task is not repeated.
    - All workers end after the last task, `GRACE` seconds after the `deadline` (a time of `time.monotonic`), or when
      the generator is closed.
    - If a task raises an exception, the generator raises it.
    """
    waiting, more, crew = iter(numbers), True, list[_Worker]()

    def hand_out() -> None:
        nonlocal more
        while more and (len(crew) < workers or any(worker.number is None for worker in crew)):
            number = next(waiting, None)
            more = number is not None
            if number is not None:
                _idle(crew, task, workers, forked=forked, runs_script=runs_script).begin(number)

    try:
        while (more or crew) and time.monotonic() < deadline + GRACE:
            hand_out()
            busy = [worker for worker in crew if worker.number is not None]
            if not busy:
                return
            heard = wait([worker.pipe for worker in busy], TICK)
            for worker in busy:
                if worker.pipe in heard:
                    event = worker.receive()
                elif worker.silence > patience + GRACE:
                    event = worker.event("hung", worker.silence)
                else:
                    continue
                if event.kind in ("hung", "died"):
                    crew.remove(worker)
                    worker.kill()
                elif event.kind == "done":
                    hand_out()  # so that the worker computes while the caller handles the event
                yield event
            yield None
    finally:
        for worker in crew:
            worker.dismiss()
        for worker in crew:
            worker.kill(FAREWELL if worker.number is None else 0.0)


def attempt_in_own_process(function: Callable[[], Any], seconds: float) -> Any:
    """Compute `function()` in a forked worker; return its value, or raise the exception that it raises.

    `Unanswered` is raised if that takes longer than `seconds`, or if the worker's process ends. On systems that cannot
    fork, the function is called in this process, without a time limit.
    """
    if not can_fork():
        return function()
    deadline = time.monotonic() + seconds
    events = work_off(lambda *_: function(), [0], workers=1, forked=True, deadline=deadline)
    with contextlib.closing(events):
        event = next((event for event in events if event is not None), None)
    if event is None:
        raise Unanswered(f"it took longer than {seconds:.0f} s")
    if event.kind == "died":
        raise Unanswered(f"its process ended (exit code {event.content})")
    return event.content


class _Sign(ctypes.Structure):
    """Time, rounds and match of a worker's last report, in memory shared with the process that started the worker."""

    _fields_ = [("when", ctypes.c_double), ("rounds", ctypes.c_longlong), ("playing", ctypes.c_char * MOST_BYTES)]


class _Worker:
    """A worker process, its pipe, and the number of its task."""

    def __init__(self, task: Task, place: int, *, forked: bool, runs_script: bool):
        self.place = place
        context: Any = multiprocessing.get_context("fork") if forked else _server()
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self.sign: Any = context.RawValue(_Sign)
        self.number: int | None = None
        self.process = context.Process(target=_work, args=(task, theirs, self.sign, forked, os.getpid()))
        with warnings.catch_warnings(), contextlib.ExitStack() as stack:
            # Python warns of forks in a process with threads, which the worker does not use.
            warnings.simplefilter("ignore", DeprecationWarning)
            if not forked:  # a forked worker would inherit the lock as it is at that moment
                stack.enter_context(_STARTING)
                stack.enter_context(_environment(SERVER))
            if not runs_script:
                stack.enter_context(_hidden_script())
            stack.enter_context(_no_daemon())
            self.process.start()
        theirs.close()

    def begin(self, number: int) -> None:
        self.number, self.sign.when = number, time.monotonic()
        with contextlib.suppress(OSError):  # the worker is dead; `receive` will return "died"
            self.pipe.send(number)

    @property
    def silence(self) -> float:
        """Seconds since the worker's last report, or since the beginning of its task if that was later."""
        return time.monotonic() - float(self.sign.when)

    def receive(self) -> Event:
        try:
            kind, content = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(1.0)
            return self.event("died", self.process.exitcode)
        if kind == "failed":
            self.number = None
            raise content
        event = self.event(kind, content)
        if kind == "done":
            self.number = None
        return event

    def event(self, kind: Literal["done", "reported", "hung", "died"], content: Any) -> Event:
        assert self.number is not None
        playing = self.sign.playing.decode("utf-8", "replace")
        return Event(kind, self.number, content, playing, int(self.sign.rounds), self.place)

    def dismiss(self) -> None:
        """Ask the worker to end by itself, so that it closes its files; do nothing while it has a task."""
        with contextlib.suppress(OSError):
            if self.number is None:
                self.pipe.send(None)

    def kill(self, after: float = 0.0) -> None:
        """Kill the process if it has not ended after `after` seconds."""
        if after:
            self.process.join(after)
        self.process.kill()
        self.process.join(5.0)
        self.pipe.close()


def _idle(crew: list[_Worker], task: Task, workers: int, *, forked: bool, runs_script: bool) -> _Worker:
    """Return a worker of `crew` without a task; if there is none, start a new one and add it to `crew`."""
    idle = next((worker for worker in crew if worker.number is None), None)
    if idle is None:
        place = min(set(range(workers)) - {worker.place for worker in crew})
        idle = _Worker(task, place, forked=forked, runs_script=runs_script)
        crew.append(idle)
    return idle


def _work(task: Task, pipe: Connection, sign: Any, silent: bool, parent: int) -> None:
    """Run the task for each number that comes through `pipe`, until None comes or the process `parent` ends.

    `sign` is memory shared with `parent`. It holds the time at which the task last showed that it does not hang, the
    name of the current match, and the number of rounds played. If `silent`, what the task prints on standard output is
    discarded.
    """
    end_with(parent, direct=silent)
    signal.set_wakeup_fd(-1)  # inherited; it would report this process's signals to the parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C the parent ends its workers
    if silent:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    write_plainly("stderr") if silent else write_plainly()

    def alive(rounds: int) -> None:
        sign.when, sign.rounds = time.monotonic(), rounds

    def playing(what: str) -> None:
        sign.when, sign.rounds, sign.playing = time.monotonic(), 0, what.encode()[: MOST_BYTES - 1]

    def report(content: Any) -> None:
        sign.when = time.monotonic()
        pipe.send(("reported", content))

    channel = Channel(report, playing, alive)
    with contextlib.suppress(EOFError, OSError):  # the pipe is closed, so the parent has ended
        while (number := pipe.recv()) is not None:
            try:
                pipe.send(("done", task(number, channel)))
            except BaseException as error:  # includes SystemExit, which would look like a crash
                pipe.send(("failed", _sendable(error)))


def end_with(parent: int, *, direct: bool) -> None:
    """Make this process end when the process `parent` ends, even if `parent` is killed.

    `direct` is true if `parent` itself forked this process, and false if a server that `parent` started did.
    """
    if not direct:
        _let_the_server_end()
    if sys.platform == "linux" and ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0:
        if (os.getppid() != parent) if direct else not _is_alive(parent):  # it ended before the call
            os._exit(1)
        return
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _let_the_server_end() -> None:
    """Close this process's end of the pipe that keeps a server of `multiprocessing.forkserver` alive.

    The server forks workers. It ends when all processes have closed their ends of the pipe.
    """
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    if (held := getattr(server, "_forkserver_alive_fd", None)) is not None:
        os.close(held)
        vars(server).update(_forkserver_alive_fd=None, _forkserver_address=None, _forkserver_pid=None)


if hasattr(os, "register_at_fork"):
    # A process forked from this one, such as a worker of concurrent.futures, cannot use this one's server.
    os.register_at_fork(after_in_child=_let_the_server_end)


def _watch(parent: int) -> None:
    while _is_alive(parent):
        time.sleep(WATCH)
    os._exit(1)


def _is_alive(process: int) -> bool:
    """Return whether a process runs, given its number; on Windows this must be the number of the parent process."""
    if os.name == "nt":  # on Windows os.kill would end the process
        known = multiprocessing.parent_process()
        return known is None or known.is_alive()
    with contextlib.suppress(PermissionError):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True


def _sendable(error: BaseException) -> Exception:
    """Return the error with its traceback as a note.

    If it is no `Exception` or cannot be pickled, return a `RuntimeError` with the traceback.
    """
    trace = trace_of(error)
    if not isinstance(error, Exception):
        return RuntimeError(f"in a worker process:\n{trace}")
    with tolerated():
        error.add_note(f"In a worker process:\n{trace}")
        pickle.loads(pickle.dumps(error))
        return error
    return RuntimeError(f"in a worker process:\n{trace}")


def _server() -> Any:
    """Return the `multiprocessing` context that forks workers from a server; on Windows, one that spawns them."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["arena.engine.match", "arena.learners", "arena.adversaries"])
    return context


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


@contextlib.contextmanager
def _no_daemon() -> Iterator[None]:
    """Context manager: inside the block this process may start processes, even if it is a daemon itself."""
    own: dict[str, Any] = getattr(multiprocessing.current_process(), "_config", {})
    before = {name: own[name] for name in ("daemon",) if name in own}
    # Python forbids daemons to start processes, which would outlive them. The arena's workers end with their parent.
    own["daemon"] = False
    try:
        yield
    finally:
        del own["daemon"]
        own.update(before)


@contextlib.contextmanager
def _hidden_script() -> Iterator[None]:
    """Context manager: a process that is started inside the block does not import the script that is running."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script
