"""Time and memory of certified hindsight on long sequences, and the width of its interval.

    python benchmarks/hindsight.py [--rounds 5000000] [data.npz ...]

Files hold X and y; points are scaled to [0, 1], labels to at most one. Without files, a sequence of the same shape as
the 45,730 x 9 data set of protein structures stands in for it.
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path
from typing import ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

import arena
from _tools import timed
from arena.hindsight.certificate import interval_hindsight
from arena.hindsight.narrowing import Effort, optima_by_products
from arena.players.adversary import Adversary


class Drift(Adversary):
    """A target that moves, seen through noise."""

    name: ClassVar[str] = "drift"
    oblivious = True

    def begin(self, game: arena.Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng

    def block(self, view: arena.View, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        X = self.rng.uniform(self.game.low, self.game.high, (rounds, self.game.dimension))
        phase = 6.0 * view.round / self.game.rounds
        return X, np.clip(np.sin(3 * X[:, 0] + phase) * X[:, 1] + 0.3 * self.rng.standard_normal(rounds), -1, 1)


def peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def proteins(rounds: int = 45_730) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    latent = rng.gamma(4.0, size=(rounds, 4))
    X = np.exp(0.5 * latent @ rng.normal(size=(4, 9)) / 2 + 0.3 * rng.normal(size=(rounds, 9)))
    return X, np.abs(np.sin(latent[:, 0]) * latent[:, 1] + rng.normal(size=rounds))


def scaled(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    X, y = X.astype(float), y.astype(float)
    X -= X.min(axis=0)
    return X / np.maximum(X.max(axis=0), 1e-300), y / np.abs(y).max()


def certify(name: str, X: np.ndarray, y: np.ndarray) -> None:
    X, y = scaled(X, y)
    hindsight, seconds = timed(lambda: interval_hindsight(arena.Gaussian(1.0), 1.0, X, y))
    low, high = hindsight.final
    print(f"{name}, {len(y):,} x {X.shape[1]}: optimum in [{low:.6g}, {high:.6g}], relative width "
          f"{hindsight.relative_width:.2g} with {hindsight.features} features; {seconds:.1f} s, "
          f"peak memory {peak_memory():.2f} GiB")  # fmt: skip
    for learner, awv in (("krr", False), ("kernel-awv", True)):
        misses = np.abs(hindsight.predictions(awv=awv) - y)
        bars = hindsight.error_bars(awv=awv)
        off = float(np.mean(2 * misses * bars + bars**2))
        print(f"  {learner}, every round in the same run: average loss {np.mean(misses**2):.5f} +- {off:.1g}; "
              f"error bars of the predictions {bars.mean():.1g} on average, {bars.max():.1g} at most")  # fmt: skip


def narrow(rounds: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.uniform(0, 1, (rounds, 9)), rng.uniform(-1, 1, rounds)
    wide = interval_hindsight(arena.Laplacian(1.0), 1.0, X, y, features=300)
    effort = Effort(seconds=np.inf, features=300)
    found, seconds = timed(lambda: optima_by_products(arena.Laplacian(1.0), X, y, [(rounds, 1.0)], effort))
    [(low, high)] = found
    print(f"a Laplacian kernel, {rounds:,} rounds: relative width {wide.relative_width:.2g} from 300 features, "
          f"{(high - low) / high:.2g} by products, {seconds:.1f} s")  # fmt: skip


def stream(rounds: int) -> None:
    before = peak_memory()
    run, played = timed(lambda: arena.play("zero", Drift(), rounds=rounds))
    verdict, judged = timed(lambda: run.verdict("awv-logdet"))
    record = sum(part.nbytes for part in (run.points, run.labels, run.predictions, run.seconds)) / 2**30
    print(f"a stream of {rounds:,} rounds: {played + judged:.1f} s, peak memory {peak_memory():.2f} GiB "
          f"({before:.2f} before) for a record of {record:.2f}; relative width {run.interval().relative_width:.2g} "
          f"with {run.interval().features} features")  # fmt: skip
    print(f"  {verdict}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5_000_000)
    given = parser.parse_args()
    with threadpool_limits(1):
        stream(given.rounds)
        narrow(6_000)
        if not given.files:
            certify("synthetic proteins", *proteins())
        for path in given.files:
            with np.load(path, allow_pickle=False) as data:
                certify(path.stem, data["X"], data["y"])
