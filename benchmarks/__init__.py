"""Benchmarks of the program's speed and memory, and the measurements behind the pages of docs/results.

`python -m benchmarks` runs the package `speed`. It measures the installed package `arena`, so the checkout's root,
where `arena` is only one of the package's folders, leaves the path.
"""

import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != _ROOT]
sys.path.append(str(_ROOT / "tests" / "support"))  # the slow twins
