"""Test online learners the way an opponent would.

>>> import arena
>>> run = arena.play("kernel-awv", "alternating", rounds=50)
>>> run.verdict("awv-leverage").outcome
'holds'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from arena.checkout import BESIDE, find_what_stands_beside
from arena.version import __version__

find_what_stands_beside()

if TYPE_CHECKING:
    from arena.adversary import Adversary
    from arena.errors import ArenaError, DamagedFile, NoHindsight
    from arena.game import Game
    from arena.hindsight import RidgeHindsight
    from arena.interval import IntervalHindsight
    from arena.judging import SeriesVerdict
    from arena.kernels import Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
    from arena.learner import Learner
    from arena.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, Loss, SmoothHinge, Squared, SquaredHinge
    from arena.match import Interrupted, play
    from arena.parameters import parameter
    from arena.series import Series, play_series
    from arena.spaces import Comparator
    from arena.theorem import Assumption, Theorem, Verdict, labels_within, predictions_within, squared_loss
    from arena.transcript import Transcript
    from arena.view import View

_HOMES = {
    "arena.adversary": ("Adversary",),
    "arena.errors": (
        "ArenaError",
        "DamagedFile",
        "NoHindsight",
    ),
    "arena.game": ("Game",),
    "arena.hindsight": ("RidgeHindsight",),
    "arena.interval": ("IntervalHindsight",),
    "arena.judging": ("SeriesVerdict",),
    "arena.kernels": (
        "Gaussian",
        "Kernel",
        "Laplacian",
        "Linear",
        "Matern",
        "Polynomial",
    ),
    "arena.learner": ("Learner",),
    "arena.losses": (
        "Absolute",
        "EpsilonInsensitive",
        "Hinge",
        "Logistic",
        "Loss",
        "SmoothHinge",
        "Squared",
        "SquaredHinge",
    ),
    "arena.match": (
        "Interrupted",
        "play",
    ),
    "arena.parameters": ("parameter",),
    "arena.series": (
        "Series",
        "play_series",
    ),
    "arena.spaces": ("Comparator",),
    "arena.theorem": (
        "Assumption",
        "Theorem",
        "Verdict",
        "labels_within",
        "predictions_within",
        "squared_loss",
    ),
    "arena.transcript": ("Transcript",),
    "arena.view": ("View",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used: the pytest plugin must cost nothing until then."""
    if name in BESIDE:
        return importlib.import_module(f"arena.{name}")
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Absolute",
    "Adversary",
    "ArenaError",
    "Assumption",
    "Comparator",
    "DamagedFile",
    "EpsilonInsensitive",
    "Game",
    "Gaussian",
    "Hinge",
    "Interrupted",
    "IntervalHindsight",
    "Kernel",
    "Laplacian",
    "Learner",
    "Linear",
    "Logistic",
    "Loss",
    "Matern",
    "NoHindsight",
    "Polynomial",
    "RidgeHindsight",
    "Series",
    "SeriesVerdict",
    "SmoothHinge",
    "Squared",
    "SquaredHinge",
    "Theorem",
    "Transcript",
    "Verdict",
    "View",
    "__version__",
    "labels_within",
    "parameter",
    "play",
    "play_series",
    "predictions_within",
    "squared_loss",
]
