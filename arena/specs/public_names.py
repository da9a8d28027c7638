"""Public names of a package that are imported when they are first used; the package's `__init__.pyi` lists them."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package; `file` is its `__init__.py`.

    Each line `from module import name as name` of the stub beside `file` is a public name, for type checkers and here.
    Modules of the package itself (`from package import module`) are attributes, too, but are not in `__all__`.
    """
    lines = ast.parse(Path(file).with_suffix(".pyi").read_bytes()).body
    homes = {each.name: str(line.module) for line in lines if isinstance(line, ast.ImportFrom) for each in line.names}

    def getattr_(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] == package:
            return importlib.import_module(f"{package}.{name}")
        return getattr(importlib.import_module(homes[name]), name)

    def dir_() -> list[str]:
        return sorted({*vars(importlib.import_module(package)), *homes})

    return getattr_, dir_, [name for name, home in homes.items() if home != package]
