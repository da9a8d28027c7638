"""Benchmarks of the best predictor in hindsight, compared with a Cholesky factor by LAPACK."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

import arena
from arena.arrays import Array
from arena.game.losses import Logistic
from arena.hindsight.certificate import interval_hindsight
from arena.hindsight.exact import ridge_hindsight
from arena.hindsight.narrowing import Effort, optima_by_products
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.spaces import Space
from arena.linalg.posterior import RidgePosterior
from arena.players.moves import GivenMoves
from arena_tests.slow.other_losses import coordinate_ascent

from .measuring import OURS, Case, Side

LAPACK = "LAPACK"
DIMENSION = 9


def data(rounds: int) -> tuple[Array, Array]:
    """Return random points and labels."""
    rng = np.random.default_rng(0)
    return rng.uniform(-1, 1, (rounds, DIMENSION)), rng.uniform(-1, 1, rounds)


def cholesky(X: Array, y: Array) -> Callable[[], object]:
    """Return a function that computes the optimum of every prefix by LAPACK.

    The function makes the kernel matrix, its Cholesky factor, and one triangular solve.
    """

    def optimum() -> Array:
        matrix = arena.Gaussian().gram(X, X)
        matrix.flat[:: len(X) + 1] += 1.0
        lower = scipy.linalg.cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
        return np.cumsum(np.square(scipy.linalg.solve_triangular(lower, y, lower=True, check_finite=False)))

    return optimum


def beside_lapack(name: str, rounds: int, ours: Callable[[Array, Array], object]) -> Case:
    """Return a benchmark that compares the time of `ours` with LAPACK's Cholesky factor of the same kernel matrix."""
    X, y = data(rounds)
    sides = {OURS: Side(lambda: lambda: ours(X, y)), LAPACK: Side(lambda: cholesky(X, y))}
    ratios = {f"{LAPACK} / {OURS}": (LAPACK, OURS)}
    return Case("hindsight", name, f"{rounds:,} rounds", sides, ratios, unit="call")


def posterior_at_many(rounds: int) -> Case:
    """Return the benchmark of the comparator's mean and variance at 300 points, which greedy computes in a match.

    The time of this computation is compared with a triangular solve of the same size by LAPACK.
    """
    X, y = data(rounds)
    past = RidgePosterior(arena.Gaussian(), 1.0)
    past.extend(X, y)
    rng = np.random.default_rng(1)
    matrix = arena.Gaussian().gram(X, X) + np.eye(rounds)
    lower = np.asfortranarray(scipy.linalg.cholesky(matrix, lower=True))

    def ours() -> Callable[[], object]:
        Z = rng.uniform(-1, 1, (300, DIMENSION))
        return lambda: past.at(Z)

    def lapack() -> Callable[[], object]:
        cross = np.asfortranarray(rng.uniform(-1, 1, (rounds, 300)))
        return lambda: scipy.linalg.blas.dtrsm(1.0, lower, cross, lower=1, overwrite_b=1)

    sides = {OURS: Side(ours), LAPACK: Side(lapack)}
    ratios = {f"{LAPACK} / {OURS}": (LAPACK, OURS)}
    return Case("hindsight", "posterior at 300 points", f"{rounds:,} rounds", sides, ratios, unit="call")


def products(rounds: int) -> Case:
    """Return the benchmark of computing one optimum by products with the kernel matrix.

    The time is compared with LAPACK's Cholesky factor of this matrix. An interval around the optimum is computed, and
    must be narrow.
    """

    def ours(X: Array, y: Array) -> None:
        found = optima_by_products(arena.Gaussian(), X, y, [(rounds, 1.0)], Effort(seconds=np.inf))
        assert found is not None
        (low, high) = found[0]
        assert high - low <= 1e-5 * high, (low, high)

    return beside_lapack("last round, by products", rounds, ours)


def logistic(rounds: int) -> Case:
    """Return the benchmark that compares the best function for the logistic loss with exact coordinate ascent."""
    X, y = data(rounds)
    signs = np.where(y > 0, 1.0, -1.0)
    K = arena.Gaussian().gram(X, X)
    twin = "coordinate ascent"
    sides = {
        OURS: Side(lambda: lambda: best_for_loss(Space.of(arena.Gaussian(), X), Logistic(), signs, regularisation=1.0)),
        twin: Side(lambda: lambda: coordinate_ascent(K, signs, Logistic(), regularisation=1.0)),
    }
    return Case(
        "hindsight", "logistic loss", f"{rounds:,} rounds", sides, {f"{twin} / {OURS}": (twin, OURS)}, unit="call"
    )


def cases(*, quick: bool) -> list[Case]:
    """Return the benchmarks of hindsight."""
    kernel = arena.Gaussian()
    small, large = (1000, 2000) if quick else (2000, 5000)
    return [
        beside_lapack("exact, every round", large, lambda X, y: ridge_hindsight(kernel, 1.0, X, y).optimum),
        beside_lapack("kernel-awv and hindsight", large, playing),
        beside_lapack("interval, every round", large, lambda X, y: interval_hindsight(kernel, 1.0, X, y)),
        products(large),
        posterior_at_many(small),
        logistic(60),
    ]


def playing(X: Array, y: Array) -> None:
    """Play a match of Kernel-AWV on this sequence, and compute its regret in every round."""
    run = arena.play("kernel-awv", GivenMoves(X, y), rounds=len(X), dimension=DIMENSION, hindsight="exact")
    assert run.regret[-1] > 0
