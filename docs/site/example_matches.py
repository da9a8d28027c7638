"""A small match for each entry of the reference, played when the site is built: its command and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena import play
from arena.arrays import Array
from arena.errors import ArenaError
from arena.papers.tightness import example
from arena.record.judging import judge

ROUNDS = 30


@dataclass(frozen=True)
class Played:
    """A command, what it says at the end, and the curves of a theorem."""

    command: str
    said: str = ""
    measured: Array | None = None
    allowed: Array | None = None


def example_of(kind: str, name: str, described: dict[str, Any]) -> Played | None:
    """Return an example of an entry; None for what is no player and no theorem, and for what needs parameters."""
    if kind == "theorem":
        return _of_theorem(name, described)
    if kind == "learner":
        return _of_players(name, "greedy")
    return _of_players("kernel-awv", name) if kind == "adversary" else None


def _of_theorem(name: str, described: dict[str, Any]) -> Played | None:
    shown = described.get("example")
    if not shown:
        return None
    said = "\n".join(shown["verdicts"])
    played = None if shown["command"].startswith("arena reproduce") else example(name)
    if played is None:
        return Played(shown["command"], said)
    verdict = judge(played.run, name)
    return Played(shown["command"], said, verdict.measured_curve, verdict.allowed_curve)


def _of_players(learner: str, adversary: str) -> Played | None:
    try:
        run = play(learner, adversary, rounds=ROUNDS)
    except ArenaError:  # it needs parameters, or another game
        return None
    if run.forfeit or run.regret is None:
        return None
    return Played(f"arena play {learner} {adversary} --rounds {ROUNDS}", f"regret {run.regret[-1]:.4g}")
