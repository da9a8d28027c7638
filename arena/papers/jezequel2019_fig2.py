"""Figure 2 of Jezequel, Gaillard and Rudi 2019: errors on cod-rna against rounds, and on a part of SUSY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.papers.jezequel2019_fig4 import GAME, NOT_STATED, prepared, table
from arena.papers.reproduction.experiment import Experiment, Part, Stream


def parts(chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return the experiment's two parts: one plays cod-rna, the other SUSY.

    `chosen` has a value for each setting that the paper leaves open.
    """
    shuffled = chosen["order"] == "random"
    # the test rows alone, because they are as many as the rounds of the paper's experiment
    cod_rna = Stream("cod-rna", prepared(chosen), rows=(59_535, 331_152), shuffled=shuffled)
    susy = Stream("susy21k", prepared(chosen), shuffled=shuffled)
    wide = {**GAME, "kernel": "gaussian(bandwidth=4)"}
    return [
        Part("cod-rna", table("cod-rna", more={}), "error %", cod_rna, game=GAME, curves=True),
        Part("susy21k", table("susy21k"), "error %", susy, game=wide, curves=True),
    ]


EXPERIMENT = Experiment(
    name="jezequel2019-fig2",
    title="Ridge regression on features, on cod-rna and SUSY",
    paper="Jezequel, Gaillard and Rudi 2019, figure 2",
    about="Error rate over the rounds. No numbers are read off this figure, so nothing stands beside ours.",
    parts=parts,
    seeds=1,
    settings=(
        """As in figure 4, features are scaled to [0,1] and the order is random, as in the authors' notebook; the text
        has [-1,1]. The notebook plays a million rows of SUSY with 18 columns; the registry has 21,000 rows with
        8 of them.""",
    ),
    open_settings=NOT_STATED,
)
