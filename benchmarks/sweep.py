"""False alarms of the theorems: every promise of every learner, over parameters and games of all sizes.

    python benchmarks/sweep.py [--matches 12000] [--first 0] [--workers 2] [--tally FILE] [--write]

Each match has a number, which is the seed for all random choices of the match. The learners are played in turn, with
default parameters in about a quarter of the matches and random ones in the others. The adversary, kernel, loss, B, C
and lambda are drawn at random, with B from 1e-8 to 1e8 and lambda from 1e-12 to 1e8. A match has at most 100 rounds.
About half of the settings are in one of the regions of `REGIONS`, such as boxes of up to 1e3. A thousand settings take
about 25 seconds of one processor. With `--tally` the counts so far are kept in a file, and the same command continues
an interrupted run.

The learners are correct, so a verdict "violated" is a false alarm, and so is an exception. Learners that the arena has
must not forfeit with default parameters. A theorem that holds with a probability may fail as often as this probability
allows. Theorems that hold in expectation are judged where a setting has several seeds.
"""

from __future__ import annotations

import argparse
import math
import pickle
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

from _tools import publish
from arena import play
from arena.errors import ArenaError
from arena.game.losses import Squared
from arena.players.learner import as_learner
from arena.record.commands import play_command
from arena.record.judging import judge, lower_bounds_of, promises_of
from arena.record.judging_seeds import LEVEL as SERIES_LEVEL
from arena.record.judging_seeds import judge_series
from arena.record.remarks import FORESIGHT
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
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

# The regions that about half of the settings visit, each with its column on the page.
AT_ZERO, AWAY, FAR = "k(x, x) = 0", "box without 0", "box to 1e3"
BEFOREHAND, MODELS, TIES, SEEDS = "foresight", "models' options", "ties", "2 or 3 seeds"
REGIONS = {
    AT_ZERO: "a linear or polynomial kernel, with points at which it is 0",
    AWAY: "a box that does not contain 0",
    FAR: "a box with a side of up to 1e3, so data that are not scaled",
    BEFOREHAND: "learners that see the sequence beforehand, also against adversaries that promise lower bounds",
    MODELS: "models of scikit-learn and river with options off their defaults",
    TIES: "experts that are tied, against symmetric labels",
    SEEDS: "series of 2 or 3 seeds, judged as such",
}
WITH_FORESIGHT = ["batch-krr", "libsvm", "llsvm", "pkawv-beforehand"]
FORCING = ["alternating", "budget-breaker", "leverage(starts=16, polished=0)", "orthogonal", "repeated(points=5)"]
LEADERS = ["follow-the-leader(of=[kernel-awv, kernel-awv, zero])", "follow-the-leader(of=[zero, zero, perceptron])",
           "follow-the-leader(of=[fgd(rate=0.1), fgd(rate=0.1), krr])", "hedge(of=[zero, zero, fgd])"]  # fmt: skip
SYMMETRIC = ["alternating", "contrarian(source=repeated(points=8))", "label-blocks(length=7)",
             "repeated(points=2, labels=alternating)", "repeated(points=7, labels=contrary)"]  # fmt: skip
LOSS_OF = {"squared_error": "squared", "hinge": "hinge", "squared_hinge": "squared-hinge", "log_loss": "logistic",
           "epsilon_insensitive": "epsilon-insensitive"}  # fmt: skip


@dataclass(frozen=True)
class SweepSetting:
    """A match of the sweep that is not played yet: the learner, the adversary, the game and the seed."""

    learner: str
    adversary: str
    game: dict[str, Any]
    seed: int
    region: str = ""
    seeds: int = 1


@dataclass
class Tally:
    """Counts over many matches: how often each theorem was judged, failed or was undecided, and in which games.

    `alarms` has a text for each match that is a false alarm by itself.
    """

    settled: int = 0  # settings
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
    regions: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Add the counts and the alarms of other matches."""
        self.settled += other.settled
        self.matches += other.matches
        self.rounds += other.rounds
        self.unfit += other.unfit
        for mine, theirs in ((self.forfeits, other.forfeits), (self.judged, other.judged), (self.failed, other.failed),
                             (self.undecided, other.undecided), (self.beyond, other.beyond),
                             (self.regions, other.regions)):  # fmt: skip
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


def setting(number: int, names: Sequence[str]) -> SweepSetting:
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
    chosen = SweepSetting(spec_text(built), str(rng.choice(opponents)), game, number)
    return chosen if rng.random() < 0.5 else _in_region(chosen, str(rng.choice(list(REGIONS))), rng)


def _in_region(start: SweepSetting, region: str, rng: np.random.Generator) -> SweepSetting:
    """Return the setting `start`, changed so that it lies in the region."""
    game, choice = dict(start.game), rng.choice
    learner, adversary, seeds = start.learner, start.adversary, 1
    game["rounds"] = int(choice([game["rounds"], rng.integers(20, 101)]))
    if region in (AT_ZERO, AWAY, FAR):
        game["loss"], game["dimension"] = str(choice(["squared", game["loss"]])), int(rng.integers(1, 3))
        opponents = [adversary, "orthogonal", "drawn", *(SQUARED if game["loss"] == "squared" else [])]
        adversary = str(choice(opponents))
    if region == AT_ZERO:
        game["kernel"] = str(choice(["linear", "polynomial(degree=2, offset=0)"]))
        game["box"] = [(0.0, 1.0), (0.0, 1e3), (-3.0, 0.0)][rng.integers(3)]
        zero = f"alternating(at={[0.0] * game['dimension']})"
        # these two play the corner nearest to zero
        adversary = str(choice([adversary, "orthogonal", "restart-forcer", "restart-forcer", zero]))
    elif region in (AWAY, FAR):
        width = min(_power(rng, -3, 3), 1e3)
        low = float(choice([-1.0, 1.0])) * min(_power(rng, 1 if region == FAR else -2, 3), 1e3)
        ends = sorted((low, low + math.copysign(width, -low if region == FAR else low)))
        game["box"] = (max(ends[0], -1e3), min(ends[1], 1e3 if ends[0] < 1e3 else 2e3))
        game["kernel"] = str(choice([game["kernel"], "linear", "linear", "linear(offset=1)"]))
    elif region == BEFOREHAND:
        learner, adversary = str(choice(WITH_FORESIGHT)), str(choice(FORCING))
        game["loss"] = str(choice(["squared", game["loss"]]))
        game["kernel"] = str(choice([game["kernel"], "gaussian(bandwidth=0.05)"]))
        game["rounds"] = int(rng.integers(20, 101))
    elif region == MODELS:
        learner, game["loss"] = _model(rng)
        game["prediction_bound"] = game["label_bound"] * float(choice([1.0, 1e3]))
        game["kernel"] = str(choice(["linear", "linear(offset=1)"]))
        if game["loss"] not in ("squared", "epsilon-insensitive"):
            game["label_bound"], game["prediction_bound"] = 1.0, 1e3
        adversary = str(choice(ADVERSARIES))
    elif region == TIES:
        learner, adversary = str(choice(LEADERS)), str(choice(SYMMETRIC))
    else:
        seeds = int(rng.integers(2, 4))
    return SweepSetting(learner, adversary, game, start.seed, region, seeds)


def _model(rng: np.random.Generator) -> tuple[str, str]:
    """Return the spec of a model of scikit-learn or river with options off their defaults, and a loss for its game."""
    choice, eta, size = rng.choice, _power(rng, -3, 1), _power(rng, -5, 0.5)
    intercept, kind = str(choice(["true", "false"])), int(rng.integers(6))
    if kind < 3:
        name = "SGDRegressor" if kind < 2 else "SGDClassifier"
        rate = str(choice(["constant", "optimal", "invscaling", "pa1", "pa2"]))
        losses = ["epsilon_insensitive", "squared_error"] if kind < 2 else ["hinge", "squared_hinge", "log_loss"]
        loss = str(choice(losses[:1] if rate.startswith("pa") else losses))
        options = f"loss={loss}, learning_rate={rate}, penalty={choice(['l2', 'none'])}, eta0={eta}, alpha={size}"
        options += f", power_t={rng.uniform(0, 2):.2f}, fit_intercept={intercept}, epsilon={_power(rng, -3, 0)}"
        return f"sklearn:linear_model.{name}({options})", LOSS_OF[loss]
    if kind == 3:
        return f"sklearn:linear_model.Perceptron(eta0={eta}, fit_intercept={intercept})", "hinge"
    if kind == 4:
        of = [f"PAClassifier(C={eta}, mode=1, learn_intercept=false)",
              f"BayesianLinearRegression(alpha={eta}, beta={_power(rng, -2, 2)})"]  # fmt: skip
        which = int(rng.integers(2))
        return f"river:linear_model.{of[which]}", ["hinge", "squared"][which]
    optimizer = str(choice([f"SGD(lr={eta})", f"AdaGrad(lr={eta})"]))
    options = f"optimizer=river:optim.{optimizer}, l2={choice([0.0, size])}, intercept_lr={choice([0.0, eta])}"
    return f"river:linear_model.LinearRegression({options})", "squared"


def _power(rng: np.random.Generator, low: float, high: float) -> float:
    return float(f"{10.0 ** rng.uniform(low, high):.3g}")


def judged(chosen: SweepSetting, tally: Tally) -> None:
    """Play the matches of a setting, judge them by the promises of both sides, and count the verdicts in `tally`."""
    series: dict[str, tuple[Theorem, list[Verdict]]] = {}
    for seed in range(chosen.seed, chosen.seed + chosen.seeds):
        command = f"arena play '{chosen.learner}' '{chosen.adversary}' {chosen.game} --seed {seed}"
        try:
            run = play(chosen.learner, chosen.adversary, seed=seed, **chosen.game)
        except ArenaError:
            tally.unfit += 1
            return
        except Exception as error:
            tally.alarms.append(f"{command}: {type(error).__name__}: {error}")
            return
        if run.forfeit:
            tally.forfeits[f"{chosen.learner.split('(')[0]}: {run.forfeit.reason}"] += 1
            if run.forfeit.side == "learner" and chosen.learner in registry.entries("learner"):
                tally.alarms.append(f"{play_command(run)}: {run.forfeit.reason}")
        tally.matches += 1
        tally.rounds += run.rounds
        kinds = tuple(kinds_of(run, chosen))
        tally.regions.update(kind for kind in kinds if kind in REGIONS)
        for theorem in (*promises_of(run), *lower_bounds_of(run)):
            try:
                verdict = judge(run, theorem)
            except Exception as error:
                tally.alarms.append(f"{play_command(run)}: {theorem.name}: {type(error).__name__}: {error}")
                continue
            series.setdefault(spec_text(theorem), (theorem, []))[1].append(verdict)
            if not theorem.in_expectation:
                _count(play_command(run), theorem, verdict, kinds, tally)
    for theorem, verdicts in series.values() if chosen.seeds > 1 else ():
        found = judge_series(range(len(verdicts)), verdicts)
        if verdicts[0].by_chance and found.outcome != "not applicable":
            name = f"{theorem.name} of a series"
            tally.judged[name] += 1
            tally.settings.setdefault(name, Counter()).update(kinds)
            tally.failed[name] += found.violated
            tally.chance[name] = SERIES_LEVEL


def _count(command: str, theorem: Theorem, verdict: Verdict, kinds: Sequence[str], tally: Tally) -> None:
    """Count the verdict on a match that is in the columns `kinds` of the table."""
    tally.beyond[theorem.name] += "beyond double precision" in verdict.reason
    if not verdict.applicable:
        return
    tally.judged[theorem.name] += 1
    tally.settings.setdefault(theorem.name, Counter()).update(kinds)
    tally.undecided[theorem.name] += verdict.outcome == "undecided"
    if verdict.violated and theorem.confidence < 1:
        tally.failed[theorem.name] += 1
    elif verdict.violated:
        tally.alarms.append(f"{command}: {verdict}")
    tally.chance[theorem.name] = max(tally.chance.get(theorem.name, 0.0), 1.0 - theorem.confidence)


def kinds_of(run: Transcript, chosen: SweepSetting) -> Iterable[str]:
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
    if run.rounds and not game.kernel.diagonal(run.points).all():
        yield AT_ZERO
    if (game.low * game.high > 0).any():
        yield AWAY
    if max(np.abs(game.low).max(), np.abs(game.high).max()) > 10:
        yield FAR
    if FORESIGHT in run.header:
        yield BEFOREHAND
    if chosen.region in (MODELS, TIES, SEEDS):
        yield chosen.region


def sweep(numbers: Iterable[int]) -> Tally:
    """Play the matches with these numbers, and return the counts."""
    tally, names = Tally(), learners()
    with np.errstate(all="ignore"):
        for number in numbers:
            judged(setting(number, names), tally)
            tally.settled += 1
    return tally


COLUMNS = ("C < B", "C = B", "C > B", "B small", "B near 1", "B large", "lambda small", "lambda near 1", "lambda large",
           "squared", "other losses", "parameters varied", *REGIONS)  # fmt: skip


def page(tally: Tally) -> str:
    """Return the text of the page docs/results/sweep.md."""
    alarms = tally.false_alarms()
    lines = [
        "# False alarms of the theorems over all games and parameters",
        "",
        f"Made by `python benchmarks/sweep.py --matches {tally.settled} --write`: every learner that",
        "promises a theorem, with defaults and with other values of its declared parameters, against all adversaries,",
        "under every loss, with B from 1e-8 to 1e8, C below, at and above B, lambda from 1e-12 to 1e8, and 1 to 100",
        "rounds. Half of the settings are in regions where false alarms were found before.",
        "",
        f"- matches: {tally.matches:,} with {tally.rounds:,} rounds ({tally.unfit:,} more settings were refused by",
        "  learner or adversary)",
        f"- verdicts: {sum(tally.judged.values()):,}, of them {sum(tally.undecided.values()):,} undecided",
        f"- not applicable because numbers are beyond double precision: {sum(tally.beyond.values()):,}",
        f"- **false alarms: {len(alarms)}**",
        "",
        "| region | matches |",
        "| --- | ---: |",
        *(f"| {region}: {text} | {tally.regions[region]:,} |" for region, text in REGIONS.items()),
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
        lines += [
            "",
            "Matches that ended early, by a learner's numbers beyond double precision or a model's own exception:",
            "",
        ]
        lines += [f"- {who}: {count}" for who, count in sorted(tally.forfeits.items())]
    if alarms:
        lines += ["", "## False alarms", "", *(f"- `{alarm}`" for alarm in alarms)]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=MATCHES, help="settings to play")
    parser.add_argument("--first", type=int, default=0, help="number of the first setting")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--tally", type=Path, help="file of the counts so far")
    parser.add_argument("--write", action="store_true", help="write docs/results/sweep.md")
    given = parser.parse_args()
    tally = Tally()
    if given.tally and given.tally.exists():
        tally = pickle.loads(given.tally.read_bytes())
    last = given.first + given.matches
    starts = range(given.first + tally.settled, last, CHUNK)
    chunks = [range(start, min(start + CHUNK, last)) for start in starts]
    with ProcessPoolExecutor(given.workers) as pool:
        for done, found in enumerate(pool.map(sweep, chunks), start=1):
            tally.add(found)
            if given.tally:
                given.tally.write_bytes(pickle.dumps(tally))
            for alarm in found.alarms:
                print(alarm, file=sys.stderr, flush=True)
            if done % max(math.ceil(len(chunks) / 20), 1) == 0:
                print(f"{done} of {len(chunks)} parts, {len(tally.alarms)} alarms", file=sys.stderr, flush=True)
    publish(page(tally), "sweep.md", write=given.write)


if __name__ == "__main__":
    main()
