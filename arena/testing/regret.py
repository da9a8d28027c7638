"""`assert_regret`: a learner obeys its theorem, or the test says where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.errors import ArenaError
from arena.game import Game, changed_fields
from arena.judging import SeriesVerdict
from arena.match import play
from arena.observers import observers
from arena.parameters import convert
from arena.series import Series, play_series
from arena.storage import game_as_json
from arena.theorem import Verdict
from arena.transcript import Claim, Transcript


class RegretTooLarge(AssertionError):
    """A learner broke a bound or forfeited; `transcript` and `verdict` say how."""

    def __init__(self, message: str, transcript: Transcript, verdict: Verdict | None = None):
        super().__init__(message)
        self.transcript = transcript
        self.verdict = verdict


def assert_regret(
    learner: Any,
    adversary: Any = "greedy",
    *,
    theorem: Claim | Sequence[Claim] = "auto",
    at_most: float | None = None,
    game: Game | None = None,
    seed: int = 0,
    seeds: int | None = None,
    **fields: Any,
) -> Transcript:
    """Play a match and fail unless every theorem holds and the final regret is at most what is allowed.

    `theorem` is `auto` (those that the learner promises), a name, a theorem or several; `at_most` is a plain number
    that the regret at the end may not exceed, for learners without a theorem. An assertion that has nothing to check is
    a mistake of its own, and so is a theorem that does not apply to the match.

    With `seeds=N` the matches of the seeds `seed`, `seed + 1`, ... are judged together: theorems that leave room for
    chance by a test that one unlucky match cannot fail, and `at_most` bounds the mean. The worst match is returned.

    >>> run = assert_regret("krr", "alternating", rounds=50, at_most=10.0)
    >>> run = assert_regret("kernel-awv", "repeated", rounds=50, seeds=5)
    """
    __tracebackhide__ = True
    allowed = None if at_most is None else convert(at_most, float, label="assert_regret: at_most")
    if seeds is not None:
        match = {"game": game, "seed": seed, **fields}
        return _assert_series(learner, adversary, theorem, allowed, seeds, match)
    run = play(learner, adversary, game=game, seed=seed, **fields)
    promised = isinstance(theorem, str) and theorem == "auto"
    verdicts = run.verdicts(theorem)
    for observer in observers.get():
        observer(run, verdicts)
    if run.forfeit:
        raise RegretTooLarge(told(run, str(run.forfeit), []), run)
    for verdict in verdicts:
        if verdict.violated:
            raise RegretTooLarge(violation(run, verdict), run, verdict)
    _check_at_most(run, allowed)
    check_something_was_judged(run, verdicts, promised=promised, otherwise=allowed is not None)
    return run


def _assert_series(
    learner: Any, adversary: Any, theorem: Any, at_most: float | None, seeds: int, match: dict[str, Any]
) -> Transcript:
    """The same over many seeds; in this process, since tests are spread over processes by their own runner."""
    __tracebackhide__ = True
    series = play_series(learner, adversary, seeds=seeds, bound=theorem, workers=1, **match)
    worst = play(learner, adversary, **match | {"seed": series.worst.seed})
    for observer in observers.get():
        observer(worst, worst.verdicts(theorem))
    if worst.forfeit:
        raise RegretTooLarge(told(worst, str(worst.forfeit), []), worst)
    for verdict in series.verdicts:
        if verdict.violated:
            broken = (
                play(learner, adversary, **match | {"seed": verdict.violations[0]}) if verdict.violations else worst
            )
            lines = [verdict.reason, f"judged over {verdict.applicable} matches: {verdict.method}"]
            raise RegretTooLarge(told(broken, f"{verdict.theorem} is violated", lines, bound=verdict.theorem), broken)
    _check_mean(worst, series, at_most)
    promised = isinstance(theorem, str) and theorem == "auto"
    check_something_was_judged(worst, series.verdicts, promised=promised, otherwise=at_most is not None)
    return worst


def _check_mean(worst: Transcript, series: Series, at_most: float | None) -> None:
    __tracebackhide__ = True
    if at_most is None:
        return
    regrets = series.numbers("regret")
    if regrets is None:
        raise ArenaError(f"at_most needs the regret, but it is not known: {worst.why_no_hindsight}")
    mean = float(regrets.mean())
    if mean > at_most:
        lines = [f"mean regret {mean:.9g}, allowed {at_most:.9g}; the largest is {regrets.max():.9g}"]
        raise RegretTooLarge(
            told(worst, f"the mean regret of {len(regrets)} seeds exceeds what is allowed", lines), worst
        )


def violation(run: Transcript, verdict: Verdict, *more: str) -> str:
    """The message of a bound that is broken: by how much, first and at the end, and how to see it again."""
    assert verdict.round is not None
    assert verdict.measured_curve is not None
    assert verdict.allowed_curve is not None
    first = verdict.round - 1
    lines = [
        f"{verdict.quantity} {verdict.measured_curve[first]:.9g}, bound {verdict.allowed_curve[first]:.9g}, "
        f"margin {verdict.margin:.3g} in round {verdict.round}, the first in which it is broken",
        f"{verdict.quantity} {verdict.measured:.9g}, bound {verdict.allowed:.9g} in round {run.rounds}, the last",
        *more,
    ]
    return told(run, f"{verdict.theorem} is violated in round {verdict.round}", lines, bound=verdict.theorem)


def _check_at_most(run: Transcript, at_most: float | None) -> None:
    __tracebackhide__ = True
    if at_most is None:
        return
    if run.regret_interval is None:
        raise ArenaError(f"at_most needs the regret, but it is not known: {run.why_no_hindsight}")
    low, high = run.regret_interval
    if not run.rounds or high[-1] <= at_most:
        return
    if low[-1] <= at_most:
        raise ArenaError(
            f"at_most {at_most:.9g} is undecided: the regret lies between {low[-1]:.9g} and {high[-1]:.9g}; "
            "narrow it with hindsight='exact'"
        )
    lines = [f"regret {low[-1]:.9g}, allowed {at_most:.9g}, margin {low[-1] - at_most:.3g}"]
    raise RegretTooLarge(told(run, f"the regret exceeds what is allowed in round {run.rounds}", lines), run)


def check_something_was_judged(
    run: Transcript, verdicts: Sequence[Verdict | SeriesVerdict], *, promised: bool, otherwise: bool
) -> None:
    """A theorem that was named must apply; of those promised one is enough, or none if something else was checked."""
    __tracebackhide__ = True
    unfit = [verdict for verdict in verdicts if verdict.outcome in ("not applicable", "undecided")]
    if unfit and (not promised or len(unfit) == len(verdicts)) and not (promised and otherwise):
        raise ArenaError("nothing was checked: " + "; ".join(map(str, unfit)))
    if not verdicts and not otherwise:
        raise ArenaError(f"{run.learner} promises no theorem: name one with theorem=..., or give at_most=...")


def told(run: Transcript, what: str, lines: Sequence[str], *, bound: str | None = None) -> str:
    """The failure: who, what, the numbers, the game, and the command that plays it again."""
    game = game_as_json(run.game)
    setting = ", ".join(f"{key} {game[key]}" for key in {"rounds": 0, **changed_fields(run.game, Game())})
    command = run.command
    if command and bound:
        command += f" --bound '{bound}'" if "(" in bound else f" --bound {bound}"
    return "\n".join(
        [
            f"{run.learner} against {run.adversary}: {what}",
            *(f"  {line}" for line in lines),
            f"  game: {setting}; seed {run.seed}",
            f"  again: {command or 'in Python alone, since a side was given as an object that no spec can name'}",
        ]
    )
