"""Table 2 of Le, Nguyen and Phung 2022: mistake rates of DualSVRG and of other online learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from arena.data.preparing import Features, Preparation
from arena.papers.reproduction.experiment import AlgorithmRow, Experiment, Note, Part, Stream
from arena.papers.reproduction.published import published

SOURCE = "le2022"
SCRIPTS = ", as in the scripts"
DUAL_SVRG = {
    "DualSVRG-H-B": ("smooth-hinge(tau=0.5)", "budget"),
    "DualSVRG-H-C": ("smooth-hinge(tau=0.5)", "coverage"),
    "DualSVRG-H-AM": ("smooth-hinge(tau=0.5)", "always-move"),
    "DualSVRG-L-B": ("logistic", "budget"),
    "DualSVRG-L-C": ("logistic", "coverage"),
    "DualSVRG-L-AM": ("logistic", "always-move"),
}


@dataclass(frozen=True)
class DataSetParameters:
    """The parameters for one data set, stated in the paper or found in the authors' scripts.

    - `published` is the name of the data set in the paper's tables.
    - `tuned` has the pairs (lambda, gamma) in the authors' scripts, by DualSVRG's published names, such as
      "DualSVRG-H-B"; its key "" stands for all other published names.
    - `gamma` is for the learners other than DualSVRG. The kernel is exp(-gamma |x - x'|^2).
    - `columns` is the number of columns that are played, from the first one on; None stands for all.
    """

    data: str
    published: str
    training_rows: int
    features: Features
    radius: float
    budget: int
    frequencies: int
    tuned: Mapping[str, tuple[float, float]]
    gamma: float
    rate: float
    columns: int | None = None

    def pair(self, name: str) -> tuple[float, float]:
        """Return the pair (lambda, gamma) for DualSVRG under its published `name`, such as "DualSVRG-H-B"."""
        return self.tuned.get(name, self.tuned[""])


SETTINGS = {
    "w8a": DataSetParameters(
        "w8a", "w8a", 49_749, "raw", 13.0, 1000, 4000,
        {"": (1.5456e-05, 1.0), "DualSVRG-H-B": (6.1824e-05, 2.0**-8), "DualSVRG-L-B": (3.8640e-06, 2.0**-6),
         "DualSVRG-H-C": (2.4730e-04, 1.0), "DualSVRG-L-C": (9.6600e-07, 2.0**-8)}, 2.0**-4, 0.2,
    ),
    "cod-rna": DataSetParameters(
        "cod-rna", "cod-rna", 59_535, "[0,1]", 1.0, 400, 1600,
        {"": (3.7747e-07, 2.0), "DualSVRG-H-B": (7.5494e-07, 4.0), "DualSVRG-L-B": (7.5494e-07, 4.0),
         "DualSVRG-H-C": (0.0030922, 2.0**-8)}, 2.0**-2, 0.2,
    ),
    "covtype": DataSetParameters(
        "covtype", "covtype", 522_911, "[0,1]", 3.0, 400, 1600, {"": (1.0757e-07, 4.0)}, 1.0, 0.2,
    ),
    "nycflights13": DataSetParameters(
        "nycflights13", "airlines", 294_611, "[0,1]", 1.0, 1000, 4000, {"": (1.0541e-08, 16.0)}, 1.0, 0.2,
        columns=6,
    ),
}  # fmt: skip


def kernel(gamma: float) -> str:
    """Return the spec of exp(-gamma |x - x'|^2).

    >>> kernel(0.5)
    'gaussian(bandwidth=1)'
    """
    return f"gaussian(bandwidth={(0.5 / gamma) ** 0.5:.10g})"


def dual_svrg(setting: DataSetParameters, name: str, *, memory: int = 100, period: int = 100) -> AlgorithmRow:
    """Return the row of DualSVRG under its published `name`, with lambda and gamma of the authors' scripts.

    The name, such as "DualSVRG-H-B", determines the loss and the learner's parameter `oracle`; `DUAL_SVRG` lists both.
    `memory` is the number of rounds that the learner remembers, `period` the number of rounds between two checkpoints.
    """
    loss, oracle = DUAL_SVRG[name]
    strength, gamma = setting.pair(name)
    shape = f"oracle={oracle}, radius={setting.radius}, loss={loss}, regularisation={strength}"
    spec = f"dual-svrg({shape}, memory={memory}, period={period})"
    return AlgorithmRow(name, spec, published(SOURCE, "2", setting.published, name), game={"kernel": kernel(gamma)})


def as_in_scripts(setting: DataSetParameters, name: str) -> AlgorithmRow:
    """Return the row of DualSVRG under its published `name`, as the authors' scripts play it, not as the paper states.

    The scripts have more random features, and remember 10 rounds. They draw the features' frequencies with the standard
    deviation gamma / 2, so the kernel is exp(-gamma^2 |x - x'|^2 / 8). Their step is 0.8 / (12 M), with M = 1 for the
    smooth hinge and M = 2 for the logistic loss.
    """
    row = dual_svrg(setting, name)
    # The scripts change the vectors of two classes, each by the step; the function is the difference of the vectors.
    step = 2.0 * 0.8 / (12.0 if DUAL_SVRG[name][0] != "logistic" else 24.0)
    own = f"frequencies={setting.frequencies}, memory=10, rate={step:.6g}"
    spec = row.learner.replace("memory=100", own)
    return AlgorithmRow(
        f"{name}{SCRIPTS}", spec, row.published, game={"kernel": kernel(setting.pair(name)[1] ** 2 / 8.0)}
    )


def baselines(setting: DataSetParameters) -> dict[str, str]:
    """Return the specs of all learners of the table except DualSVRG, by their published names.

    A learner is left out if the table has no number for it on this data set.
    """
    few = setting.budget
    found = {
        "Perceptron": "perceptron",
        "OGD": f"fgd(rate={setting.rate})",
        "RBP": f"rbp(budget={few})",
        "Forgetron": f"forgetron(budget={few})",
        "Projectron": f"projectron(budget={few})",
        "Projectron++": f"projectron-pp(budget={few})",
        "BOGD": f"bogd(budget={few}, rate={setting.rate})",
        "FOGD": f"fogd(frequencies={setting.frequencies}, rate={setting.rate})",
        "NOGD": f"nogd(budget={few}, rate={setting.rate})",
        "DualSGD-Hinge": f"dual-sgd(budget=100, frequencies=200, regularisation={setting.pair('')[0]})",
    }
    published_here = {name for name in found if published(SOURCE, "2", setting.published, name)}
    return {name: spec for name, spec in found.items() if name in published_here}


def parts(chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return the experiment's parts, one for each data set.

    `chosen` has a value for each setting that the paper leaves open.
    """
    found = []
    for name, setting in SETTINGS.items():
        features = cast(Features, chosen.get(f"features of {name}", setting.features))
        rows = [
            AlgorithmRow(
                each,
                spec,
                published(SOURCE, "2", setting.published, each),
                game={"kernel": kernel(setting.gamma)},
            )
            for each, spec in baselines(setting).items()
        ]
        rows += [dual_svrg(setting, each) for each in DUAL_SVRG]
        rows += [as_in_scripts(setting, each) for each in DUAL_SVRG if each.endswith("-AM")]
        stream = Stream(setting.data, Preparation(features, "classes"), shuffled=True, columns=setting.columns)
        found.append(Part(name, rows, "error %", stream, game={"loss": "hinge", "box": BOX}))
    return found


BOX = [-1000, 1000]
NOTES = (
    Note(
        """The flights are another data set: 23.7 % of them are late, in place of about 19 %, and most rows, here and
        in the paper, are near this rate, which a learner has that never says "late". gamma = 16 was tuned on
        the airlines.""",
        part="nycflights13",
    ),
    Note(
        """The settings of the learners of LSOKL are not stated. The paper chose them by cross-validation on a part of
        the training rows, of large sets on 1 % of them; ours are those of short runs, and mostly make fewer
        mistakes. RBP, Forgetron, Projectron and BOGD on cod-rna, which suffer from their budgets alone, are
        within three deviations or 5 %. FOGD has 40 % on covtype in both tables of the paper, hardly better than
        a coin.""",
        algorithm="[PORFN]*|BOGD",
    ),
    Note(
        """DualSGD: the paper does not state its gamma and lambda; ours has DualSVRG's lambda and the other
        learners' gamma. Its published code scales frequencies by 2 gamma, which is right for gamma = 1/2 only
        (theory G4). The paper's tables disagree, too: on cod-rna 29.15 % in table 1 and 4.92 % in table 2, on
        covtype 30.54 and 49.64 %, though it says that the settings are the same.""",
        algorithm="DualSGD*",
    ),
    Note(
        """The authors' scripts (khanhndk/DualSVRG) play other settings than the paper states, and lambda and gamma
        were tuned for them. Their step is 0.13 for the smooth hinge and 0.067 for the logistic loss, which is 20
        and 1.3 times the stated 1 / (76 M): the rows of the logistic loss are nearer to the published ones. They
        draw 4,000 or 1,600 frequencies in place of 200, with deviation gamma / 2, and remember 10 rounds in place
        of 100. "As in the scripts" has these settings: DualSVRG-H-AM then has 2.5, 4.7 and 19.6 % online on w8a,
        cod-rna and covtype (published 2.4, 7.6, 22.9), where the stated ones give 36, 8.0 and 27.5 %. Their code
        also has a slope of +1/tau in the quadratic zone of the smooth hinge, core weights that do not shrink, a
        budget oracle that evicts the smallest coefficient, and coverage by the squared distance (theory G3). On
        w8a with gamma = 1 the kernel is so narrow that the stated 200 frequencies are noise (36 %).""",
        algorithm="DualSVRG*",
    ),
    Note(
        """On cod-rna the script of DualSVRG-H-C has gamma = 2^-8, which on [0,1] is nearly a constant kernel: the
        learner says -1 everywhere, 33.3 %. After 60,000 rounds it has 32 % on standardised and 16 % on raw features. No
        scaling reaches the published model size S with the published radius: on cod-rna, theta = 1 gives 5, 36,
        more than 3,000 and more than 3,000 atoms in [0,1], in [-1,1], standardised and raw (published 436); on
        covtype theta^2 = 3 gives 17, 187 and more than 3,000 (published 400); on w8a theta = 13 gives 1, and
        theta^2 = 13 more than 3,000 (published 131).""",
        algorithm="DualSVRG-H-C*",
    ),
)

FLIGHTS = Note(
    """Most rows are within one or two points of the error of a learner that never says "late", here and in the paper:
    their order is that of small differences. BSGD-R and DualSGD, with the lambda of DualSVRG's scripts, are far above
    it here.""",
    part="nycflights13",
)

EXPERIMENT = Experiment(
    name="le2022-table2",
    title="Online classification with DualSVRG",
    paper="Le, Nguyen and Phung 2022, table 2",
    about="Mistake rate over one pass in random order.",
    parts=parts,
    seeds=3,
    settings=(
        """The paper states budgets, frequencies, radius, memory, period, tau and the rate 1 / (76 M); lambda and
        gamma of DualSVRG are those of the authors' scripts. For the other learners the paper names grids alone:
        gamma is 2^-2 on cod-rna, 2^-4 on w8a, 1 on covtype and the flights, and the rate 0.2, by short runs
        with cod-rna's first rows. The scaling is stated for the airlines alone, [0,1], and taken for all sets
        but w8a, whose features are 0 and 1.""",
        """The airlines data of 2008 is not free to pass on. The flights from New York in 2013 stand in its place, with
        the six columns that both have: month, day of the month, day of the week, scheduled departure and
        arrival, distance. Airlines has the age of the plane and the time in the air, too. 23.7 % of the flights
        are late, and about 19 % of the airlines': rows cannot be compared number by number.""",
        """The paper averages over ten permutations; three are played here, and ten seeds play them all.""",
        """2.99 % is the share of +1 among the labels of w8a: learners with this rate, here and in the paper,
        always say -1.""",
    ),
    notes=NOTES,
    orders=(
        Note(
            """In the paper the variants of DualSVRG are at or below 2.99 % and the budgeted learners above; here the
            budgeted learners are below it, with settings that the paper does not state, and three variants are noise
            with the stated 200 frequencies. As in the scripts DualSVRG-H-AM has 2.5 %.""",
            part="w8a",
        ),
        Note(
            """The unbudgeted learners, FOGD, NOGD and the Projectrons make fewer mistakes than published, and
            DualSVRG-H-C says -1 everywhere, with the gamma of its script.""",
            part="cod-rna",
        ),
        Note(
            """FOGD and DualSGD are far better than published, where they are no better than a coin; DualSVRG with the
            hinge has a step of a twentieth of the scripts'.""",
            part="covtype",
        ),
        FLIGHTS,
    ),
    open_settings={
        "features of cod-rna": ("[0,1]", "[-1,1]", "standardised"),
        "features of covtype": ("[0,1]", "[-1,1]", "standardised"),
    },
)
