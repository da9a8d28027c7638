"""Tasks on a user's executor in place of the pool: processes of another machine, or workers of a cluster.

`work_off_on` yields the events that `arena.engine.workers.work_off` yields for the pool.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import socket
import time
import urllib.parse
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Any

from arena.engine.workers import TICK, Event
from arena.errors import ArenaError

PATIENCE = 10.0  # seconds after which a silent scheduler counts as lost
LOST = ("CommClosedError", "FutureCancelledError", "TimeoutError")  # names of errors that mean a lost scheduler
KILLED = "KilledWorker"  # name of a scheduler's error for a task whose workers die


@dataclass(frozen=True)
class Place:
    """An executor on which jobs run instead of this machine's pool, and the address of its dashboard, if it has one.

    `lost` returns whether the executor has stopped answering.
    """

    executor: Executor
    lost: Callable[[], bool] = lambda: False
    dashboard: str = ""


def work_off_on(
    place: Place,
    job: Callable[[int], Callable[[], Any]],
    numbers: Iterable[int],
    *,
    at_once: int | None = None,
) -> Generator[Event | None, None, None]:
    """Run `job(number)()` for these numbers at the place; yield their events, and None every tenth of a second.

    The next number is taken when the executor has fewer than `at_once` jobs (default: two for each worker). The kind of
    an event is "done", or "died" if the executor reports that the job kills its workers. An exception in a job is
    raised here. If the executor itself is broken or lost, an `ArenaError` is raised.
    """
    waiting, pending = iter(numbers), dict[Future[Any], int]()
    most = at_once or 2 * workers_of(place.executor)
    try:
        while True:
            while len(pending) < most and (number := next(waiting, None)) is not None:
                pending[_submitted(place.executor, job(number))] = number
            if not pending:
                return
            done, _ = wait(pending, TICK, FIRST_COMPLETED)
            for future in done:
                yield _event(future, pending.pop(future))
            if not done and place.lost():
                raise _broken("its scheduler does not answer any more")
            yield None
    finally:
        for future in pending:
            future.cancel()


def workers_of(executor: Executor) -> int:
    """Return the number of jobs that the executor runs at a time; if unknown, this machine's number of processors."""
    cluster = getattr(executor, "_client", None)
    if cluster is not None:
        return max(1, int(sum(cluster.nthreads().values())))
    return int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)


def _submitted(executor: Executor, job: Callable[[], Any]) -> Future[Any]:
    try:
        return executor.submit(job)
    except (BrokenExecutor, RuntimeError) as error:
        raise _broken(str(error)) from error


def _event(future: Future[Any], number: int) -> Event:
    try:
        return Event("done", number, future.result())
    except (BrokenExecutor, CancelledError) as error:
        raise _broken(str(error) or "its jobs were cancelled") from error
    except Exception as error:
        if type(error).__name__ == KILLED:
            return Event("died", number, "the scheduler gave it up: it killed its workers")
        if type(error).__name__ in LOST:
            raise _broken(str(error)) from error
        raise


def _broken(why: str) -> ArenaError:
    return ArenaError(f"the executor is broken ({why}). What was finished before is kept: start again to play the rest")


def _knock(address: str) -> None:
    """Raise an `OSError` at once if no process listens at the address; a client would retry until its timeout."""
    where = urllib.parse.urlsplit(address)
    if where.scheme in ("tcp", "tls") and where.hostname and where.port:
        socket.create_connection((where.hostname, where.port), PATIENCE).close()


@contextlib.contextmanager
def cluster_at(address: str) -> Iterator[Place]:
    """Context manager: a connection to the scheduler at `address`, such as tcp://host:8786."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise ArenaError("a cluster needs dask.distributed: pip install 'regret-arena[cluster]'") from error
    for name in [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # they print the traceback of every lost connection
    try:
        _knock(address)
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False, name="arena")
    except (OSError, ValueError, TypeError) as error:
        raise ArenaError(
            f"no scheduler answers at {address!r} ({type(error).__name__}). Start one by `dask scheduler`, which "
            "prints its address, such as tcp://127.0.0.1:8786, and workers by `dask worker ADDRESS --nthreads 1`"
        ) from None
    try:
        last_seen = [time.monotonic()]

        def lost() -> bool:
            if client.status == "running":
                last_seen[0] = time.monotonic()
            return time.monotonic() - last_seen[0] > PATIENCE or client.status in ("closed", "closing")

        if not client.nthreads():
            raise ArenaError(f"the scheduler at {address} has no workers: start some by `dask worker {address}`")
        yield Place(client.get_executor(pure=False), lost, str(client.dashboard_link))
    finally:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            client.close(timeout=1.0)
