"""The public names of regret-arena, which tests online learners the way an opponent would.

>>> import arena
>>> run = arena.play("kernel-awv", "alternating", rounds=50)
>>> run.verdict("awv-leverage").outcome
'holds'
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.version import __version__

# In a checkout, `learners`, `adversaries` and `reports` stand beside this folder. A script in the checkout's root
# imports this folder even if the package is installed.
if not Path(__file__).with_name("learners").is_dir():
    __path__.append(str(Path(__file__).parent.parent))

if TYPE_CHECKING:
    from arena.engine.match import Interrupted, play
    from arena.engine.series import Series
    from arena.engine.series_verdicts import SeriesVerdict
    from arena.errors import ArenaError, DamagedFile, NoHindsight
    from arena.game.game import Game
    from arena.game.kernels import Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
    from arena.game.losses import (
        Absolute,
        EpsilonInsensitive,
        Hinge,
        Logistic,
        Loss,
        SmoothHinge,
        Squared,
        SquaredHinge,
    )
    from arena.hindsight.comparator import Comparator
    from arena.hindsight.exact import RidgeHindsight
    from arena.hindsight.interval import IntervalHindsight
    from arena.players.adversary import Adversary
    from arena.players.learner import Learner
    from arena.players.view import View
    from arena.record.comparing import BestLosses, Comparison, NamedComparator
    from arena.record.theorem import Theorem, labels_within, predictions_within, squared_loss
    from arena.record.transcript import Transcript
    from arena.record.verdict import Assumption, Verdict
    from arena.specs.parameters import parameter
    from arena.tournament.plan import Tournament
    from arena.tournament.series import play_series
    from arena.tournament.store import Store

_HOMES = {  # for each module: its public names
    "arena.engine.match": "Interrupted play",
    "arena.engine.series": "Series",
    "arena.engine.series_verdicts": "SeriesVerdict",
    "arena.errors": "ArenaError DamagedFile NoHindsight",
    "arena.game.game": "Game",
    "arena.game.kernels": "Gaussian Kernel Laplacian Linear Matern Polynomial",
    "arena.game.losses": "Absolute EpsilonInsensitive Hinge Logistic Loss SmoothHinge Squared SquaredHinge",
    "arena.hindsight.comparator": "Comparator",
    "arena.hindsight.exact": "RidgeHindsight",
    "arena.hindsight.interval": "IntervalHindsight",
    "arena.players.adversary": "Adversary",
    "arena.players.learner": "Learner",
    "arena.players.view": "View",
    "arena.record.comparing": "BestLosses Comparison NamedComparator",
    "arena.record.theorem": "Theorem labels_within predictions_within squared_loss",
    "arena.record.transcript": "Transcript",
    "arena.record.verdict": "Assumption Verdict",
    "arena.specs.parameters": "parameter",
    "arena.tournament.plan": "Tournament",
    "arena.tournament.series": "play_series",
    "arena.tournament.store": "Store",
}
BESIDE = ("adversaries", "learners", "reports")  # found as attributes of `arena` without an import of their own
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the pytest plugin can import this package quickly."""
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
    "BestLosses",
    "Comparator",
    "Comparison",
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
    "NamedComparator",
    "NoHindsight",
    "Polynomial",
    "RidgeHindsight",
    "Series",
    "SeriesVerdict",
    "SmoothHinge",
    "Squared",
    "SquaredHinge",
    "Store",
    "Theorem",
    "Tournament",
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
