"""The hunt: a search for the match that breaks a theorem."""

from arena.hunt.hunting import Standing, hunt
from arena.hunt.outcome import Closest, Hunt, Violation

__all__ = ["Closest", "Hunt", "Standing", "Violation", "hunt"]
