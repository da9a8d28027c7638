"""Plays the same matches as different processors would, and compares their moves: the page docs/results/processors.md.

    python benchmarks/processors.py                     prints the page: about two hours on two cores
    python benchmarks/processors.py --write             writes it
    python benchmarks/processors.py --only greedy       matches of adversaries whose name contains this text
    python benchmarks/processors.py --settings nehalem  settings whose name contains this text, beside the first one

BLAS, NumPy and the C library choose their code by the processor. Environment variables make them choose as another
processor would. Each setting plays all matches in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from _tools import publish
from adversaries import needs_data
from arena import ArenaError, Transcript, play
from arena.adversaries.from_data import FromData
from arena.adversaries.replay import Replay
from arena.specs import registry

BEYOND_V2 = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
SETTINGS = {  # the first one is what the others are compared with
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "Zen": {"OPENBLAS_CORETYPE": "Zen"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Cooperlake": {"OPENBLAS_CORETYPE": "Cooperlake"},
    "one BLAS thread": {"OPENBLAS_NUM_THREADS": "1"},
    "two BLAS threads": {"OPENBLAS_NUM_THREADS": "2"},
    "NumPy for X86_V2": {"NPY_DISABLE_CPU_FEATURES": BEYOND_V2},
    "NumPy for X86_V3": {"NPY_DISABLE_CPU_FEATURES": BEYOND_V2.partition(" ")[2]},
    "NumPy for X86_V4": {"NPY_DISABLE_CPU_FEATURES": "AVX512_ICL AVX512_SPR"},
    "glibc without AVX2 and FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"},
}
LEARNERS = ("kernel-awv", "krr", "fgd", "pros-n-kons", "sgd", "dual-svrg")
GAMES: dict[str, dict[str, object]] = {
    "d = 2, Gaussian": {},
    "d = 5, Gaussian": {"dimension": 5, "regularisation": 0.1},
    "d = 1, Matern, box [0, 3]": {"dimension": 1, "box": (0, 3), "kernel": "matern(bandwidth=0.5)", "label_bound": 2},
}
ROUNDS, ROUNDS_OF_LOOKAHEAD = 200, 40
ACCURACY = 1e-9  # by which curves may differ, in units of their largest value, or of 1 if that is larger
HEADER = """# The same match on every processor

Made by `python benchmarks/processors.py --write`. Every registered adversary plays {rounds} rounds ({fewer} for
`lookahead`) with seed 0 against {learners},
in three games: {games}. Each row of the table is a way in which processors differ,
made by environment variables, compared with the row `{first}`, which is left out.

"The same" means: all points and labels are equal to the last bit; the match ends in the same way, with the same
verdicts; losses, predictions and regrets agree to {accuracy:g} of their largest value, or of 1 if that is larger.

| as on | matches | the same moves | and verdicts | and curves | largest difference of a curve |
| --- | --: | --: | --: | --: | --: |
"""


def matches(only: str, rounds: int = ROUNDS) -> Iterator[tuple[str, str, str, int]]:
    """Yield adversary, learner, name of the game and number of rounds of each match."""
    for adversary in registry.entries("adversary"):
        if only in adversary:
            length = min(ROUNDS_OF_LOOKAHEAD, rounds) if adversary == "lookahead" else rounds
            yield from ((adversary, learner, game, length) for learner in LEARNERS for game in GAMES)


def made(adversary: str, game: dict[str, object]) -> object:
    """Return the adversary by its name; one that needs data gets noisy rows of a fixed function."""
    if not needs_data(adversary):
        return adversary
    rng = np.random.default_rng(0)
    low, high = game.get("box", (-1, 1))
    X = rng.uniform(low, high, size=(2 * ROUNDS, game.get("dimension", 2)))
    y = np.where(X.sum(axis=1) + 0.3 * rng.standard_normal(len(X)) > X.shape[1] * (low + high) / 2, 1.0, -1.0)
    return {"replay": Replay, "from-data": FromData}[adversary](X=X, y=y)


def record(run: Transcript) -> dict[str, object]:
    """Return the moves, the verdicts and the curves of a match."""
    curves = {"losses": run.cumulative_losses, "predictions": run.predictions, "regret": run.regret}
    return {
        "moves": np.column_stack([run.points, run.labels]).tolist(),
        "verdicts": [run.ended, *(f"{each.theorem}: {each.outcome}" for each in run.verdicts())],
        "curves": {name: np.asarray(curve).tolist() for name, curve in curves.items()},
    }


def play_all(only: str, rounds: int) -> None:
    """Play all matches in this process, and print a line of JSON for each."""
    for adversary, learner, game, length in matches(only, rounds):
        fields = GAMES[game]
        try:
            found = record(play(learner, made(adversary, fields), rounds=length, **fields))
        except ArenaError as error:  # a combination that the arena refuses is refused everywhere
            found = {"moves": [], "verdicts": [str(error)], "curves": {}}
        print(json.dumps({"match": f"{adversary} against {learner}, {game}", **found}), flush=True)


def as_on(setting: str, only: str, rounds: int, place: Path) -> Path:
    """Play all matches as on these processors; return the file with their records."""
    path = place / f"{setting}.jsonl"
    usual = {name: value for name, value in os.environ.items() if name not in {k for s in SETTINGS.values() for k in s}}
    command = [sys.executable, "-W", "ignore", __file__, "--play", "--only", only, "--rounds", str(rounds)]
    with path.open("w") as file:
        subprocess.run(command, env=usual | SETTINGS[setting], stdout=file, check=True)
    return path


def compared(usual: dict[str, object], other: dict[str, object]) -> tuple[int, bool, float]:
    """Return the first round with another move (0: none), whether verdicts are equal, and how far curves differ."""
    here, there = usual["moves"], other["moves"]
    longest = max(len(here), len(there))
    first = next((t + 1 for t in range(longest) if here[t : t + 1] != there[t : t + 1]), 0)
    off = 0.0
    for name, values in usual["curves"].items():
        a, b = np.array(values), np.array(other["curves"][name])
        if a.shape != b.shape:
            return first, False, np.inf
        if a.size:
            scale = max(float(np.abs(a[np.isfinite(a)]).max(initial=0.0)), 1.0)
            off = max(off, float(np.abs(np.nan_to_num(a) - np.nan_to_num(b)).max()) / scale)
    return first, usual["verdicts"] == other["verdicts"], off


def page(only: str, settings: list[str], rounds: int, jobs: int) -> str:
    """Play all matches as on each of the `settings`, and return the page that compares them with the first."""
    with TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        paths = list(pool.map(lambda setting: as_on(setting, only, rounds, Path(folder)), settings))
        rows, differing = [], []
        for setting, path in zip(settings[1:], paths[1:], strict=True):
            same = {"moves": 0, "verdicts": 0, "curves": 0}
            total, largest = 0, 0.0
            with paths[0].open() as one, path.open() as two:
                for usual, other in zip(map(json.loads, one), map(json.loads, two), strict=True):
                    first, equal, off = compared(usual, other)
                    total += 1
                    same["moves"] += not first
                    same["verdicts"] += equal
                    same["curves"] += off <= ACCURACY
                    if not first:
                        largest = max(largest, off)
                    if first or not equal or off > ACCURACY:
                        why = f"another move in round {first}" if first else f"curves differ by {off:.1e}"
                        why += "" if equal else ", other verdicts"
                        differing.append(f"- {setting}: {usual['match']}: {why}")
            counts = " | ".join(str(value) for value in same.values())
            rows.append(f"| {setting} | {total} | {counts} | {largest:.1e} |")
    text = HEADER.format(
        rounds=rounds,
        fewer=ROUNDS_OF_LOOKAHEAD,
        learners=", ".join(f"`{each}`" for each in LEARNERS),
        games="; ".join(GAMES),
        first=settings[0],
        accuracy=ACCURACY,
    )
    text += "\n".join(rows) + "\n"
    return text + "\n## Matches that differ\n\n" + ("\n".join(differing) or "None.") + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--play", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--settings", default="")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.play:
        play_all(given.only, given.rounds)
    else:
        first, *others = SETTINGS
        chosen = [first, *(each for each in others if given.settings.lower() in each.lower())]
        publish(page(given.only, chosen, given.rounds, given.jobs), "processors.md", write=given.write)
