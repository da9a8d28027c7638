"""Rows of the table of growth rates: the laws that the theory predicts (theory F11), and the laws that were found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.specs import registry
from growth_rates.laws import BOUNDED, LINEAR, LOG, POLYLOG, RESTARTS, RESTARTS_LOG, ROOT, SQUARE, TO_LINEAR, Law
from growth_rates.sequences import COLUMNS

SHORT, FULL = 1_000, 100_000  # rounds of the longest of four matches, each twice as long as the one before

PREDICTED = {  # the groups of the theory's table, one text for each column
    "exact": ("log T", "log T", "log T", "O(1)", "polylog"),
    "kors": ("log T", "log T", "log T", "O(1)", "polylog"),
    "taylor": ("log T", "T", "T", "T", "T"),
    "fourier": ("log T", "T", "O(1)", "T", "T"),
    "sketched": ("log T", "log T", "log T", "O(1)", "polylog"),
    "pros": ("J log T", "J log T", "J log T", "T", "T"),
    "con": ("log T", "log T", "log T", "O(1)", "polylog"),
    "b-kons": ("log T", "T", "log T", "O(1)", "T"),
    "ogd": ("√T", "√T", "√T", "√T", "√T to T"),
    "ogd, features": ("√T", "T", "√T", "√T", "√T to T"),
    "budgeted": ("T", "T", "O(1)", "T", "T"),
    "perceptron": ("T", "O(1)", "O(1)", "O(1)", "T"),
    "svrg": ("O(1)", "T", "O(1)", "not predicted", "T"),
    "svrg, blocks": ("T",),
}


@dataclass(frozen=True)
class Row:
    """A learner (`spec`), its group in `PREDICTED`, and the laws that were found, one for each column.

    `group` is "" if the theory predicts nothing for the learner.
    """

    spec: str
    group: str
    laws: tuple[Law, ...]
    counts: str = "regret"  # or mistakes
    loss: str = "squared"
    seeds: int = 1
    sequences: dict[str, str] = field(default_factory=dict)  # by column, a sequence instead of the column's own
    short: dict[str, int] = field(default_factory=dict)  # longest matches of the tests
    full: dict[str, int] = field(default_factory=dict)  # longest matches where a round's cost grows too fast for FULL
    short_greedy: int = 200  # rounds of the tests' match in column F1

    @property
    def learner(self) -> str:
        """The learner's name in the registry."""
        return self.spec.partition("(")[0]

    @property
    def label(self) -> str:
        """The spec; if the row's labels come in blocks of 100, a remark says so."""
        return f"{self.spec}, labels in blocks of 100" if self.group == "svrg, blocks" else self.spec


FOGD = "fogd(frequencies=6)"
BOGD = "bogd(budget=10)"
BSGD_REMOVE = "bsgd(budget=10, maintenance=remove)"
DUAL_SGD = "dual-sgd(budget=10, frequencies=5, moved=3)"
SVRG = "dual-svrg(budget=10, frequencies=2, regularisation=0.001)"
# rounds of exact learners cost O(t^2) in F8; their regret against greedy settles late
FRESH = {"short": {"F8": 800}, "full": {"F8": 8_000}, "short_greedy": 400}
LEAN = {"full": dict.fromkeys(COLUMNS, 20_000)}
EXPERTS = {"short": {"F8": 800}, "full": {**LEAN["full"], "F8": 4_000}}
EXACT = (LOG, BOUNDED, BOUNDED, BOUNDED, POLYLOG)
ROWS = (
    Row("kernel-awv", "exact", EXACT, **FRESH),
    Row("clipped-krr", "exact", EXACT, **FRESH),
    Row("krr", "exact", EXACT, **FRESH),
    Row("ewa", "exact", EXACT, **FRESH),
    Row("kons", "exact", EXACT, short={"F8": 800}, full={"F8": 4_000}),
    Row("pkawv-kors", "kors", EXACT, seeds=3, **FRESH),
    Row("pkawv(embedding=taylor(degree=2))", "taylor", (LOG, LINEAR, LINEAR, BOUNDED, LINEAR)),
    Row("pkrr(embedding=taylor(degree=2))", "taylor", (LOG, LINEAR, LINEAR, BOUNDED, LINEAR)),
    Row("pkawv(embedding=fourier(frequencies=6))", "fourier", (LOG, LINEAR, BOUNDED, LINEAR, LINEAR)),
    Row(
        "sketched-kons(floor=0.3)",
        "sketched",
        EXACT,
        seeds=3,
        short={"F8": 800},
        full={"F8": 4_000},
        short_greedy=400,
    ),
    Row(
        "pros-n-kons",
        "pros",
        (RESTARTS_LOG, RESTARTS, RESTARTS, LINEAR, LINEAR),
        seeds=6,
        sequences={"F4": "F4, 5 points"},
        short={"F2": 4_000, "F4": 16_000, "F5": 4_000},
        full={"F8": 20_000},
    ),
    Row("con-kons", "con", EXACT, seeds=3, full={"F8": 20_000}, short_greedy=400),
    Row(
        "b-kons(max_size=10)",
        "b-kons",
        (LOG, LINEAR, BOUNDED, BOUNDED, LINEAR),
        seeds=3,
        short={"F2": 4_000},
        short_greedy=400,
    ),
    Row("fgd", "ogd", (ROOT, ROOT, ROOT, ROOT, LINEAR), short={"F4": 2_000}),
    Row(FOGD, "ogd, features", (ROOT, LINEAR, ROOT, LINEAR, LINEAR), short={"F8": 16_000}),
    Row("nogd(budget=10, rank=10)", "ogd, features", (ROOT, LINEAR, ROOT, ROOT, LINEAR)),
    Row("perceptron", "perceptron", (LINEAR, BOUNDED, BOUNDED, BOUNDED, LINEAR), counts="mistakes"),
    Row("projectron-pp", "perceptron", (LINEAR, BOUNDED, BOUNDED, BOUNDED, LINEAR), counts="mistakes"),
    Row("projectron(budget=10)", "budgeted", (LINEAR, LINEAR, BOUNDED, BOUNDED, LINEAR), counts="mistakes"),
    Row("rbp(budget=10)", "budgeted", (LINEAR, LINEAR, BOUNDED, BOUNDED, LINEAR), counts="mistakes", seeds=3),
    Row("forgetron(budget=10)", "budgeted", (LINEAR, LINEAR, BOUNDED, BOUNDED, LINEAR), counts="mistakes",
        short={"F4": 2_000}, short_greedy=400),
    Row(BOGD, "budgeted", (ROOT, LINEAR, TO_LINEAR, TO_LINEAR, TO_LINEAR), short={"F2": 64_000}),
    Row("bsgd(budget=10)", "budgeted", (LOG, LINEAR, BOUNDED, LINEAR, LINEAR), short_greedy=400),
    Row(BSGD_REMOVE, "budgeted", (BOUNDED, LINEAR, LINEAR, LINEAR, LINEAR), short={"F5": 2_000, "F8": 2_000}),
    Row(DUAL_SGD, "budgeted", (LOG, LINEAR, LINEAR, LINEAR, LINEAR)),
    Row(
        SVRG,
        "svrg",
        (BOUNDED, LINEAR, BOUNDED, BOUNDED, LINEAR),
        loss="smooth-hinge",
        short={"F2": 2_000, "F4": 16_000, "F8": 2_000},
        short_greedy=400,
    ),
    Row(
        SVRG,
        "svrg, blocks",
        (LINEAR,),
        loss="smooth-hinge",
        sequences={"F2": "F2, blocks of 100"},
        short={"F2": 16_000},
    ),
    Row("sgd", "", (ROOT, LINEAR, ROOT, LINEAR, LINEAR), **LEAN),
    Row("adagrad", "", (LINEAR, LINEAR, BOUNDED, SQUARE, LINEAR), **LEAN),
    Row("ftrl-proximal", "", (LINEAR, LINEAR, BOUNDED, SQUARE, LINEAR), **LEAN),
    Row("rls", "", (BOUNDED, LINEAR, BOUNDED, LINEAR, LINEAR), **LEAN),
    Row("ons", "", (BOUNDED, LINEAR, BOUNDED, LINEAR, LINEAR), **LEAN),
    Row("eg", "", (BOUNDED, LINEAR, ROOT, LINEAR, LINEAR), **LEAN),
    Row("winnow", "", (LINEAR, LINEAR, BOUNDED, LINEAR, LINEAR), counts="mistakes", **LEAN),
    Row("pa", "", (LINEAR, BOUNDED, BOUNDED, BOUNDED, LINEAR), counts="mistakes", **LEAN),
    Row("pa-1", "", (LINEAR, BOUNDED, BOUNDED, BOUNDED, LINEAR), counts="mistakes", **LEAN),
    Row("pa-2", "", (LINEAR, BOUNDED, BOUNDED, BOUNDED, LINEAR), counts="mistakes", **LEAN),
    Row("averaged-perceptron", "", (LINEAR, BOUNDED, BOUNDED, BOUNDED, TO_LINEAR), counts="mistakes", **LEAN),
    Row("hedge", "", (LOG, LOG, LOG, LOG, POLYLOG), **EXPERTS),
    Row("follow-the-leader", "", (LOG, BOUNDED, BOUNDED, BOUNDED, ROOT), short_greedy=800, **EXPERTS),
    Row("late-labels(delay=2)", "", EXACT, short_greedy=800, **EXPERTS),
)  # fmt: skip
MISSING = {  # the reasons why these learners have no row
    "zero": "it does not learn: it loses B^2 in every round, which is what all others are measured by",
    "batch-krr": "it must know the whole sequence beforehand, so it plays no online game",
    "libsvm": "it must know the whole sequence beforehand, so it plays no online game",
    "llsvm": "it must know the whole sequence beforehand, so it plays no online game",
    "pkawv-beforehand": "it must know the points of the whole sequence beforehand",
}


def missing() -> dict[str, str]:
    """Return the registered learners without a row, each with the reason."""
    measured = {row.learner for row in ROWS}
    return {name: MISSING.get(name, "not measured yet") for name in registry.entries("learner") if name not in measured}


class Cell(NamedTuple):
    """A cell of the table: a row, a column, the law that was found, and the law that the theory predicts."""

    row: Row
    column: str
    law: Law
    predicted: str


def cells() -> Iterator[Cell]:
    for row in ROWS:
        predictions = PREDICTED[row.group] if row.group else [law.text for law in row.laws]
        for column, law, predicted in zip(COLUMNS, row.laws, predictions, strict=False):
            yield Cell(row, column, law, predicted)
