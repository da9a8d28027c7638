"""Optional packages and the extras, such as `regret-arena[cluster]`, that install them."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from arena.errors import ArenaError

EXTRAS = {
    "hypothesis": "hypothesis",
    "padasip": "padasip",
    "pooch": "pooch",
    "pyarrow": "pyarrow",
    "river": "river",
    "sklearn": "scikit-learn",
    "vowpalwabbit": "vowpalwabbit",
}  # for each import name: the name to install
EXAMPLES = {  # addresses of well-known classes, for messages
    "padasip": "padasip:filters.FilterNLMS(n=2)",
    "river": "river:linear_model.LinearRegression",
    "sklearn": "sklearn:linear_model.SGDRegressor",
}
EXTRA_OF = {"pooch": "data", "pyarrow": "data"}  # extras whose name is not the import name


def missing(module: str, wanted: str) -> ArenaError:
    """Return the error to raise if `module`, which `wanted` needs, is not installed; its message names a remedy.

    `wanted` is an address, or names the command, module or task that needs the module.
    """
    package = module.partition(".")[0]
    if package in EXTRAS:
        extra = EXTRA_OF.get(package, package)
        return ArenaError(f"{wanted} needs {EXTRAS[package]}: pip install 'regret-arena[{extra}]'")
    name, _, attribute = wanted.partition(":")
    file = Path(name.replace(".", "/") + ".py")
    if attribute and file.is_file():  # code of this folder is not imported unless the user names the folder
        return ArenaError(
            f"{name} lies in this folder and is not installed: write ./{file}:{attribute}, or start the arena by "
            "python -m arena, which finds the modules of this folder"
        )
    return ArenaError(f"there is no module {module!r} to find {wanted!r} in; is it installed?")


def import_extra(module: str, wanted_by: str) -> ModuleType:
    """Import and return a module of an optional package.

    If the package is not installed, raise an `ArenaError`. Its message names `wanted_by`, the command, module or task
    that needs the package.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise missing(error.name or module, wanted_by) from error
