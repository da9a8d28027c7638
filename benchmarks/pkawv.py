"""The time of a round of PKAWV, beside its paper's pseudo-code in NumPy, in one run.

The transcription has one feature for every ordered product of coordinates, d^k of degree k, and updates the inverse
matrix by Sherman and Morrison's formula, round by round. Both play the same sequence and give the same predictions.

    python benchmarks/pkawv.py [rounds of the transcription]
"""

from __future__ import annotations

import math
import sys

import numpy as np

from _tools import timed
from arena import Game
from arena.arrays import Array
from arena.components.features.taylor import Taylor
from arena.learners.pkawv import PKAWV
from arena.players.learner import Learner

DIMENSION, DEGREE, REGULARISATION = 8, 3, 1.0


def products(x: Array, degree: int) -> Array:
    """Every ordered product of at most `degree` coordinates, over sqrt(k!)."""
    blocks, block = [np.ones(1)], np.ones(1)
    for k in range(1, degree + 1):
        block = np.outer(block, x).ravel()
        blocks.append(block / math.sqrt(math.factorial(k)))
    return np.exp(-0.5 * x @ x) * np.concatenate(blocks)


def transcription(X: Array, y: Array) -> Array:
    """Algorithm 1 of Jezequel, Gaillard and Rudi 2019."""
    size = sum(DIMENSION**k for k in range(DEGREE + 1))
    inverse, b = np.eye(size) / REGULARISATION, np.zeros(size)
    predictions = np.empty(len(X))
    for t in range(len(X)):
        f = products(X[t], DEGREE)
        q = inverse @ f
        inverse = inverse - np.outer(q, q) / (1.0 + f @ q)
        predictions[t] = f @ inverse @ b
        b = b + y[t] * f
    return predictions


def started() -> PKAWV:
    learner = PKAWV(embedding=Taylor(DEGREE), regularisation=REGULARISATION)
    learner.begin(Game(dimension=DIMENSION), np.random.default_rng(0))
    return learner


def main(slow_rounds: int = 600, rounds: int = 20_000) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (rounds, DIMENSION)), rng.choice([-1.0, 1.0], rounds)
    few, labels = X[:slow_rounds], y[:slow_rounds]
    players = {
        "transcription": (transcription, few, labels),
        "round by round": (lambda X, y: Learner.replay(started(), X, y), few, labels),
        "replay": (lambda X, y: started().replay(X, y), X, y),
    }
    cost, answers = {}, {}
    for name, (play, points, truths) in players.items():
        answers[name], elapsed = timed(lambda play=play, points=points, truths=truths: play(points, truths))
        cost[name] = elapsed / len(points)
    print(f"pkawv(embedding=taylor(degree={DEGREE})), d = {DIMENSION}: microseconds a round")
    for name, seconds in cost.items():
        print(f"  {name:16} {1e6 * seconds:9.1f}   {cost['transcription'] / seconds:6.1f} times as fast")
        assert np.abs(answers[name][:slow_rounds] - answers["transcription"]).max() < 1e-10
    assert cost["transcription"] >= 50 * cost["replay"], "the replay must be 50 times as fast as the transcription"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
