"""The global random states, which belong to the user: known while checks run, and put back afterwards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from arena.testing.checks.check import CheckFailed

SEED = 20_021  # whatever the subject draws from a global state it draws again in the next run


@contextmanager
def kept_global_state() -> Iterator[None]:
    """The global random states afterwards are those of before."""
    before, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(legacy)  # noqa: NPY002


def set_global_state() -> None:
    """Put both global states to a known place."""
    random.seed(SEED)
    np.random.seed(SEED)  # noqa: NPY002


def require_known_global_state() -> None:
    """Nobody has drawn from the global states, nor seeded them, since they were put to the known place."""
    after = global_state()
    set_global_state()
    if global_state() != after:
        raise CheckFailed("it used the global random state: draw from the rng that begin receives")


def global_state() -> tuple[Any, ...]:
    """Both global states, to be compared."""
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002
    return random.getstate(), kind, tuple(np.asarray(keys).tolist()), *rest
