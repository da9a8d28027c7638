"""The time of a round of the KONS family, beside the papers' pseudo-code in NumPy, in one run.

The data have casp's shape, 45,730 rounds in 9 dimensions of unequal spread, and the paper's bandwidth of 8; KORS ends
with a dictionary of about 90 points. Times are processor times.
"""

from __future__ import annotations

import time

import numpy as np

from _tools import seconds
from arena import Game, Gaussian
from arena.learners import BKons, ConKons, Kons, ProsNKons, SketchedKons
from arena.players.learner import Learner

ROUNDS, DIMENSION, GAMMA = 45_730, 9, 1.4
GAME = Game(rounds=ROUNDS, dimension=DIMENSION, kernel=Gaussian(bandwidth=8.0))


class Printed:
    """PROS-N-KONS (or CON-KONS) as the papers print it: KORS with a temporary dictionary, an embedding by SVD."""

    def __init__(self, settings: ConKons, game: Game, rng: np.random.Generator):
        self.settings, self.game, self.rng = settings, game, rng
        self.eta = game.loss.curvature(game.clip, game.label_bound) / 2
        self.points, self.probabilities = np.empty((0, game.dimension)), np.empty(0)
        self.E, self.A, self.w, self.g = np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0), np.zeros(0)

    def take_over(self, learner: ConKons) -> None:
        """Start an epoch with the dictionary of another learner."""
        self.points, self.probabilities = learner.kors.atoms.copy(), learner.kors.probabilities.copy()
        self.restart()

    def restart(self) -> None:
        """Start with a new embedding, where nothing is learnt yet."""
        self.E = self.embedding()
        self.A, self.w, self.g = self.settings.alpha * np.eye(len(self.E)), np.zeros(len(self.E)), np.zeros(len(self.E))

    def play(self, x: np.ndarray, y: float) -> float:
        """One round."""
        accepted, probability = self.sample(x)
        prediction = self.newton(x, y)
        if accepted:
            self.join(x, probability)
        return prediction

    def sample(self, x: np.ndarray) -> tuple[bool, float]:
        """KORS, with x in a temporary dictionary."""
        gamma, coin = self.settings.gamma, self.rng.random()
        points = np.vstack([self.points, x])
        S = np.diag(np.append(1 / np.sqrt(self.probabilities), 1.0))
        K = self.game.kernel.gram(points, points)
        k = S @ K[:, -1]
        leverage = (K[-1, -1] - k @ np.linalg.inv(S @ K @ S + gamma * np.eye(len(points))) @ k) / gamma
        probability = min(1.0, self.settings.beta * (1 + self.settings.epsilon) * leverage)
        return coin < probability, probability

    def newton(self, x: np.ndarray, y: float) -> float:
        """Lines 11 to 17 of algorithm 1; A is inverted once."""
        if not len(self.points):
            return 0.0
        f = self.E @ self.game.kernel.gram(self.points, x[np.newaxis])[:, 0]
        inverse = np.linalg.inv(self.A)
        v = self.w - inverse @ self.g
        excess = np.sign(f @ v) * max(abs(f @ v) - self.game.clip, 0.0)
        self.w = v - excess / (f @ inverse @ f) * inverse @ f
        prediction = float(f @ self.w)
        self.g = 2 * (prediction - y) * f
        self.A = self.A + self.eta * np.outer(self.g, self.g)
        return prediction

    def join(self, x: np.ndarray, probability: float) -> None:
        """Add a point to the dictionary; PROS-N-KONS and B-KONS then restart, CON-KONS maps w, g and A."""
        old, E_old, A, w, g = self.points, self.E, self.A, self.w, self.g
        self.points, self.probabilities = np.vstack([old, x]), np.append(self.probabilities, probability)
        self.restart()
        if not isinstance(self.settings, ProsNKons):
            T = self.E @ self.game.kernel.gram(self.points, old) @ E_old.T
            self.w, self.g = T @ w, T @ g
            self.A = T @ A @ T.T + self.settings.alpha * (np.eye(len(T)) - T @ T.T)

    def embedding(self) -> np.ndarray:
        """The matrix from kernel values to coordinates, without directions that are rounding errors."""
        U, values, _ = np.linalg.svd(self.game.kernel.gram(self.points, self.points))
        keep = values > 1e-12 * values[0]
        return np.asarray((U[:, keep] / np.sqrt(values[keep])).T)


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (ROUNDS, DIMENSION)) / np.sqrt(np.arange(1, DIMENSION + 1))
    return X, np.clip(np.sin(3 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=ROUNDS), -1, 1)


def replayed(learner: Learner, X: np.ndarray, y: np.ndarray) -> float:
    learner.begin(GAME, np.random.default_rng(1))

    def in_blocks() -> None:
        for start in range(0, len(X), 4096):
            learner.replay(X[start : start + 4096], y[start : start + 4096])

    return seconds(in_blocks, clock=time.process_time) / len(X)


def round_by_round(learner: Learner, X: np.ndarray, y: np.ndarray) -> float:
    return seconds(lambda: Learner.replay(learner, X, y), clock=time.process_time) / len(X)


def printed(learner: ConKons, X: np.ndarray, y: np.ndarray, rounds: int = 200) -> float:
    """Seconds a round of the pseudo-code, on some rounds with the learner's final dictionary."""
    slow = Printed(learner, GAME, np.random.default_rng(1))
    slow.take_over(learner)
    last = list(zip(X[-rounds:], y[-rounds:].tolist(), strict=True))
    return seconds(lambda: [slow.play(x, label) for x, label in last], clock=time.process_time) / rounds


def same_predictions(learner: ConKons, X: np.ndarray, y: np.ndarray, rounds: int = 300) -> float:
    slow = Printed(learner, GAME, np.random.default_rng(1))
    expected = [slow.play(x, label) for x, label in zip(X[:rounds], y[:rounds].tolist(), strict=True)]
    learner.begin(GAME, np.random.default_rng(1))
    return float(np.abs(learner.replay(X[:rounds], y[:rounds]) - expected).max())


def nystrom() -> None:
    X, y = data()
    for learner in (ProsNKons(gamma=GAMMA), ConKons(gamma=GAMMA), BKons(gamma=GAMMA, max_size=100)):
        ours = min(replayed(learner, X, y) for _ in range(3))
        size = learner.dictionary_size
        slow = printed(learner, X, y)
        single = round_by_round(learner, X[:500], y[:500])
        print(f"{learner.name}: {ours * 1e6:.1f} microseconds a round ({single * 1e6:.0f} one by one), "
              f"dictionary {size}; as printed {slow * 1e6:.0f}, {slow / ours:.0f} times as long; "
              f"predictions differ by {same_predictions(learner, X, y):.0e}")  # fmt: skip


def exact() -> None:
    X, y = data()
    one = np.zeros((20_000, DIMENSION)), np.where(np.arange(20_000) % 2, -1.0, 1.0)
    for learner in (Kons(), SketchedKons()):
        few = replayed(learner, X[:2_000], y[:2_000])
        print(f"{learner.name}: {few * 1e6:.0f} microseconds a round over 2,000 different points, "
              f"{replayed(learner, *one) * 1e6:.1f} over 20,000 rounds of one point")  # fmt: skip


if __name__ == "__main__":
    nystrom()
    exact()
