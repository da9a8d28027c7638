"""Figure 4 of Jezequel, Gaillard and Rudi 2019: average loss on casp and errors on ijcnn1, against rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from arena.data.preparing import Features, Labels, Preparation
from arena.papers.reproduction.experiment import Experiment, Note, Part, Row, Stream
from arena.papers.reproduction.published import published

SOURCE = "jezequel2019"
GAME = {"kernel": "gaussian(bandwidth=1)", "regularisation": 1.0, "box": [-1, 1]}
KRR = "arena.papers.reproduction.as_published:ExactRidge"
LEARNERS = {
    "FOGD": "fogd(frequencies=1000)",
    "PROS-N-KONS": "pros-n-kons",
    "PKRR Taylor M=2": "pkrr(embedding=taylor(degree=2))",
    "PKRR Taylor M=3": "pkrr(embedding=taylor(degree=3))",
    "PKRR Nystrom": "pkawv-kors",
    "KRR": KRR,
    "PKAWV Taylor M=2": "pkawv(embedding=taylor(degree=2))",
    "PKAWV Taylor M=3": "pkawv(embedding=taylor(degree=3))",
}
FIXED = ("KRR", "PKRR Taylor M=2", "PKRR Taylor M=3", "PKAWV Taylor M=2", "PKAWV Taylor M=3")  # toss no coins
SHORT = 2_000  # rounds of learners whose dictionary keeps growing; the authors stopped them after five minutes


def table(data: str, short: Sequence[str] = (), without: Sequence[str] = ()) -> list[Row]:
    """Return the rows of all learners on a data set."""
    return [
        Row(
            name,
            spec,
            published(SOURCE, "fig4", data, name.replace("PKAWV", "PKRR")),
            seeds=1 if name in FIXED else None,
            rounds=SHORT if name in short else None,
        )
        for name, spec in LEARNERS.items()
        if name not in without
    ]


def parts(chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return casp, whose loss is averaged, and ijcnn1, whose errors are counted."""
    casp = Preparation(cast(Features, chosen["features of casp"]), cast(Labels, chosen["labels of casp"]))
    ijcnn1 = Stream("ijcnn1", Preparation("[-1,1]", "classes"))
    growing = ("PROS-N-KONS", "PKRR Nystrom", "KRR")  # at sigma = 1 nearly all of ijcnn1's points are far apart
    cubic = ("PKRR Taylor M=3", "PKAWV Taylor M=3")  # 2,300 features
    stream = Stream("casp", casp, shuffled=chosen["order of casp"] == "random")
    return [
        Part("casp", table("casp"), "average loss", stream, game=GAME, curves=True),
        Part("ijcnn1", table("ijcnn1", growing, cubic), "error %", ijcnn1, game=GAME, curves=True),
    ]


EXPERIMENT = Experiment(
    name="jezequel2019-fig4",
    title="Ridge regression on features, on casp and ijcnn1",
    paper="Jezequel, Gaillard and Rudi 2019, figure 4 (appendix G)",
    about="""Average squared loss on casp and error rate on ijcnn1, over the rounds. The published values are read off
    curves.""",
    parts=parts,
    seeds=3,
    settings=(
        """PKRR with a KORS dictionary is played as `pkawv-kors`, whose predictions differ from it by the factor 1
        + leverage. `krr` plays all rounds, through features with a certified error; the authors stopped it
        after 2,700.""",
    ),
    notes=(
        Note(
            """All published curves of casp lie 4 to 5 % above ours: 0.061 for 0.0582, 0.0605 for 0.0578 and
            0.0575, 0.070 for 0.0671 (FOGD), and after 2,700 rounds 0.065 for 0.0620 (krr). Exact ridge
            regression and the Taylor features toss no coins. Tried: features in [0,1], [-1,1], standardised,
            divided by their maximum, halved, each column left out; random order; parts of the rows; other
            lambdas. lambda = 10 gives 0.0614 and 0.0608 for the Taylor features, within 1 %, but 0.070 for krr
            after 2,700 rounds, and FOGD has no lambda (half its rate gives 0.0706). lambda = 3 fits krr
            (0.0649) and no other. A wider kernel raises krr more than the Taylor features, and [-1,1] the
            features of degree 2 alone. What fits all of them is a common offset of +0.0028 of the values that
            were read off the figure, or labels scaled by 1.024. The order of the learners is the published one.""",
            part="casp",
        ),
        Note(
            """The authors' class predicts with w of the round before, drops the gradient of the round in which a
            point joins, and weighs atoms by 1/p^2 (theory G); with sigma = 1 the correct dictionary is large,
            and each new point restarts the descent.""",
            part="casp",
            algorithm="PROS-N-KONS",
        ),
        Note(
            """The authors' value is that after 2,700 rounds, where they stopped; ours is that after all rounds.
            After 2,700 rounds ours is 0.0620.""",
            part="casp",
            algorithm="KRR",
        ),
    ),
    open_settings={
        "features of casp": ("[0,1]", "[-1,1]"),
        "labels of casp": ("[0,1]", "[-1,1]"),
        "order of casp": ("given", "random"),
    },
)
