"""Tables 1 and 2 of Calandriello, Lazaric and Valko 2017 (NIPS): PROS-N-KONS on regression and classification."""

from __future__ import annotations

from collections.abc import Sequence

from arena.data.preparing import Preparation
from arena.papers.reproduction.experiment import AlgorithmRow, Chosen, Experiment, Note, Part, Stream
from arena.papers.reproduction.published import MISWEIGHTED, published

SOURCE = "calandriello2017b"
REPRODUCTION = "arena.papers.reproduction"
REGRESSION = {"parkinson": "parkinsons", "cpusmall": "cpusmall", "cadata": "cadata", "casp": "casp"}
RATES = {"cpusmall": 0.2}  # 0.02 otherwise: the best of the grid 16, 8, 4, 2, 0.2, ..., 0.0002 on a tenth of the rows
CLASSES = {"ijcnn1": None, "cod-rna": (59_535, 331_152)}  # the paper's n are all of ijcnn1 and cod-rna's test part
# the best of the grids in Le et al. 2022 on a random tenth of the rows: rate, and lambda of DUAL-SGD
TUNED = {"ijcnn1": (0.2, 2.0**16 / 141_691), "cod-rna": (16.0, 1.0 / 271_617)}


def learners(chosen: Chosen, scale: float) -> dict[str, str]:
    """Return the specs of the paper's own learners with alpha = gamma = `scale`, by their published names.

    The choice "weights" is the weight of an atom that KORS accepted with the probability p: "1/p", as in the paper's
    algorithm, or "1/p^2". With "1/p", PROS-N-KONS, CON-KONS and BATCH with the weights 1/p^2 are added under names of
    their own.
    """
    powers = 2 if chosen["weights"] == "1/p^2" else 1
    both = f"alpha={scale}, gamma={scale}"
    step = "" if chosen.get("step", "none") == "none" else f", step={chosen['step']}"
    own = {name: f"{name.lower()}({both}{step})" for name in ("PROS-N-KONS", "CON-KONS", "B-KONS")}
    if powers == 2:
        own = {name: f"{REPRODUCTION}.misweighted:Misweighted(of={spec})" for name, spec in own.items()}
    own["BATCH"] = f"{REPRODUCTION}.batch_solutions:BatchInDictionary({both}, powers={powers})"
    if powers == 1:
        others = learners({**chosen, "weights": "1/p^2"}, scale)
        own |= {f"{name}{MISWEIGHTED}": spec for name, spec in others.items() if name != "B-KONS"}
    return own


def regression(chosen: Chosen) -> Sequence[Part]:
    """Return the parts of table 1, one for each data set."""
    stream = Preparation(chosen["features"], chosen["labels"]), chosen["order"] == "random"
    box = [-1000, 1000] if chosen["features"] == "standardised" else [-1, 1]
    found = []
    for name, data in REGRESSION.items():
        rate = RATES.get(name, 0.02)
        first = {"FOGD": f"fogd(frequencies=30, rate={rate})", "NOGD": f"nogd(budget=30, rank=30, rate={rate})"}
        rows = [
            AlgorithmRow(each, spec, published(SOURCE, "1", name, each))
            for each, spec in (first | learners(chosen, 1.0)).items()
        ]
        game = {"kernel": "gaussian(bandwidth=8)", "box": box}
        found.append(Part(name, rows, "average loss", Stream(data, *stream), game=game))
    return found


def classification(chosen: Chosen) -> Sequence[Part]:
    """Return the parts of table 2, one for each data set and each value of the learners' parameters alpha = gamma."""
    preparation = Preparation(chosen["features"], "classes")
    game = {"kernel": "gaussian(bandwidth=8)", "loss": "hinge", "box": [-1, 1]}
    found = []
    for data, taken in CLASSES.items():
        shuffled = data == "cod-rna" or chosen["order of ijcnn1"] == "random"
        rate, strength = TUNED[data]
        first = {
            "FOGD": f"fogd(frequencies=400, rate={rate})",
            "NOGD": f"nogd(budget=100, rank=100, rate={rate})",
            "DUAL-SGD": f"dual-sgd(budget=100, frequencies=200, regularisation={strength:.4g})",
        }
        for scale in (1.0, 0.01):
            setting = f"alpha={scale:g} gamma={scale:g}"
            specs = (first if scale == 1.0 else {}) | learners(chosen, scale)
            rows = [
                AlgorithmRow(each, spec, published(SOURCE, "2", data, each, setting)) for each, spec in specs.items()
            ]
            stream = Stream(data, preparation, shuffled, rows=taken)
            found.append(Part(f"{data}, alpha = gamma = {scale:g}", rows, "error %", stream, game=game))
    return found


TABLE1 = Experiment(
    name="calandriello2017b-table1",
    title="Regression with PROS-N-KONS",
    paper="Calandriello, Lazaric and Valko 2017 (NIPS), table 1",
    about="Average squared loss over the stream, and the size of the dictionary.",
    parts=regression,
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

TABLE2 = Experiment(
    name="calandriello2017b-table2",
    title="Classification with PROS-N-KONS",
    paper="Calandriello, Lazaric and Valko 2017 (NIPS), table 2",
    about="Average error rate over the stream, and the size of the dictionary; learners descend on the hinge loss.",
    parts=classification,
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
