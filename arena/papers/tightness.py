"""A suite of small matches, which gives an example of each theorem and the largest tightness of each bound."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.engine.last_function import shows_little
from arena.engine.match import Progress, play
from arena.errors import ArenaError
from arena.papers.promise_rows import NO_THEOREM, PromiseRow, bounds_losses
from arena.players.adversary import as_adversary
from arena.players.learner import as_learner
from arena.record.commands import play_command
from arena.record.judging import judge, lower_bounds_of, promises_of
from arena.record.judging_seeds import judge_series
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs import registry
from arena.specs.building import build

PRINTED = "-printed"  # the end of the name of a theorem as a paper prints it, if that is wrong
SEEDS = 12  # seeds of an example whose theorem leaves room for chance
EXAMPLE = 20  # rounds of a match in an example


@dataclass(frozen=True)
class ExampleSetting:
    """An adversary in a game; `fields` has the fields of the game that differ from the defaults."""

    adversary: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def play(self, learner: str, *, rounds: int, seed: int = 0) -> Transcript | None:
        """Play a match and return it; None if learner and adversary cannot play together, or after a forfeit."""
        try:
            run = play(learner, self.adversary, rounds=rounds, seed=seed, **self.fields)
        except ArenaError:
            return None
        return None if run.forfeit else run


SMALL = (
    ExampleSetting("alternating"),
    ExampleSetting("repeated(points=5)"),
    ExampleSetting("alternating", {"loss": "logistic"}),
    ExampleSetting("repeated(points=5)", {"loss": "hinge"}),
    ExampleSetting("alternating", {"loss": "smooth-hinge"}),
)
LARGE = (
    *SMALL,
    ExampleSetting("alternating", {"regularisation": 100.0}),
    ExampleSetting("alternating", {"loss": "squared-hinge"}),
    ExampleSetting("alternating", {"loss": "absolute"}),
    ExampleSetting("repeated(points=2, labels=alternating)", {"kernel": "gaussian(bandwidth=0.5)"}),
    ExampleSetting("repeated(points=30, labels=contrary)", {"kernel": "gaussian(bandwidth=0.3)"}),
    ExampleSetting("repeated(points=30, labels=contrary)", {"loss": "hinge"}),
    ExampleSetting("repeated(points=40)", {"kernel": "gaussian(bandwidth=0.1)", "regularisation": 0.1}),
    ExampleSetting("repeated(points=40)", {"kernel": "gaussian(bandwidth=0.01)"}),
    ExampleSetting("repeated(points=10, labels=contrary)", {"kernel": "linear", "regularisation": 0.1}),
    ExampleSetting("repeated(points=3, labels=contrary)", {"label_bound": 3.0, "prediction_bound": 1.0}),
    ExampleSetting("greedy(starts=24, polished=0)", {"kernel": "gaussian(bandwidth=0.5)"}),
    ExampleSetting("greedy(starts=24, polished=0)", {"kernel": "laplacian", "regularisation": 0.1, "dimension": 4}),
    ExampleSetting("contrarian(source=repeated(points=8))", {"kernel": "gaussian(bandwidth=0.5)"}),
    ExampleSetting("contrarian", {"loss": "logistic", "prediction_bound": 3.0}),
    ExampleSetting("leverage(starts=24, polished=0)", {"kernel": "gaussian(bandwidth=0.5)"}),
    ExampleSetting("feature-blind"),
    ExampleSetting("budget-breaker", {"loss": "hinge"}),
    ExampleSetting("far-point"),
    ExampleSetting("near-duplicates", {"regularisation": 0.1}),
    ExampleSetting("near-duplicates", {"loss": "squared-hinge"}),
    ExampleSetting("drift", {"kernel": "gaussian(bandwidth=0.3)"}),
    ExampleSetting("kors-evader"),
    ExampleSetting("restart-forcer"),
    ExampleSetting("label-blocks(length=100)", {"loss": "smooth-hinge"}),
    ExampleSetting("orthogonal", {"loss": "logistic"}),
    ExampleSetting("minimax"),
    ExampleSetting("minimax", {"regularisation": 0.5}),
    ExampleSetting("minimax", {"regularisation": 50.0**0.5}),  # lambda = 1 / (2 eta) for eta = 1 / sqrt(200)
    ExampleSetting("minimax", {"regularisation": 100.0}),
    ExampleSetting("minimax", {"kernel": "linear", "regularisation": 1000.0}),
    ExampleSetting("contrarian", {"kernel": "linear", "dimension": 1}),
    ExampleSetting("minimax", {"loss": "absolute"}),
    ExampleSetting("minimax", {"loss": "logistic"}),
    ExampleSetting("orthogonal(labels=contrary)", {"kernel": "gaussian(bandwidth=0.01)"}),
)
INDEPENDENT = {  # theorems on independent draws, each with a learner that meets its other assumptions
    "dual-svrg-convergence(independent=true, regularisation=4)": "dual-svrg(regularisation=4)",
    "dual-svrg-corollary(independent=true, regularisation=4, rate=1e-4, period=6000)": (
        "dual-svrg(regularisation=4, rate=1e-4, period=6000)"
    ),
}
THEORY_PARAMETERS = (  # learners with the parameters that theorems assume; their defaults are made for experiments
    "pkawv(embedding=taylor(degree=12))",
    "pkawv(embedding=pivoted-cholesky)",
    "pkawv-kors(beta=120, mu=0.1)",
    "sketched-kons(beta=120)",
    "con-kons(beta=120)",
    "pros-n-kons(beta=120, gamma=0.1)",
    "kons(alpha=0.1)",
    "kons(dimension=3)",
    "fgd(radius=1)",
    "fgd(steps=inverse, shrinkage=0.5)",
    "dual-svrg(oracle=coverage, radius=0.5)",
    "sgd(rate=0.01)",
    "sgd(rate=0.01, steps=inverse-scaling, power=0.25, shrinkage=0.0001, halved=true)",
    "bsgd(budget=8, maintenance=remove)",
)
DRAWN = ExampleSetting("drawn")


def theorem_names() -> list[str]:
    """Return the names of the registered theorems.

    Statements that are wrong as printed (`PRINTED`) and limits that a user sets (`Theorem.demanded`) are left out.
    """
    names = (name for name in registry.entries("theorem") if not registry.find("theorem", name).demanded)
    return [name for name in names if not name.endswith(PRINTED)]


@functools.cache
def promises() -> dict[str, tuple[Theorem, ...]]:
    """Return the theorems that each learner promises; the keys are the learners' specs.

    The learners are all registered ones, and some of them again with the parameters that theorems assume
    (`THEORY_PARAMETERS`). A learner that cannot be built is left out.
    """
    found: dict[str, tuple[Theorem, ...]] = {}
    for spec in (*registry.entries("learner"), *THEORY_PARAMETERS):
        try:
            learner = as_learner(build("learner", spec))
        except ArenaError:  # the learner needs parameters or an optional package
            continue
        found[spec] = tuple(build("theorem", theorem) for theorem in learner.theorems)
    return found


def default_promises() -> dict[str, tuple[Theorem, ...]]:
    """Return the theorems that each learner promises with its default parameters; the keys are the learners' names."""
    return {name: theorems for name, theorems in promises().items() if name in registry.entries("learner")}


@functools.cache
def promised_lower_bounds() -> dict[str, tuple[Theorem, ...]]:
    """Return the lower bounds that each adversary promises; the keys are the adversaries' specs.

    The adversaries are all registered ones, and those in `LARGE`, this module's list of adversaries and games. An
    adversary that cannot be built is left out.
    """
    found: dict[str, tuple[Theorem, ...]] = {}
    for spec in (*(setting.adversary for setting in LARGE), *registry.entries("adversary")):
        try:
            adversary = as_adversary(build("adversary", spec))
        except ArenaError:  # it needs parameters
            continue
        found[spec] = tuple(build("theorem", theorem) for theorem in adversary.lower_bounds)
    return found


def promised_by(theorem: str) -> list[str]:
    """Return the specs of the learners that promise a theorem, or of the adversaries that promise a lower bound.

    Learners with default parameters come first.
    """
    by = promised_lower_bounds() if registry.find("theorem", theorem).lower else promises()
    return [name for name, promised in by.items() if theorem in {each.name for each in promised}]


@dataclass(frozen=True)
class Example:
    """An `arena play` command, the verdict of a theorem on the command's matches, and the first of these matches."""

    command: str
    verdict: str
    run: Transcript


@functools.cache
def example(name: str) -> Example | None:
    """Return an example of a small match to which the theorem `name` applies; None if none is found.

    If the theorem is a lower bound, the adversary of the match promises it. Otherwise the learner promises it, unless
    no learner does. A match shows little if all its predictions are 0, or if all its points are equal and the learner's
    last function is constant. Such a match is returned only if no other is found.
    """
    idle = None
    independent = _independent_spec(name)
    if registry.find("theorem", name).lower:
        settings = [setting for setting in LARGE if setting.adversary in promised_by(name)]
        pairs = [(learner, setting) for setting in settings for learner in promises()]
    else:
        learners, larger = promised_by(name) or list(promises()), LARGE[len(SMALL) :]
        pairs = [(learner, setting) for settings in (SMALL, larger) for learner in learners for setting in settings]
    for learner, setting in [(INDEPENDENT[independent], DRAWN)] if independent else pairs:
        run = setting.play(learner, rounds=EXAMPLE)
        if run is None:
            continue
        verdict = judge(run, independent or name)
        if verdict.applicable and run.predictions.any() and not shows_little(run):
            return _example_of(run, verdict, learner, setting)
        if verdict.applicable and idle is None:
            idle = run, verdict, learner, setting
    return _example_of(*idle) if idle else None


def _independent_spec(name: str) -> str | None:
    """Return the theorem's spec in `INDEPENDENT`; None if the theorem is not in this table.

    The table has the theorems that assume independently drawn points.
    """
    return next((spec for spec in INDEPENDENT if spec.partition("(")[0] == name), None)


def _example_of(run: Transcript, verdict: Verdict, learner: str, setting: ExampleSetting) -> Example:
    own = (*promises_of(run), *lower_bounds_of(run))
    bound = "auto" if any(each.name == verdict.name for each in own) else verdict.theorem
    command = str(play_command(run, bound, seeds=SEEDS if verdict.by_chance else 1))
    if not verdict.by_chance:
        return Example(command, str(verdict), run)
    runs = [setting.play(learner, rounds=EXAMPLE, seed=seed) for seed in range(SEEDS)]
    claim = verdict.name if bound == "auto" else verdict.theorem
    verdicts = [judge(each, claim) for each in runs if each is not None]
    return Example(command, str(judge_series(range(len(verdicts)), verdicts)), run)


@dataclass(frozen=True)
class Tightness:
    """How tight a theorem is in the matches to which it applies.

    - `matches` is the number of these matches. The bound is vacuous in `vacuous` of them. The theorem is an identity in
      `identities` of them.
    - `ratio` is the largest tightness; None if no match has a tightness. `learner`, `adversary` and `command` are those
      of the match with this tightness.
    """

    theorem: str
    matches: int = 0
    violations: int = 0
    ratio: float | None = None
    learner: str = ""
    adversary: str = ""
    command: str = ""
    vacuous: int = 0
    identities: int = 0
    lower: bool = False

    def with_match(self, run: Transcript, verdict: Verdict) -> Tightness:
        """Return a copy in which one more match, with this verdict, is counted."""
        counted = replace(
            self,
            matches=self.matches + 1,
            violations=self.violations + verdict.refuted,
            vacuous=self.vacuous + verdict.vacuous,
            identities=self.identities + (verdict.identity or verdict.is_deviation),
            lower=verdict.lower,
        )
        ratio = None if verdict.is_deviation else verdict.tightness
        if ratio is None or (self.ratio is not None and ratio <= self.ratio):
            return counted
        return replace(
            counted, ratio=ratio, learner=run.learner, adversary=run.adversary, command=play_command(run) or ""
        )


@dataclass(frozen=True)
class Suite:
    """Results of the matches that measure tightness, grouped in two ways.

    `theorems` has one entry for each theorem and lower bound, `promises` one for each pair of a learner and a theorem
    that it promises.
    """

    theorems: list[Tightness]
    promises: list[PromiseRow]


def suite(*, rounds: int = 200, learners: Sequence[str] | None = None, progress: Progress | None = None) -> Suite:
    """Play learners, by default all, in each setting (adversary and game) of the list `LARGE`; return the results.

    A match is judged by its learner's promises, by its adversary's lower bounds, and by the theorems that no learner
    promises. If `learners` is None, each theorem in `INDEPENDENT`, which assumes independently drawn points, also has a
    match of its own. `progress` is called with the number of matches played.
    """
    closest = {name: Tightness(name, lower=registry.find("theorem", name).lower) for name in theorem_names()}
    rows: dict[tuple[str, str], PromiseRow] = {}
    for played, (learner, run, theorems) in enumerate(_matches(rounds, learners), start=1):
        lower = [(each, judge(run, each)) for each in lower_bounds_of(run)]
        own = [(each, judge(run, each)) for each in theorems]
        for theorem, verdict in [*own, *lower]:
            if verdict.applicable and theorem.name in closest:
                closest[theorem.name] = closest[theorem.name].with_match(run, verdict)
        below = [verdict for _, verdict in lower if not verdict.by_chance]
        _count(rows, learner, run, own, below)
        if progress:
            progress(played)
    return Suite(list(closest.values()), [row for _, row in sorted(rows.items())])


def _count(
    rows: dict[tuple[str, str], PromiseRow],
    learner: str,
    run: Transcript,
    judged: Sequence[tuple[Theorem, Verdict]],
    lower: Sequence[Verdict],
) -> None:
    """Add a match to the row of each theorem that its learner promises; keys of `rows` are (learner, theorem).

    - `judged` has the theorems that judge the match, with their verdicts; only the learner's promises are counted.
    - `lower` has the verdicts on the adversary's lower bounds.

    If the learner promises nothing about a regret, a loss or mistakes, the match is also counted in the row (learner,
    ""), with the verdict in `lower` that has the largest tightness.
    """
    names = {each.name for each in promises().get(learner, ())}
    for theorem, verdict in judged:
        if theorem.name in names:
            rows.setdefault((learner, theorem.name), PromiseRow(learner, theorem.name)).add(run, verdict, lower)
    if learner in promises() and not any(bounds_losses(each.quantity) for each in promises()[learner]):
        row = rows.setdefault((learner, NO_THEOREM), PromiseRow(learner, NO_THEOREM))
        if lower:
            row.add(run, max(lower, key=_closeness), ())
        else:
            row.matches += 1


def _closeness(verdict: Verdict) -> tuple[bool, float]:
    """Return the sort key (the theorem applies, tightness); a missing tightness counts as -infinity."""
    return bool(verdict.applicable), -math.inf if verdict.tightness is None else verdict.tightness


def planned_matches() -> int:
    """Return the largest number of matches that `suite`, which measures how tight bounds are, may play."""
    return len(promises()) * len(LARGE) + len(INDEPENDENT)


def _matches(rounds: int, only: Sequence[str] | None) -> Iterator[tuple[str, Transcript, list[Theorem]]]:
    """Yield (spec of the learner, match, theorems that judge the match) for each match of `suite`.

    `only` has the specs of the learners that play. If it is None, all learners play, and matches with independently
    drawn points are added.
    """
    promised = {theorem.name for each in promises().values() for theorem in each}
    unpromised: list[Theorem] = [
        theorem
        for name in theorem_names()
        if name not in promised and not _independent_spec(name)
        if not (theorem := build("theorem", name)).lower
    ]
    for declared, learner in INDEPENDENT.items() if only is None else ():
        run = DRAWN.play(learner, rounds=rounds)
        if run is not None:
            yield learner, run, [build("theorem", declared)]
    for learner in promises() if only is None else only:
        for setting in LARGE:
            run = setting.play(learner, rounds=rounds)
            if run is not None:
                yield learner, run, [*promises_of(run), *unpromised]
