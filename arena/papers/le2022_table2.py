"""Table 2 of Le, Nguyen and Phung 2022: mistake rates of online learners, DualSVRG among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from arena.data.preparing import Features, Preparation
from arena.papers.reproduction.experiment import Experiment, Part, Row, Stream
from arena.papers.reproduction.published import published

SOURCE = "le2022"
DUAL_SVRG = {
    "DualSVRG-H-B": ("smooth-hinge(tau=0.5)", "budget"),
    "DualSVRG-H-C": ("smooth-hinge(tau=0.5)", "coverage"),
    "DualSVRG-H-AM": ("smooth-hinge(tau=0.5)", "always-move"),
    "DualSVRG-L-B": ("logistic", "budget"),
    "DualSVRG-L-C": ("logistic", "coverage"),
    "DualSVRG-L-AM": ("logistic", "always-move"),
}


@dataclass(frozen=True)
class Setting:
    """The settings of one data set: those that the paper states, and (lambda, gamma) of the authors' scripts.

    `tuned` maps variants of DualSVRG to (lambda, gamma), with the one of all others under "". The kernel is
    exp(-gamma |x - x'|^2).
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

    def pair(self, name: str) -> tuple[float, float]:
        """Return (lambda, gamma) of a variant of DualSVRG."""
        return self.tuned.get(name, self.tuned[""])


SETTINGS = {
    "w8a": Setting(
        "w8a", "w8a", 49_749, "raw", 13.0, 1000, 4000,
        {"": (1.5456e-05, 1.0), "DualSVRG-H-B": (6.1824e-05, 2.0**-8), "DualSVRG-L-B": (3.8640e-06, 2.0**-6),
         "DualSVRG-H-C": (2.4730e-04, 1.0), "DualSVRG-L-C": (9.6600e-07, 2.0**-8)}, 2.0**-4, 0.2,
    ),
    "cod-rna": Setting(
        "cod-rna", "cod-rna", 59_535, "[0,1]", 1.0, 400, 1600,
        {"": (3.7747e-07, 2.0), "DualSVRG-H-B": (7.5494e-07, 4.0), "DualSVRG-L-B": (7.5494e-07, 4.0),
         "DualSVRG-H-C": (0.0030922, 2.0**-8)}, 2.0**-2, 0.2,
    ),
    "covtype": Setting(
        "covtype", "covtype", 522_911, "[0,1]", 3.0, 400, 1600, {"": (1.0757e-07, 4.0)}, 1.0, 0.2,
    ),
    "nycflights13": Setting(
        "nycflights13", "airlines", 294_611, "[0,1]", 1.0, 1000, 4000, {"": (1.0541e-08, 16.0)}, 1.0, 0.2,
    ),
}  # fmt: skip


def kernel(gamma: float) -> str:
    """Return the spec of exp(-gamma |x - x'|^2).

    >>> kernel(0.5)
    'gaussian(bandwidth=1)'
    """
    return f"gaussian(bandwidth={(0.5 / gamma) ** 0.5:.10g})"


def dual_svrg(setting: Setting, name: str, *, memory: int = 100, period: int = 100) -> Row:
    """Return a variant of DualSVRG with the authors' lambda and gamma."""
    loss, oracle = DUAL_SVRG[name]
    strength, gamma = setting.pair(name)
    shape = f"oracle={oracle}, radius={setting.radius}, loss={loss}, regularisation={strength}"
    spec = f"dual-svrg({shape}, memory={memory}, period={period})"
    return Row(name, spec, published(SOURCE, "2", setting.published, name), game={"kernel": kernel(gamma)})


def baselines(setting: Setting) -> dict[str, str]:
    """Return the specs of the other learners of the table, by their published names."""
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
    """Return one part for each data set."""
    found = []
    for name, setting in SETTINGS.items():
        features = cast(Features, chosen.get(f"features of {name}", setting.features))
        rows = [
            Row(
                each,
                spec,
                published(SOURCE, "2", setting.published, each),
                game={"kernel": kernel(setting.gamma)},
                seeds=1,
            )
            for each, spec in baselines(setting).items()
        ]
        rows += [dual_svrg(setting, each) for each in DUAL_SVRG]
        stream = Stream(setting.data, Preparation(features, "classes"), shuffled=True)
        found.append(Part(name, rows, "error %", stream, game={"loss": "hinge", "box": BOX}))
    return found


BOX = [-1000, 1000]

EXPERIMENT = Experiment(
    name="le2022-table2",
    title="Online classification with DualSVRG",
    paper="Le, Nguyen and Phung 2022, table 2",
    about="Mistake rate over one pass in random order.",
    parts=parts,
    seeds=1,
    open_settings={
        "features of cod-rna": ("[0,1]", "[-1,1]", "standardised"),
        "features of covtype": ("[0,1]", "[-1,1]", "standardised"),
    },
)
