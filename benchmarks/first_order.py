"""The time of a round of first-order and budgeted learners, beside their papers' pseudo-code in NumPy, in one run.

Random points in 8 dimensions with random labels, so that budgeted learners err in about half of the rounds; 1,000
frequencies, a budget of 400, filled before the clock starts.
"""

from __future__ import annotations

import time

import numpy as np

from _tools import seconds
from arena import Game, Gaussian
from arena.specs.building import build

ROUNDS, WARM, DIMENSION, FREQUENCIES, BUDGET = 4000, 1500, 8, 1000, 400
GAME = Game(rounds=ROUNDS, dimension=DIMENSION, kernel=Gaussian(bandwidth=0.5))


class Atoms:
    """A list of atoms as plain arrays, and the kernel with them."""

    def __init__(self) -> None:
        self.points, self.a = np.empty((0, DIMENSION)), np.empty(0)

    def kernel(self, x: np.ndarray) -> np.ndarray:
        """K(atoms, x)."""
        return np.exp(-((self.points - x) ** 2).sum(axis=1) / (2 * 0.5**2))

    def predict(self, x: np.ndarray) -> float:
        """F(x)."""
        self.k = self.kernel(x)
        return float(self.a @ self.k)

    def add(self, x: np.ndarray, weight: float) -> None:
        """One more atom."""
        self.points, self.a = np.vstack([self.points, x]), np.append(self.a, weight)

    def remove(self, place: int) -> None:
        """One atom less."""
        self.points, self.a = np.delete(self.points, place, axis=0), np.delete(self.a, place)


class PlainRbp(Atoms):
    """Random budget perceptron."""

    rng = np.random.default_rng(0)

    def play(self, x: np.ndarray, y: float) -> None:
        """One round."""
        if y * self.predict(x) <= 0:
            if len(self.a) == BUDGET:
                self.remove(int(self.rng.integers(BUDGET)))
            self.add(x, y)


class PlainForgetron(Atoms):
    """Self-tuned Forgetron."""

    mistakes, damage = 0, 0.0

    def play(self, x: np.ndarray, y: float) -> None:
        """One round."""
        if y * self.predict(x) > 0:
            return
        self.mistakes += 1
        self.add(x, y)
        if len(self.a) <= BUDGET:
            return
        size, margin = abs(self.a[0]), np.sign(self.a[0]) * self.predict(self.points[0])
        psi = lambda phi: (size * phi) ** 2 + 2 * size * phi * (1 - phi * margin)
        allowed, square = 15 / 32 * self.mistakes - self.damage, size**2 - 2 * size * margin
        phi = 1.0 if psi(1.0) <= allowed else allowed / (size + np.sqrt(size**2 + square * allowed))
        self.damage += psi(phi)
        self.a *= phi
        self.remove(0)


class PlainProjectron(Atoms):
    """Projectron with the explicit inverse."""

    inverse = np.empty((0, 0))

    def play(self, x: np.ndarray, y: float) -> None:
        """One round."""
        if y * self.predict(x) > 0:
            return
        d = self.inverse @ self.k
        residual = 1.0 - self.k @ d
        if len(self.a) == BUDGET or np.sqrt(max(residual, 0)) <= 0.1:
            self.a = self.a + y * d
            return
        v = np.append(d, -1.0)
        self.inverse = np.pad(self.inverse, (0, 1)) + np.outer(v, v) / residual
        self.add(x, y)


class PlainBogd(Atoms):
    """Gradient descent with random removal."""

    rng, eta = np.random.default_rng(0), ROUNDS**-0.5

    def play(self, x: np.ndarray, y: float) -> None:
        """One round."""
        weight = -self.eta * 2 * (self.predict(x) - y)
        if len(self.a) == BUDGET:
            self.remove(int(self.rng.integers(BUDGET)))
            self.a *= BUDGET / (BUDGET - 1)
        self.add(x, weight)


class PlainFogd:
    """Descent on random features."""

    def __init__(self) -> None:
        self.frequencies = np.random.default_rng(0).standard_normal((FREQUENCIES, DIMENSION)) / 0.5
        self.w, self.eta = np.zeros(2 * FREQUENCIES), ROUNDS**-0.5

    def play(self, x: np.ndarray, y: float) -> None:
        """One round."""
        phases = self.frequencies @ x
        features = np.concatenate([np.cos(phases), np.sin(phases)]) / np.sqrt(FREQUENCIES)
        self.w -= self.eta * 2 * (self.w @ features - y) * features


class PlainDualSgd(Atoms):
    """Pegasos with k-merging."""

    def __init__(self) -> None:
        super().__init__()
        self.frequencies = np.random.default_rng(0).standard_normal((FREQUENCIES, DIMENSION)) / 0.5
        self.w, self.t = np.zeros(2 * FREQUENCIES), 0

    def features(self, X: np.ndarray) -> np.ndarray:
        """Normalised random features."""
        phases = X @ self.frequencies.T
        return np.concatenate([np.cos(phases), np.sin(phases)], axis=-1) / np.sqrt(FREQUENCIES)

    def play(self, x: np.ndarray, y: float) -> None:
        """One round."""
        self.t += 1
        slope = 2 * (self.predict(x) + self.w @ self.features(x) - y)
        self.a, self.w = self.a * (1 - 1 / self.t), self.w * (1 - 1 / self.t)
        if len(self.a) == BUDGET:
            moved = np.argsort(np.abs(self.a))[:10]
            self.w += self.a[moved] @ self.features(self.points[moved])
            self.remove(moved)
        self.add(x, -slope / self.t)


PAIRS = {
    f"fogd(frequencies={FREQUENCIES})": PlainFogd,
    f"rbp(budget={BUDGET})": PlainRbp,
    f"forgetron(budget={BUDGET})": PlainForgetron,
    f"projectron(budget={BUDGET})": PlainProjectron,
    f"bogd(budget={BUDGET})": PlainBogd,
    f"dual-sgd(budget={BUDGET}, frequencies={FREQUENCIES})": PlainDualSgd,
}
ALONE = (
    "perceptron",
    f"projectron-pp(budget={BUDGET})",
    f"nogd(budget={BUDGET}, rank={BUDGET // 5})",
    f"bsgd(budget={BUDGET}, maintenance=remove)",
    f"bsgd(budget={BUDGET})",
    "dual-svrg(oracle=budget)",
    "dual-svrg(oracle=coverage)",
    "dual-svrg(oracle=always-move)",
)


def replayed(spec: str, X: np.ndarray, y: np.ndarray) -> float:
    """Microseconds a round, in blocks."""
    learner = build("learner", spec)
    learner.begin(GAME, np.random.default_rng(0))
    learner.replay(X[:WARM], y[:WARM])
    return seconds(lambda: learner.replay(X[WARM:], y[WARM:]), clock=time.process_time) / (ROUNDS - WARM) * 1e6


def transcribed(plain: type, X: np.ndarray, y: np.ndarray) -> float:
    """Microseconds a round of the pseudo-code."""
    player = plain()

    def play(X: np.ndarray, y: np.ndarray) -> None:
        for x, label in zip(X, y, strict=True):
            player.play(x, label)

    play(X[:WARM], y[:WARM])
    return seconds(lambda: play(X[WARM:], y[WARM:]), clock=time.process_time) / (ROUNDS - WARM) * 1e6


def main() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (ROUNDS, DIMENSION)), rng.choice([-1.0, 1.0], ROUNDS)
    print(f"{'learner':45s}{'us a round':>12s}{'transcription':>15s}{'ratio':>8s}")
    for spec, plain in PAIRS.items():
        ours, theirs = replayed(spec, X, y), transcribed(plain, X, y)
        print(f"{spec:45s}{ours:12.1f}{theirs:15.1f}{theirs / ours:8.1f}")
    for spec in ALONE:
        print(f"{spec:45s}{replayed(spec, X, y):12.1f}")


if __name__ == "__main__":
    main()
