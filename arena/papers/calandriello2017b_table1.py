"""Table 1 of Calandriello, Lazaric and Valko 2017 (NIPS): PROS-N-KONS on regression data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from arena.data.preparing import Features, Labels, Preparation
from arena.papers.reproduction.experiment import AlgorithmRow, Experiment, Note, Part, Stream
from arena.papers.reproduction.published import published

SOURCE = "calandriello2017b"
SETS = {"parkinson": "parkinsons", "cpusmall": "cpusmall", "cadata": "cadata", "casp": "casp"}
MISWEIGHTED = ", weights 1/p^2"
RATES = {"cpusmall": 0.2}  # 0.02 otherwise: the best of the grid 16, 8, 4, 2, 0.2, ..., 0.0002 on a tenth of the rows
REPRODUCTION = "arena.papers.reproduction"


def learners(chosen: Mapping[str, str], *, alpha: float, gamma: float) -> dict[str, str]:
    """Return the specs of the paper's own learners, by their published names.

    - `chosen` has a value for each setting that the paper leaves open. The setting "weights" is the weight of an atom
      that KORS accepted with the probability p: "1/p", as in the paper's algorithm, or "1/p^2".
    - `alpha` and `gamma` are parameters of these learners.

    If "weights" is "1/p", PROS-N-KONS, CON-KONS and BATCH with the weights 1/p^2 are added under names of their own.
    """
    step = "" if chosen.get("step", "none") == "none" else f", step={chosen['step']}"
    powers = 2 if chosen["weights"] == "1/p^2" else 1
    own = {
        name: f"{name.lower()}(alpha={alpha}, gamma={gamma}{step})" for name in ("PROS-N-KONS", "CON-KONS", "B-KONS")
    }
    if powers == 2:
        own = {name: f"{REPRODUCTION}.misweighted:Misweighted(of={spec})" for name, spec in own.items()}
    own["BATCH"] = f"{REPRODUCTION}.batch_solutions:BatchInDictionary(alpha={alpha}, gamma={gamma}, powers={powers})"
    if powers == 1:
        others = learners({**chosen, "weights": "1/p^2"}, alpha=alpha, gamma=gamma)
        own |= {f"{name}{MISWEIGHTED}": spec for name, spec in others.items() if name != "B-KONS"}
    return own


def first(name: str) -> dict[str, str]:
    """Return the specs of the learners FOGD and NOGD, by these names, tuned for the data set `name`."""
    rate = RATES.get(name, 0.02)
    return {"FOGD": f"fogd(frequencies=30, rate={rate})", "NOGD": f"nogd(budget=30, rank=30, rate={rate})"}


def parts(chosen: Mapping[str, str]) -> Sequence[Part]:
    """Return the experiment's parts, one for each data set.

    `chosen` has a value for each setting that the paper leaves open.
    """
    preparation = Preparation(cast(Features, chosen["features"]), cast(Labels, chosen["labels"]))
    own = learners(chosen, alpha=1.0, gamma=1.0)
    return [
        Part(
            name,
            [
                AlgorithmRow(each, spec, published(SOURCE, "1", name, each.removesuffix(MISWEIGHTED)))
                for each, spec in (first(name) | own).items()
            ],
            "average loss",
            Stream(data, preparation, shuffled=chosen["order"] == "random"),
            game={
                "kernel": "gaussian(bandwidth=8)",
                "box": [-1000, 1000] if preparation.features == "standardised" else [-1, 1],
            },
        )
        for name, data in SETS.items()
    ]


EXPERIMENT = Experiment(
    name="calandriello2017b-table1",
    title="Regression with PROS-N-KONS",
    paper="Calandriello, Lazaric and Valko 2017 (NIPS), table 1",
    about="Average squared loss over the stream, and the size of the dictionary.",
    parts=parts,
    seeds=15,
    settings=(
        """The numbers of FOGD and NOGD are those of Lu et al. 2016, who tuned their rates; ours are the best of the
        grid in Le et al. 2022 on a random tenth of the rows.""",
    ),
    notes=(
        Note(
            """The published dictionaries (18 to 21 points) are about half as large as those of KORS with its
            weights 1/p (29 to 41 here). With 1/p^2, which is what S = diag(1/p) for diag(1/sqrt(p)) amounts to,
            the dictionary stops growing early, PROS-N-KONS restarts less often, and its loss is within 0.3 to
            4.4 published deviations. The public code of Jezequel et al. has the same slip (theory G1), and the
            sizes on cod-rna halve in the same way. Features in [-1,1], labels in [-1,1] and the given order
            were tried, too: no setting of these with the weights 1/p has dictionaries that small.""",
            algorithm="[PB]*-KONS*",
        ),
        Note(
            """The published losses of CON-KONS are close to those of PROS-N-KONS on the two small sets. The text
            maps both w and A into the larger space. If A is set to alpha I at each new point and w alone is
            kept, with the weights 1/p^2, three seeds give 0.0514, 0.0216, 0.0296 and 0.0665 on parkinson,
            cpusmall, cadata and casp (published 0.0570, 0.0227, 0.0285, 0.0683), nearer than with the mapping
            of the text on three of the four sets.""",
            algorithm="CON-KONS*",
        ),
        Note(
            """BATCH has a published deviation of 0.00002, less than any change of settings: it depends on the
            target and the columns alone. With motor_UPDRS for the target of parkinsons it is 0.0452 (published
            0.04535), but FOGD is then 0.061 (published 0.0491), which fits total_UPDRS to 0.3 %: the table may
            mix the two. With total_UPDRS and without the patient's number it is 0.0425.""",
            part="parkinson",
            algorithm="BATCH*",
        ),
        Note(
            """The paper does not state how BATCH is regularised and clipped; ours minimises the sum of squares +
            alpha |w|^2 in the final span. A wider span helps: with features in [-1,1] every BATCH is lower.""",
            algorithm="BATCH*",
        ),
        Note(
            """These numbers are copied from Lu et al. 2016, who tuned the rate on all data. Over the whole stream
            the rates 0.2 (cadata) and 0.05 (casp) give 0.0431 and 0.0794 for FOGD; on a tenth of the rows, by
            which ours was chosen, 0.02 is better. The deviation of 20 permutations is far below this effect.""",
            algorithm="*OGD",
        ),
    ),
    orders=(
        Note("""CON-KONS has a smaller loss here than in the paper, by the note on it.""", part="parkinson"),
        Note(
            """With the weights 1/p PROS-N-KONS and B-KONS restart at twice as many points as in the paper; with 1/p^2
            they are below FOGD and NOGD, as published.""",
            part="cadata|casp",
        ),
    ),
    open_settings={
        "features": ("[0,1]", "[-1,1]", "standardised"),
        "labels": ("[0,1]", "[-1,1]"),
        "order": ("random", "given"),
        "weights": ("1/p", "1/p^2"),
    },
)
