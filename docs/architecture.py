"""Draws the picture of the rooms in architecture.md from the imports of the source: `python docs/architecture.py`."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGES = {
    "arena": "arena",
    "learners": "arena.learners",
    "adversaries": "arena.adversaries",
    "reports": "arena.reports",
}
BEGIN, END = "<!-- Drawn by `python docs/architecture.py`. -->\n", "<!-- End of the picture. -->\n"


def layers() -> list[list[str]]:
    """Return the layers of import-linter's contract, from top to bottom; rooms of a layer do not import each other."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    return [layer.split(" | ") for layer in contract["layers"]]


def rooms() -> list[str]:
    """Return the rooms from top to bottom, without the modules at the root of `arena`."""
    modules = {path.stem for path in (ROOT / "arena").glob("*.py")}
    return [name for layer in layers() for name in layer if name not in modules]


def imports() -> dict[str, set[str]]:
    """Return the rooms that each room imports, also inside functions and for type checking."""
    known = rooms()
    found: dict[str, set[str]] = {room: set() for room in known}
    for folder, package in PACKAGES.items():
        for path in (ROOT / folder).rglob("*.py"):
            room = _room(".".join([package, *path.relative_to(ROOT / folder).parts]))
            if room in found:
                found[room] |= {_room(name) for name in _imported(path)} & (set(known) - {room})
    return found


def essential(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows that do not follow from others: a -> c is left out if other arrows lead from a to c."""
    below: dict[str, set[str]] = {}
    for room in reversed(rooms()):
        below[room] = arrows[room].union(*(below[other] for other in arrows[room]))
    return {room: to - set().union(*(below[other] for other in to)) for room, to in arrows.items()}


def picture() -> str:
    """Return the essential arrows as a flow chart in Mermaid's language."""
    lines = [
        f"    {room} --> {' & '.join(sorted(to, key=rooms().index))}" for room, to in essential(imports()).items() if to
    ]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```", ""])


def redrawn(page: str) -> str:
    """Return the page with a new picture between the comments `BEGIN` and `END`."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + picture() + END + rest.partition(END)[2]


def _room(module: str) -> str:
    return module.split(".")[1] if module.startswith("arena.") else ""


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


if __name__ == "__main__":
    PAGE.write_text(redrawn(PAGE.read_text()))
