"""In a checkout, `learners/`, `adversaries/` and `reports/` stand beside `arena/`; installed, they stand inside it.

`import arena` from a checkout's root should find them too, installed or not. An editable install has a finder of its
own for that; this one serves everybody who runs Python in the root, `python -m pytest` for instance.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

BESIDE = ("learners", "adversaries", "reports")
HERE = Path(__file__).parent


class FolderBeside(importlib.abc.MetaPathFinder):
    """Finds `arena.learners` and its kin beside the package."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of one of the packages beside us; what lies in them is found through it."""
        package, _, folder = name.rpartition(".")
        if package != "arena" or folder not in BESIDE:
            return None
        home = HERE.parent / folder
        return importlib.util.spec_from_file_location(
            name, home / "__init__.py", submodule_search_locations=[str(home)]
        )


def find_what_stands_beside() -> None:
    """Install the finder if this is a checkout."""
    if not (HERE / BESIDE[0]).is_dir() and (HERE.parent / BESIDE[0]).is_dir():
        sys.meta_path.insert(0, FolderBeside())  # before the finder of an editable install of another checkout
