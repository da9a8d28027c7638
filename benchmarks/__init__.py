"""Benchmarks of the program's speed and memory, and the measurements behind the pages of docs/results.

`python -m benchmarks` runs the package `benchmarks.speed`. It must measure the installed package `arena`, and not the
folder `arena` of the checkout. For this reason, importing `benchmarks` removes the checkout's root from `sys.path`.
"""

import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != _ROOT]
sys.path.append(str(_ROOT / "tests" / "support"))  # the slow twins
