"""Exact identities among the theorems."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from arena.arrays import Array
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import DEVIATION


class Identity(Theorem):
    """A statement that two sums are equal: what is measured is how far they are apart."""

    quantity: ClassVar[str] = DEVIATION
    monotone: ClassVar[bool] = False

    def allowed(self, run: Transcript) -> Array:
        """Nothing but rounding."""
        return np.zeros(run.rounds)
