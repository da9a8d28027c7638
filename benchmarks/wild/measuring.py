"""Measures one model: checks, hunted theorems, growth of the regret, divergence, time of a round, and failures."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena import play
from arena.arrays import first_best
from arena.counterexamples.shrinking import shrink
from arena.counterexamples.standalone import standalone
from arena.engine.growth import exponent
from arena.errors import ArenaError
from arena.hunt.hunting import hunt
from arena.players.learner import as_learner
from arena.record.commands import play_command
from arena.record.transcript import Transcript
from arena.specs.building import build
from arena.testing import check_learner

from .demands import StaysNear, first_divergence
from .model import SHORT, Model
from .row import Failure, Row
from .strongest import KERNELS, STRONGEST

DIMENSION = 3
WIDE = 30.0  # the box [-WIDE, WIDE] stands for features that were not scaled
WIDE_ADVERSARIES = ("drawn", "far-point", "minimax")
FREE = 1e9  # bound of the scores of a classifier whose theorem is judged
SHRINKING = 20.0  # seconds
ONE_ROUND = 1.0  # the loss of predicting zero for one round, where labels are within [-1, 1]


@dataclass(frozen=True)
class Effort:
    """Limits of the measurement of one model: matches, rounds, and whether the checks are made."""

    matches: int = 10  # matches of the hunt for each theorem
    hunted_rounds: int = 40
    rounds: int = 1000  # largest number of rounds of a match that measures growth
    checks: bool = True


FULL = Effort()
QUICK = Effort(matches=3, hunted_rounds=20, rounds=32, checks=False)


def measure(model: Model, effort: Effort = FULL, *, notify: Callable[[str], None] = lambda _: None) -> Row:
    """Return the measurements of a model; if its library is missing or does not load, `Row.error` gives the reason.

    `notify` is called with the name of each part of the measurement before it begins.
    """
    row, started = Row(model.library, model.name, model.version), time.process_time()
    if model.version is None:
        row.error = "not installed"
        return row
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            learner = build("learner", model.spec)
        except ArenaError as error:
            row.error = f"cannot be made: {str(error).splitlines()[0]}"
            return row
        if effort.checks:
            notify("checks")
            _check(row, model)
        notify("theorems")
        _judge(row, model, learner, effort)
        notify("growth")
        _grow(row, model, effort)
        notify("divergence")
        _widen(row, model, effort)
        row.microseconds = _microseconds(model)
    row.seconds = round(time.process_time() - started, 2)
    return row


def _check(row: Row, model: Model) -> None:
    """Check the contract of learners, and record the results in `row`."""
    results = check_learner(model.spec)
    row.passed = sum(result.outcome == "passed" for result in results)
    row.skipped = sum(result.outcome == "skipped" for result in results)
    row.failed = [result.name for result in results if result.bad]
    row.failures += [Failure("check", result.name, result.message) for result in results if result.bad]


def _judge(row: Row, model: Model, learner: Any, effort: Effort) -> None:
    """Hunt for a violation of each theorem, and record verdicts and failures in `row`."""
    fields: dict[str, Any] = {"loss": model.loss, "dimension": DIMENSION}
    if model.loss != "squared":
        fields["prediction_bound"] = FREE
    for theorem in model.theorems or as_learner(learner).theorems:
        found = hunt(
            model.spec, theorem, rounds=effort.hunted_rounds, matches=effort.matches, workers=0, budget=3600, **fields
        )
        closest, broken = found.closest[0], found.violation
        row.verdicts.append(
            {
                "theorem": closest.theorem,
                "outcome": "violated" if broken else "holds" if closest.matches else "not applicable",
                "reason": broken.reason if broken else closest.reason,
                "tightness": None if closest.exact else closest.tightness,
                "exact": closest.exact,
                "matches": found.matches,
            }
        )
        if broken is not None and broken.single and broken.transcript is not None:
            kind = "forfeit" if broken.kind == "forfeit" else "theorem"
            row.failures.append(_failure(kind, model, broken.transcript, broken.theorem))


def _grow(row: Row, model: Model, effort: Effort) -> None:
    """Play the five strongest adversaries with both kernels, and record growth and divergences in `row`.

    For each kernel only the largest of the five regrets is recorded, with its exponent; of equal ones, the first.
    """
    rounds = min(model.rounds, effort.rounds)
    for space, kernel in KERNELS.items():
        grown: list[tuple[float, float, str]] = []
        for run in _matches(model, STRONGEST, {"rounds": rounds, "dimension": DIMENSION, "kernel": kernel}):
            if _diverges(row, model, run, space) or run.forfeit:
                grown.append((np.inf, np.inf, run.adversary))
            else:
                grown.append((float(run.regret[-1]), _exponent(run), run.adversary))
        row.growth[space] = list(grown[first_best(np.array([regret for regret, *_ in grown]))])


def _widen(row: Row, model: Model, effort: Effort) -> None:
    """Play in the box [-WIDE, WIDE], which stands for features without scaling, and record divergences in `row`."""
    fields = {"rounds": min(64, effort.rounds), "dimension": DIMENSION, "kernel": KERNELS["linear"]}
    for run in _matches(model, WIDE_ADVERSARIES, {**fields, "box": (-WIDE, WIDE)}):
        _diverges(row, model, run, "wide")


def _matches(model: Model, adversaries: tuple[str, ...], fields: dict[str, Any]) -> Iterator[Transcript]:
    for adversary in adversaries:
        yield play(model.spec, adversary, **fields)


def _diverges(row: Row, model: Model, run: Transcript, where: str) -> bool:
    """Return whether the learner diverged or forfeited, and record this in `row`.

    The first divergence and the first forfeit in each box are also shrunk and added to the failures.
    """
    at = first_divergence(run)
    if at is not None:
        row.diverges.append({"where": where, "adversary": run.adversary, "round": at})
    foul = run.forfeit is not None and run.forfeit.side == "learner"
    kind = "divergence" if at is not None else "forfeit" if foul else ""
    seen = {(failure.kind, failure.name) for failure in row.failures}
    name = "wide box" if where == "wide" else "usual box"
    if kind and (kind, name) not in seen:
        broken = StaysNear() if (np.abs(run.predictions) > 0).any() and not foul else None
        row.failures.append(_failure(kind, model, run, broken, name))
    return bool(kind)


def _failure(kind: str, model: Model, run: Transcript, theorem: Any, name: str = "") -> Failure:
    """Return the failure of a match, shrunk, with a script that needs only the model's library."""
    called = name or (str(theorem) if theorem else "forfeit")
    command = play_command(run, theorem if isinstance(theorem, str) else "none") or ""
    try:
        shrunk = shrink(model.spec, run, theorem, budget=SHRINKING)
    except ArenaError as error:
        return Failure(kind, called, f"not shrunk: {str(error).splitlines()[0]}", run.rounds, command)
    reason = re.sub(rf"\S+:{StaysNear.__name__}\b", StaysNear.name, shrunk.reason.splitlines()[0])
    script = (standalone(shrunk) or "").replace("# ", f"# {model.library} {model.version}, ", "./" in model.spec)
    return Failure(kind, called, reason, shrunk.rounds, command, script)


def _exponent(run: Transcript) -> float:
    """Return the exponent with which the regret grew in the second half of the match.

    A regret below `ONE_ROUND` counts as `ONE_ROUND`.
    """
    at = [run.rounds // 2, run.rounds]
    return exponent(at, np.maximum(run.regret[[t - 1 for t in at]], ONE_ROUND))


def _microseconds(model: Model, rounds: int = 200) -> float:
    """Return the microseconds that a round (prediction and update) takes.

    The median over the rounds is computed for three matches, and the least of the three medians is returned.
    """
    fields = {"rounds": rounds if model.rounds > SHORT else 50, "dimension": DIMENSION, "hindsight": "none"}
    return round(min(float(np.median(play(model.spec, "drawn", **fields).seconds)) for _ in range(3)) * 1e6, 1)
