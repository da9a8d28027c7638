"""The arguments of `arena play`, for one match, many seeds or all adversaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.specs.spelling import name_of


@dataclass(frozen=True, kw_only=True)
class Request:
    """The checked arguments of `arena play`.

    `bounds` has the texts of --bound, `repeated` the options declared in `arena.record.repeating`, `fields` the fields
    of the game, and `name` the text of --name.
    """

    learner: str
    adversary: str
    seed: int
    seeds: int
    bounds: tuple[str, ...]
    repeated: dict[str, Any]
    fields: dict[str, Any]
    cluster: str | None
    cluster_wait: float | None
    name: str | None = None

    @property
    def learner_name(self) -> str:
        """The learner's name in headings, if no match was played that knows it."""
        return name_of(self.learner, self.name)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that `play`, `play_series` and `leaderboard` have in common."""
        return {**self.repeated, "name": self.name, **self.fields}
