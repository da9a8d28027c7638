"""The engine's overhead in a round, and two ratios: replay over LAPACK's Cholesky, greedy over a naive twin."""

from __future__ import annotations

import copy
import tracemalloc

import numpy as np
from scipy.linalg import cholesky

import arena
from _tools import seconds
from arena.adversaries._shared.regret_change import extreme_labels
from arena.adversaries.greedy import Greedy
from arena.learners.awv import KernelAWV


class Given:
    """A given sequence, with only the methods that an oblivious adversary must have."""

    oblivious = True

    def __init__(self, X: np.ndarray, y: np.ndarray):
        self.X, self.y = X, y.tolist()

    def begin(self, game: arena.Game, rng: np.random.Generator) -> None:
        pass  # an adversary without `begin` is copied, with all its data

    def point(self, view: arena.View) -> np.ndarray:
        return self.X[view.round - 1]

    def label(self, view: arena.View, x: np.ndarray, prediction: float) -> float:
        return self.y[view.round - 1]


class Silent:
    """A learner with only the methods that it must have."""

    def predict(self, x: np.ndarray) -> float:
        return 0.0

    def update(self, x: np.ndarray, y: float) -> None:
        pass


class NaiveGreedy(Greedy):
    """The same search; each candidate is scored by a deep copy of the learner and a full ridge fit."""

    def begin(self, game: arena.Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.learner = KernelAWV()
        self.learner.begin(game, rng)

    def label(self, view: arena.View, x: np.ndarray, prediction: float) -> float:
        y = super().label(view, x, prediction)
        self.learner.update(x, y)
        return y

    def _change(self, view: arena.View, X: np.ndarray) -> np.ndarray:
        before = self.optimum(view.points, view.labels)
        return np.array([[self.change(view, x, y, before) for y in extreme_labels(self.game)] for x in X])

    def change(self, view: arena.View, x: np.ndarray, y: float, before: float) -> float:
        loss = (copy.deepcopy(self.learner).predict(x) - y) ** 2
        return loss - (self.optimum(np.vstack([view.points, x]), np.append(view.labels, y)) - before)

    def optimum(self, X: np.ndarray, y: np.ndarray) -> float:
        if not len(X):
            return 0.0
        K = self.game.kernel.gram(X, X)
        weights = np.linalg.solve(K + self.game.regularisation * np.eye(len(X)), y)
        return float(np.square(K @ weights - y).sum() + self.game.regularisation * weights @ K @ weights)


def overhead() -> None:
    rounds, rng = 1_000_000, np.random.default_rng(0)
    adversary = Given(rng.uniform(-1, 1, (rounds, 2)), rng.uniform(-1, 1, rounds))
    each = seconds(lambda: arena.play(Silent(), adversary, rounds=rounds, hindsight="none")) / rounds
    tracemalloc.start()
    run = arena.play(Silent(), adversary, rounds=rounds // 10, hindsight="none")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    record = sum(a.nbytes for a in (run.points, run.labels, run.predictions, run.seconds))
    print(f"overhead: {each * 1e6:.2f} microseconds a round over {rounds:,} rounds; "
          f"peak memory {peak / record:.2f} times the record")  # fmt: skip


def replay() -> None:
    rounds, rng = 5_000, np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (rounds, 9)), rng.uniform(-1, 1, rounds)
    matrix = arena.Gaussian().gram(X, X) + np.eye(rounds)
    lapack = seconds(lambda: cholesky(matrix, lower=True), 3)
    ours = seconds(lambda: arena.play("kernel-awv", Given(X, y), rounds=rounds, dimension=9), 3)
    print(f"replay of {rounds:,} rounds with hindsight: {ours / lapack:.2f} times LAPACK's Cholesky of the same matrix")


def greedy() -> None:
    def played(adversary: object, rounds: int) -> arena.Transcript:
        run = arena.play("kernel-awv", adversary, dimension=5, rounds=rounds)
        assert not run.forfeit, run.forfeit
        return run

    naive = seconds(lambda: played(NaiveGreedy(), 80))
    quick = seconds(lambda: played("greedy", 80), 3)
    forced = played("greedy", 80).plain_regret[-1]
    print(f"greedy, 80 rounds: {quick:.2f} s, plain regret {forced:.2f}; naive twin {naive / quick:.0f} times that")
    print(f"greedy, 300 rounds: {seconds(lambda: played('greedy', 300)):.2f} s")


if __name__ == "__main__":
    overhead()
    replay()
    greedy()
