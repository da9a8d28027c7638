"""The global states of `random` and `numpy.random`, which players must neither read nor change."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from arena.testing.checks.check import CheckFailed

GLOBAL_SEED = 20_021  # a player that draws from a global state draws the same numbers in each run


@contextlib.contextmanager
def restored_global_state() -> Iterator[None]:
    """Context manager: saves the states of `random` and `numpy.random`, and restores them at the end of the block."""
    before, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(legacy)  # noqa: NPY002


def set_global_state() -> None:
    """Seed the global states of `random` and `numpy.random` with a fixed number."""
    random.seed(GLOBAL_SEED)
    np.random.seed(GLOBAL_SEED)  # noqa: NPY002


def require_unused_global_state() -> None:
    """Raise `CheckFailed` if anything drew from or seeded the global states of `random` and `numpy.random`.

    Uses before the last call of `set_global_state` do not count.
    """
    after = _global_state()
    set_global_state()
    if _global_state() != after:
        raise CheckFailed("it used the global random state: draw from the rng that begin receives")


def _global_state() -> tuple[Any, ...]:
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002
    return random.getstate(), kind, tuple(np.asarray(keys).tolist()), *rest
