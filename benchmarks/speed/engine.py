"""Benchmarks of the engine's overhead: in rounds, isolation, tournaments, and files of transcripts."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import arena
from arena import Store, Tournament
from arena.arrays import Array
from arena.engine.isolation import Isolation
from arena.record.storage import load_transcript, save_transcript

from .measuring import OURS, Case, Side

LOOP, DIMENSION = "bare loop", 2


class Given:
    """An adversary that plays a given random sequence, with only the methods that an adversary must have."""

    def __init__(self, rounds: int, *, oblivious: bool):
        rng = np.random.default_rng(0)
        self.X, self.y = rng.uniform(-1, 1, (rounds, DIMENSION)), rng.uniform(-1, 1, rounds).tolist()
        self.oblivious = oblivious

    def begin(self, game: arena.Game, rng: np.random.Generator) -> None:
        """Do nothing; without this method the adversary would be copied, with all its data."""

    def point(self, view: arena.View) -> Array:
        """Return the next point."""
        return np.asarray(self.X[view.round - 1])

    def label(self, view: arena.View, x: Array, prediction: float) -> float:
        """Return the next label."""
        return float(self.y[view.round - 1])


class Silent:
    """A learner that predicts zero, with only the methods that a learner must have."""

    def predict(self, x: Array) -> float:
        """Return zero."""
        return 0.0

    def update(self, x: Array, y: float) -> None:
        """Do nothing."""


class Count:
    """Stand-in for a view: it has the number of the round, which is all that `Given` reads."""

    round = 1


def bare(given: Given, rounds: int) -> Callable[[], object]:
    """Return a function that plays a match without the engine, by a loop that only calls the players."""
    learner, view, game = Silent(), Count(), arena.Game(rounds=rounds)

    def loop() -> float:
        given.begin(game, np.random.default_rng(0))
        total = 0.0
        for t in range(rounds):
            view.round = t + 1
            x = given.point(view)  # type: ignore[arg-type]
            prediction = learner.predict(x)
            y = given.label(view, x, prediction)  # type: ignore[arg-type]
            learner.update(x, y)
            total += (prediction - y) ** 2
        return total

    return loop


def rounds_of(name: str, rounds: int, *, oblivious: bool) -> Case:
    """Return the benchmark that compares a match with a bare loop over the calls of the same players."""
    given = Given(rounds, oblivious=oblivious)

    def match() -> Callable[[], object]:
        return lambda: arena.play(Silent(), given, rounds=rounds, dimension=DIMENSION, hindsight="none")

    sides = {OURS: Side(match, rounds), LOOP: Side(lambda: bare(given, rounds), rounds)}
    return Case("engine", name, f"{rounds:,} rounds", sides, {f"{LOOP} / {OURS}": (LOOP, OURS)})


def isolated(rounds: int) -> Case:
    """Return the benchmark that compares matches with and without isolation of the learner.

    Wall-clock time is measured, since several processes work.
    """

    def match(isolate: Any) -> Callable[[], object]:
        given = Given(rounds, oblivious=False)
        return lambda: arena.play("zero", given, rounds=rounds, hindsight="none", isolate=isolate)

    here = "in the same process"
    sides = {
        OURS: Side(lambda: match(Isolation()), rounds, time.perf_counter),
        here: Side(lambda: match(False), rounds, time.perf_counter),
    }
    ratios = {f"{here} / {OURS}": (here, OURS)}
    return Case("engine", "interactive, learner isolated", f"{rounds:,} rounds", sides, ratios, guarded=False)


def tournament(matches: int) -> Case:
    """Return the benchmark that compares a tournament, which has a store, with the same matches played alone.

    Wall-clock time is measured, since several processes work.
    """
    settings = [{"rounds": 60}]
    plan = Tournament(["kernel-awv"], ["greedy"], settings, matches)

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            plan.run(store=Path(folder), workers=1)
            assert len(list(Store(Path(folder)).summaries())) == matches

    def alone() -> Callable[[], object]:
        return lambda: [arena.play("kernel-awv", "greedy", rounds=60, seed=seed).regret for seed in range(matches)]

    one = "matches alone"
    sides = {OURS: Side(lambda: run, matches, time.perf_counter), one: Side(alone, matches, time.perf_counter)}
    ratios = {f"{one} / {OURS}": (one, OURS)}
    size = f"{matches} matches of 60 rounds"
    return Case("engine", "tournament, one worker", size, sides, ratios, unit="match", guarded=False)


def record(rounds: int) -> Case:
    """Return the benchmark that compares saving and loading a transcript with NumPy's own file of the same arrays."""

    def played() -> arena.Transcript:
        return arena.play("zero", Given(rounds, oblivious=True), rounds=rounds, dimension=DIMENSION, hindsight="none")

    def whole() -> Callable[[], object]:
        run = played()

        def action() -> object:
            with tempfile.TemporaryDirectory() as folder:
                return load_transcript(save_transcript(run, Path(folder) / "run.npz"))

        return action

    def bare_arrays() -> Callable[[], object]:
        run = played()

        def action() -> object:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "run.npz"
                np.savez(path, X=run.points, y=run.labels, p=run.predictions, s=run.seconds)
                with np.load(path) as arrays:
                    return [arrays[name] for name in arrays]

        return action

    numpy = "numpy.savez and load"
    sides = {OURS: Side(whole, rounds), numpy: Side(bare_arrays, rounds)}
    ratios = {f"{numpy} / {OURS}": (numpy, OURS)}
    return Case("engine", "transcript saved and loaded", f"{rounds:,} rounds", sides, ratios)


def cases(*, quick: bool) -> list[Case]:
    """Return the benchmarks of the engine."""
    share = 5 if quick else 1
    return [
        rounds_of("oblivious adversary, in blocks", 100_000 // share, oblivious=True),
        rounds_of("adaptive adversary, interactive", 50_000 // share, oblivious=False),
        record(100_000 // share),
        isolated(5000 // share),
        tournament(20 // share),
    ]
