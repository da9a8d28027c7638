"""Figure 4 of Le, Nguyen and Phung 2022: accuracy and time of DualSVRG against n, the period of checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.papers.le2022_fig3 import varied
from arena.papers.reproduction.experiment import Experiment, Part

SIZES = (10, 50, 100, 200, 500)


def parts(_chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return the experiment's parts, one for w8a and one for cod-rna; each has a row for each value of n in `SIZES`."""
    return varied(SIZES, letter="n", parameter="period")


EXPERIMENT = Experiment(
    name="le2022-fig4",
    title="DualSVRG with other values of n",
    paper="Le, Nguyen and Phung 2022, figure 4",
    about="""Mistake rate and seconds for several values of n, the rounds between checkpoints, with the budget oracle
    and the smooth hinge.""",
    parts=parts,
    seeds=1,
)
