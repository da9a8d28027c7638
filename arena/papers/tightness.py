"""A suite of small matches, which gives an example of each theorem and the largest tightness of each bound."""

from __future__ import annotations

import contextlib
import functools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.engine.last_function import shows_little
from arena.engine.match import Progress, play
from arena.errors import ArenaError
from arena.players.adversary import as_adversary
from arena.players.learner import as_learner
from arena.record.both_sides import BothSides, both_sides
from arena.record.commands import play_command
from arena.record.judging import judge, lower_bounds_of, promises_of
from arena.record.judging_seeds import judge_series
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import DEVIATION, Verdict, share_text
from arena.specs import registry
from arena.specs.building import build

PRINTED = "-printed"  # the end of the name of a theorem as a paper prints it, if that is wrong
SEEDS = 12  # seeds of an example whose theorem leaves room for chance
EXAMPLE = 20  # rounds of a match in an example
NO_THEOREM = ""  # the theorem's name in a `Tally` for a learner that promises no bound on a regret


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
INDEPENDENT = {  # specs of theorems on independent draws, each with a learner that meets its other assumptions
    "dual-svrg-convergence": (
        "dual-svrg-convergence(independent=true, regularisation=4)",
        "dual-svrg(regularisation=4)",
    ),
    "dual-svrg-corollary": (
        "dual-svrg-corollary(independent=true, regularisation=4, rate=1e-4, period=6000)",
        "dual-svrg(regularisation=4, rate=1e-4, period=6000)",
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
Promises = dict[str, tuple[Theorem, ...]]


def theorem_names() -> list[str]:
    """Return the names of the registered theorems.

    Statements that are wrong as printed (`PRINTED`) and limits that a user sets (`Theorem.demanded`) are left out.
    """
    names = (name for name in registry.entries("theorem") if not registry.find("theorem", name).demanded)
    return [name for name in names if not name.endswith(PRINTED)]


@functools.cache
def promises() -> Promises:
    """Return the theorems that each learner promises; the keys are the learners' specs.

    The learners are all registered ones, and some of them again with the parameters that theorems assume
    (`THEORY_PARAMETERS`). A learner that cannot be built is left out.
    """
    specs = (*registry.entries("learner"), *THEORY_PARAMETERS)
    return _theorems_of("learner", specs, lambda built: as_learner(built).theorems)


def _theorems_of(kind: str, specs: Sequence[str], declared: Callable[[Any], Sequence[Any]]) -> Promises:
    """Return the theorems that players declare, by the players' specs; players that cannot be built are left out."""
    found: Promises = {}
    for spec in specs:
        with contextlib.suppress(ArenaError):  # the player needs parameters or an optional package
            theorems = declared(build(kind, spec))
            found[spec] = tuple(build("theorem", theorem) for theorem in theorems)
    return found


def default_promises() -> Promises:
    """Return the theorems that each learner promises with its default parameters; the keys are the learners' names."""
    return {name: theorems for name, theorems in promises().items() if name in registry.entries("learner")}


@functools.cache
def promised_lower_bounds() -> Promises:
    """Return the lower bounds that each adversary promises; the keys are the adversaries' specs.

    The adversaries are all registered ones, and those in `LARGE`, this module's list of adversaries and games. An
    adversary that cannot be built is left out.
    """
    specs = (*(setting.adversary for setting in LARGE), *registry.entries("adversary"))
    return _theorems_of("adversary", specs, lambda built: as_adversary(built).lower_bounds)


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
    idle, claim = None, name
    if name in INDEPENDENT:
        claim, learner = INDEPENDENT[name]
        pairs = [(learner, DRAWN)]
    elif registry.find("theorem", name).lower:
        settings = [setting for setting in LARGE if setting.adversary in promised_by(name)]
        pairs = [(learner, setting) for setting in settings for learner in promises()]
    else:
        learners, larger = promised_by(name) or list(promises()), LARGE[len(SMALL) :]
        pairs = [(learner, setting) for settings in (SMALL, larger) for learner in learners for setting in settings]
    for learner, setting in pairs:
        run = setting.play(learner, rounds=EXAMPLE)
        if run is not None and (verdict := judge(run, claim)).applicable:
            found = run, verdict, learner, setting
            if run.predictions.any() and not shows_little(run):
                return _example_of(*found)
            idle = idle or found
    return _example_of(*idle) if idle else None


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


@dataclass
class Tally:
    """Results for one theorem: over all matches, or over those of one learner that promises it.

    - `owner` is this learner; it is empty for all matches.
    - `matches` is the number of all matches. The theorem applies in `applied` of them. Its bound is vacuous in
      `vacuous` of them. The theorem is an identity in `identities` of them.
    - `why_not` counts the reasons why the theorem does not apply.
    - `ratio` is the largest tightness; None if no match has a tightness. `measured`, `allowed`, `learner`, `adversary`
      and `command` are those of the match with this tightness.
    - `sides` has the theorem's upper bound and the adversary's lower bound in one match: the match with the largest
      quotient lower / upper. `sides_adversary` is the opponent in this match.

    A learner that promises no bound on a regret, a loss or mistakes also has a `Tally` with the theorem "". In it the
    adversary's lower bounds take the theorem's place. Of the verdicts on them in a match, the one with the largest
    tightness is counted.
    """

    theorem: str
    owner: str = ""
    lower: bool = False
    matches: int = 0
    applied: int = 0
    violations: int = 0
    vacuous: int = 0
    identities: int = 0
    quantity: str = ""
    why_not: Counter[str] = field(default_factory=Counter)
    ratio: float | None = None
    measured: float | None = None
    allowed: float | None = None
    learner: str = ""
    adversary: str = ""
    command: str = ""
    sides: BothSides | None = None
    sides_adversary: str = ""

    def add(self, run: Transcript, verdict: Verdict | None, lower: Sequence[Verdict] = ()) -> None:
        """Count a match; `verdict` is the verdict on the theorem, `lower` are those on the adversary's lower bounds."""
        self.matches += 1
        if verdict is None:
            return
        self.quantity = verdict.quantity
        if not verdict.applicable:
            self.why_not[str(verdict.failed[0]) if verdict.failed else verdict.reason] += 1
            return
        self.applied += 1
        self.violations += verdict.refuted
        self.vacuous += verdict.vacuous
        self.identities += verdict.identity or verdict.is_deviation
        share = None if verdict.is_deviation else verdict.tightness
        if share is not None and (self.ratio is None or share > self.ratio):
            self.ratio, self.measured, self.allowed = share, verdict.measured, verdict.allowed
            self.learner, self.adversary, self.command = run.learner, run.adversary, play_command(run) or ""
        for sides in both_sides([verdict], lower):
            if self.sides is None or sides.ratio > self.sides.ratio:
                self.sides, self.sides_adversary = sides, run.adversary

    @property
    def share(self) -> str:
        """The largest tightness in percent with two decimals, or a phrase if no match has one."""
        if self.ratio is not None:
            return share_text(self.ratio, digits=2)
        if not self.applied:
            return "no match"
        return "exact" if not self.identities or self.theorem.endswith("-identity") else "an identity"

    @property
    def vacuous_in(self) -> str:
        """The word "all" if the bound is vacuous in all matches to which it applies; otherwise ""."""
        return "all" if self.applied and self.vacuous == self.applied else ""

    @property
    def about_losses(self) -> bool:
        """True if the theorem bounds a regret, a loss or mistakes; also true if `theorem` is empty."""
        return not self.theorem or bounds_losses(self.quantity)

    @property
    def status(self) -> str:
        """A phrase for pages: whether the theorem applies in any match, and whether its bound can be violated."""
        if not self.applied:
            return f"never applies: {self.why_not.most_common(1)[0][0]}" if self.why_not else "no lower bound applies"
        if self.quantity == DEVIATION:
            return "an identity, which any other prediction violates"
        if self.identities == self.applied:
            return "applies, an identity: it allows as much as is measured, whatever the learner does"
        if self.vacuous_in:
            return "applies, cannot fail: it allows as much as is possible (vacuous)"
        some = f", vacuous in {self.vacuous} of {self.applied} games" if self.vacuous else ""
        return f"applies, can fail{some}"

    def theorem_as_json(self) -> dict[str, Any]:
        """Return the results for the theorem over all matches as plain values."""
        names = ("theorem", "violations", "ratio", "learner", "adversary", "command", "vacuous", "identities", "lower")
        found = {name: getattr(self, name) for name in names}
        return {"theorem": found.pop("theorem"), "matches": self.applied, **found}

    def promise_as_json(self) -> dict[str, Any]:
        """Return the results for the learner's promise as plain values."""
        return {
            "learner": self.owner,
            **{name: getattr(self, name) for name in ("theorem", "matches", "applied", "vacuous")},
            "identity": bool(self.applied) and self.identities == self.applied,
            "status": self.status,
            "tightness": self.ratio,
            **{name: getattr(self, name) for name in ("measured", "allowed", "adversary")},
            "both_sides": {**self.sides.as_json(), "adversary": self.sides_adversary} if self.sides else None,
        }


def bounds_losses(quantity: str) -> bool:
    """Return whether this quantity, which a theorem measures, is a regret, a loss or a number of mistakes."""
    return quantity.startswith(("regret", "loss", "mistakes"))


@dataclass(frozen=True)
class Suite:
    """Results of the matches that measure tightness, grouped in two ways.

    `theorems` has one entry for each theorem and lower bound, `promises` one for each pair of a learner and a theorem
    that it promises.
    """

    theorems: list[Tally]
    promises: list[Tally]


def suite(*, rounds: int = 200, learners: Sequence[str] | None = None, progress: Progress | None = None) -> Suite:
    """Play learners, by default all, in each setting (adversary and game) of the list `LARGE`; return the results.

    A match is judged by its learner's promises, by its adversary's lower bounds, and by the theorems that no learner
    promises. If `learners` is None, each theorem in `INDEPENDENT`, which assumes independently drawn points, also has a
    match of its own. `progress` is called with the number of matches played.
    """
    theorems = {name: Tally(name, lower=registry.find("theorem", name).lower) for name in theorem_names()}
    rows: dict[tuple[str, str], Tally] = {}
    for played, (learner, run, judges) in enumerate(_matches(rounds, learners), start=1):
        lower = [(each.name, judge(run, each)) for each in lower_bounds_of(run)]
        own = [(each.name, judge(run, each)) for each in judges]
        for name, verdict in [*own, *lower]:
            if name in theorems:
                theorems[name].add(run, verdict)
        below = [verdict for _, verdict in lower if not verdict.by_chance]
        promised = {each.name: each.quantity for each in promises().get(learner, ())}
        for name, verdict in own:
            if name in promised:
                rows.setdefault((learner, name), Tally(name, learner)).add(run, verdict, below)
        if learner in promises() and not any(map(bounds_losses, promised.values())):
            row = rows.setdefault((learner, NO_THEOREM), Tally(NO_THEOREM, learner))
            row.add(run, max(below, key=_closeness, default=None))
        if progress:
            progress(played)
    return Suite(list(theorems.values()), [row for _, row in sorted(rows.items())])


def _closeness(verdict: Verdict) -> tuple[int, float]:
    """Return the sort key (the theorem applies, tightness); a missing tightness counts as -infinity."""
    return verdict.applicable, -math.inf if verdict.tightness is None else verdict.tightness


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
        if name not in promised and name not in INDEPENDENT
        if not (theorem := build("theorem", name)).lower
    ]
    for declared, learner in INDEPENDENT.values() if only is None else ():
        run = DRAWN.play(learner, rounds=rounds)
        if run is not None:
            yield learner, run, [build("theorem", declared)]
    for learner in promises() if only is None else only:
        for setting in LARGE:
            run = setting.play(learner, rounds=rounds)
            if run is not None:
                yield learner, run, [*promises_of(run), *unpromised]
