"""Every registered theorem holds over matches of every kind, and a planted mistake violates it.

A row of ROWS says by which learner a theorem is tried, and in which games if not in all. A theorem without a row is
tried by the first learner that promises it, and a theorem without an entry in MISTAKES with the usual mistakes of that
learner. With REGRET_ARENA_FULL=1 each theorem is judged in a thousand matches in which its assumptions hold.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from arena import Learner, play
from arena.errors import ArenaError
from arena.papers.errata import ERRATA
from arena.papers.tightness import PRINTED, promised_by
from arena.players.learner import as_learner
from arena.record.commands import play_command
from arena.record.judging import judge, promises_of
from arena.specs import registry
from arena.specs.building import build
from arena.theorems.dimensions import OnlineDimension
from arena_tests import FULL
from arena_tests.planted.around import Around

WANTED = 1000 if FULL else 3  # matches in which each theorem of a row applies
MOST = 30 * WANTED  # matches of a row
EVERY = sorted(name for name in registry.entries("theorem") if not registry.find("theorem", name).lower)

SQUARED = ["greedy(starts=16, polished=0)", "lookahead(depth=2, width=2, starts=16)", "joint(horizon=20, trials=5)"]
ADVERSARIES = [
    "alternating",
    "budget-breaker",
    "contrarian",
    "contrarian(source=repeated(points=8))",
    "drift(places=7)",
    "far-point",
    "feature-blind(points=20)",
    "kors-evader",
    "label-blocks(length=7)",
    "leverage(starts=16, polished=0)",
    "mixture(of=[alternating, 'repeated(points=5)', far-point], stretch=5)",
    "near-duplicates",
    "orthogonal",
    "realisable",
    "repeated(points=2, labels=alternating)",
    "repeated(points=5)",
    "repeated(points=20, labels=contrary)",
    "restart-forcer",
]
LOSSES = ["squared", "logistic", "squared-hinge", "hinge", "smooth-hinge", "absolute"]
KERNELS = ["gaussian", "gaussian(bandwidth=0.2)", "gaussian(bandwidth=3)", "laplacian", "linear(offset=1)"]
BOUNDS = [1.0, 1.0, 1e-3, 3.0, 50.0]


@dataclass(frozen=True)
class Row:
    """A learner, the names of the theorems to judge, and the game's fixed fields.

    Without `claims` the learner's own promises are judged.
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
NO_LEARNER = """no learner promises {name!r}. Do one of these:
- name it in the `theorems` of a learner in learners/;
- if a learner promises it with other parameters only, add that spec to THEORY_PARAMETERS in arena/papers/tightness.py;
- or add a row to ROWS in tests/theorems/test_every_theorem.py, with a learner that meets its
  assumptions, for instance Row("kernel-awv", "{name}", {{"loss": "squared"}}, ("{name}",))"""
TOO_FEW = """{row.learner} in {tried} random matches: {name!r} applied to {applied} matches, {WANTED} are needed.
In the row of {name!r} in ROWS of tests/theorems/test_every_theorem.py, name a learner with parameters that meet its
assumptions, or fix the fields of the game that they need, for instance
    Row("fgd(rate=0.2)", "ogd-ball", {{"loss": "squared"}}),"""


def a_match(row, number):
    """A match of the row with a random adversary, loss, kernel, bounds and length; None if it cannot be played."""
    rng = np.random.default_rng([number, *row.learner.encode()])
    game = {
        "loss": str(rng.choice(LOSSES)) if rng.random() < 0.6 else "squared",
        "kernel": str(rng.choice(KERNELS)),
        "label_bound": float(rng.choice(BOUNDS)),
        "regularisation": float(10.0 ** rng.uniform(-1.5, 2)),
        "dimension": int(rng.integers(1, 4)),
        "rounds": int(rng.integers(1, 45)),
        **row.game,
    }
    if rng.random() < 0.3:
        game["prediction_bound"] = game["label_bound"] * float(rng.choice([0.5, 2.0]))
    opponents = [*ADVERSARIES, *(SQUARED if game["loss"] == "squared" else [])]
    adversary = str(rng.choice(list(row.adversaries) or opponents))
    try:
        run = play(row.learner, adversary, seed=number, **game)
    except ArenaError:
        return None
    return None if run.forfeit else run


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.learner)
def test_it_holds_in_matches_of_every_kind(row, capsys):
    names, applied, broken, chance = row.theorems.split(), Counter(), Counter(), {}
    met, first = set(), []
    for number in range(MOST):
        if all(applied[name] >= WANTED for name in names):
            break
        run = a_match(row, number)
        if run is None:
            continue
        theorems = [build("theorem", claim) for claim in row.claims] or list(promises_of(run))
        for theorem in theorems:
            verdict = judge(run, theorem)
            applied[theorem.name] += verdict.applicable
            broken[theorem.name] += verdict.violated
            chance[theorem.name] = 1.0 if theorem.in_expectation else 1.0 - theorem.confidence
            met |= {run.adversary} if verdict.applicable else set()
            first += [f"{play_command(run)}: {verdict}"] if verdict.violated else []
    if FULL:
        with capsys.disabled():
            print(f"{row.learner}: {dict(applied)}, violated: {+broken}")
    for name in names:
        assert applied[name] >= WANTED, TOO_FEW.format(
            row=row, name=name, tried=number + 1, applied=applied[name], WANTED=WANTED
        )
    for name, failures in broken.items():
        if chance[name] == 0.0:
            assert not failures, first[0]
        elif failures:
            assert binomtest(failures, applied[name], chance[name], alternative="greater").pvalue > 1e-3, first[0]
    assert len(met) >= (12 if FULL and not row.adversaries else 1), met


# ---- planted mistakes


def contrary(p):
    return -p


def off(p):
    return p + 0.01


def loud(p):
    return 60.0 * p


def silent(p):
    return 0.0 * p


def wrong(say, spec, claim, rounds=200, adversary="far-point", **game):
    """The verdict on a match of a learner with a mistake; without the mistake the claim must not be violated."""
    game = {"kernel": "gaussian(bandwidth=0.5)", **game}
    right = judge(play(Around(spec), adversary, rounds=rounds, **game), claim)
    assert not right.violated, f"{spec} without a mistake, against {adversary}: {right}"
    return judge(play(Around(spec, say), adversary, rounds=rounds, **game), claim)


def doctored(claim, learner="con-kons(beta=150, gamma=1000)", rounds=4000, adversary="alternating", **evidence):
    """The verdict on a match after some of its evidence was replaced."""
    run = play(learner, adversary, rounds=rounds, hindsight="none")
    assert judge(run, claim).holds
    changed = {key: change(run.evidence[key]) for key, change in evidence.items()}
    return judge(replace(run, evidence={**run.evidence, **changed}), claim)


def heavier_mergers(weights):
    """The weights of two atoms and of their merger, by turns, with 1 % more weight on each merger."""
    return weights * np.resize([1.0, 1.0, 1.01], len(weights))


def keeps_all(claim):
    """The verdict on KONS with the sign wrong, whose evidence says that it kept every gradient."""
    run = play(Around("kons", contrary), "far-point", rounds=200)
    return judge(replace(run, evidence={"kept": np.arange(1.0, 201.0)}), claim)


def never_learns(claim):
    """The verdict on a learner whose evidence has large margins only; the loss is flat there, so that u stays zero."""

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
    """The verdict of a theorem about points alone, whose dimensions are computed wrongly."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        patch(monkeypatch)
        return judge(play("zero", "repeated(points=5)", rounds=60), name)


def halved(monkeypatch):
    right = OnlineDimension._log_determinant
    monkeypatch.setattr(OnlineDimension, "_log_determinant", lambda self, run: 0.5 * right(self, run))


def inflated(monkeypatch):
    from arena.theorems import dimensions

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


NO_MISTAKE = """{learner} with a usual mistake (sign wrong, 0.01 or 60 times too much, always 0) does not violate
{name!r}. A theorem that no learner can break tests nothing. Add an entry to MISTAKES in
tests/theorems/test_every_theorem.py that returns a violated verdict, for instance
    "{name}": lambda: wrong(contrary, "{learner}", "{name}", rounds=1000, adversary="alternating"),
where `contrary` is a function from right predictions to wrong ones. For a statement about points alone, which no
prediction can break, patch the code that computes it: "{name}": lambda: misjudged("{name}", patch), as for
"online-dimension". If it is not applicable, a row of ROWS can fix the fields of the game that it needs. The last
verdict was: {verdict}"""


def by_a_usual_mistake(name):
    """The first violated verdict on the learner that promises the theorem, with one of four mistakes."""
    learners = promised_by(name)
    assert learners, NO_LEARNER.format(name=name)
    claim = next(
        each for each in as_learner(build("learner", learners[0])).theorems if build("theorem", each).name == name
    )
    game = next((row.game for row in ROWS if name in row.theorems.split()), {})
    for say in (contrary, off, loud, silent):
        verdict = wrong(say, learners[0], claim, **game)
        if verdict.violated:
            return verdict
    raise AssertionError(NO_MISTAKE.format(learner=learners[0], name=name, verdict=verdict))


@pytest.mark.parametrize("name", EVERY)
def test_a_planted_mistake_violates_it(name):
    verdict = MISTAKES[name]() if name in MISTAKES else by_a_usual_mistake(name)
    assert verdict.violated, str(verdict)
    assert verdict.name == name


def test_every_theorem_has_a_row_or_a_learner_that_promises_it():
    for name in WITHOUT_A_ROW:
        assert promised_by(name), NO_LEARNER.format(name=name)


def test_the_tables_name_registered_theorems_alone():
    assert {name for row in ROWS for name in row.theorems.split()} | set(MISTAKES) <= set(EVERY)
