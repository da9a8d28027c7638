"""The arguments of `arena play`, which its three forms share: one match, many seeds, all adversaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.engine.match import play
from arena.hindsight.narrowing import Effort
from arena.record.transcript import Transcript


@dataclass(frozen=True)
class Request:
    """The checked arguments; `bounds` holds the texts of --bound, `theorems` the value of `read_bounds(bounds)`."""

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
        """The arguments that matches of many adversaries and of many seeds have in common."""
        return {
            "bound": self.theorems,
            "hindsight": self.hindsight,
            "comparators": self.comparators,
            "isolate": self.isolate,
            **self.fields,
        }

    def play(self, adversary: str, seed: int, **options: Any) -> Transcript:
        """Play one match of the learner against this adversary.

        Without the option `effort` the interval of the regret is not narrowed, as in series and tournaments.
        """
        own = {
            "hindsight": self.hindsight,
            "comparators": self.comparators,
            "isolate": self.isolate,
            "effort": Effort(),
            "exact": self.exact,
        }
        options = {**own, **options}
        return play(self.learner, adversary, seed=seed, **options, **self.fields)
