"""`assert_regret`, which asserts that a learner obeys its theorems in a match, or in matches with several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.counterexamples.case import fresh
from arena.engine.match import play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.judging import claims_of, promises_of, theorems_named
from arena.record.series import Series
from arena.record.theorem import Claim, Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.building import build
from arena.specs.parameters import convert
from arena.specs.spelling import spec_text
from arena.testing.failure import (
    RegretTooLarge,
    demand_message,
    failure_message,
    hide_arena_frames,
    violation_message,
)
from arena.testing.known_failures import KnownFailures
from arena.testing.session import conclude, run_settings
from arena.theorems.at_most import AtMost
from arena.tournament.series import play_series

NAME = "assert_regret"


@hide_arena_frames
def assert_regret(
    learner: Any,
    adversary: Any = "greedy",
    *,
    theorem: Claim | Sequence[Claim] = "auto",
    at_most: float | None = None,
    comparator: Any = None,
    game: Game | None = None,
    seed: int = 0,
    seeds: int | None = None,
    **fields: Any,
) -> Transcript:
    """Play a match, and fail unless every theorem holds and the final regret is at most `at_most`.

    - `theorem` is `auto` (the learner's promises), a name, a theorem, or several of these. If a named theorem does not
      apply to the match, an `ArenaError` is raised. A promise that does not apply is passed over.
    - `at_most` limits the final regret. It works with every loss, and for learners without a theorem.
    - `comparator` replaces the best function in hindsight in the regret that `at_most` limits. It is a name, spec or
      object of `arena list comparators`, such as `constant`, `last-label` or "baseline(model=krr)".
    - `seeds=N` plays N matches with the seeds `seed`, `seed + 1`, ..., judges them together, and returns the worst
      match. A theorem that holds only in expectation or with some probability is then judged by a statistical test.
      `at_most` limits the mean regret.
    - `fields` are fields of the game, which replace those of `game`, or arguments of `play`.

    If nothing can be checked, an `ArenaError` is raised. A match that fails is shrunk. Under pytest it is also kept,
    and played first in the next run. Neither is done if only the mean regret of several seeds is too large.

    >>> run = assert_regret("krr", "alternating", rounds=50, at_most=10.0)
    >>> run = assert_regret("krr", "repeated(points=3)", rounds=50, at_most=5.0, comparator="constant")
    >>> run = assert_regret("kernel-awv", "repeated", rounds=50, seeds=5)
    """
    __tracebackhide__ = True
    allowed = None if at_most is None else convert(at_most, float, label="assert_regret: at_most")
    count = run_settings.get().seeds if seeds is None else seeds
    if comparator is not None and allowed is None:
        raise ArenaError(
            "assert_regret: comparator=... says to what the regret of at_most is measured: give at_most=..."
        )
    demand = None if allowed is None else AtMost(allowed, comparator)
    assertion = _Assertion(learner, adversary, theorem, demand, {"game": game, "seed": seed, **fields})
    return assertion.over_one_match() if count is None else assertion.over_seeds(count)


class _Assertion:
    """One call of `assert_regret`: the match to play, the theorems and the demand, and the failures of earlier runs."""

    def __init__(self, learner: Any, adversary: Any, theorem: Any, demand: AtMost | None, match: dict[str, Any]):
        self.learner, self.adversary, self.match = learner, adversary, match
        self.theorem, self.demand = theorem, demand
        self.at_most = None if demand is None else demand.regret
        self.comparator = comparator = None if demand is None else demand.comparator
        self.promised = isinstance(theorem, str) and theorem == "auto"
        game, same = match.get("game"), {key: value for key, value in match.items() if key != "name"}
        limits = [self.at_most] if self.comparator is None else [self.at_most, self.comparator]
        self.known_failures = KnownFailures(
            learner,
            adversary,
            theorem,
            *limits,
            game=game,
            fields={**same, "game": None} if game else same,
            isolate=match.get("isolate", False),
            name=match.get("name"),
        )
        if comparator is not None:
            others = [each for each in match.get("comparators", ()) if build("comparator", each) != comparator]
            self.match = {**match, "comparators": [*others, comparator]}

    def over_one_match(self) -> Transcript:
        __tracebackhide__ = True
        demands = [] if self.demand is None else [self.demand]
        self._check_known(demands)
        run = self._played(self.match["seed"])
        theorems = self._theorems(run)
        verdicts = [run.verdict(theorem) for theorem in theorems]
        demanded = [run.verdict(demand) for demand in demands if not run.forfeit]
        failure = self._forfeited(run) or self._violated(run, [*theorems, *demands], [*verdicts, *demanded])
        conclude(NAME, run, [*verdicts, *demanded], failure)
        for verdict in demanded:
            if not verdict.applicable:
                raise ArenaError(f"at_most needs the regret, but it is not known: {verdict.reason}")
            if verdict.outcome == "undecided":
                raise ArenaError(f"at_most {verdict.allowed:.9g} is undecided: {verdict.reason}")
        require_something_judged(run, verdicts, promised=self.promised, otherwise=self.at_most is not None)
        return run

    def over_seeds(self, seeds: int) -> Transcript:
        """Play a match with each seed, judge all matches together, and return the worst match."""
        __tracebackhide__ = True
        for name in ("exact", "effort", "watch"):
            if name in self.match:
                raise ArenaError(
                    f"assert_regret: {name}=... is for a single match, but {seeds!r} seeds are asked for: leave out "
                    f"{name}=..., or seeds=... and --arena-seeds"
                )
        # without the demand, which limits the mean and not a single match
        self._check_known([])
        # in this process, since pytest-xdist already uses several
        series = play_series(self.learner, self.adversary, seeds=seeds, bound=self.theorem, workers=1, **self.match)
        worst = self._played(series.worst.seed)
        failure = self._forfeited(worst) or self._series_violated(worst, series) or self._mean_beyond(worst, series)
        demanded = [] if self.demand is None or worst.forfeit else [self.demand]
        conclude(NAME, worst, worst.verdicts([*claims_of(self.theorem), *demanded]), failure, matches=seeds)
        require_something_judged(worst, series.verdicts, promised=self.promised, otherwise=self.at_most is not None)
        return worst

    def _check_known(self, demands: Sequence[Theorem]) -> None:
        """Play the failures of earlier runs again; raise `RegretTooLarge` if the learner still fails in one of them."""
        __tracebackhide__ = True
        failure = self.known_failures.play_again(lambda run: [*self._theorems(run), *demands])
        if failure is not None:
            conclude(NAME, failure.transcript, [failure.verdict] if failure.verdict else [], failure)

    def _theorems(self, run: Transcript) -> list[Theorem]:
        return theorems_named(self.theorem, promises_of(run))

    def _played(self, seed: int) -> Transcript:
        # a copy, so that shrinking can still begin with the object as it was given
        return play(fresh(self.learner), self.adversary, **self.match | {"seed": seed})

    def _forfeited(self, run: Transcript) -> RegretTooLarge | None:
        return self.known_failures.failure(run, failure_message(run, str(run.forfeit), [])) if run.forfeit else None

    def _violated(
        self, run: Transcript, theorems: Sequence[Theorem], verdicts: Sequence[Verdict]
    ) -> RegretTooLarge | None:
        for theorem, verdict in zip(theorems, verdicts, strict=False):
            if verdict.violated:
                message = demand_message(run, verdict) if theorem.demanded else violation_message(run, verdict)
                return self.known_failures.failure(run, message, theorem, verdict)
        return None

    def _series_violated(self, worst: Transcript, series: Series) -> RegretTooLarge | None:
        for theorem, verdict in zip(self._theorems(worst), series.verdicts, strict=True) if series.verdicts else ():
            if verdict.violated:
                broken = self._played(verdict.violations[0]) if verdict.violations else worst
                lines = [verdict.reason, f"judged over {verdict.applicable} matches: {verdict.method}"]
                message = failure_message(broken, f"{verdict.theorem} is violated", lines, bound=verdict.theorem)
                return self.known_failures.failure(broken, message, theorem)
        return None

    def _mean_beyond(self, worst: Transcript, series: Series) -> RegretTooLarge | None:
        if self.at_most is None:
            return None
        ends = series.regret_ends if self.comparator is None else series.regrets_to(spec_text(self.comparator))
        if ends is None:
            raise ArenaError(f"at_most needs the regret, but over seeds it is not known: {self._why_unknown(worst)}")
        low, high = (float(mean) for mean in ends.mean(axis=0))
        if high <= self.at_most:
            return None
        if low <= self.at_most:
            between = f"the mean regret of {len(ends)} seeds lies between {low:.9g} and {high:.9g}"
            raise ArenaError(f"at_most {self.at_most:.9g} is undecided: {between}")
        what = "mean regret" if self.comparator is None else f"mean regret to {spec_text(self.comparator)}"
        lines = [f"{what} {low:.9g}, allowed {self.at_most:.9g}; the largest is {ends[:, 0].max():.9g}"]
        what = f"the mean regret of {len(ends)} seeds exceeds what is allowed"
        first = self.match["seed"]
        return RegretTooLarge(failure_message(worst, what, lines, seeds=range(first, first + len(ends))), worst)

    def _why_unknown(self, worst: Transcript) -> str:
        if not worst.rounds:
            return "no round was played"
        return worst.comparator.why_unknown if self.comparator is None else worst.regret_to(self.comparator).unknown


def require_something_judged(run: Transcript, verdicts: Sequence[Verdict], *, promised: bool, otherwise: bool) -> None:
    """Raise an `ArenaError` if an assertion has judged too few of its theorems; `verdicts` are the verdicts on them.

    A theorem is judged if its verdict is neither "not applicable" nor "undecided".

    - `promised` is true if the theorems are the learner's promises. Then one judged theorem is enough.
    - `promised` is false if the user named the theorems. Then all of them must be judged.
    - `otherwise` is true if the assertion has judged the limit `at_most`. Then no promise needs to be judged.
    """
    __tracebackhide__ = True
    unfit = [verdict for verdict in verdicts if verdict.outcome in ("not applicable", "undecided")]
    if unfit and (not promised or len(unfit) == len(verdicts)) and not (promised and otherwise):
        raise ArenaError("nothing was checked: " + "; ".join(map(str, unfit)))
    if not verdicts and not otherwise:
        raise ArenaError(f"{run.learner_name} promises no theorem: name one with theorem=..., or give at_most=...")
