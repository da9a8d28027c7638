"""The hunt: a search for the match that breaks a theorem.

May call `counterexamples` and the rooms below it.
"""

from arena.hunt.findings import Closest, Hunt, Violation
from arena.hunt.hunting import hunt

__all__ = ["Closest", "Hunt", "Violation", "hunt"]
