"""For each theorem, a match of a learner with a planted mistake that violates the theorem.

For a theorem without an entry in MISTAKES, a match of the learner that promises it is tried with several usual
mistakes.
"""

from dataclasses import replace

import numpy as np
import pytest

from arena import Learner, play
from arena.papers.errata import ERRATA
from arena.record.judging import judge
from arena.theorems import dimensions
from arena.theorems.dimensions import OnlineDimension
from arena_tests.planted.around import Around


def contrary(p):
    return -p


def off(p):
    return p + 0.01


def loud(p):
    return 60.0 * p


def silent(p):
    return 0.0 * p


def wrong(say, spec, claim, rounds=200, adversary="far-point", **game):
    """Return the verdict on a match of the learner `spec` whose predictions are changed by `say`.

    Assert that the claim is not violated in the same match without the change.
    """
    game = {"kernel": "gaussian(bandwidth=0.5)", **game}
    right = judge(play(Around(spec), adversary, rounds=rounds, **game), claim)
    assert not right.violated, f"{spec} without a mistake, against {adversary}: {right}"
    return judge(play(Around(spec, say), adversary, rounds=rounds, **game), claim)


def doctored(claim, learner="con-kons(beta=150, gamma=1000)", rounds=4000, adversary="alternating", **evidence):
    """Return the verdict on a match in which some arrays of the evidence are changed.

    `evidence` maps the name of an array to a function that changes it. Assert that the claim holds without the changes.
    """
    run = play(learner, adversary, rounds=rounds, hindsight="none")
    assert judge(run, claim).holds
    changed = {key: change(run.evidence[key]) for key, change in evidence.items()}
    return judge(replace(run, evidence={**run.evidence, **changed}), claim)


def heavier_mergers(weights):
    """Return the weights with each third one increased by 1 %.

    In the array, the weights of two atoms are followed by the weight of their merger.
    """
    return weights * np.resize([1.0, 1.0, 1.01], len(weights))


def keeps_all(claim):
    """Return the verdict on KONS with predictions of the wrong sign, and evidence that it kept every gradient."""
    run = play(Around("kons", contrary), "far-point", rounds=200)
    return judge(replace(run, evidence={"kept": np.arange(1.0, 201.0)}), claim)


def never_learns(claim):
    """Return the verdict on a learner that predicts 50 or -50 and reports these values as its evidence.

    The loss is flat at such large margins, so that the function u of DualSVRG, computed from the evidence, stays zero.
    """

    class NeverLearns(Learner):
        def begin(self, game, rng):
            self.values = []

        def predict(self, x):
            return 50.0 * np.sign(x[0])

        def update(self, x, y):
            self.values.append(50.0 * np.sign(x[0]))

        def evidence(self):
            values = np.array(self.values)
            memory = [values[t - 100 : t] for t in range(300, len(values) + 1, 300)]
            return {"moved": np.ones(len(values)), "checkpoint_values": values, "memory_values": np.concatenate(memory),
                    "dual_frequencies": np.random.default_rng(0).standard_normal((50, 2))}  # fmt: skip

    return judge(play(NeverLearns(), "drawn", rounds=900, hindsight="none"), claim)


def misjudged(name, patch):
    """Return the verdict of a theorem about points alone, after `patch` has made its computations wrong."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        patch(monkeypatch)
        return judge(play("zero", "repeated(points=5)", rounds=60), name)


def halved(monkeypatch):
    right = OnlineDimension._log_determinant
    monkeypatch.setattr(OnlineDimension, "_log_determinant", lambda self, run: 0.5 * right(self, run))


def inflated(monkeypatch):
    right = dimensions.point_surprises
    monkeypatch.setattr(dimensions, "point_surprises", lambda run, ridge: 1e9 * right(run, ridge))


TAYLOR = "pkawv(embedding=taylor(degree=12))"
SMOOTH = {"kernel": "gaussian(bandwidth=3)", "dimension": 1, "regularisation": 0.5}
PROS = "pros-n-kons(gamma=1e-4)"
STEEP = {"loss": "hinge", "regularisation": 0.05}
SVRG = "dual-svrg(budget=5, memory=9, period=11, rate=0.3)"
SAME = "memory=9, period=11, rate=0.3"
PLAIN = ["awv-leverage", "awv-logdet", "awv-effective-dimension"]
ON_FEATURES = ["pkawv-features", "pkawv-features-logdet", "pkawv-subspace", "pkawv-subspace-sharp", "pkawv-taylor"]
OF_KONS = [
    "kons-gradients",
    "kons-logdet",
    "kons-online-dimension",
    "kons-effective-dimension",
    "kons-horizon",
    "kons-printed",
]
OF_EPOCHS = ["epoch-gradients", "epoch-logdet"]
OF_PROS = ["pros-n-kons-regret", "pros-n-kons-squared", "pros-n-kons-regret-printed"]
SAMPLING = "(beta=150, ridge=1000)"

MISTAKES = {
    **{name: lambda name=name: wrong(contrary, "kernel-awv", name) for name in PLAIN},
    "awv-identity": lambda: wrong(off, "kernel-awv", "awv-identity"),
    "ridge-identity": lambda: wrong(off, "krr", "ridge-identity"),
    "clipped-krr": lambda: wrong(contrary, "clipped-krr", "clipped-krr"),
    "ewa": lambda: wrong(contrary, "ewa", "ewa"),
    "pkawv-identity": lambda: wrong(off, "pkawv", "pkawv-identity"),
    "pkrr-identity": lambda: wrong(off, "pkrr", "pkrr-identity"),
    **{name: lambda name=name: wrong(contrary, TAYLOR, name, 60, **SMOOTH) for name in ON_FEATURES},
    **{name: lambda name=name: wrong(contrary, "pkawv-kors(mu=1e-4)", f"{name}", 100)
       for name in ["pkawv-growing", "pkawv-growing-sharp"]},
    "pkawv-kors-regret": lambda: wrong(contrary, "pkawv-kors(mu=1e-4)", "pkawv-kors-regret(mu=1e-4)"),
    **{name: lambda name=name: wrong(contrary, "kons", name) for name in OF_KONS},
    "kons-oracle-step": lambda: wrong(contrary, "kons(dimension=3)", "kons-oracle-step(dimension=3)", 1000),
    "sketched-kons-gradients": lambda: keeps_all("sketched-kons-gradients"),
    "sketched-kons-regret": lambda: keeps_all("sketched-kons-regret(floor=1)"),
    **{name: lambda name=name: wrong(contrary, "con-kons", name) for name in OF_EPOCHS},
    **{name: lambda name=name: wrong(contrary, PROS, f"{name}(gamma=1e-4)", 3000) for name in OF_PROS},
    "kors-identity": lambda: doctored("kors-identity" + SAMPLING, rounds=400, probabilities=lambda p: p / 4),
    "kors-overestimation": lambda: doctored("kors-overestimation" + SAMPLING, probabilities=lambda p: p / 4),
    "kors-accuracy": lambda: doctored("kors-accuracy" + SAMPLING, probabilities=lambda p: p / 4),
    "kors-projection": lambda: doctored("kors-projection" + SAMPLING, accepted=lambda a: a[:0]),
    "kors-size": lambda: doctored("kors-size" + SAMPLING, accepted=lambda _: np.arange(1.0, 4001.0)),
    "sketched-kons-discarded": lambda: doctored(
        "sketched-kons-discarded(beta=200)", "sketched-kons(beta=200)", 300, kept=lambda k: k[:0]),
    "sketched-kons-accuracy": lambda: doctored(
        "sketched-kons-accuracy(beta=120)", "sketched-kons(beta=120)", 300, kept=lambda k: k[:0]),
    "pros-n-kons-epochs": lambda: doctored(
        "pros-n-kons-epochs" + SAMPLING, rounds=20_000, accepted=lambda _: np.arange(1.0, 20_001.0)),
    "pkawv-capacity": lambda: wrong(
        contrary, "pkawv-kors(mu=1e-4)", "pkawv-capacity(mu=1e-4, capacity=0.1)", 100),
    "pkawv-beforehand-capacity": lambda: wrong(
        contrary, TAYLOR, "pkawv-beforehand-capacity(mu=0.01, capacity=0.1)", 60, **SMOOTH),
    "dual-svrg-core": lambda: doctored(
        "dual-svrg-core(radius=0.5)", "dual-svrg(oracle=coverage, radius=0.5)", 60, "drift", moved=lambda m: 0.0 * m),
    "dual-svrg-oracle": lambda: doctored("dual-svrg-oracle", "dual-svrg", 60, moved=lambda m: 1.0 - m),
    "pivoted-points": lambda: doctored(
        "pivoted-points", "pkawv(embedding=pivoted-cholesky)", 20, atoms=lambda a: 0.99 * a),
    "batch-krr-identity": lambda: doctored(
        "batch-krr-identity", "batch-krr", 60, "repeated(points=5)", atoms=lambda a: 0.9 * a),
    "dual-svrg-moved": lambda: wrong(contrary, SVRG, f"dual-svrg-moved(epsilon=0.3, {SAME})"),
    "dual-svrg-checkpoints": lambda: doctored(
        "dual-svrg-checkpoints(regularisation=4)", "dual-svrg(regularisation=4, frequencies=400)", 300,
        "repeated(points=3)", checkpoint_values=lambda v: v + 2.0),
    "ogd": lambda: wrong(contrary, "fgd(rate=0.05)", "ogd(rate=0.05)"),
    "ogd-any-loss": lambda: wrong(contrary, "fgd(rate=0.05)", "ogd-any-loss(rate=0.05)", loss="hinge"),
    "ogd-ball": lambda: wrong(contrary, "fgd", "ogd-ball"),
    "ogd-projected": lambda: wrong(contrary, "fgd(rate=0.05, radius=1)", "ogd-projected(rate=0.05, radius=1)"),
    **{name: lambda name=name: wrong(contrary, "fgd(steps=inverse, shrinkage=0.05)", f"{name}(shrinkage=0.05)",
                                      loss="hinge") for name in ["ogd-strongly-convex", "ogd-logarithmic"]},
    "ogd-features": lambda: wrong(contrary, "fogd(rate=0.05)", "ogd-features(rate=0.05)"),
    "ogd-fourier-rkhs": lambda: wrong(contrary, "fogd(rate=0.05)", "ogd-fourier-rkhs(rate=0.05)"),
    "ogd-nystrom-rkhs": lambda: wrong(contrary, "nogd(budget=9, rate=0.05)", "ogd-nystrom-rkhs(rate=0.05)"),
    "ogd-perturbed": lambda: wrong(contrary, "bogd(budget=8, rate=0.05)", "ogd-perturbed(rate=0.05)", **STEEP),
    "ogd-strongly-convex-perturbed": lambda: wrong(
        contrary, "bsgd(budget=18)", "ogd-strongly-convex-perturbed(loss=hinge)", **STEEP),
    "ogd-two-spaces": lambda: wrong(contrary, "dual-sgd(budget=8, moved=3)", "ogd-two-spaces", **STEEP),
    "dual-svrg-identity": lambda: wrong(off, SVRG, f"dual-svrg-identity({SAME})"),
    "dual-svrg-gap": lambda: wrong(contrary, SVRG, f"dual-svrg-gap({SAME})"),
    "dual-svrg-coefficients": lambda: wrong(loud, SVRG, f"dual-svrg-coefficients({SAME})"),
    "dual-svrg-approximation": lambda: wrong(contrary, SVRG, f"dual-svrg-approximation(epsilon=0.3, {SAME})"),
    **{name: lambda name=name: never_learns(f"{name}(independent=true, regularisation=4, rate=0.004, period=300)")
       for name in ["dual-svrg-convergence", "dual-svrg-corollary"]},
    **{f"{name}-mistakes": lambda name=name: wrong(silent, name, f"{name}-mistakes")
       for name in ["perceptron", "projectron", "projectron-pp", "forgetron"]},
    "averaged-perceptron-updates": lambda: doctored(
        "averaged-perceptron-updates", "averaged-perceptron", 60, "far-point",
        update_rounds=lambda _: np.arange(1.0, 61.0)),
    "at-most": lambda: wrong(contrary, "kernel-awv", "at-most"),
    "online-dimension": lambda: misjudged("online-dimension", halved),
    **{name: lambda name=name: misjudged(name, inflated) for name in ["log-determinant", "log-determinant-trace"]},
    **{each.name: lambda each=each: each.judged().printed for each in ERRATA},
    "best-mergers": lambda: doctored("best-mergers", "bsgd(budget=3)", 60, "drift", removed_weights=heavier_mergers),
    "pkawv-growing-printed": lambda: wrong(contrary, "pkawv-kors(mu=1e-4)", "pkawv-growing-printed", 100),
}  # fmt: skip
