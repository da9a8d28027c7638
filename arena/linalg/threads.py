"""Functions that limit BLAS to one thread (faster for small matrices), or that run work in several threads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def one_thread() -> AbstractContextManager[Any]:
    """Context manager: BLAS uses one thread inside the block."""
    return _thread_pools().limit(limits=1)  # type: ignore[no-any-return]


# Looking for the loaded BLAS libraries takes milliseconds, more than a short match.
@functools.cache
def _thread_pools() -> Any:
    # SciPy brings a BLAS of its own, and loads it late; a library loaded after this line would keep all its threads.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController  # here, since `arena list` does not need it

    return ThreadpoolController()


def shared(function: Callable[[Item], Result], items: Sequence[Item], *, threads: int) -> Iterator[Result]:
    """Yield the value of the function at each item, in order, computed in `threads` threads with one BLAS thread each.

    >>> list(shared(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if min(threads, len(items)) <= 1:
        yield from map(function, items)
        return
    from concurrent.futures import ThreadPoolExecutor  # imported here, since short matches do without it

    with one_thread():
        pool = ThreadPoolExecutor(min(threads, len(items)))
        try:
            yield from pool.map(function, items)
        finally:
            pool.shutdown(cancel_futures=True)
