"""Transformer oracles: whether a point stays as an atom or moves to Fourier features (Le et al. 2022, 3.6)."""

from __future__ import annotations

import abc
from dataclasses import dataclass

from arena.arrays import Array
from arena.components.budget import AtomStore
from arena.game.distances import squared_distances


class TransformerOracle(abc.ABC):
    """Decides where each point goes; `capacity` is the largest number of atoms, none if there is no limit."""

    capacity: int | None = None

    @abc.abstractmethod
    def keeps(self, atoms: AtomStore, x: Array) -> bool:
        """Whether this point becomes an atom, given the atoms so far."""


@dataclass
class BudgetOracle(TransformerOracle):
    """The first points stay, for ever; an incoming point moves once the budget is spent (algorithm 2)."""

    capacity: int

    def keeps(self, atoms: AtomStore, x: Array) -> bool:
        """As long as there is room."""
        return len(atoms) < self.capacity


@dataclass
class CoverageOracle(TransformerOracle):
    """A point stays if no atom is within the radius (algorithm 4; the paper's text says the opposite)."""

    radius: float

    def keeps(self, atoms: AtomStore, x: Array) -> bool:
        """If it is far from all atoms, or the first."""
        return not len(atoms) or bool(squared_distances(x[None], atoms.points).min() > self.radius**2)


class AlwaysMoveOracle(TransformerOracle):
    """No point stays (algorithm 3)."""

    capacity = 0

    def keeps(self, atoms: AtomStore, x: Array) -> bool:
        """Never."""
        return False
