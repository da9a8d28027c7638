"""The rules of the house: what is installed, how files read, what the docs promise."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import arena

ROOT = Path(__file__).resolve().parents[2]
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
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    }
)


def source_files():
    return [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]


@pytest.mark.parametrize("name", [name for name in MODULES if "__main__" not in name])
def test_examples_in_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_file_is_installed():
    """A new sub-package must be named in pyproject.toml, or users do not get it."""
    for path in source_files():
        top, *rest = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join([FOLDERS[top], *rest]).removesuffix(".__init__")
        if module != "arena.__main__":
            assert importlib.util.find_spec(module) is not None, module


def test_files_hold_one_idea():
    long = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in source_files()}
    assert not {path: lines for path, lines in long.items() if lines > 300}


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


CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("number", range(3))
def test_the_examples_of_contributing_work_as_written(number, tmp_path):
    """Each is one file; saved as such it can be played or judged by at once."""
    example = CODE.findall((ROOT / "CONTRIBUTING.md").read_text())[number]
    path = tmp_path / "example.py"
    path.write_text(example)
    name = re.search(r"^class (\w+)", example, re.MULTILINE)[1]
    learner, adversary, theorem = "zero", "alternating", "ogd(rate=10)"
    if number == 0:
        learner = f"{path}:{name}"
    elif number == 1:
        adversary = f"{path}:{name}"
    else:
        theorem = f"{path}:{name}"
    run = arena.play(learner, adversary, rounds=30)
    assert run.forfeit is None
    assert run.verdict(theorem).holds


def test_the_files_that_the_documents_name_exist():
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text()
        named = re.findall(r"`((?:arena|learners|adversaries|reports|tests|benchmarks|docs)/[\w./-]*)`", text)
        named += re.findall(r"\]\(([\w./-]+)\)", text)
        assert named
        for path in named:
            assert (ROOT / path).exists(), f"{document} names {path}"
