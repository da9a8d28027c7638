"""Table 2 of Calandriello, Lazaric and Valko 2017 (NIPS): PROS-N-KONS on classification data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from arena.data.preparing import Features, Preparation
from arena.papers.calandriello2017b_table1 import MISWEIGHTED, SOURCE, learners
from arena.papers.reproduction.experiment import Experiment, Part, Row, Stream
from arena.papers.reproduction.published import published

SETS = {"ijcnn1": None, "cod-rna": (59_535, 331_152)}  # the paper's n are the whole of ijcnn1 and cod-rna's test part
FIRST = {
    "FOGD": "fogd(frequencies=400, rate=0.2)",
    "NOGD": "nogd(budget=100, rank=100, rate=0.2)",
    "DUAL-SGD": "dual-sgd(budget=100, frequencies=200, regularisation=1e-5)",
}


def parts(chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return one part for each data set and each value of alpha = gamma."""
    preparation = Preparation(cast(Features, chosen["features"]), "classes")
    found = []
    for data, rows in SETS.items():
        stream = Stream(data, preparation, rows=rows, shuffled=chosen["order"] == "random")
        for at, setting in ((1.0, "alpha=1 gamma=1"), (0.01, "alpha=0.01 gamma=0.01")):
            specs = (FIRST if at == 1.0 else {}) | learners(chosen, alpha=at, gamma=at)
            table = [
                Row(each, spec, published(SOURCE, "2", data, each.removesuffix(MISWEIGHTED), setting=setting))
                for each, spec in specs.items()
            ]
            game = {"kernel": "gaussian(bandwidth=8)", "loss": "hinge", "box": [-1, 1]}
            found.append(Part(f"{data}, alpha = gamma = {at:g}", table, "error %", stream, game=game))
    return found


EXPERIMENT = Experiment(
    name="calandriello2017b-table2",
    title="Classification with PROS-N-KONS",
    paper="Calandriello, Lazaric and Valko 2017 (NIPS), table 2",
    about="Average error rate over the stream, and the size of the dictionary; learners descend on the hinge loss.",
    parts=parts,
    seeds=3,
    open_settings={
        "features": ("[0,1]", "[-1,1]"),
        "order": ("random", "given"),
        "weights": ("1/p", "1/p^2"),
        "step": ("none", "0.0625"),
    },
)
