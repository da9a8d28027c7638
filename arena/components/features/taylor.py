"""Features from the Taylor series of the Gaussian kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.components.features.embedding import MOST_FEATURES, Embedding
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.kernels import Gaussian
from arena.specs.parameters import parameter

ROWS = 128  # points whose monomials are computed together, few enough for the processor's cache


@dataclass(unsafe_hash=True)
class Taylor(Embedding):
    """Features from the Taylor series of the Gaussian kernel around zero, up to the parameter `degree`.

    Let s be the kernel's bandwidth. For each multi-index p with |p| <= degree there is one feature,

        g_p(x) = exp(-|x|^2 / (2 s^2)) prod_i (x_i / s)^p_i / sqrt(p_i!),

    and these functions are orthonormal in the RKHS. Far from zero the features are small (theory F5). The features of
    Cotter, Keshet and Srebro (2011) have the same inner products.

    >>> embedding = Taylor(degree=2).begun(Game(dimension=1), np.random.default_rng(0))
    >>> embedding.dimension, embedding.features(np.array([[0.0]]))
    (3, array([[1., 0., 0.]]))
    """

    name: ClassVar[str] = "taylor"
    paper: ClassVar[str] = "Cotter, Keshet and Srebro 2011; Jezequel, Gaillard and Rudi 2019, section 3.1"
    cost: ClassVar[str] = "O(r) a point for r = C(degree + d, d) features"

    degree: int = parameter(2, "highest degree of the monomials", at_least=0)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if not isinstance(game.kernel, Gaussian):
            raise ArenaError(
                f"taylor is the series of the gaussian kernel, but the game's kernel is {game.kernel.name}; "
                "take kernel=gaussian(...), or the embedding nystrom or pivoted-cholesky"
            )
        self.bandwidth = game.kernel.bandwidth
        self._count = comb(self.degree + game.dimension, game.dimension)
        self._levels = monomial_levels(game.dimension, self.degree) if self._count <= MOST_FEATURES else []

    @property
    def dimension(self) -> int:
        return self._count

    def features(self, X: Array) -> Array:
        """Return the features (monomials times an exponential) of each row of `X`, in one row each."""
        units = np.ascontiguousarray((X / self.bandwidth).T)
        rows = np.empty((self._count, len(X)))
        # The exponential comes first: far from zero it underflows, and then no power of x can overflow.
        rows[0] = np.exp(-0.5 * np.einsum("ij,ij->j", units, units))
        for first in range(0, len(X), ROWS):
            columns = slice(first, first + ROWS)
            few, factors = rows[:, columns], units[:, columns]
            for start, parents, variables, scales in self._levels:
                level = few[start : start + len(parents)]
                np.multiply(few[parents], factors[variables], out=level)
                level *= scales
        return rows.T

    def evidence(self) -> Mapping[str, Any]:
        return {"taylor_degree": self.degree}


def monomial_levels(dimension: int, degree: int) -> list[tuple[int, Array, Array, Array]]:
    """Return one tuple for each degree from 1 to `degree`: how to compute its monomials from those one degree below.

    A monomial is its parent, a monomial of the degree below, times a variable. Monomials are numbered in the order of
    their degrees; the constant has the number 0. The tuple of a degree is (start, parents, variables, factors):

    - `start` is the number of the degree's first monomial.
    - `parents` has the number of each monomial's parent, and `variables` the index of the variable.
    - `factors` has 1 / sqrt(n) for each monomial, in a column, where n is the variable's exponent in the monomial.
    """
    levels = []
    parents, last, exponent, start = np.array([0]), np.array([0]), np.array([0]), 1
    for _ in range(degree):
        pairs = [(at, variable) for at in range(len(parents)) for variable in range(last[at], dimension)]
        below = np.array([at for at, _ in pairs])
        variables = np.array([variable for _, variable in pairs])
        exponent = np.where(variables == last[below], exponent[below], 0) + 1
        parents = below + start - len(last)
        levels.append((start, parents, variables, exponent[:, np.newaxis] ** -0.5))
        last, start = variables, start + len(variables)
    return levels
