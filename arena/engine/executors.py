"""Functions that run tasks on a user's executor, such as the workers of a cluster, not in the arena's own pool.

`work_off_on` yields the same events as `arena.engine.workers.work_off`, which runs tasks on this machine.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import math
import socket
import time
import urllib.parse
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Any

from arena.engine.workers import TICK, Event
from arena.errors import ArenaError, number_of
from arena.guards.machine import processors

PATIENCE = 10.0  # seconds after which a silent scheduler counts as lost
WAIT = 60.0  # seconds to wait for workers, by default, while none is connected
NOTICE = 5.0  # seconds without a worker after which the user is notified; Dask replaces a dead worker in less
SCHEMES = ("tcp", "tls", "ucx", "ws", "wss")  # schemes of addresses of schedulers
COUNT = 1.0  # seconds between two counts of the workers
LOST = ("CommClosedError", "FutureCancelledError", "TimeoutError")  # names of errors that mean a lost scheduler
KILLED = "KilledWorker"  # name of a scheduler's error for a task whose workers die


@dataclass(frozen=True)
class Cluster:
    """An executor that runs jobs in place of this machine's pool of processes.

    - `lost()` returns whether the executor has stopped answering.
    - `workers()` returns how many jobs the executor can run at the same time; None if that is unknown.
    - `address` is the address of the executor's scheduler, and `dashboard` the address of its web page. Both are empty
      for an executor without a scheduler.
    - While there are no workers, jobs wait for at most `wait` seconds.
    - `notify` is called with lines for the user.
    """

    executor: Executor
    lost: Callable[[], bool] = lambda: False
    dashboard: str = ""
    workers: Callable[[], int | None] = lambda: None
    address: str = ""
    wait: float = math.inf
    notify: Callable[[str], None] = lambda _: None


def work_off_on(
    cluster: Cluster,
    job: Callable[[int], Callable[[], Any]],
    numbers: Iterable[int],
    *,
    at_once: int | None = None,
) -> Generator[Event | None, None, None]:
    """Run `job(number)()` for each number on the executor of `cluster`; yield an event when a job ends.

    - The event is "done" if the job returned a result, and "died" if the executor gave the job up because its
      workers died.
    - None is yielded about every tenth of a second.
    - At most `at_once` jobs are on the executor at a time (default: two for each worker).
    - An exception in a job is raised here. An `ArenaError` is raised if the executor is broken, stops answering, or has
      no workers for `cluster.wait` seconds.
    """
    waiting, pending, crew = iter(numbers), dict[Future[Any], int](), _Crew(cluster)
    try:
        while True:
            while len(pending) < (at_once or 2 * crew.workers) and (number := next(waiting, None)) is not None:
                pending[_submitted(cluster.executor, job(number))] = number
            if not pending:
                return
            done, _ = wait(pending, TICK, FIRST_COMPLETED)
            for future in done:
                yield _event(future, pending.pop(future))
            if not done and cluster.lost():
                raise _broken("its scheduler does not answer any more")
            crew.count()
            yield None
    finally:
        for future in pending:
            future.cancel()


class _Crew:
    """Keeps count of the workers of a user's executor, and notifies the user if there are none for some time."""

    def __init__(self, cluster: Cluster):
        self.cluster, self.workers = cluster, workers_of(cluster.executor)
        self.counted = time.monotonic()
        self.without: float | None = None  # since when there is no worker
        self.told = False

    def count(self) -> None:
        """Count the executor's workers, at most once a second.

        An `ArenaError` is raised if there has been no worker for `cluster.wait` seconds.
        """
        now, cluster = time.monotonic(), self.cluster
        if now < self.counted + COUNT:
            return
        found = cluster.workers()
        self.counted = now = time.monotonic()
        if found:
            if self.told:
                cluster.notify(f"{number_of(found, 'worker')} connected to {cluster.address}: going on")
            self.workers, self.without, self.told = found, None, False
        elif found is not None:
            self.without = now if self.without is None else self.without
            if now - self.without >= cluster.wait:
                raise _none_came(cluster.address, cluster.wait)
            if not self.told and now - self.without >= NOTICE:
                cluster.notify(_without_workers(cluster.address, cluster.wait))
                self.told = True


def _without_workers(address: str, wait: float) -> str:
    return (
        f"no worker is connected to {address}: start one with `dask worker {address} --nthreads 1`; "
        f"waiting {wait:g} s for it"
    )


def _none_came(address: str, wait: float) -> ArenaError:
    waited = f" after {wait:g} s" if wait else ""
    return ArenaError(
        f"no worker is connected to {address}{waited}: start one with `dask worker {address} --nthreads 1`, and then "
        "the same command again. What was finished before is kept. With `wait=SECONDS` it waits longer"
    )


def workers_of(executor: Executor) -> int:
    """Return how many jobs the executor runs at a time; if that is unknown, the number of this machine's processors."""
    client = getattr(executor, "_client", None)
    if client is not None:
        return max(1, int(sum(client.nthreads().values())))
    return int(getattr(executor, "_max_workers", None) or processors())


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
    """Raise an `OSError` if no process listens at a TCP or TLS address; addresses with other schemes are not tried.

    A `ValueError` is raised if the scheme is unknown, or if a TCP or TLS address lacks a host or a port.
    """
    where = urllib.parse.urlsplit(address if "://" in address else f"tcp://{address}")
    if where.scheme not in SCHEMES:
        raise ValueError(address)
    if where.scheme in ("tcp", "tls"):
        if not where.hostname or not where.port:
            raise ValueError(address)
        socket.create_connection((where.hostname, where.port), PATIENCE).close()


@contextlib.contextmanager
def cluster_at(address: str, *, wait: float, notify: Callable[[str], None]) -> Iterator[Cluster]:
    """Context manager: connects to a Dask scheduler, and yields a `Cluster` that runs jobs on the scheduler's workers.

    `address` is the scheduler's address, such as tcp://host:8786. If the scheduler has no workers, `notify` is called
    with a line for the user, and an `ArenaError` is raised if there are still none after `wait` seconds.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise ArenaError("a cluster needs dask.distributed: pip install 'regret-arena[cluster]'") from error
    for name in [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # these loggers print the traceback of every lost connection
    try:
        _knock(address)  # fails at once, while the client would try to connect until its timeout
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

        def workers() -> int | None:
            try:
                return int(sum(client.sync(client.scheduler.ncores, callback_timeout=PATIENCE).values()))
            except Exception:  # the connection is lost, which `lost` reports in time
                return None

        _await_workers(workers, address, wait, notify)
        executor = client.get_executor(pure=False)
        yield Cluster(executor, lost, str(client.dashboard_link), workers, address, wait, notify)
    finally:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            client.close(timeout=1.0)


def _await_workers(workers: Callable[[], int | None], address: str, wait: float, notify: Callable[[str], None]) -> None:
    """Wait until a scheduler has a worker; raise an `ArenaError` if it has none after `wait` seconds.

    `workers()` returns the number of its workers, None if that is unknown. `notify` is called with a line for the user.
    """
    if workers():
        return
    end = time.monotonic() + wait
    if wait:
        notify(_without_workers(address, wait))
    while time.monotonic() < end:
        time.sleep(TICK)
        if workers():
            return
    raise _none_came(address, wait)
