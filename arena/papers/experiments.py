"""The experiments that `arena reproduce` knows, each in a module of its own."""

from __future__ import annotations

import importlib

from arena.errors import ArenaError, nearest
from arena.papers.reproduction.experiment import Experiment

NAMES = (
    "jezequel2019-fig1",
    "jezequel2019-fig2",
    "jezequel2019-fig3",
    "jezequel2019-fig4",
    "calandriello2017b-table1",
    "calandriello2017b-table2",
    "calandriello2017a-section6",
    "le2022-table1",
    "le2022-table2",
    "le2022-fig2",
    "le2022-fig3",
    "le2022-fig4",
)


def experiment(name: str) -> Experiment:
    """Return the experiment of this name; raise an `ArenaError` with the nearest names if there is none."""
    if name not in NAMES:
        raise ArenaError(f"there is no experiment {name!r}. {nearest(name, NAMES)}")
    found = importlib.import_module(f"arena.papers.{name.replace('-', '_')}").EXPERIMENT
    assert isinstance(found, Experiment)
    return found
