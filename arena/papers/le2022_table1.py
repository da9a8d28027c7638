"""Table 1 of Le, Nguyen and Phung 2022: test errors after one pass over the training part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from arena.data.preparing import Features, Preparation
from arena.papers.le2022_table2 import (
    BOX,
    DUAL_SVRG,
    FLIGHTS,
    NOTES,
    SCRIPTS,
    SETTINGS,
    SOURCE,
    DataSetParameters,
    as_in_scripts,
    dual_svrg,
    kernel,
)
from arena.papers.reproduction.experiment import AlgorithmRow, Experiment, Note, Part, Stream
from arena.papers.reproduction.published import published

RANDOM_SPLIT = ("covtype", "nycflights13")  # the paper keeps 10 % of these for the test
BATCH = ("LIBSVM", "LLSVM")  # their published values have no deviations; the order of the rows hardly matters
OURS = "arena.papers.reproduction.after_training:"


def frozen(spec: str) -> str:
    """Return the spec of a learner that plays like `spec`, but stops learning after the training rounds.

    In the result, the placeholder `TRAINING` stands for the number of training rounds.
    """
    return f"{OURS}Frozen(of={spec}, after=TRAINING)"


def trained(spec: str) -> str:
    """Return the spec of a learner that trains the batch learner `spec` on the training rounds alone.

    In the result, the placeholder `TRAINING` stands for the number of training rounds.
    """
    return f"{OURS}Trained(of={spec}, on=TRAINING)"


def rows(setting: DataSetParameters) -> list[AlgorithmRow]:
    """Return the rows of the table for one data set, one for each learner.

    A learner other than DualSVRG is left out if the table has no number for it on this data set.
    """
    few, strength = setting.budget, setting.pair("")[0]
    specs = {
        "LIBSVM": trained("libsvm(penalty=32)"),
        "LLSVM": trained(f"llsvm(landmarks={few}, penalty=32)"),
        "BSGD-M": frozen(f"bsgd(budget={few}, maintenance=merge, regularisation={strength})"),
        "BSGD-R": frozen(f"bsgd(budget={few}, maintenance=remove, regularisation={strength})"),
        "FOGD": frozen(f"fogd(frequencies={setting.frequencies}, rate={setting.rate})"),
        "NOGD": frozen(f"nogd(budget={few}, rate={setting.rate})"),
        "DualSGD-Hinge": frozen(f"dual-sgd(budget=100, frequencies=200, regularisation={strength})"),
    }
    game = {"kernel": kernel(setting.gamma)}
    found = {name: published(SOURCE, "1", setting.published, name) for name in (*specs, *DUAL_SVRG)}
    table = [
        AlgorithmRow(name, spec, found[name], game=game, seeds=1 if name in BATCH else None)
        for name, spec in specs.items()
        if found[name]
    ]
    variants = [dual_svrg(setting, name) for name in DUAL_SVRG]
    variants += [as_in_scripts(setting, name) for name in DUAL_SVRG if name.endswith("-AM")]
    return table + [
        AlgorithmRow(each.algorithm, frozen(each.learner), found[each.algorithm.removesuffix(SCRIPTS)], game=each.game)
        for each in variants
    ]


def parts(chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return the experiment's parts, one for each data set.

    `chosen` has a value for each setting that the paper leaves open.
    """
    found = []
    for name, setting in SETTINGS.items():
        features = cast(Features, chosen.get(f"features of {name}", setting.features))
        stream = Stream(
            setting.data,
            Preparation(features, "classes"),
            shuffled=name in RANDOM_SPLIT,
            training_rows=setting.training_rows,
            columns=setting.columns,
        )
        found.append(Part(name, rows(setting), "test error %", stream, game={"loss": "hinge", "box": BOX}))
    return found


EXPERIMENT = Experiment(
    name="le2022-table1",
    title="Batch classification with DualSVRG",
    paper="Le, Nguyen and Phung 2022, table 1",
    about="Error rate on the test part after one pass over the training part in random order.",
    parts=parts,
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
    open_settings={
        "features of cod-rna": ("[0,1]", "[-1,1]", "standardised"),
        "features of covtype": ("[0,1]", "[-1,1]", "standardised"),
    },
)
