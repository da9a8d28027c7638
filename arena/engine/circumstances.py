"""The versions of the programs, and the machine, with which a match is played."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import scipy

from arena.version import __version__


def present_circumstances() -> dict[str, Any]:
    """Return the versions of the arena and its libraries, and the kind of machine."""
    return {
        "arena": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
