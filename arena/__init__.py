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

from arena.version import __version__ as __version__

# In a checkout, `learners`, `adversaries` and `reports` stand beside this folder. A script in the checkout's root
# imports this folder even if the package is installed.
if not Path(__file__).with_name("learners").is_dir():
    __path__.append(str(Path(__file__).parent.parent))

if TYPE_CHECKING:  # `as` marks names that others may import, for mypy and editors
    from arena.engine.match import Interrupted as Interrupted
    from arena.engine.match import play as play
    from arena.errors import ArenaError as ArenaError
    from arena.errors import DamagedFile as DamagedFile
    from arena.errors import NoHindsight as NoHindsight
    from arena.game.game import Game as Game
    from arena.game.kernels import Gaussian as Gaussian
    from arena.game.kernels import Kernel as Kernel
    from arena.game.kernels import Laplacian as Laplacian
    from arena.game.kernels import Linear as Linear
    from arena.game.kernels import Matern as Matern
    from arena.game.kernels import Polynomial as Polynomial
    from arena.game.losses import Absolute as Absolute
    from arena.game.losses import EpsilonInsensitive as EpsilonInsensitive
    from arena.game.losses import Hinge as Hinge
    from arena.game.losses import Logistic as Logistic
    from arena.game.losses import Loss as Loss
    from arena.game.losses import SmoothHinge as SmoothHinge
    from arena.game.losses import Squared as Squared
    from arena.game.losses import SquaredHinge as SquaredHinge
    from arena.hindsight.comparator import Comparator as Comparator
    from arena.hindsight.exact import RidgeHindsight as RidgeHindsight
    from arena.hindsight.interval import IntervalHindsight as IntervalHindsight
    from arena.players.adversary import Adversary as Adversary
    from arena.players.learner import Learner as Learner
    from arena.players.view import View as View
    from arena.record.comparing import BestLosses as BestLosses
    from arena.record.comparing import Comparison as Comparison
    from arena.record.comparing import NamedComparator as NamedComparator
    from arena.record.series import Series as Series
    from arena.record.theorem import Theorem as Theorem
    from arena.record.theorem import labels_within as labels_within
    from arena.record.theorem import predictions_within as predictions_within
    from arena.record.theorem import squared_loss as squared_loss
    from arena.record.transcript import Transcript as Transcript
    from arena.record.verdict import Assumption as Assumption
    from arena.record.verdict import SeriesVerdict as SeriesVerdict
    from arena.record.verdict import Verdict as Verdict
    from arena.specs.parameters import parameter as parameter
    from arena.tournament.plan import Tournament as Tournament
    from arena.tournament.series import play_series as play_series
    from arena.tournament.store import Store as Store

_HOMES = {  # for each module: its public names
    "arena.engine.match": "Interrupted play",
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
    "arena.record.series": "Series",
    "arena.record.theorem": "Theorem labels_within predictions_within squared_loss",
    "arena.record.transcript": "Transcript",
    "arena.record.verdict": "Assumption SeriesVerdict Verdict",
    "arena.specs.parameters": "parameter",
    "arena.tournament.plan": "Tournament",
    "arena.tournament.series": "play_series",
    "arena.tournament.store": "Store",
}
BESIDE = ("adversaries", "learners", "reports")  # found as attributes of `arena` without an import of their own
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
if not TYPE_CHECKING:  # mypy reads lists of names only if they are written out
    __all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    """Return the public object of this name, or `learners`, `adversaries` or `reports`; import its module if needed."""
    # the pytest plugin imports this package, and must start quickly
    if name in BESIDE:
        return importlib.import_module(f"arena.{name}")
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
