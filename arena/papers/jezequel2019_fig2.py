"""Figure 2 of Jezequel, Gaillard and Rudi 2019: errors on cod-rna against rounds, and on a part of SUSY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.data.preparing import Preparation
from arena.papers.jezequel2019_fig4 import GAME, table
from arena.papers.reproduction.experiment import Experiment, Part, Stream

GROWING = ("PROS-N-KONS", "PKRR Nystrom")  # their dictionaries grow to thousands of points


def parts(_chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return cod-rna's test part, the paper's n, and the part of SUSY that the registry has."""
    cod_rna = Stream("cod-rna", Preparation("[-1,1]", "classes"), rows=(59_535, 331_152), shuffled=True)
    susy = Stream("susy21k", Preparation("[-1,1]", "classes"))
    wide = {**GAME, "kernel": "gaussian(bandwidth=4)"}
    return [
        Part("cod-rna", table("cod-rna", GROWING, without=["KRR"]), "error %", cod_rna, game=GAME, curves=True),
        Part("susy21k", table("susy21k"), "error %", susy, game=wide, curves=True),
    ]


EXPERIMENT = Experiment(
    name="jezequel2019-fig2",
    title="Ridge regression on features, on cod-rna and SUSY",
    paper="Jezequel, Gaillard and Rudi 2019, figure 2",
    about="Error rate over the rounds. No numbers are read off this figure, so nothing stands beside ours.",
    parts=parts,
    seeds=1,
)
