"""The public names of regret-arena, which tests online learners the way an opponent would.

>>> import arena
>>> run = arena.play("kernel-awv", "alternating", rounds=50)
>>> run.verdict("awv-leverage").outcome
'holds'
"""

from __future__ import annotations

from pathlib import Path

# In a checkout, `learners`, `adversaries` and `reports` stand beside this folder. A script in the checkout's root
# imports this folder even if the package is installed.
if not Path(__file__).with_name("learners").is_dir():
    __path__.append(str(Path(__file__).parent.parent))

from arena.specs.public_names import attach

# `__init__.pyi` lists the public names; the pytest plugin imports this package, and must start quickly
__getattr__, __dir__, __all__ = attach(__name__, __file__)
