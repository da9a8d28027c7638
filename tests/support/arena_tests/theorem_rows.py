"""A table of theorems, with the learners, games and adversaries of the matches in which tests judge them."""

from dataclasses import dataclass, field
from typing import Any

from arena.papers.tightness import PRINTED, promised_by
from arena.specs import registry

EVERY = sorted(name for name in registry.entries("theorem") if not registry.find("theorem", name).lower)


@dataclass(frozen=True)
class Row:
    """A learner, the names of the theorems that its matches judge, and the fields of the game that are fixed.

    `claims` has the specs of the theorems; if it is empty, the learner's promises are judged.
    """

    learner: str
    theorems: str
    game: dict[str, Any] = field(default_factory=dict)
    claims: tuple[str, ...] = ()
    adversaries: tuple[str, ...] = ()


GAUSSIAN = {"kernel": "gaussian(bandwidth=0.5)"}
ROWS = [
    Row("kernel-awv", "awv-identity awv-leverage awv-logdet awv-effective-dimension"),
    Row("krr", "ridge-identity"),
    Row("clipped-krr", "clipped-krr"),
    Row("ewa", "ewa"),
    Row("pkawv", "pkawv-identity pkawv-features pkawv-features-logdet pkawv-subspace pkawv-subspace-sharp", GAUSSIAN),
    Row("pkawv(embedding=taylor(degree=12))", "pkawv-taylor",
        {"kernel": "gaussian(bandwidth=3)", "dimension": 1, "loss": "squared", "regularisation": 0.5}),
    Row("pkrr", "pkrr-identity", GAUSSIAN),
    Row("pkawv-kors(mu=0.3)", "pkawv-identity pkawv-growing pkawv-growing-sharp", {"loss": "squared"}),
    Row("pkawv-kors(beta=120, mu=0.1)", "pkawv-kors-regret", {"loss": "squared", "regularisation": 0.7}),
    Row("kons", "kons-gradients kons-logdet kons-online-dimension kons-effective-dimension"),
    Row("kons(dimension=3)", "kons-gradients kons-oracle-step newton-identity"),
    Row("kons(alpha=0.3)", "kons-horizon", {**GAUSSIAN, "loss": "squared", "label_bound": 1.0}),
    Row("sketched-kons(floor=0.3, beta=10)", "sketched-kons-gradients sketched-kons-regret"),
    Row("con-kons(beta=120)",
        "epoch-gradients epoch-logdet kors-size kors-accuracy kors-projection kors-overestimation"),
    Row("pros-n-kons(beta=10, gamma=0.1)", "epoch-gradients epoch-logdet pros-n-kons-regret"),
    Row("pros-n-kons(beta=60, gamma=0.1)", "pros-n-kons-squared", {"loss": "squared"}),
    Row("fgd", "ogd ogd-any-loss"),
    Row("fgd(rate=0.2)", "ogd-ball", {"loss": "squared"}),
    Row("fgd(radius=1)", "ogd-projected", {"loss": "squared"}),
    Row("fgd(steps=inverse, shrinkage=0.5)", "ogd-strongly-convex ogd-logarithmic"),
    Row("fogd(frequencies=30)", "ogd-features ogd-fourier-rkhs"),
    Row("nogd(budget=8)", "ogd-features ogd-nystrom-rkhs"),
    Row("bogd(budget=8)", "ogd-perturbed"),
    Row("bsgd(budget=8)", "ogd-strongly-convex-perturbed", GAUSSIAN),
    Row("dual-sgd(budget=8, moved=3)", "ogd-two-spaces", {**GAUSSIAN, "loss": "hinge"}),
    Row("dual-svrg(budget=5, memory=9, period=11, rate=0.3)",
        "dual-svrg-identity dual-svrg-gap dual-svrg-coefficients", GAUSSIAN),
    Row("dual-svrg(regularisation=4, frequencies=400)", "dual-svrg-approximation", GAUSSIAN,
        ("dual-svrg-approximation(regularisation=4)",)),
    Row("dual-svrg(regularisation=4)", "dual-svrg-convergence",
        {**GAUSSIAN, "rounds": 110, "loss": "smooth-hinge", "regularisation": 1.0, "label_bound": 1.0},
        ("dual-svrg-convergence(independent=true, regularisation=4)",), ("drawn",)),
    Row("dual-svrg(regularisation=4, rate=1e-4, period=6000)", "dual-svrg-corollary",
        {**GAUSSIAN, "loss": "smooth-hinge", "regularisation": 1.0, "label_bound": 1.0},
        ("dual-svrg-corollary(independent=true, regularisation=4, rate=1e-4, period=6000)",), ("drawn",)),
    Row("dual-svrg(oracle=coverage, radius=0.5)", "dual-svrg-core"),
    Row("dual-svrg(regularisation=4, frequencies=400)", "dual-svrg-moved dual-svrg-checkpoints", GAUSSIAN,
        ("dual-svrg-moved(regularisation=4)", "dual-svrg-checkpoints(regularisation=4)")),
    Row("pkawv-kors(beta=120, mu=0.1)", "pkawv-capacity", {"loss": "squared", "regularisation": 0.7}, (),
        ("alternating", "repeated(points=2)", "far-point")),
    Row("pkawv-beforehand(beta=120, mu=0.1)", "pkawv-beforehand-capacity", {"loss": "squared"}, (),
        ("alternating", "repeated(points=2)", "far-point")),
    Row("con-kons(beta=120)", "pros-n-kons-epochs"),
    Row("sketched-kons(floor=0.3, beta=120)", "sketched-kons-accuracy sketched-kons-discarded"),
    Row("perceptron", "perceptron-mistakes"),
    Row("projectron", "projectron-mistakes"),
    Row("projectron-pp", "projectron-pp-mistakes"),
    Row("forgetron", "forgetron-mistakes"),
    Row("kernel-awv(regularisation=2)", "at-most", {"loss": "squared"}, ("at-most",)),
    Row("zero", "online-dimension log-determinant log-determinant-trace", {},
        ("online-dimension", "log-determinant", "log-determinant-trace")),
]  # fmt: skip
WITHOUT_A_ROW = {name for name in EVERY if not name.endswith(PRINTED)} - {
    name for row in ROWS for name in row.theorems.split()
}
ROWS += [Row(learners[0], name) for name in sorted(WITHOUT_A_ROW) if (learners := promised_by(name))]
