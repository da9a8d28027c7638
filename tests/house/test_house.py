"""Rules about files: which are installed, where they are, and how they are written."""

import doctest
import importlib
import linecache
import pkgutil
import re
import subprocess
import sys
import tomllib

import pytest

import arena
import arena.testing
from arena_tests.pages import ROOT

FOLDERS = {
    "arena": "arena",
    "learners": "arena.learners",
    "adversaries": "arena.adversaries",
    "reports": "arena.reports",
}
MODULES = sorted(
    {
        info.name
        for package in map(importlib.import_module, FOLDERS.values())
        for info in pkgutil.walk_packages(package.__path__[:1], package.__name__ + ".")
    }
)


def source_files():
    return [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]


@pytest.mark.parametrize("name", [name for name in MODULES if "__main__" not in name])
def test_examples_in_docstrings_run(name):
    # Before each docstring, doctest's debugger looks for changes in every file that the cache has.
    linecache.clearcache()
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_file_is_installed():
    """A new sub-package must be named in pyproject.toml, or users do not get it."""
    for path in source_files():
        top, *rest = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join([FOLDERS[top], *rest]).removesuffix(".__init__")
        if module != "arena.__main__":
            assert importlib.util.find_spec(module) is not None, module


def test_python_in_the_root_of_a_checkout_imports_the_whole_package():
    """Scripts there import `arena` from the folder, in which `learners` is not a subfolder of `arena`."""
    code = "import sys; sys.meta_path = [f for f in sys.meta_path if 'editable' not in repr(f)]; import arena.learners"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_only_front_doors_stand_at_the_root():
    """Every other module is in a room."""
    doors = {"__init__", "__main__", "version", "errors", "arrays", "pytest_plugin"}
    assert {path.stem for path in (ROOT / "arena").glob("*.py")} == doors


def test_no_path_of_a_workplace_is_left():
    pattern = re.compile(r"(^|[^A-Za-z0-9_.])/(work|root|home|tmp)/")
    for path in source_files():
        assert not pattern.search(path.read_text()), path


def test_the_engine_never_asks_who_is_playing():
    for path in (ROOT / "arena").rglob("*.py"):
        assert not re.search(r"if (learner|adversary)(\.name)? (is|==) ", path.read_text()), path


def test_public_names_exist():
    assert all(hasattr(arena, name) for name in arena.__all__)
    assert set(arena.__all__) <= set(dir(arena))
    with pytest.raises(AttributeError):
        arena.no_such_name  # noqa: B018


def test_all_public_names_are_imported_with_a_star():
    found = {}
    exec("from arena import *; from arena.testing import *", found)
    assert {*arena.__all__, *arena.testing.__all__} <= found.keys()
    assert found["play"] is arena.play
    assert not {"learners", "adversaries", "reports"} & {*arena.__all__}  # attributes only
    assert arena.learners.__name__ == "arena.learners"


def test_stubs_are_installed():
    """Without them the installed package has no public names, and mypy finds none."""
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert "*.pyi" in shipped["arena"]
    assert "*.pyi" in shipped["arena.testing"]
