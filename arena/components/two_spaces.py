"""Functions with two parts: a kernel sum of few atoms, and a linear function of random Fourier features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, first_bests
from arena.components.features.fourier import Fourier
from arena.components.kernel_sums import FIRST_PLACES, AtomStore, BudgetedSum
from arena.game.game import Game

EQUAL = 1e-9  # coefficients whose difference is at most this share of the largest are equal but for rounding errors


class DualFunction:
    """A kernel sum over at most `budget` atoms plus a linear function of Fourier features.

    `squared_norm` is computed as if both parts were orthogonal. `move` replaces the kernels of some atoms by the
    Fourier features of these atoms.
    """

    def __init__(self, game: Game, budget: int, embedding: Fourier):
        self.core = BudgetedSum(game.kernel, game.dimension, budget)
        self.embedding = embedding
        self.gram = self.core.gram
        self.weights = np.zeros(embedding.dimension)
        self.squared_norm = 0.0
        self.look_at(np.empty((0, game.dimension)))

    def __len__(self) -> int:
        return len(self.core)

    def at(self, X: Array) -> Array:
        return np.asarray(self.core.at(X) + self.embedding.features(X) @ self.weights)

    def look_at(self, X: Array) -> None:
        self.core.look_at(X)
        self.gram = self.core.gram
        self._features = self.embedding.features(X)
        self._values = self._features @ self.weights

    def value(self, i: int) -> float:
        return self.core.value(i) + self._values.item(i)

    def put(self, i: int, weight: float) -> None:
        """Add x_i, row `i` of the block given to `look_at`, as a new atom with the coefficient `weight`."""
        self.squared_norm += 2.0 * weight * self.core.value(i) + weight**2 * self.core.gram.item(i, i)
        self.core.put(i, weight)

    def shrink(self, factor: float) -> None:
        self.core.shrink(factor)
        self.weights *= factor
        self._values *= factor
        self.squared_norm *= factor**2

    def lightest(self, count: int) -> Array:
        """Return the indices of the `count` atoms with the coefficients that are smallest in absolute value.

        Of atoms with equal absolute values, the oldest come first.
        """
        by_age = np.argsort(self.core.born)
        return np.asarray(by_age[first_bests(-np.abs(self.core.weights[by_age]), count, tie=EQUAL)])

    def move(self, places: Array) -> None:
        """Replace the kernels of the atoms with the indices `places` by the Fourier features of these atoms."""
        core, points, weights = self.core, self.core.points[places], self.core.weights[places]
        among = weights @ core.kernel.gram(points, points) @ weights
        before = self.weights @ self.weights
        self.weights += weights @ self.embedding.features(points)
        self.squared_norm += float(among - 2.0 * weights @ core.at(points) + self.weights @ self.weights - before)
        self._values = self._features @ self.weights
        for place in sorted(places.tolist(), reverse=True):
            core.remove(place)


class DualSpace:
    """The atoms and random Fourier features that several functions (`DualVector`) have in common.

    A point x is represented by k(x, .) if it is an atom, and by its Fourier features otherwise. There can be at most
    `capacity` atoms (None: no limit).
    """

    def __init__(self, game: Game, frequencies: int, capacity: int | None, rng: np.random.Generator):
        self.embedding = Fourier(frequencies)
        self.embedding.begin(game, rng)
        self.atoms = AtomStore(game.kernel, game.dimension, capacity)
        self.room = FIRST_PLACES if capacity is None else capacity
        self._vectors: list[DualVector] = []
        self.look_at(np.empty((0, game.dimension)))

    def zero(self) -> DualVector:
        """Return a new function with zero weights, which uses the atoms and features of this space."""
        self._vectors.append(DualVector(self))
        return self._vectors[-1]

    def look_at(self, X: Array) -> None:
        """Make the rows of `X` the current block: compute their kernels and Fourier features."""
        self.atoms.look_at(X)
        self.features = self.embedding.features(X)

    def join(self, i: int) -> int:
        """Make x_i, row `i` of the block given to `look_at`, an atom; return its index."""
        if len(self.atoms) == self.room:
            self.room *= 2
            for vector in self._vectors:
                vector.core = np.concatenate([vector.core, np.zeros_like(vector.core)])
        return self.atoms.add(i)


class DualVector:
    """A kernel sum plus a linear function of Fourier features; the atoms and features are those of a `DualSpace`."""

    def __init__(self, space: DualSpace):
        self.space = space
        self.core = np.zeros(space.room)
        self.fourier = np.zeros(space.embedding.dimension)

    def __len__(self) -> int:
        return len(self.space.atoms)

    @property
    def gram(self) -> Array:
        return self.space.atoms.gram

    def look_at(self, X: Array) -> None:
        self.space.look_at(X)

    def at(self, X: Array, features: Array | None = None) -> Array:
        """Return the function's values at the rows of `X`.

        `features` are the Fourier features of these rows; None computes them.
        """
        values = (self.space.embedding.features(X) if features is None else features) @ self.fourier
        if len(self):
            atoms = self.space.atoms
            values += atoms.kernel.gram(X, atoms.points) @ self.core[: len(self)]
        return np.asarray(values)

    def value(self, i: int) -> float:
        """Return the function's value at x_i, row `i` of the block given to `look_at`."""
        space = self.space
        return float(self.core[: len(space.atoms)] @ space.atoms.kernels(i) + self.fourier @ space.features[i])

    def add(self, weight: float, place: int | None, features: Array) -> None:
        """Add weight * k(x, .) to the function, where x is the atom with the index `place`.

        If `place` is None, add weight * `features` to the weights of the Fourier features instead.
        """
        if place is None:
            self.fourier += weight * features
        else:
            self.core[place] += weight

    def add_vector(self, weight: float, other: DualVector) -> None:
        self.core += weight * other.core
        self.fourier += weight * other.fourier

    def scale(self, factor: float) -> None:
        self.core *= factor
        self.fourier *= factor

    def assign(self, factor: float, other: DualVector) -> None:
        """Make this function equal to `factor` times `other`."""
        self.core[:] = factor * other.core
        self.fourier[:] = factor * other.fourier


class Memory:
    """The latest `size` rounds of the learner `dual-svrg`, in arrays with one row for each round.

    - `points` and `features` are the points and their Fourier features.
    - `places` are the indices of the points among the atoms, -1 for a point that is no atom.
    - `signs` are the signs of the labels.
    - `slopes` are the derivatives of the loss at u(x), where x is the round's point and u the learner's checkpoint.
    """

    def __init__(self, size: int, dimension: int, features: int):
        self.points = np.empty((size, dimension))
        self.features = np.empty((size, features))
        self.places: NDArray[np.int64] = np.empty(size, dtype=np.int64)
        self.signs = np.empty(size)
        self.slopes = np.empty(size)
        self._count = 0

    def __len__(self) -> int:
        return min(self._count, len(self.slopes))

    @property
    def full(self) -> bool:
        return self._count >= len(self.slopes)

    @property
    def rows(self) -> slice:
        """The rows of the memory's arrays that are in use, as a slice."""
        return slice(0, len(self))

    @property
    def oldest(self) -> int:
        """The row in which the next round is stored; if the memory is full, this row has the oldest round."""
        return self._count % len(self.slopes)

    def forget_oldest(self, gradients: DualVector) -> None:
        """If the memory is full, subtract the gradient of its oldest round from the sum of gradients `gradients`.

        The round itself stays in the memory until `put` replaces it.
        """
        if self.full:
            row = self.oldest
            place = int(self.places[row])
            gradients.add(-self.slopes[row], None if place < 0 else place, self.features[row])

    def put(self, x: Array, features: Array, place: int | None, sign: float, slope: float) -> None:
        """Store a round with the point `x`, in place of the oldest round if the memory is full.

        - `features` are the Fourier features of `x`.
        - `place` is the index of `x` among the atoms; None if `x` is no atom.
        - `sign` is the sign of the label.
        - `slope` is the derivative of the loss at u(x), where x is the point and u the learner's checkpoint.
        """
        row = self.oldest
        self.points[row], self.features[row] = x, features
        self.places[row] = -1 if place is None else place
        self.signs[row], self.slopes[row] = sign, slope
        self._count += 1

    def collect(self, gradients: DualVector) -> None:
        """Set `gradients` to the sum of the gradients of all remembered rounds.

        The gradient of a round is the loss's derivative times k(x, .) if the round's point x is an atom, and otherwise
        the derivative times the Fourier features of x.
        """
        slopes, places = self.slopes[self.rows], self.places[self.rows]
        moved = places < 0
        gradients.core[:] = 0.0
        np.add.at(gradients.core, places[~moved], slopes[~moved])
        gradients.fourier[:] = np.where(moved, slopes, 0.0) @ self.features[self.rows]

    def in_order(self, values: Array) -> Array:
        """Return the entries of `values`, one for each row of the memory, in the order of the rounds."""
        return np.roll(values, -self.oldest) if self.full else values
