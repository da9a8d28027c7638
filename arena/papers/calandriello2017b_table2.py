"""Table 2 of Calandriello, Lazaric and Valko 2017 (NIPS): PROS-N-KONS on classification data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from arena.data.preparing import Features, Preparation
from arena.papers.calandriello2017b_table1 import MISWEIGHTED, SOURCE, learners
from arena.papers.reproduction.experiment import AlgorithmRow, Experiment, Note, Part, Stream
from arena.papers.reproduction.published import published

SETS = {"ijcnn1": None, "cod-rna": (59_535, 331_152)}  # the paper's n are the whole of ijcnn1 and cod-rna's test part
# the best of the grids in Le et al. 2022 on a random tenth of the rows: rate, and lambda of DUAL-SGD
TUNED = {"ijcnn1": (0.2, 2.0**16 / 141_691), "cod-rna": (16.0, 1.0 / 271_617)}


def first(data: str) -> dict[str, str]:
    """Return the specs of the learners FOGD, NOGD and DUAL-SGD, by these names, tuned for the data set `data`."""
    rate, strength = TUNED[data]
    return {
        "FOGD": f"fogd(frequencies=400, rate={rate})",
        "NOGD": f"nogd(budget=100, rank=100, rate={rate})",
        "DUAL-SGD": f"dual-sgd(budget=100, frequencies=200, regularisation={strength:.4g})",
    }


def parts(chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return the experiment's parts, one for each data set and each value of the learners' parameters alpha = gamma.

    `chosen` has a value for each setting that the paper leaves open.
    """
    preparation = Preparation(cast(Features, chosen["features"]), "classes")
    found = []
    for data, rows in SETS.items():
        stream = Stream(
            data, preparation, rows=rows, shuffled=data == "cod-rna" or chosen["order of ijcnn1"] == "random"
        )
        for at, setting in ((1.0, "alpha=1 gamma=1"), (0.01, "alpha=0.01 gamma=0.01")):
            specs = (first(data) if at == 1.0 else {}) | learners(chosen, alpha=at, gamma=at)
            table = [
                AlgorithmRow(each, spec, published(SOURCE, "2", data, each.removesuffix(MISWEIGHTED), setting=setting))
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
    seeds=15,
    settings=(
        """cod-rna plays in random order, since its file has long runs of one class, which any learner follows
        (0.002 % errors for gradient descent).""",
        """The hinge loss has no curvature (sigma = 0), so the step sigma / 2 of the algorithm's line 17 would
        leave A = alpha I for ever. Ours is 1 / (2 L C sqrt(t)), from the paper's Theorem 1 for sigma = 0. BATCH
        minimises hinge losses + alpha |w|^2 in the final span by 60 sweeps of dual coordinate descent.""",
    ),
    notes=(
        Note(
            """ijcnn1 is a time series and plays in its order; in random order CON-KONS and B-KONS have 9.6 and 9.7
            %, as much as always saying -1, and in its order 7.5 and 7.8 %. With features in [-1,1] and gamma =
            0.05 CON-KONS has 5.4 % after 30,000 rounds, with features in [0,1] 8.1 %: the published 6.23 and
            4.85 % are nearer to [-1,1], which is not what the text says.""",
            part="ijcnn1, alpha = gamma = 0.01",
        ),
        Note(
            """The classification experiments are outside the paper's theory, and the step decides them: with 1/(2
            L C sqrt(t)), 1/16 (the step of the squared loss), 1/2 and 0, PROS-N-KONS has 31, 33, 33 and 35 % on
            cod-rna at alpha = gamma = 1 and 20, 11, 15 and 36 % at 0.01 (features in [0,1], one seed). With
            features in [-1,1] and the first step it is 24 % at 1.""",
            algorithm="[PB]*-KONS*",
        ),
        Note(
            """As in table 1 the dictionaries of KORS with the weights 1/p are about twice as large as the
            published ones (82 for 38 and 213 for 111 on cod-rna, 172 for 100 on ijcnn1), and PROS-N-KONS
            restarts as often as points join. With 1/p^2 they are smaller than the published ones with features
            in [0,1], and its error rate falls from 31 to 22 % and from 20 to 12 %.""",
            algorithm="[PB]*-KONS*",
        ),
        Note(
            """The rate of 9.57 % is that of a learner that always says -1 on ijcnn1, and the published 9.55 to
            9.70 % say the same: at alpha = gamma = 1 nothing is learnt there. A difference of many published
            deviations (0.01) means little then.""",
            part="ijcnn1, alpha = gamma = 1",
        ),
        Note(
            """The numbers of FOGD, NOGD and DUAL-SGD are copied from Lu et al. 2016 and Le et al. 2016, with rates
            and widths that were tuned there; sigma = 8 with features in [0,1] makes cod-rna nearly linear. In
            [-1,1] or standardised, FOGD has 15.7 and 6.2 % after 30,000 rounds.""",
            algorithm="*[OS]GD",
        ),
        Note(
            """The paper does not state how BATCH is regularised and solved; a smaller weight of |w|^2 lowers its
            error: at 0.01 it is 3.77 % on cod-rna.""",
            algorithm="BATCH*",
        ),
    ),
    orders=(
        Note(
            """B-KONS restarts at each of its 100 points, as PROS-N-KONS does, and CON-KONS at none: with the steps that
            are played here restarts cost more than in the paper.""",
            part="ijcnn1, alpha = gamma = 0.01",
        ),
    ),
    open_settings={
        "features": ("[0,1]", "[-1,1]"),
        "order of ijcnn1": ("given", "random"),
        "weights": ("1/p", "1/p^2"),
        "step": ("none", "0.0625"),
    },
)
