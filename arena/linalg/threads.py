"""BLAS on one thread: small matrices on many threads are several times slower; parallelism belongs between matches."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager
from typing import Any


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
