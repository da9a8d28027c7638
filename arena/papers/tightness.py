"""Small matches: an example of each theorem, and the highest share of each bound that a match uses."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arena.engine.match import Progress, play
from arena.engine.series_verdicts import judge_series
from arena.errors import ArenaError
from arena.players.learner import as_learner
from arena.record.commands import play_command
from arena.record.judging import judge, promises_of
from arena.record.theorem import Theorem, Verdict
from arena.record.transcript import Transcript
from arena.specs import registry
from arena.specs.building import build

PRINTED = "-printed"  # the suffix of a theorem that states what a paper prints, where that is wrong
SEEDS = 12  # of an example whose theorem leaves room for chance
EXAMPLE = 20  # rounds of an example


@dataclass(frozen=True)
class Setting:
    """An adversary and the fields of its game."""

    adversary: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def play(self, learner: str, *, rounds: int, seed: int = 0) -> Transcript | None:
        """A match; None if the two sides cannot play together, or after a forfeit."""
        try:
            run = play(learner, self.adversary, rounds=rounds, seed=seed, **self.fields)
        except ArenaError:
            return None
        return None if run.forfeit else run


SMALL = (
    Setting("alternating"),
    Setting("repeated(points=5)"),
    Setting("alternating", {"loss": "logistic"}),
    Setting("repeated(points=5)", {"loss": "hinge"}),
    Setting("alternating", {"loss": "smooth-hinge"}),
)
LARGE = (
    *SMALL,
    Setting("alternating", {"regularisation": 100.0}),
    Setting("alternating", {"loss": "squared-hinge"}),
    Setting("alternating", {"loss": "absolute"}),
    Setting("repeated(points=2, labels=alternating)", {"kernel": "gaussian(bandwidth=0.5)"}),
    Setting("repeated(points=30, labels=contrary)", {"kernel": "gaussian(bandwidth=0.3)"}),
    Setting("repeated(points=30, labels=contrary)", {"loss": "hinge"}),
    Setting("repeated(points=40)", {"kernel": "gaussian(bandwidth=0.1)", "regularisation": 0.1}),
    Setting("repeated(points=10, labels=contrary)", {"kernel": "linear", "regularisation": 0.1}),
    Setting("repeated(points=3, labels=contrary)", {"label_bound": 3.0, "prediction_bound": 1.0}),
    Setting("greedy(starts=24, polished=0)", {"kernel": "gaussian(bandwidth=0.5)"}),
    Setting("greedy(starts=24, polished=0)", {"kernel": "laplacian", "regularisation": 0.1, "dimension": 4}),
    Setting("contrarian(source=repeated(points=8))", {"kernel": "gaussian(bandwidth=0.5)"}),
    Setting("contrarian", {"loss": "logistic", "prediction_bound": 3.0}),
    Setting("leverage(starts=24, polished=0)", {"kernel": "gaussian(bandwidth=0.5)"}),
    Setting("feature-blind"),
    Setting("budget-breaker", {"loss": "hinge"}),
    Setting("far-point"),
    Setting("near-duplicates", {"regularisation": 0.1}),
    Setting("near-duplicates", {"loss": "squared-hinge"}),
    Setting("drift", {"kernel": "gaussian(bandwidth=0.3)"}),
    Setting("kors-evader"),
    Setting("restart-forcer"),
    Setting("label-blocks(length=100)", {"loss": "smooth-hinge"}),
    Setting("orthogonal", {"loss": "logistic"}),
)
INDEPENDENT = {  # theorems that hold for independent draws, and learners that meet their other assumptions
    "dual-svrg-convergence(independent=true, regularisation=4)": "dual-svrg(regularisation=4)",
    "dual-svrg-corollary(independent=true, regularisation=4, rate=1e-4, period=6000)": (
        "dual-svrg(regularisation=4, rate=1e-4, period=6000)"
    ),
}
THEORY_PARAMETERS = (  # learners with the parameters that theorems assume; their defaults are those of experiments
    "pkawv(embedding=taylor(degree=12))",
    "pkawv-kors(beta=120, mu=0.1)",
    "sketched-kons(beta=120)",
    "con-kons(beta=120)",
    "pros-n-kons(beta=120, gamma=0.1)",
    "kons(alpha=0.1)",
    "fgd(radius=1)",
    "fgd(steps=inverse, shrinkage=0.5)",
    "dual-svrg(oracle=coverage, radius=0.5)",
    "sgd(rate=0.01)",
    "sgd(rate=0.01, steps=inverse-scaling, power=0.25, shrinkage=0.0001, halved=true)",
)
DRAWN = Setting("drawn")


def theorem_names() -> list[str]:
    """The registered theorems that are proved: neither wrong as printed nor a demand of the user."""
    names = (name for name in registry.entries("theorem") if not registry.find("theorem", name).demanded)
    return [name for name in names if not name.endswith(PRINTED)]


@functools.cache
def promises() -> dict[str, tuple[Theorem, ...]]:
    """The theorems that each learner promises, with its defaults or with one of `THEORY_PARAMETERS`."""
    found: dict[str, tuple[Theorem, ...]] = {}
    for spec in (*registry.entries("learner"), *THEORY_PARAMETERS):
        try:
            learner = as_learner(build("learner", spec))
        except ArenaError:  # it needs parameters or an optional package
            continue
        found[spec] = tuple(build("theorem", theorem) for theorem in learner.theorems)
    return found


def promised_by(theorem: str) -> list[str]:
    """The specs of the learners that promise it, those with default parameters first."""
    return [name for name, promised in promises().items() if theorem in {each.name for each in promised}]


@dataclass(frozen=True)
class Example:
    """A command, the verdict of a theorem on the matches that it plays, and the first of these."""

    command: str
    verdict: str
    run: Transcript


@functools.cache
def example(name: str) -> Example | None:
    """The first small match to which the theorem applies, played by a learner that promises it if there is one.

    The games of `LARGE` are tried after those of `SMALL`, with as few rounds.
    """
    independent = _declared_independent(name)
    learners, larger = promised_by(name) or list(promises()), LARGE[len(SMALL) :]
    pairs = [(learner, setting) for settings in (SMALL, larger) for learner in learners for setting in settings]
    for learner, setting in [(INDEPENDENT[independent], DRAWN)] if independent else pairs:
        run = setting.play(learner, rounds=EXAMPLE)
        if run is None:
            continue
        verdict = judge(run, independent or name)
        if verdict.applicable:
            return _example_of(run, verdict, learner, setting)
    return None


def _declared_independent(name: str) -> str | None:
    """The theorem of this name with independence declared, if it needs that."""
    return next((spec for spec in INDEPENDENT if spec.partition("(")[0] == name), None)


def _example_of(run: Transcript, verdict: Verdict, learner: str, setting: Setting) -> Example:
    bound = "auto" if any(each.name == verdict.name for each in promises_of(run)) else verdict.theorem
    command = str(play_command(run, bound))
    if not verdict.by_chance:
        return Example(command, str(verdict), run)
    runs = [setting.play(learner, rounds=EXAMPLE, seed=seed) for seed in range(SEEDS)]
    claim = verdict.name if bound == "auto" else verdict.theorem
    verdicts = [judge(each, claim) for each in runs if each is not None]
    return Example(f"{command} --seeds {SEEDS}", str(judge_series(range(len(verdicts)), verdicts)), run)


@dataclass(frozen=True)
class Tightness:
    """The match that comes closest to a theorem's bound, of those to which the theorem applies."""

    theorem: str
    matches: int = 0
    violations: int = 0
    ratio: float | None = None
    learner: str = ""
    adversary: str = ""
    command: str = ""

    def with_match(self, run: Transcript, verdict: Verdict) -> Tightness:
        """The same, with one more match counted."""
        counted = replace(self, matches=self.matches + 1, violations=self.violations + verdict.refuted)
        ratio = None if verdict.exact else verdict.tightness
        if ratio is None or (self.ratio is not None and ratio <= self.ratio):
            return counted
        return replace(
            counted, ratio=ratio, learner=run.learner, adversary=run.adversary, command=play_command(run) or ""
        )


def tightness(*, rounds: int = 200, progress: Progress | None = None) -> list[Tightness]:
    """For each theorem the highest ratio of measured to allowed after `rounds` rounds."""
    closest = {name: Tightness(name) for name in theorem_names()}
    for played, (run, theorems) in enumerate(_matches(rounds), start=1):
        for theorem in theorems:
            verdict = judge(run, theorem)
            if verdict.applicable and theorem.name in closest:
                closest[theorem.name] = closest[theorem.name].with_match(run, verdict)
        if progress:
            progress(played)
    return list(closest.values())


def planned_matches() -> int:
    """The greatest number of matches that `tightness` plays."""
    return len(promises()) * len(LARGE) + len(INDEPENDENT)


def _matches(rounds: int) -> Iterator[tuple[Transcript, list[Theorem]]]:
    """Every learner in every setting, with the theorems that it promises and those that no learner promises."""
    promised = {theorem.name for each in promises().values() for theorem in each}
    unpromised: list[Theorem] = [
        build("theorem", name) for name in theorem_names() if name not in promised and not _declared_independent(name)
    ]
    for declared, learner in INDEPENDENT.items():
        run = DRAWN.play(learner, rounds=rounds)
        if run is not None:
            yield run, [build("theorem", declared)]
    for learner in promises():
        for setting in LARGE:
            run = setting.play(learner, rounds=rounds)
            if run is not None:
                yield run, [*promises_of(run), *unpromised]
