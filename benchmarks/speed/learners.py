"""Benchmarks of every learner: in blocks, round by round, and compared with its paper's pseudo-code.

Most learners play random points in 8 dimensions with random signs as labels, so that budgeted learners err in about
half of the rounds. If a learner's rounds become slower during a match, `rounds` equals `few`: then the learner in
blocks and the pseudo-code play equally many rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np

from arena import Game, Gaussian
from arena.arrays import Array
from arena.players.learner import Learner
from arena.specs import registry
from arena.specs.building import build

from .measuring import Case, Side
from .printed import descents, experts, linear, perceptrons, second_order
from .printed.descents import FREQUENCIES, MOVED, RANK
from .printed.perceptrons import BUDGET
from .printed.transcription import Transcription

DIMENSION, HORIZON = 8, 4000
DUAL = f"budget={BUDGET}, frequencies={FREQUENCIES}"
FEATURES = {degree: comb(DIMENSION + degree, degree) for degree in (2, 3)}
MANY = 600
ATOMS = {"multiply": 2.0 * BUDGET * (DIMENSION + 1), "exp": float(BUDGET)}
WAVES = {"multiply": 2.0 * FREQUENCIES * (DIMENSION + 4), "tangent": float(FREQUENCIES)}


@dataclass(frozen=True)
class Entry:
    """A learner to be measured, and the way in which it is measured.

    - `printed` is the paper's pseudo-code; None if there is none.
    - `warm` rounds are played before the clock starts. Then the learner plays `rounds` rounds in blocks. Round by
      round, the learner and the pseudo-code play `few` rounds.
    - `work` is the amount of each of the machine's resources (`machine.rates`) that a round needs.
    - `same` is true if the pseudo-code makes the same predictions as the learner.
    """

    spec: Any
    printed: Callable[[Game, np.random.Generator], Transcription] | None = None
    rounds: int = 2000
    few: int = 400
    warm: int = 0
    work: Mapping[str, float] = field(default_factory=dict)
    same: bool = True
    bandwidth: float = 0.5
    data: str = "signs"

    def game(self) -> Game:
        """Return the game; its horizon sets the step sizes of learners."""
        dimension = 9 if self.data == "proteins" else DIMENSION
        return Game(rounds=HORIZON, dimension=dimension, kernel=Gaussian(bandwidth=self.bandwidth))


def growing(rounds: int, share: float) -> dict[str, float]:
    """Return the mean work of a round for a learner that adds an atom in this share of the rounds."""
    atoms = 0.5 * share * rounds
    return {"multiply": 2.0 * atoms * (DIMENSION + 1), "exp": atoms}


def newton(spec: str) -> Entry:
    """Return the entry of a learner of the KONS family, with the data `proteins`.

    On these data, which resemble the data set casp, the dictionary of KORS grows to about 90 points.
    """
    printed = second_order.in_the_span(spec)
    return Entry(spec, printed, rounds=20_000, few=100, warm=4000, bandwidth=8.0, data="proteins")


ENTRIES = (
    Entry("zero", linear.Zero, few=2000),
    Entry("sgd", linear.Weights),
    Entry("adagrad", linear.AdaGrad),
    Entry("ftrl-proximal", linear.Ftrl),
    Entry("eg", linear.Eg),
    Entry("winnow", linear.Winnow),
    Entry("ons", linear.Ons),
    Entry("rls", linear.Rls),
    Entry("perceptron", perceptrons.Perceptron, 1500, 1500, work=growing(1500, 0.5)),
    Entry("averaged-perceptron", perceptrons.AveragedPerceptron, 1000, 1000, work=growing(1000, 0.5)),
    Entry(f"rbp(budget={BUDGET})", perceptrons.Rbp, warm=1500, work=ATOMS, same=False),
    Entry(f"forgetron(budget={BUDGET})", perceptrons.Forgetron, warm=1500, work=ATOMS),
    Entry(f"projectron(budget={BUDGET})", perceptrons.Projectron, warm=1500, work=ATOMS),
    Entry(f"projectron-pp(budget={BUDGET})", perceptrons.ProjectronPlusPlus, warm=1500, work=ATOMS),
    Entry("pa", perceptrons.PassiveAggressive, 1500, 1500, work=growing(1500, 1.0)),
    Entry("pa-1", perceptrons.PassiveAggressiveOne, 1500, 1500, work=growing(1500, 1.0)),
    Entry("pa-2", perceptrons.PassiveAggressiveTwo, 1500, 1500, work=growing(1500, 1.0)),
    Entry("fgd", descents.Fgd, 1500, 1500, work=growing(1500, 1.0)),
    Entry(f"fogd(frequencies={FREQUENCIES})", descents.Fogd, work=WAVES),
    Entry(f"nogd(budget={BUDGET}, rank={RANK})", descents.Nogd, warm=1500, work=ATOMS),
    Entry(f"bogd(budget={BUDGET})", descents.Bogd, warm=1500, work=ATOMS, same=False),
    Entry(f"bsgd(budget={BUDGET}, maintenance=remove)", descents.Bsgd, warm=1500, work=ATOMS, same=False),
    Entry(f"bsgd(budget={BUDGET})", descents.BsgdMerging, warm=1500, few=200, work=ATOMS, same=False),
    Entry(f"dual-sgd({DUAL}, moved={MOVED})", descents.DualSgd, warm=1500, work={**ATOMS, **WAVES}, same=False),
    Entry("dual-svrg", second_order.Variance, 150, 150, same=False),
    Entry("krr", second_order.DenseRidge, 200, 200),
    Entry("clipped-krr", second_order.ClippedRidge, 200, 200),
    Entry("kernel-awv", second_order.DenseForecaster, 200, 200),
    Entry(
        "pkawv(embedding=taylor(degree=2))",
        second_order.LowerDegree,
        rounds=20_000,
        work={"multiply": 4.0 * FEATURES[2] ** 2},
        bandwidth=1.0,
    ),
    Entry(
        "pkawv(embedding=taylor(degree=3))",
        second_order.OnFeatures,
        rounds=8000,
        few=100,
        work={"multiply": 4.0 * FEATURES[3] ** 2},
        bandwidth=1.0,
    ),
    Entry(
        "pkrr(embedding=taylor(degree=3))",
        second_order.RidgeOnFeatures,
        rounds=8000,
        few=100,
        work={"multiply": 4.0 * FEATURES[3] ** 2},
        bandwidth=1.0,
    ),
    Entry(
        f"pkawv(embedding=fourier(frequencies={MANY // 2}))",
        second_order.OnWaves,
        rounds=4000,
        few=100,
        work={"multiply": 4.0 * MANY**2},
        bandwidth=1.0,
    ),
    Entry("pkawv-beforehand", second_order.BeforehandForecaster, 400, 400, data="proteins", bandwidth=2.0),
    Entry("batch-krr", second_order.Batch, 400, 400, data="proteins", bandwidth=2.0),
    Entry("pkawv-kors", second_order.GrowingForecaster, 150, 150, data="proteins", bandwidth=2.0),
    Entry("kons", second_order.Kons, 150, 150),
    Entry("sketched-kons", second_order.SketchedKons, 150, 150, same=False),
    newton("pros-n-kons(gamma=1.4)"),
    newton("con-kons(gamma=1.4)"),
    newton("b-kons(gamma=1.4, max_size=100)"),
    Entry(f"ewa({experts.EXPERTS})", experts.Aggregation),
    Entry(f"hedge({experts.EXPERTS})", experts.Hedge),
    Entry(f"follow-the-leader({experts.EXPERTS})", experts.Leader),
    Entry("late-labels(of=kernel-awv)", second_order.Late, 150, 150),
    Entry("libsvm", second_order.LibSvm, 800, 800, same=False),
    Entry("llsvm", second_order.LowRank, 2000, 2000, same=False),
)


def sequence(entry: Entry, rounds: int) -> tuple[Array, Array]:
    """Return the points and labels that a learner plays."""
    rng = np.random.default_rng(0)
    if entry.data == "proteins":
        X = rng.uniform(-1, 1, (rounds, 9)) / np.sqrt(np.arange(1, 10))
        return X, np.clip(np.sin(3 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=rounds), -1, 1)
    return rng.uniform(-1, 1, (rounds, DIMENSION)), rng.choice([-1.0, 1.0], rounds)


def begun(entry: Entry) -> Learner:
    """Return a new learner at the beginning of the entry's game."""
    learner: Learner = build("learner", entry.spec)
    learner.begin(entry.game(), np.random.default_rng(1))
    return learner


def transcribed(entry: Entry) -> Transcription:
    """Return the pseudo-code at the beginning of the entry's game, with the learner's seed."""
    assert entry.printed is not None
    return entry.printed(entry.game(), np.random.default_rng(1))


def case_of(entry: Entry, *, quick: bool) -> Case:
    """Return the benchmark of a learner."""
    rounds = entry.rounds if entry.rounds == entry.few or not quick else max(entry.rounds // 4, entry.few)
    X, y = sequence(entry, entry.warm + max(rounds, entry.few))
    before, later = slice(0, entry.warm), slice(entry.warm, entry.warm + rounds)
    soon = slice(entry.warm, entry.warm + entry.few)

    def warm() -> Learner:
        learner = begun(entry)
        if entry.warm:
            learner.replay(X[before], y[before])
        return learner

    def in_blocks() -> Callable[[], object]:
        learner = warm()
        return lambda: learner.replay(X[later], y[later])

    def one_by_one() -> Callable[[], object]:
        learner = warm()
        return lambda: Learner.replay(learner, X[soon], y[soon])

    def as_printed() -> Callable[[], object]:
        slow: Any = transcribed(entry)
        if hasattr(slow, "take_over"):
            slow.take_over(warm())
        elif entry.warm:
            slow.run(X[before], y[before])
        return lambda: slow.run(X[soon], y[soon])

    sides = {"blocks": Side(in_blocks, rounds)}
    if not begun(entry).foresight:
        sides["one by one"] = Side(one_by_one, entry.few)
    ratios = {f"pseudo-code / {side}": ("pseudo-code", side) for side in sides if entry.printed}
    if entry.printed:
        sides["pseudo-code"] = Side(as_printed, entry.few)
    elif "one by one" in sides:
        ratios["one by one / blocks"] = ("one by one", "blocks")
    size = f"{rounds:,} rounds" + (f" after {entry.warm:,}" if entry.warm else "")
    return Case("learners", str(entry.spec), size, sides, ratios, entry.work)


def entries() -> list[Entry]:
    """Return `ENTRIES`, and an entry without pseudo-code for every other learner."""
    known = {entry.spec.partition("(")[0] for entry in ENTRIES}
    return [*ENTRIES, *(Entry(name) for name in registry.entries("learner") if name not in known)]


def cases(*, quick: bool) -> list[Case]:
    """Return a benchmark for each learner."""
    return [case_of(entry, quick=quick) for entry in entries()]
