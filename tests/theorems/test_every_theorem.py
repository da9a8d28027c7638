"""Every registered theorem holds in matches of every kind, and is violated by a planted mistake.

A row of ROWS gives the learner and the games with which a theorem is tried. A theorem without a row is tried with the
first learner that promises it. A theorem without an entry in MISTAKES is tried with usual mistakes of this learner.
With REGRET_ARENA_FULL=1 each theorem is judged in a thousand matches in which its assumptions hold.
"""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binomtest

from arena import play
from arena.errors import ArenaError
from arena.papers.tightness import promised_by
from arena.players.learner import as_learner
from arena.record.commands import play_command
from arena.record.judging import judge, promises_of
from arena.specs.building import build
from arena_tests import FULL
from arena_tests.planted.against_theorems import MISTAKES, contrary, loud, off, silent, wrong
from arena_tests.theorem_rows import EVERY, ROWS, WITHOUT_A_ROW

WANTED = 1000 if FULL else 3  # matches in which each theorem of a row applies
MOST = 30 * WANTED  # matches of a row

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


NO_LEARNER = """no learner promises {name!r}. Do one of these:
- name it in the `theorems` of a learner in learners/;
- if a learner promises it with other parameters only, add that spec to THEORY_PARAMETERS in arena/papers/tightness.py;
- or add a row to ROWS in tests/support/arena_tests/theorem_rows.py, with a learner that meets its
  assumptions, for instance Row("kernel-awv", "{name}", {{"loss": "squared"}}, ("{name}",))"""
TOO_FEW = """{row.learner} in {tried} random matches: {name!r} applied to {applied} matches, {WANTED} are needed.
In the row of {name!r} in ROWS of tests/theorems/test_every_theorem.py, name a learner with parameters that meet its
assumptions, or fix the fields of the game that they need, for instance
    Row("fgd(rate=0.2)", "ogd-ball", {{"loss": "squared"}}),"""


def a_match(row, number):
    """Return a match of the row with a random adversary, game and length; None if it cannot be played."""
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


NO_MISTAKE = """{learner} with a usual mistake (sign wrong, 0.01 or 60 times too much, always 0) does not violate
{name!r}. A theorem that no learner can break tests nothing. Add an entry to MISTAKES in
tests/support/arena_tests/planted/against_theorems.py that returns a violated verdict, for instance
    "{name}": lambda: wrong(contrary, "{learner}", "{name}", rounds=1000, adversary="alternating"),
where `contrary` is a function from right predictions to wrong ones. For a statement about points alone, which no
prediction can break, patch the code that computes it: "{name}": lambda: misjudged("{name}", patch), as for
"online-dimension". If it is not applicable, a row of ROWS can fix the fields of the game that it needs. The last
verdict was: {verdict}"""


def by_a_usual_mistake(name):
    """Return the first verdict "violated" on a learner that promises the theorem, with one of four mistakes."""
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
