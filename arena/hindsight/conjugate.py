"""Preconditioned conjugate gradients for several linear systems with one kernel matrix K, solved side by side.

Each step multiplies K by one vector for each system, in a single product. A system is (S K S + mu I) b = t, with a
diagonal matrix S and a number mu > 0. For ridge regression on the first n rounds, the diagonal of S has n ones and then
zeros. For a Newton step with another loss, the diagonal has the square roots of the loss's second derivatives. The
preconditioner is the inverse of the system's matrix with F F' in place of K, where F are features of the points:

    (S F F' S + mu I)^-1 = (I - S F (F' S^2 F + mu I)^-1 F' S) / mu.

F is stored in single precision, and the formula is computed in double precision from the stored numbers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
import scipy
from numpy.typing import NDArray

from arena.arrays import Array
from arena.hindsight.pivots import SAMPLE, choose_features
from arena.hindsight.products import KernelProducts

ROWS = 2048  # of the features that are in double precision together
IDLE = 20  # products without a smaller residual after which the method is stuck
PROGRESS = 1e-5  # relative residual at which steps stop, so that it can be computed again in double precision


Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Systems:
    """Several linear systems (S K S + mu I) b = t, all with the same kernel matrix K.

    For system i, column i of `scale` is the diagonal of S, column i of `target` is t, and `noise[i]` is mu.
    """

    scale: Array
    noise: Array
    target: Array

    @classmethod
    def ridge(cls, y: Array, wanted: list[tuple[int, float]]) -> Systems:
        """Return the systems of ridge regression on the first t rounds at lambda, for each wanted (t, lambda)."""
        scale = np.array([np.arange(len(y)) < rounds for rounds, _ in wanted], dtype=float).reshape(-1, len(y)).T
        return cls(scale, np.array([at for _, at in wanted]), scale * y[:, np.newaxis])

    def __len__(self) -> int:
        return len(self.noise)

    def image(self, products: KernelProducts, V: Array, *, single: bool, work: str) -> tuple[Array, Array]:
        """Return K S v and (S K S + mu I) v for each column v of `V`, where column i has the S and mu of system i.

        K is the kernel matrix, S a diagonal matrix, and mu a number. With `single`, the product with K may be computed
        in single precision. `work` is the product's name in messages about progress.
        """
        product = products.times(self.scale * V, single=single, work=work)
        return product, self.scale * product + self.noise * V

    def some(self, which: Numbers) -> Systems:
        """Return the linear systems with the indices `which`."""
        return Systems(self.scale[:, which], self.noise[which], self.target[:, which])


@dataclass
class ConjugateState:
    """The state of conjugate gradients for several linear systems (S K S + mu I) b = t.

    K is the kernel matrix. Each system has its own diagonal matrix S and number mu. Column i of `solution`, `residual`
    and `direction` is the solution b of system i, its residual t - (S K S + mu I) b, and its last direction. `size[i]`
    is 0 before the first step, and after `restart`. After a step of system i it is r'P r, where P is the
    preconditioner, and r is the residual before that step.
    """

    solution: Array
    residual: Array
    direction: Array
    size: Array
    products: int = 0

    @classmethod
    def start(cls, systems: Systems) -> ConjugateState:
        """Return the state of conjugate gradients before the first step, in which all solutions are 0."""
        target = systems.target
        return cls(np.zeros_like(target), target.copy(), np.zeros_like(target), np.zeros(len(systems)))

    def arrays(self) -> dict[str, Array]:
        """Return the state of conjugate gradients as named arrays, which `of_arrays` reads."""
        return {each.name: np.asarray(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Array]) -> ConjugateState:
        """Return the state of conjugate gradients from the named arrays that `arrays` returned."""
        solution, residual, direction, size = (
            np.array(arrays[name]) for name in ("solution", "residual", "direction", "size")
        )
        return cls(solution, residual, direction, size, int(arrays["products"]))

    @property
    def gap(self) -> Array:
        """The number |r|^2 for each linear system with the residual r; for ridge regression it is the duality gap."""
        return np.asarray(np.einsum("ij,ij->j", self.residual, self.residual))

    def restart(self, residual: Array) -> None:
        """Replace the residuals by `residual`, and set the last directions to zero."""
        self.residual, self.direction, self.size = residual, np.zeros_like(residual), np.zeros(residual.shape[1])


class FeaturePreconditioner:
    """Preconditioner (S F F' S + mu I)^-1 of linear systems (S K S + mu I) b = t with the kernel matrix K.

    Each system has its own diagonal matrix S and number mu. F are at most `rank` features of the points, so that F F'
    is close to K. Their pivots are chosen greedily among sampled points.
    """

    def __init__(self, products: KernelProducts, rank: int):
        X = products.X
        sample = min(len(X), max(SAMPLE, 2 * rank))
        drawn = np.sort(np.random.default_rng(0).permutation(len(X))[:sample])
        pivots = choose_features(products.kernel, X[drawn], rank=rank)[0]
        self.size, self.factors = len(pivots), list[Array]()
        self.F = np.empty((len(X), self.size), dtype=np.float32)
        for rows in _blocks(len(X)):
            self.F[rows] = pivots.coordinates(X[rows])
            if products.watch:
                products.watch("features for products", rows.stop, len(X))

    def of_rows(self, rows: Numbers) -> FeaturePreconditioner:
        """Return a preconditioner for systems with only the rows and columns `rows` of the kernel matrix."""
        twin = copy.copy(self)
        twin.F = self.F[rows]
        return twin

    def prepare(self, systems: Systems) -> None:
        """Factorise F' S^2 F + mu I for each of the linear systems (S K S + mu I) b = t.

        F are features of the points, and K is the kernel matrix. Each system has its own diagonal matrix S and number
        mu.
        """
        self.systems, self.factors = systems, []
        before: Array | None = None
        for number in range(len(systems)):
            scale = systems.scale[:, number]
            if before is None or not np.array_equal(before, scale):  # systems with the same S follow each other
                before, matrix = scale, self._gram(scale)
            lifted = matrix.copy(order="F")
            lifted.flat[:: self.size + 1] += systems.noise[number]
            factor, failed = scipy.linalg.lapack.dpotrf(lifted, lower=1, overwrite_a=1)
            if failed:  # rounding outweighs mu
                lifted = matrix.copy(order="F")
                lifted.flat[:: self.size + 1] += systems.noise[number] + 1e-12 * float(matrix.trace())
                factor, failed = scipy.linalg.lapack.dpotrf(lifted, lower=1, overwrite_a=1)
            self.factors.append(factor)

    def solve(self, V: Array, which: Numbers) -> Array:
        """Return (S F F' S + mu I)^-1 v for each column v of `V`.

        F are features of the points. For column i, S and mu are the diagonal matrix and the number of system
        `which[i]`.
        """
        scale, noise = self.systems.scale[:, which], self.systems.noise[which]
        if not self.size:
            return np.asarray(V / noise)
        # Other roundings of F would make the preconditioner indefinite if K has eigenvalues of 1e6 mu or more.
        inner = np.zeros((self.size, V.shape[1]))
        for rows in _blocks(len(V)):
            inner += self.F[rows].astype(float).T @ (scale[rows] * V[rows])
        for column, number in enumerate(which):
            inner[:, column] = scipy.linalg.lapack.dpotrs(self.factors[int(number)], inner[:, column], lower=1)[0]
        solved = np.empty_like(V)
        for rows in _blocks(len(V)):
            solved[rows] = V[rows] - scale[rows] * (self.F[rows].astype(float) @ inner)
        return np.asarray(solved / noise)

    def _gram(self, scale: Array) -> Array:
        matrix = np.zeros((self.size, self.size), order="F")
        for rows in _blocks(len(self.F)):
            if self.size and scale[rows].any():
                part = (self.F[rows].astype(float) * scale[rows, np.newaxis]).T
                matrix = scipy.linalg.blas.dsyrk(1.0, part, beta=1.0, c=matrix, lower=1, overwrite_c=1)
        return matrix


def improve(
    systems: Systems,
    products: KernelProducts,
    preconditioner: FeaturePreconditioner,
    at: ConjugateState,
    *,
    goal: Callable[[ConjugateState], Array],
    single: bool = True,
    enough: Callable[[], bool] = lambda: False,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Take steps of conjugate gradients until |r|^2 is at most `goal(at)` in every system, where r is the residual.

    The state `at` is changed. A system also needs no more steps when |r|^2 is 1e-10 of its value at the start. The
    function returns earlier if `enough()` is true, or if rounding prevents progress. It calls `after()` after each
    step. If a product with the kernel matrix is interrupted, `at` is the state before that product. With `single`,
    products may be computed in single precision.
    """
    least, lowest, idle = PROGRESS**2 * at.gap, at.gap, 0
    while idle < IDLE and not enough():
        which = np.flatnonzero(at.gap > np.maximum(goal(at), least))
        if not len(which):
            return
        part, residual = systems.some(which), at.residual[:, which]
        solved = preconditioner.solve(residual, which)
        size = np.einsum("ij,ij->j", residual, solved)
        before = at.size[which]
        share = np.divide(size, before, out=np.zeros_like(size), where=before > 0.0)
        direction = solved + share * at.direction[:, which]
        unit = np.maximum(np.abs(direction).max(axis=0), 1e-300)  # keeps numbers in the range of single precision
        work = f"product {at.products + 1} of the kernel"
        _, image = part.image(products, direction / unit, single=single, work=work)
        image *= unit
        bend = np.einsum("ij,ij->j", direction, image)
        length = np.divide(size, bend, out=np.zeros_like(size), where=bend > 0.0)
        if not (length > 0.0).any():  # rounding prevents progress
            return
        at.solution[:, which] += length * direction
        at.residual[:, which] -= length * image
        at.direction[:, which], at.size[which] = direction, size
        at.products += 1
        idle = 0 if (at.gap < 0.9 * lowest).any() else idle + 1
        lowest = np.minimum(lowest, at.gap)
        after()


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(start, min(start + ROWS, rows)) for start in range(0, rows, ROWS))
