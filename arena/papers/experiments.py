"""The experiments that `arena reproduce` plays; each paper has a module."""

from __future__ import annotations

from arena.errors import ArenaError, nearest
from arena.papers import calandriello2017a, calandriello2017b, jezequel2019, le2022
from arena.papers.reproduction.experiment import Experiment

EXPERIMENTS = {
    each.name: each
    for each in (
        jezequel2019.FIGURE1,
        jezequel2019.FIGURE2,
        jezequel2019.FIGURE3,
        jezequel2019.FIGURE4,
        calandriello2017b.TABLE1,
        calandriello2017b.TABLE2,
        calandriello2017a.SECTION6,
        le2022.TABLE1,
        le2022.TABLE2,
        le2022.FIGURE2,
        le2022.FIGURE3,
        le2022.FIGURE4,
    )
}
NAMES = tuple(EXPERIMENTS)


def experiment(name: str) -> Experiment:
    """Return the experiment of this name; for an unknown name raise an `ArenaError` that suggests similar names."""
    if name not in EXPERIMENTS:
        raise ArenaError(f"there is no experiment {name!r}. {nearest(name, NAMES)}")
    return EXPERIMENTS[name]
