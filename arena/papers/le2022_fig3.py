"""Figure 3 of Le, Nguyen and Phung 2022: accuracy and time of DualSVRG against m, the number of rounds it remembers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.data.preparing import Preparation
from arena.papers.le2022_fig2 import VARIANT
from arena.papers.le2022_table2 import BOX, SETTINGS, dual_svrg, kernel
from arena.papers.reproduction.experiment import AlgorithmRow, Experiment, Part, Stream

SIZES = (10, 50, 100, 200, 500)


def parts(_chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return the experiment's parts, one for w8a and one for cod-rna; each has a row for each value of m in `SIZES`."""
    return varied(SIZES, letter="m", parameter="memory")


def varied(sizes: Sequence[int], *, letter: str, parameter: str) -> Sequence[Part]:
    """Return a part for w8a and one for cod-rna, each with a row of DualSVRG for each value in `sizes`.

    `sizes` are values of the learner's `parameter`; `letter` is the paper's name of this parameter.
    """
    found = []
    for name in ("w8a", "cod-rna"):
        setting = SETTINGS[name]
        rows = [
            AlgorithmRow(f"{letter} = {size}", dual_svrg(setting, VARIANT, **{parameter: size}).learner)
            for size in sizes
        ]
        stream = Stream(setting.data, Preparation(setting.features, "classes"), shuffled=True)
        game = {"loss": "hinge", "box": BOX, "kernel": kernel(setting.pair(VARIANT)[1])}
        found.append(Part(name, rows, "error %", stream, game=game))
    return found


EXPERIMENT = Experiment(
    name="le2022-fig3",
    title="DualSVRG with other values of m",
    paper="Le, Nguyen and Phung 2022, figure 3",
    about="""Mistake rate and seconds for several values of m, the rounds that are remembered, with the budget oracle
    and the smooth hinge.""",
    parts=parts,
    seeds=1,
)
