"""A small match for each learner, adversary and theorem in the reference, played when the site is built."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena import Transcript
from arena.errors import ArenaError
from arena.papers.tightness import SMALL, ExampleSetting, example
from arena.record.commands import play_command
from arena.record.judging import judge, lower_bounds_of, promises_of
from arena.record.verdict import Verdict
from arena.specs import registry
from arena.specs.building import build
from match_picture import measured_and_allowed, moves

ROUNDS, SEED = 30, 0
SETTINGS = (ExampleSetting("greedy"), *SMALL)  # for learners, in the order in which they are tried
OPPONENT = "kernel-awv"  # of adversaries
DATA = "data.csv"  # the file that the README makes, too


@dataclass(frozen=True)
class Played:
    """A command, the last lines of its output, and a picture of its match."""

    command: str
    said: str = ""
    picture: str = ""


def example_of(kind: str, name: str, described: dict[str, Any]) -> Played | None:
    """Return the example of a theorem, a learner or an adversary; None for other kinds, and if no match fits."""
    if kind == "theorem":
        return _of_theorem(name, described)
    if kind == "learner":
        return _of_learner(name)
    return _of_adversary(name) if kind == "adversary" else None


def _of_theorem(name: str, described: dict[str, Any]) -> Played | None:
    shown = described.get("example")
    if not shown:
        return None
    said = "\n".join(shown["verdicts"])
    played = None if shown["command"].startswith("arena reproduce") else example(name)
    return Played(shown["command"], said, _curves(played.run, judge(played.run, name)) if played else "")


def _of_learner(name: str) -> Played | None:
    """Return the first example match that a bound promised by the learner judges.

    If there is none, return the first match in which the regret is known. If there is none either, return None.
    """
    runs = [run for setting in SETTINGS if (run := setting.play(name, rounds=ROUNDS, seed=SEED))]
    judged = [(run, verdict) for run in runs for verdict in _verdicts(run) if not verdict.is_deviation]
    if judged:
        run, verdict = judged[0]
        return _played(run, _curves(run, verdict))
    measured = [run for run in runs if run.regret is not None]
    return (
        _played(measured[0], measured_and_allowed(measured[0].regret, None, _regret(measured[0]))) if measured else None
    )


def _of_adversary(name: str) -> Played | None:
    with _data() if _wants_data(name) else contextlib.nullcontext():
        spec = f"{name}(file={DATA})" if _wants_data(name) else name
        run = ExampleSetting(spec).play(OPPONENT, rounds=ROUNDS, seed=SEED)
    if run is None:
        return None
    words = f"labels (dots) and predictions of {OPPONENT} (line) in {run.rounds} rounds"
    return _played(run, moves(run.labels, run.predictions, words))


def _played(run: Transcript, picture: str) -> Played | None:
    command = play_command(run)
    said = [_regret(run), *map(str, _verdicts(run))]
    return Played(command, "\n".join(said), picture) if command else None


def _verdicts(run: Transcript) -> list[Verdict]:
    """Return the verdicts on the learner's promises and the adversary's lower bounds.

    Theorems that do not apply, or that one match cannot decide, are left out.
    """
    verdicts = [judge(run, each) for each in (*promises_of(run), *lower_bounds_of(run))]
    return [each for each in verdicts if each.applicable and not each.by_chance]


def _curves(run: Transcript, verdict: Verdict) -> str:
    words = f"{verdict.quantity} (solid) and what {verdict.name} allows (dashed) in {run.rounds} rounds"
    if verdict.measured_curve is None or verdict.allowed_curve is None:
        return ""
    return measured_and_allowed(verdict.measured_curve, verdict.allowed_curve, words)


def _regret(run: Transcript) -> str:
    return f"regret {run.regret[-1]:.4g} in {run.rounds} rounds" if run.regret is not None else f"loss {run.loss:.4g}"


def _wants_data(name: str) -> bool:
    """Return whether the adversary needs a file of data."""
    try:
        build("adversary", name)
    except ArenaError:
        return "file" in getattr(registry.find("adversary", name), "__dataclass_fields__", {})
    return False


@contextlib.contextmanager
def _data() -> Iterator[None]:
    """Context manager: inside the block the working directory is a folder with the file `data.csv` of the README."""
    rows = np.random.default_rng(0).normal(size=(500, 3))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        table = np.column_stack([rows, rows.sum(axis=1) > 0])
        np.savetxt(Path(DATA), table, delimiter=",", header="a,b,c,y", comments="")
        yield
