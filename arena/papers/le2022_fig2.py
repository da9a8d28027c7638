"""Figure 2 of Le, Nguyen and Phung 2022: the average loss of DualSVRG and DualSGD over the rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.data.preparing import Preparation
from arena.papers.le2022_table2 import BOX, SETTINGS, dual_svrg, kernel
from arena.papers.reproduction.experiment import AlgorithmRow, Experiment, Part, Stream

VARIANT = "DualSVRG-H-B"


def parts(_chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return the experiment's parts, one for w8a and one for cod-rna.

    In each part both learners have the same lambda and gamma.
    """
    found = []
    for name in ("w8a", "cod-rna"):
        setting = SETTINGS[name]
        strength, gamma = setting.pair(VARIANT)
        ours = AlgorithmRow(VARIANT, dual_svrg(setting, VARIANT).learner)
        other = AlgorithmRow("DualSGD-Hinge", f"dual-sgd(budget=100, frequencies=200, regularisation={strength})")
        stream = Stream(setting.data, Preparation(setting.features, "classes"), shuffled=True)
        game = {"loss": "hinge", "box": BOX, "kernel": kernel(gamma)}
        found.append(Part(name, [ours, other], "average loss", stream, game=game, curves=True))
    return found


EXPERIMENT = Experiment(
    name="le2022-fig2",
    title="Convergence of DualSVRG and DualSGD",
    paper="Le, Nguyen and Phung 2022, figure 2",
    about="Average hinge loss over the rounds. No numbers are read off this figure, so nothing stands beside ours.",
    parts=parts,
    seeds=1,
)
