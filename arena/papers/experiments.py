"""The experiments that `arena reproduce` plays; each is in a module of its own."""

from __future__ import annotations

import importlib

from arena.errors import ArenaError, nearest
from arena.papers.reproduction.experiment import Experiment

TITLES = {
    "jezequel2019-fig1": "Theoretical rates of regret",
    "jezequel2019-fig2": "Ridge regression on features, on cod-rna and SUSY",
    "jezequel2019-fig3": "Regret against a greedy adversary",
    "jezequel2019-fig4": "Ridge regression on features, on casp and ijcnn1",
    "calandriello2017b-table1": "Regression with PROS-N-KONS",
    "calandriello2017b-table2": "Classification with PROS-N-KONS",
    "calandriello2017a-section6": "Weights that cannot work",
    "le2022-table1": "Batch classification with DualSVRG",
    "le2022-table2": "Online classification with DualSVRG",
    "le2022-fig2": "Convergence of DualSVRG and DualSGD",
    "le2022-fig3": "DualSVRG with other values of m",
    "le2022-fig4": "DualSVRG with other values of n",
}
NAMES = tuple(TITLES)


def experiment(name: str) -> Experiment:
    """Return the experiment of this name; for an unknown name raise an `ArenaError` that suggests similar names."""
    if name not in NAMES:
        raise ArenaError(f"there is no experiment {name!r}. {nearest(name, NAMES)}")
    found = importlib.import_module(f"arena.papers.{name.replace('-', '_')}").EXPERIMENT
    assert isinstance(found, Experiment)
    return found
