"""Tables 1 and 2 and figures 2 to 4 of Le, Nguyen and Phung 2022: DualSVRG beside other learners."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from arena.data.preparing import Features, Preparation
from arena.papers.reproduction.experiment import AlgorithmRow, Chosen, Experiment, Measure, Note, Part, Stream
from arena.papers.reproduction.published import SCRIPTS, published

SOURCE = "le2022"
DUAL_SVRG = {
    "DualSVRG-H-B": ("smooth-hinge(tau=0.5)", "budget"),
    "DualSVRG-H-C": ("smooth-hinge(tau=0.5)", "coverage"),
    "DualSVRG-H-AM": ("smooth-hinge(tau=0.5)", "always-move"),
    "DualSVRG-L-B": ("logistic", "budget"),
    "DualSVRG-L-C": ("logistic", "coverage"),
    "DualSVRG-L-AM": ("logistic", "always-move"),
}
GAME = {"loss": "hinge", "box": [-1000, 1000]}
RANDOM_SPLIT = ("covtype", "nycflights13")  # the paper keeps 10 % of these for the test
BATCH = ("LIBSVM", "LLSVM")  # their published values have no deviations; the order of the rows hardly matters
VARIANT = "DualSVRG-H-B"  # the variant in the figures
SIZES = (10, 50, 100, 200, 500)  # values of m and n in figures 3 and 4


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


def dual_svrg(setting: DataSetParameters, name: str, shape: str = "memory=100, period=100") -> str:
    """Return the spec of DualSVRG under its published `name`, with the lambda of the authors' scripts.

    The name, such as "DualSVRG-H-B", determines the loss and the learner's parameter `oracle`; `DUAL_SVRG` lists both.
    """
    loss, oracle = DUAL_SVRG[name]
    strength = setting.pair(name)[0]
    return f"dual-svrg(oracle={oracle}, radius={setting.radius}, loss={loss}, regularisation={strength}, {shape})"


def as_in_scripts(setting: DataSetParameters, name: str) -> str:
    """Return the spec of DualSVRG under its published `name`, as the authors' scripts play it, not as the paper states.

    The scripts have more random features, and remember 10 rounds. Their step is 0.8 / (12 M), with M = 1 for the
    smooth hinge and M = 2 for the logistic loss.
    """
    # The scripts change the vectors of two classes, each by the step; the function is the difference of the vectors.
    step = 2.0 * 0.8 / (12.0 if DUAL_SVRG[name][0] != "logistic" else 24.0)
    return dual_svrg(setting, name, f"frequencies={setting.frequencies}, memory=10, rate={step:.6g}, period=100")


def baselines(setting: DataSetParameters) -> dict[str, str]:
    """Return the specs of all learners of table 2 except DualSVRG, by their published names."""
    few = setting.budget
    return {
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


def batch_baselines(setting: DataSetParameters) -> dict[str, str]:
    """Return the specs of all learners of table 1 except DualSVRG, by their published names."""
    few, online = setting.budget, baselines(setting)
    merge, remove = (
        f"bsgd(budget={few}, maintenance={how}, regularisation={setting.pair('')[0]})" for how in ("merge", "remove")
    )
    return {
        "LIBSVM": "libsvm(penalty=32)",
        "LLSVM": f"llsvm(landmarks={few}, penalty=32)",
        "BSGD-M": merge,
        "BSGD-R": remove,
        **{name: online[name] for name in ("FOGD", "NOGD", "DualSGD-Hinge")},
    }


def table(setting: DataSetParameters, number: str, specs: Mapping[str, str]) -> list[AlgorithmRow]:
    """Return the rows of a table for one data set: learners with these specs, and DualSVRG.

    A learner in `specs` is left out if the table has no number for it on this data set. DualSVRG is played as the paper
    states, and some of it as in the authors' scripts, both with the scripts' lambda and gamma.
    """

    def row(name: str, spec: str, gamma: float) -> AlgorithmRow:
        known = published(SOURCE, number, setting.published, name)
        return AlgorithmRow(name, spec, known, game={"kernel": kernel(gamma)})

    rows = [each for name, spec in specs.items() if (each := row(name, spec, setting.gamma)).published]
    rows += [row(name, dual_svrg(setting, name), setting.pair(name)[1]) for name in DUAL_SVRG]
    # The scripts draw the frequencies with the standard deviation gamma / 2, so the kernel is exp(-gamma^2 d^2 / 8).
    return rows + [
        row(f"{name}{SCRIPTS}", as_in_scripts(setting, name), setting.pair(name)[1] ** 2 / 8.0)
        for name in DUAL_SVRG
        if name.endswith("-AM")
    ]


def prepared(name: str, chosen: Chosen) -> Preparation:
    """Return the scaling of a data set, which is one of the paper's open settings for some sets."""
    return Preparation(chosen.get(f"features of {name}", SETTINGS[name].features), "classes")


def table1(chosen: Chosen) -> Sequence[Part]:
    """Return the parts of table 1, one for each data set.

    Learners stop learning after the training rounds; batch learners are trained on these rounds alone. The placeholder
    `TRAINING` stands for the number of these rounds.
    """

    def trained(row: AlgorithmRow) -> AlgorithmRow:
        batch = row.algorithm in BATCH
        kind = "Trained" if batch else "Frozen"
        spec = f"arena.papers.reproduction.after_training:{kind}(of={row.learner}, after=TRAINING)"
        return dataclasses.replace(row, learner=spec, seeds=1 if batch else None)

    found = []
    for name, setting in SETTINGS.items():
        rows = [trained(row) for row in table(setting, "1", batch_baselines(setting))]
        stream = Stream(
            setting.data, prepared(name, chosen), name in RANDOM_SPLIT,
            training_rows=setting.training_rows, columns=setting.columns,
        )  # fmt: skip
        found.append(Part(name, rows, "test error %", stream, game=GAME))
    return found


def table2(chosen: Chosen) -> Sequence[Part]:
    """Return the parts of table 2, one for each data set."""
    found = []
    for name, setting in SETTINGS.items():
        stream = Stream(setting.data, prepared(name, chosen), shuffled=True, columns=setting.columns)
        found.append(Part(name, table(setting, "2", baselines(setting)), "error %", stream, game=GAME))
    return found


def figure(
    rows: Callable[[DataSetParameters], dict[str, str]], measure: Measure = "error %", *, curves: bool = False
) -> list[Part]:
    """Return the parts of a figure, one for w8a and one for cod-rna; `rows` returns specs by the names of the rows."""
    found = []
    for name in ("w8a", "cod-rna"):
        setting = SETTINGS[name]
        table = [AlgorithmRow(each, spec) for each, spec in rows(setting).items()]
        stream = Stream(setting.data, prepared(name, {}), shuffled=True)
        game = {**GAME, "kernel": kernel(setting.pair(VARIANT)[1])}
        found.append(Part(name, table, measure, stream, game=game, curves=curves))
    return found


def figure2(_chosen: Chosen) -> Sequence[Part]:
    """Return the parts of figure 2; in each part both learners have the same lambda and gamma."""

    def rows(setting: DataSetParameters) -> dict[str, str]:
        other = f"dual-sgd(budget=100, frequencies=200, regularisation={setting.pair(VARIANT)[0]})"
        return {VARIANT: dual_svrg(setting, VARIANT), "DualSGD-Hinge": other}

    return figure(rows, "average loss", curves=True)


def figure3(_chosen: Chosen) -> Sequence[Part]:
    """Return the parts of figure 3, with a row for each value of m."""
    return figure(lambda setting: {f"m = {m}": dual_svrg(setting, VARIANT, f"memory={m}, period=100") for m in SIZES})


def figure4(_chosen: Chosen) -> Sequence[Part]:
    """Return the parts of figure 4, with a row for each value of n."""
    return figure(lambda setting: {f"n = {n}": dual_svrg(setting, VARIANT, f"memory=100, period={n}") for n in SIZES})


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

OPEN = {
    "features of cod-rna": ("[0,1]", "[-1,1]", "standardised"),
    "features of covtype": ("[0,1]", "[-1,1]", "standardised"),
}

TABLE1 = Experiment(
    name="le2022-table1",
    title="Batch classification with DualSVRG",
    paper="Le, Nguyen and Phung 2022, table 1",
    about="Error rate on the test part after one pass over the training part in random order.",
    parts=table1,
    seeds=3,
    settings=(
        """Settings are those of table 2. Penalties of LIBSVM and LLSVM are 32, one of the paper's grid. w8a and
        cod-rna have the test parts of their sources; of covtype and the flights a random tenth is the test
        part. One pass over the training part; the paper does not say how many it makes, and the authors'
        scripts draw two or three times as many points as there are.""",
        """The paper averages over ten permutations; three are played here, and ten seeds play them all. Our own
        deviations are far below the differences that the notes are about.""",
    ),
    notes=(
        Note(
            """C and gamma were chosen by cross-validation in the paper, and are not stated.""",
            algorithm="LIBSVM",
        ),
        Note(
            """LLSVM's landmarks are the centres of k-means here; the paper does not state how many there are and
            how they are chosen. The error of the full SVM, which LLSVM approximates, is 3.6 %.""",
            algorithm="LLSVM",
        ),
        Note(
            """BSGD, with DualSVRG's lambda of the scripts: the paper's own is not stated, and the budgeted
            learners depend on it; the published deviations, those of permutations, are small beside this.""",
            algorithm="BSGD*",
        ),
        *NOTES,
        Note(
            """lambda and gamma are those of the authors' scripts for streams, as the paper says. Their scripts for
            batches have others: 1e-7 and 1 for all variants on w8a, 1e-7 and 0.5 for most on cod-rna. With the
            2^-8 of the streams on w8a, H-B says -1 everywhere, also after seven passes.""",
            part="w8a|cod-rna",
            algorithm="DualSVRG*",
        ),
        Note(
            """The scripts for batches have gamma = 2^-8 on the airlines, nearly a constant kernel, with which a learner
            never says "late": the published 19.3 % of all variants are that share.""",
            part="nycflights13",
            algorithm="DualSVRG*",
        ),
    ),
    orders=(
        Note(
            """With the stated step and 200 frequencies, DualSVRG is noise where gamma = 1 and says -1 everywhere where
            gamma = 2^-8. LIBSVM, BSGD and DualSGD are better than published, with settings that the paper does not
            state.""",
            part="w8a",
        ),
        Note(
            """DualSVRG-H-C says -1 everywhere, with the gamma of its script; LLSVM, FOGD, NOGD and DualSGD are better
            than published, with settings that the paper does not state.""",
            part="cod-rna",
        ),
        Note(
            """FOGD and BSGD-M are better than published. Without these two the order is the paper's, up to that of the
            variants of DualSVRG.""",
            part="covtype",
        ),
        FLIGHTS,
    ),
    open_settings=OPEN,
)

TABLE2 = Experiment(
    name="le2022-table2",
    title="Online classification with DualSVRG",
    paper="Le, Nguyen and Phung 2022, table 2",
    about="Mistake rate over one pass in random order.",
    parts=table2,
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
    open_settings=OPEN,
)

FIGURE2 = Experiment(
    name="le2022-fig2",
    title="Convergence of DualSVRG and DualSGD",
    paper="Le, Nguyen and Phung 2022, figure 2",
    about="Average hinge loss over the rounds. No numbers are read off this figure, so nothing stands beside ours.",
    parts=figure2,
    seeds=1,
)

FIGURE3 = Experiment(
    name="le2022-fig3",
    title="DualSVRG with other values of m",
    paper="Le, Nguyen and Phung 2022, figure 3",
    about="""Mistake rate and seconds for several values of m, the rounds that are remembered, with the budget oracle
    and the smooth hinge.""",
    parts=figure3,
    seeds=1,
)

FIGURE4 = Experiment(
    name="le2022-fig4",
    title="DualSVRG with other values of n",
    paper="Le, Nguyen and Phung 2022, figure 4",
    about="""Mistake rate and seconds for several values of n, the rounds between checkpoints, with the budget oracle
    and the smooth hinge.""",
    parts=figure4,
    seeds=1,
)
