"""Addresses of classes in libraries such as scikit-learn, found by the class's name without importing the library."""

from __future__ import annotations

import functools
import importlib.util
import re
from pathlib import Path

from arena.specs.extras import EXAMPLES


@functools.lru_cache(maxsize=64)
def addresses_in_libraries(name: str) -> tuple[str, ...]:
    """Return the addresses under which installed libraries of models export classes of this name.

    The result is empty for a name in lower case.

    >>> addresses_in_libraries("SGDRegressor")
    ('sklearn:linear_model.SGDRegressor',)
    """
    if not name.isidentifier() or name.islower():
        return ()
    # a name in quotes in a subpackage's `__init__.py` may be in `__all__`
    listed = re.compile(rf"""["']{name}["']""")
    return tuple(
        f"{library}:{file.parent.name}.{name}"
        for library in EXAMPLES
        for folder in _folders(library)
        for file in sorted(folder.glob("[a-z]*/__init__.py"))
        if listed.search(file.read_text(encoding="utf-8", errors="replace"))
    )


def _folders(library: str) -> list[Path]:
    try:
        found = importlib.util.find_spec(library)
    except (ImportError, ValueError):
        return []
    return [Path(each) for each in found.submodule_search_locations or ()] if found else []
