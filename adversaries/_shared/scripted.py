"""Base class of oblivious adversaries whose moves depend on the number of the round alone."""

from __future__ import annotations

import abc

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.players.adversary import Adversary
from arena.players.view import View


class Scripted(Adversary, abc.ABC):
    """Base class of oblivious adversaries: a subclass defines `script`, which returns the moves of given rounds."""

    oblivious = True

    @abc.abstractmethod
    def script(self, rounds: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return the points and labels of the rounds with these numbers, which are counted from 0."""

    def block(self, view: View, rounds: int) -> tuple[Array, Array]:
        return self.script(np.arange(view.round - 1, view.round - 1 + rounds))
