"""Describes the isolation of learners on this machine, for `arena show isolation` and for a note before matches."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from arena.cli.output import markup
from arena.engine.bubblewrap import why_not
from arena.engine.isolation import Isolation, layer

COVERED = (
    "Covered: learners, their theorems' names included, from the import of their code on. Not covered: adversaries, "
    "kernels, losses, comparators and theorems from outside the arena, which run in the engine."
)


def print_isolation_note(console: Console) -> None:
    """If bubblewrap does not work on this machine, print a note that isolated learners have resource limits only."""
    if why_not():
        console.print(f"note: isolated by {markup(layer())}", style="yellow", soft_wrap=True)


def isolation_here() -> dict[str, Any]:
    """Return the isolation on this machine as plain values.

    The key "in_force" names the mechanism, "limits" has a learner's limits, and "covered" says which code is isolated.
    """
    limits = Isolation()
    return {
        "kind": "isolation",
        "name": "isolation",
        "in_force": layer(),
        "bubblewrap": not why_not(),
        "limits": {"seconds": limits.seconds, "memory_gib": limits.memory, "files": limits.files,
                   "processes": limits.processes},
        "covered": COVERED,
    }  # fmt: skip
