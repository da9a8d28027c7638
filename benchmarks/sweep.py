"""False alarms of the theorems: every promise of every learner, over parameters and games of all sizes.

    python benchmarks/sweep.py [--matches 12000] [--first 0] [--workers 2] [--write]

Each match has a number, which is the seed for all random choices of the match. The learners are played in turn, with
default parameters in about a quarter of the matches and random ones in the others. The adversary, kernel, loss, B, C
and lambda are drawn at random, with B from 1e-8 to 1e8 and lambda from 1e-12 to 1e8. A match has at most 60 rounds.

The learners are correct, so a verdict "violated" is a false alarm, and so is an exception. A theorem that holds with a
probability may fail as often as this probability allows. Theorems that hold in expectation are not judged here, since
they need many seeds.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import binom

from _tools import publish
from arena import play
from arena.errors import ArenaError
from arena.game.losses import Squared
from arena.players.learner import as_learner
from arena.record.commands import play_command
from arena.record.judging import judge, promises_of
from arena.record.transcript import Transcript
from arena.specs import registry
from arena.specs.building import build
from arena.specs.spelling import spec_text
from arena.specs.variants import free_parameters, variant, variant_changes

MATCHES = 12_000
CHUNK = 50  # matches that one process plays before it reports
LEVEL = 1e-4  # of the test of theorems that leave room for chance

ADVERSARIES = [
    "alternating", "budget-breaker", "contrarian", "contrarian(source=repeated(points=8))", "drawn", "drift(places=7)",
    "far-point", "feature-blind(points=20)", "kors-evader", "label-blocks(length=7)", "leverage(starts=16, polished=0)",
    "near-duplicates", "orthogonal", "realisable", "repeated(points=2, labels=alternating)", "repeated(points=5)",
    "repeated(points=7, labels=contrary)", "repeated(points=20, labels=contrary)", "restart-forcer",
]  # fmt: skip
SQUARED = ["greedy(starts=8, polished=0)", "lookahead(depth=2, width=2, starts=8)", "joint(horizon=10, trials=3)"]
LOSSES = ["squared", "hinge", "squared-hinge", "smooth-hinge", "logistic", "absolute", "epsilon-insensitive"]
KERNELS = ["gaussian", "gaussian(bandwidth=0.1)", "gaussian(bandwidth=3)", "laplacian", "linear", "linear(offset=1)",
           "polynomial(degree=2)"]  # fmt: skip
SHARES = [0.01, 0.1, 0.5, 0.9]  # C / B below one
# Learners with parameters to which theorems apply that do not apply at the defaults.
MORE = ["con-kons(beta=120)", "pros-n-kons(beta=60, gamma=0.1)", "pkawv-kors(beta=120, mu=0.1)", "kons(alpha=0.3)",
        "pkawv(embedding=taylor(degree=12))", "dual-svrg(regularisation=4, frequencies=400)"]  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """A match of the sweep that is not played yet: the learner, the adversary, the game and the seed."""

    learner: str
    adversary: str
    game: dict[str, Any]
    seed: int


@dataclass
class Tally:
    """Counts over many matches: how often each theorem was judged, failed or was undecided, and in which games.

    `alarms` has a text for each match that is a false alarm by itself.
    """

    matches: int = 0
    rounds: int = 0
    unfit: int = 0  # settings that learner or adversary refuse
    forfeits: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    beyond: Counter[str] = field(default_factory=Counter)  # not applicable: the numbers are beyond double precision
    chance: dict[str, float] = field(default_factory=dict)
    alarms: list[str] = field(default_factory=list)
    settings: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Add the counts and the alarms of other matches."""
        self.matches += other.matches
        self.rounds += other.rounds
        self.unfit += other.unfit
        for mine, theirs in ((self.forfeits, other.forfeits), (self.judged, other.judged), (self.failed, other.failed),
                             (self.undecided, other.undecided), (self.beyond, other.beyond)):  # fmt: skip
            mine.update(theirs)
        for name, chance in other.chance.items():
            self.chance[name] = max(self.chance.get(name, 0.0), chance)
        for name, kinds in other.settings.items():
            self.settings.setdefault(name, Counter()).update(kinds)
        self.alarms += other.alarms

    def false_alarms(self) -> list[str]:
        """Return the texts of all false alarms.

        These are the recorded alarms, and the theorems that fail more often than the probability with which they may
        fail.
        """
        too_often = [
            f"{name}: failed in {failures} of {self.judged[name]} matches"
            for name, failures in self.failed.items()
            if binom.sf(failures - 1, self.judged[name], self.chance.get(name, 0.0)) < LEVEL
        ]
        return self.alarms + too_often


def learners() -> list[str]:
    """Return the learners that promise at least one theorem, and the specs in `MORE`."""
    return [name for name in sorted(registry.entries("learner")) if as_learner(build("learner", name)).theorems] + MORE


def setting(number: int, names: Sequence[str]) -> Setting:
    """Return the match with this number; its learner is `names[number % len(names)]`."""
    rng = np.random.default_rng([number, 11])
    name = names[number % len(names)]
    built = build("learner", name)
    if free := free_parameters(name, built):
        for _ in range(5):
            if rng.random() < 0.25:
                break
            try:
                built = variant(built, variant_changes(built, free, rng))
                break
            except ArenaError:  # these values do not go together
                continue
    loss = "squared" if rng.random() < 0.4 else str(rng.choice(LOSSES))
    size = float(rng.choice([1.0, _power(rng, -8, 8), _power(rng, -8, 8), _power(rng, -1, 1)]))
    game: dict[str, Any] = {
        "loss": loss,
        "kernel": str(rng.choice(KERNELS)),
        "label_bound": size,
        "regularisation": float(rng.choice([1.0, _power(rng, -12, 8), _power(rng, -12, 8), _power(rng, -2, 2)])),
        # Taylor's series has some thousand features in five dimensions
        "dimension": int(rng.integers(1, 3 if "taylor" in spec_text(built) else 6)),
        "rounds": int(rng.choice([1, 2, 5, 20, int(rng.integers(3, 61))])),
    }
    where = rng.random()
    if where < 0.3:
        game["prediction_bound"] = size * float(rng.choice(SHARES))
    elif where < 0.55:
        game["prediction_bound"] = size * float(rng.choice([2.0, 30.0, 1e3]))
    elif where < 0.65:
        game["prediction_bound"] = 10.0 ** rng.uniform(-2, 2.5)
    opponents = [*ADVERSARIES, *(SQUARED if loss == "squared" else [])]
    return Setting(spec_text(built), str(rng.choice(opponents)), game, number)


def _power(rng: np.random.Generator, low: float, high: float) -> float:
    return float(f"{10.0 ** rng.uniform(low, high):.3g}")


def judged(chosen: Setting, tally: Tally) -> None:
    """Play a match, judge it by the learner's promises, and count the verdicts in `tally`."""
    command = f"arena play '{chosen.learner}' '{chosen.adversary}' {chosen.game} --seed {chosen.seed}"
    try:
        run = play(chosen.learner, chosen.adversary, seed=chosen.seed, **chosen.game)
    except ArenaError:
        tally.unfit += 1
        return
    except Exception as error:
        tally.alarms.append(f"{command}: {type(error).__name__}: {error}")
        return
    if run.forfeit:
        tally.forfeits[f"{chosen.learner.split('(')[0]}: {run.forfeit.reason}"] += 1
    tally.matches += 1
    tally.rounds += run.rounds
    for theorem in promises_of(run):
        if theorem.in_expectation:
            continue
        try:
            verdict = judge(run, theorem)
        except Exception as error:
            tally.alarms.append(f"{play_command(run)}: {theorem.name}: {type(error).__name__}: {error}")
            continue
        tally.beyond[theorem.name] += "beyond double precision" in verdict.reason
        if not verdict.applicable:
            continue
        tally.judged[theorem.name] += 1
        tally.settings.setdefault(theorem.name, Counter()).update(kinds_of(run))
        tally.undecided[theorem.name] += verdict.outcome == "undecided"
        if verdict.violated and theorem.confidence < 1:
            tally.failed[theorem.name] += 1
        elif verdict.violated:
            tally.alarms.append(f"{play_command(run)}: {verdict}")
        tally.chance[theorem.name] = max(tally.chance.get(theorem.name, 0.0), 1.0 - theorem.confidence)


def kinds_of(run: Transcript) -> Iterable[str]:
    """Yield the columns of the table in which a match counts, such as "C < B"."""
    game = run.game
    ratio = game.clip / game.label_bound
    yield "C < B" if ratio < 1 else "C = B" if ratio == 1 else "C > B"
    yield "B small" if game.label_bound < 0.1 else "B large" if game.label_bound > 10 else "B near 1"
    lam = game.regularisation
    yield "lambda small" if lam < 0.01 else "lambda large" if lam > 100 else "lambda near 1"
    yield "squared" if isinstance(game.loss, Squared) else "other losses"
    if run.learner not in registry.entries("learner"):
        yield "parameters varied"


def sweep(numbers: Iterable[int]) -> Tally:
    """Play the matches with these numbers, and return the counts."""
    tally, names = Tally(), learners()
    with np.errstate(all="ignore"):
        for number in numbers:
            judged(setting(number, names), tally)
    return tally


COLUMNS = ("C < B", "C = B", "C > B", "B small", "B near 1", "B large", "lambda small", "lambda near 1", "lambda large",
           "squared", "other losses", "parameters varied")  # fmt: skip


def page(tally: Tally) -> str:
    """Return the text of the page docs/results/sweep.md."""
    alarms = tally.false_alarms()
    lines = [
        "# False alarms of the theorems over all games and parameters",
        "",
        f"Made by `python benchmarks/sweep.py --matches {tally.matches + tally.unfit} --write`: every learner that",
        "promises a theorem, with defaults and with other values of its declared parameters, against all adversaries,",
        "under every loss, with B from 1e-8 to 1e8, C below, at and above B, lambda from 1e-12 to 1e8, and 1 to 60",
        "rounds.",
        "",
        f"- matches: {tally.matches:,} with {tally.rounds:,} rounds ({tally.unfit:,} more settings were refused by",
        "  learner or adversary)",
        f"- verdicts: {sum(tally.judged.values()):,}, of them {sum(tally.undecided.values()):,} undecided",
        f"- not applicable because numbers are beyond double precision: {sum(tally.beyond.values()):,}",
        f"- **false alarms: {len(alarms)}**",
        "",
        "The columns count the matches in which a theorem was judged. *Small* and *large* are below 0.1 and above 10",
        "for B, below 0.01 and above 100 for lambda. Failures of theorems that leave room for chance are in brackets.",
        "",
        "| theorem | judged | " + " | ".join(COLUMNS) + " | false alarms |",
        "| --- |" + " ---: |" * (len(COLUMNS) + 2),
    ]
    for name in sorted(tally.judged):
        kinds = tally.settings[name]
        mine = sum(f": {name}" in alarm or alarm.startswith(f"{name}:") for alarm in alarms)
        chance = f" ({tally.failed[name]})" if tally.chance[name] else ""
        counts = " | ".join(f"{kinds[column]:,}" for column in COLUMNS)
        lines.append(f"| {name} | {tally.judged[name]:,} | {counts} | {mine}{chance} |")
    if tally.forfeits:
        lines += ["", "Matches that ended early because a learner's numbers grew beyond double precision:", ""]
        lines += [f"- {who}: {count}" for who, count in sorted(tally.forfeits.items())]
    if alarms:
        lines += ["", "## False alarms", "", *(f"- `{alarm}`" for alarm in alarms)]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=MATCHES, help="settings to play")
    parser.add_argument("--first", type=int, default=0, help="number of the first setting")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--write", action="store_true", help="write docs/results/sweep.md")
    given = parser.parse_args()
    starts = range(given.first, given.first + given.matches, CHUNK)
    chunks = [range(start, min(start + CHUNK, given.first + given.matches)) for start in starts]
    tally = Tally()
    with ProcessPoolExecutor(given.workers) as pool:
        for done, found in enumerate(pool.map(sweep, chunks), start=1):
            tally.add(found)
            for alarm in found.alarms:
                print(alarm, file=sys.stderr, flush=True)
            if done % max(math.ceil(len(chunks) / 20), 1) == 0:
                print(f"{done} of {len(chunks)} parts, {len(tally.alarms)} alarms", file=sys.stderr, flush=True)
    publish(page(tally), "sweep.md", write=given.write)


if __name__ == "__main__":
    main()
