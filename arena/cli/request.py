"""The arguments of `arena play`, which are the same for one match, for many seeds and for all adversaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.hindsight.narrowing import Effort


@dataclass(frozen=True)
class Request:
    """The checked arguments of `arena play`.

    `bounds` has the texts given with --bound, and `theorems` has the result of `read_bounds` for these texts.
    """

    learner: str
    adversary: str
    seed: int
    seeds: int
    bounds: tuple[str, ...]
    theorems: Any
    hindsight: Any
    fields: dict[str, Any]
    cluster: str | None = None
    comparators: tuple[Any, ...] = ()
    isolate: bool = False
    exact: bool = False

    @property
    def shared(self) -> dict[str, Any]:
        """The keyword arguments that `play_series` and `leaderboard` have in common."""
        return {
            "bound": self.theorems,
            "hindsight": self.hindsight,
            "comparators": self.comparators,
            "isolate": self.isolate,
            **self.fields,
        }

    @property
    def of_match(self) -> dict[str, Any]:
        """The keyword arguments with which `arena.play` plays a single match.

        This `effort` does not narrow intervals of the regret. A caller that wants them narrowed replaces `effort`.
        """
        return {
            "hindsight": self.hindsight,
            "comparators": self.comparators,
            "isolate": self.isolate,
            "effort": Effort(),
            "exact": self.exact,
            **self.fields,
        }
