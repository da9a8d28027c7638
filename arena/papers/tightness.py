"""Small matches in which theorems can be seen at work, and how close anybody comes to their bounds."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arena.engine.match import Progress, play
from arena.engine.series_verdicts import judge_series
from arena.errors import ArenaError
from arena.players.learner import as_learner
from arena.record.theorem import Theorem, Verdict
from arena.record.transcript import Transcript
from arena.specs import registry
from arena.specs.building import build

PRINTED = "-printed"  # ends the name of a statement as a paper prints it, where that is wrong
SEEDS = 12  # of a worked example that leaves room for chance
EXAMPLE = 20  # rounds of a match that shows a theorem at work


@dataclass(frozen=True)
class Arena:
    """An adversary and the game that it plays."""

    adversary: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def play(self, learner: str, *, rounds: int, seed: int = 0) -> Transcript | None:
        """A match; None if the two cannot meet, or if it is broken off."""
        try:
            run = play(learner, self.adversary, rounds=rounds, seed=seed, **self.fields)
        except ArenaError:
            return None
        return None if run.forfeit else run


SMALL = (
    Arena("alternating"),
    Arena("repeated(points=5)"),
    Arena("alternating", {"loss": "logistic"}),
    Arena("repeated(points=5)", {"loss": "hinge"}),
    Arena("alternating", {"loss": "smooth-hinge"}),
)
LARGE = (
    *SMALL,
    Arena("alternating", {"regularisation": 100.0}),
    Arena("alternating", {"loss": "squared-hinge"}),
    Arena("alternating", {"loss": "absolute"}),
    Arena("repeated(points=2, labels=alternating)", {"kernel": "gaussian(bandwidth=0.5)"}),
    Arena("repeated(points=30, labels=contrary)", {"kernel": "gaussian(bandwidth=0.3)"}),
    Arena("repeated(points=30, labels=contrary)", {"loss": "hinge"}),
    Arena("repeated(points=40)", {"kernel": "gaussian(bandwidth=0.1)", "regularisation": 0.1}),
    Arena("repeated(points=10, labels=contrary)", {"kernel": "linear", "regularisation": 0.1}),
    Arena("repeated(points=3, labels=contrary)", {"label_bound": 3.0, "prediction_bound": 1.0}),
    Arena("greedy(starts=24, polished=0)", {"kernel": "gaussian(bandwidth=0.5)"}),
    Arena("greedy(starts=24, polished=0)", {"kernel": "laplacian", "regularisation": 0.1, "dimension": 4}),
    Arena("contrarian(source=repeated(points=8))", {"kernel": "gaussian(bandwidth=0.5)"}),
    Arena("contrarian", {"loss": "logistic", "prediction_bound": 3.0}),
    Arena("leverage(starts=24, polished=0)", {"kernel": "gaussian(bandwidth=0.5)"}),
    Arena("feature-blind"),
    Arena("budget-breaker", {"loss": "hinge"}),
    Arena("far-point"),
    Arena("near-duplicates", {"regularisation": 0.1}),
    Arena("near-duplicates", {"loss": "squared-hinge"}),
    Arena("drift", {"kernel": "gaussian(bandwidth=0.3)"}),
    Arena("kors-evader"),
    Arena("restart-forcer"),
    Arena("label-blocks(length=100)", {"loss": "smooth-hinge"}),
    Arena("orthogonal", {"loss": "logistic"}),
)
INDEPENDENT = {  # theorems about independent draws, which must be declared, and learners that meet their conditions
    "dual-svrg-convergence(independent=true, regularisation=4)": "dual-svrg(regularisation=4)",
    "dual-svrg-corollary(independent=true, regularisation=4, rate=1e-4, period=6000)": (
        "dual-svrg(regularisation=4, rate=1e-4, period=6000)"
    ),
}
CAREFUL = (  # parameters as theorems want them, where the usual ones are those of experiments
    "pkawv(embedding=taylor(degree=12))",
    "pkawv-kors(beta=120, mu=0.1)",
    "sketched-kons(beta=120)",
    "con-kons(beta=120)",
    "pros-n-kons(beta=120, gamma=0.1)",
    "kons(alpha=0.1)",
    "fgd(radius=1)",
    "fgd(steps=inverse, shrinkage=0.5)",
)


DRAWN = Arena("drawn")


def theorem_names() -> list[str]:
    """The registered theorems that are true: others are wrong as printed, and mere demands are neither."""
    names = (name for name in registry.entries("theorem") if not registry.find("theorem", name).demanded)
    return [name for name in names if not name.endswith(PRINTED)]


@functools.cache
def promises() -> dict[str, tuple[Theorem, ...]]:
    """What each learner promises: the registered ones as they come, and some with parameters as theorems want them."""
    found: dict[str, tuple[Theorem, ...]] = {}
    for spec in (*registry.entries("learner"), *CAREFUL):
        try:
            learner = as_learner(build("learner", spec))
        except ArenaError:  # it needs parameters, or a package that is not installed
            continue
        found[spec] = tuple(build("theorem", theorem) for theorem in learner.theorems)
    return found


def who_promises(theorem: str) -> list[str]:
    """The learners that promise it, those with their usual parameters first."""
    return [name for name, promised in promises().items() if theorem in {each.name for each in promised}]


@dataclass(frozen=True)
class Example:
    """A command, and what the theorem says of the matches that it plays."""

    command: str
    verdict: str
    run: Transcript


@functools.cache
def example(name: str) -> Example | None:
    """The first small match to which the theorem applies, with one of the learners that promise it if there is one."""
    independent = _declared(name)
    pairs = [(learner, arena) for learner in who_promises(name) or list(promises()) for arena in SMALL]
    for learner, arena in [(INDEPENDENT[independent], DRAWN)] if independent else pairs:
        run = arena.play(learner, rounds=EXAMPLE)
        if run is None:
            continue
        verdict = run.judge(independent or name)
        if verdict.applicable:
            return _told(run, verdict, learner, arena)
    return None


def _declared(name: str) -> str | None:
    """The theorem of this name with independence declared, if it needs that."""
    return next((spec for spec in INDEPENDENT if spec.partition("(")[0] == name), None)


def _told(run: Transcript, verdict: Verdict, learner: str, arena: Arena) -> Example:
    bound = [] if any(each.name == verdict.name for each in run.promises()) else ["--bound", verdict.theorem]
    command = f"{run.command} {shlex.join(bound)}".strip()
    if verdict.confidence == 1 and not verdict.in_expectation:
        return Example(command, str(verdict), run)
    runs = [arena.play(learner, rounds=EXAMPLE, seed=seed) for seed in range(SEEDS)]
    claim = verdict.theorem if bound else verdict.name
    verdicts = [each.judge(claim) for each in runs if each is not None]
    return Example(f"{command} --seeds {SEEDS}", str(judge_series(range(len(verdicts)), verdicts)), run)


@dataclass(frozen=True)
class Tightness:
    """The match that came closest to a theorem's bound, of those in which it applied."""

    theorem: str
    matches: int = 0
    violations: int = 0
    ratio: float | None = None
    learner: str = ""
    adversary: str = ""
    command: str = ""

    def with_match(self, run: Transcript, verdict: Verdict) -> Tightness:
        """One match more."""
        refuted = verdict.violated and verdict.confidence == 1 and not verdict.in_expectation
        counted = replace(self, matches=self.matches + 1, violations=self.violations + refuted)
        ratio = None if verdict.exact else verdict.tightness
        if ratio is None or (self.ratio is not None and ratio <= self.ratio):
            return counted
        return replace(counted, ratio=ratio, learner=run.learner, adversary=run.adversary, command=run.command or "")


def tightness(*, rounds: int = 200, progress: Progress | None = None) -> list[Tightness]:
    """For each true theorem the highest ratio of what is measured to what is allowed, after so many rounds."""
    closest = {name: Tightness(name) for name in theorem_names()}
    for played, (run, theorems) in enumerate(_matches(rounds), start=1):
        for theorem in theorems:
            verdict = theorem.judge(run)
            if verdict.applicable and theorem.name in closest:
                closest[theorem.name] = closest[theorem.name].with_match(run, verdict)
        if progress:
            progress(played)
    return list(closest.values())


def planned_matches() -> int:
    """How many matches `tightness` plays at most."""
    return len(promises()) * len(LARGE) + len(INDEPENDENT)


def _matches(rounds: int) -> Iterator[tuple[Transcript, list[Theorem]]]:
    """Every learner in every arena, with the theorems that it promises and those that nobody does."""
    promised = {theorem.name for each in promises().values() for theorem in each}
    nobodys: list[Theorem] = [
        build("theorem", name) for name in theorem_names() if name not in promised and not _declared(name)
    ]
    for declared, learner in INDEPENDENT.items():
        run = DRAWN.play(learner, rounds=rounds)
        if run is not None:
            yield run, [build("theorem", declared)]
    for learner in promises():
        for arena in LARGE:
            run = arena.play(learner, rounds=rounds)
            if run is not None:
                yield run, [*run.promises(), *nobodys]
