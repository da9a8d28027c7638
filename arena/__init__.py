"""Test online learners the way an opponent would.

>>> import arena
>>> run = arena.play("kernel-awv", "alternating", rounds=50)
>>> print(run.verdict("awv-leverage").outcome)
holds
"""

from pathlib import Path

if not (Path(__file__).parent / "learners").is_dir():  # a checkout: `learners/` and its kin stand beside this folder
    __path__.append(str(Path(__file__).parent.parent))

from arena.adversary import Adversary
from arena.errors import ArenaError, DamagedFile
from arena.game import Game
from arena.kernels import Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
from arena.learner import Learner
from arena.losses import Loss, Squared
from arena.match import Interrupted, play
from arena.parameters import parameter
from arena.theorem import Assumption, Theorem, Verdict
from arena.transcript import Transcript
from arena.version import __version__
from arena.view import View

__all__ = [
    "Adversary",
    "ArenaError",
    "Assumption",
    "DamagedFile",
    "Game",
    "Gaussian",
    "Interrupted",
    "Kernel",
    "Laplacian",
    "Learner",
    "Linear",
    "Loss",
    "Matern",
    "Polynomial",
    "Squared",
    "Theorem",
    "Transcript",
    "Verdict",
    "View",
    "__version__",
    "parameter",
    "play",
]
