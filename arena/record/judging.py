"""Functions that judge a match by theorems."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, NoHindsight, describe_error
from arena.guards.disk import NoRoom, on_disk_if_large
from arena.guards.user_code import is_ctrl_c
from arena.linalg.threads import one_thread
from arena.record.judgement import SAVED, Judgement, Unjudged
from arena.record.theorem import Claim, Theorem, slack
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption, Outcome, Verdict
from arena.specs.addresses import is_built_in, names_code
from arena.specs.building import build, registered_names_only
from arena.specs.spelling import is_unnamed, spec_text

TOO_LARGE = "the numbers are beyond double precision"
as_floats = functools.partial(np.asarray, dtype=float)  # converts what methods of theorems return

OWN = "it is the isolated learner's own code, which would judge itself; named as a bound by its address, it is judged"

Claims: TypeAlias = "Claim | Sequence[Claim]"
Promised = TypeVar("Promised", bound=Theorem | str)  # a theorem, or the spec of a theorem that may not be built


def promises_of(run: Transcript) -> tuple[Theorem, ...]:
    """Return the theorems that the learner of this match promises.

    Users' own theorems are left out if the learner was isolated. If it was not isolated, and the transcript is not
    `trusted`, users' own theorems raise an `ArenaError`.
    """
    return _allowed(run, _built(run, run.theorems, run.promised))


def lower_bounds_of(run: Transcript) -> tuple[Theorem, ...]:
    """Return the lower bounds that the adversary promises and that concern the learner of this match.

    In a transcript that is not `trusted`, a user's own lower bound raises an `ArenaError`.
    """
    return _allowed(run, _concerning(run))


def is_own(theorem: str) -> bool:
    """Return whether the code of the theorem with this spec is a user's own."""
    return names_code(theorem) or is_unnamed(theorem)


def _built(run: Transcript, texts: Sequence[str], known: Sequence[Theorem]) -> list[Theorem | str]:
    """Return the theorems with these specs; `known` ones are not built again, and own ones only if they are trusted.

    A theorem that is not built is represented by its spec.
    """
    if len(known) >= len(texts):
        return list(known)
    by_spec = {spec_text(each): each for each in known}
    closed = run.isolated or not run.trusted
    return [by_spec.get(text) or (text if closed and is_own(text) else build("theorem", text)) for text in texts]


def _concerning(run: Transcript) -> list[Theorem | str]:
    """Return the adversary's lower bounds (`_built`) without those that do not concern the learner."""
    promised = _built(run, run.lower_bounds, run.promised_from_below)
    return [each for each in promised if isinstance(each, str) or not run.rounds or _ask(each, "concerns", run, bool)]


def _allowed(run: Transcript, theorems: Sequence[Theorem | str]) -> tuple[Theorem, ...]:
    """Return theorems; a spec of an own theorem raises an `ArenaError`, or is left out if the learner was isolated."""
    known = [each for each in theorems if isinstance(each, Theorem) or not run.isolated]
    return tuple(each if isinstance(each, Theorem) else build("theorem", registered_names_only(each)) for each in known)


def judgement_of(run: Transcript, bound: Claims | None = None, *, lower: bool | None = None) -> Judgement:
    """Judge a match by the theorems `bound`, by default by those by which it was judged when it was saved.

    A match that was not judged before is judged by the learner's promises. Two kinds of theorems are not judged here:

    - Own theorems of an isolated learner, whose code would judge itself.
    - Users' own theorems that a file names, if the transcript is not `trusted`. If the file has verdicts on them, the
      result has these verdicts.

    With `lower`, the result has verdicts on the adversary's lower bounds, by default except if `bound` is "none".
    """
    kept = run.judged
    claims = claims_of(bound) if bound is not None else kept.claims if kept else ("auto",)
    unjudged: list[Unjudged] = []

    def verdict(claimed: Theorem | str) -> Verdict | None:
        if isinstance(claimed, Theorem):
            return judge(run, claimed)
        if (saved := _saved(kept, claimed)) is not None:
            return saved
        why = OWN if run.isolated else ""
        known = next((each.reason for each in kept.unjudged if each.theorem == claimed), "") if kept else ""
        unjudged.append(Unjudged(claimed, why or known or "its code is outside the arena, and not trusted"))
        return None

    promised = [] if judges_nothing(claims) else _built(run, run.theorems, run.promised)
    claimed: list[Theorem | str] = []
    for claim in claims:
        closed = bound is None and not run.trusted and isinstance(claim, str) and is_own(claim)
        claimed += [str(claim)] if closed else theorems_named(claim, promised)
    verdicts = [found for each in claimed if (found := verdict(each))]
    below = []
    if run.rounds and (lower if lower is not None else not judges_nothing(claims)):
        named = {each.name for each in verdicts}
        others = (each for each in _concerning(run) if getattr(each, "name", "") not in named)
        below = [found for each in others if (found := verdict(each))]
    judgement = Judgement(
        tuple(verdicts),
        tuple(below),
        tuple(unjudged),
        (dataclasses.replace(run.forfeit, details=""),) if run.forfeit else (),  # without the stack trace
        tuple(each if isinstance(each, str) else spec_text(each) for each in claims),
        interrupted=run.ended == "interrupted",
    )
    run.judged = judgement.without_curves()
    return judgement


def _saved(kept: Judgement | None, theorem: str) -> Verdict | None:
    """Return the verdict on a theorem that was found when the match was saved; None if there is none."""
    known = () if kept is None else (*kept.on_theorems, *kept.on_lower_bounds)
    found = next((each for each in known if each.theorem == theorem), None)
    if found is None or SAVED in found.reason:
        return found
    return dataclasses.replace(found, reason="; ".join(filter(None, (found.reason, SAVED))))


def claims_of(bound: Claims) -> tuple[Claim, ...]:
    """Return one or more claims as a tuple."""
    return (bound,) if isinstance(bound, str) or not isinstance(bound, Sequence) else tuple(bound)


def judges_nothing(bound: Claims) -> bool:
    """Return whether `bound` is "none", which stands for no theorem and no lower bound."""
    return claims_of(bound) == ("none",)


def theorems_named(bound: Claims, promised: Sequence[Promised]) -> list[Promised]:
    """Return the promised theorems for "auto", no theorem for "none", and otherwise the theorems that `bound` names.

    If `bound` has the name of a promised theorem and no parameters, the promised theorem itself is returned.
    """
    found: list[Promised] = []
    for claim in claims_of(bound):
        word = claim if isinstance(claim, str) else ""
        if word == "auto":
            found += promised
        elif word != "none":
            own = (each for each in promised if word and getattr(each, "name", "") == word)
            found.append(next(own, None) or build("theorem", claim))
    return found


def refuse_lower_bounds(claims: Sequence[Theorem], why: str) -> None:
    """Raise an `ArenaError` if a claim is a lower bound, which only adversaries promise; `why` ends the message."""
    if lower := [each for each in claims if each.lower]:
        raise ArenaError(f"{lower[0].name} is a lower bound, which its adversary promises, not the learner: {why}")


def judge(run: Transcript, claim: Claim) -> Verdict:
    """Return the verdict of a theorem on this match alone, even if the theorem holds only with a probability."""
    named = [claim] if isinstance(claim, Theorem) else theorems_named(claim, promises_of(run))
    if not named:
        raise ArenaError(f"a verdict is on one theorem, such as 'awv-logdet', but {claim!r} names none here")
    theorem = named[0]
    if not 0.0 <= theorem.confidence <= 1.0:
        raise ArenaError(
            f"{type(theorem).__name__}: confidence must be >= 0 and <= 1, but it is {theorem.confidence!r}"
        )
    if run.error_bars is not None and not theorem.monotone:
        return verdict_of(theorem, "it is about exact predictions, and these have error bars; play with `exact=True`")
    with one_thread():
        both_ends = theorem.monotone and theorem.in_intervals(run)
        found = _judge_both_ends(run, theorem) if both_ends else _judge(run, theorem)
    if not found.applicable:
        return found
    if not theorem.lower and not found.is_deviation:
        most, identity = _ask(theorem, "most", run), _ask(theorem, "identical", run, bool)
        found = dataclasses.replace(found, most=None if most is None else float(most), identity=identity)
    if theorem.in_expectation:
        found = dataclasses.replace(found, least_excess=_least_excess(run, theorem, found))
    return found


def verdict_of(
    theorem: Theorem,
    reason: str,
    assumptions: tuple[Assumption, ...] = (),
    outcome: Outcome = "not applicable",
    **found: Any,
) -> Verdict:
    """Return a verdict of this theorem; `found` has the verdict's other fields, such as `measured`."""
    return Verdict(
        spec_text(theorem),
        theorem.name,
        outcome,
        reason,
        theorem.quantity,
        assumptions=assumptions,
        confidence=theorem.confidence,
        in_expectation=theorem.in_expectation,
        lower=theorem.lower,
        version=version_of(theorem),
        about=theorem,
        **found,
    )


def version_of(theorem: Theorem) -> str:
    """Return the version of a theorem, and for a user's own theorem also the digest of its file."""
    if is_built_in(type(theorem)):
        return str(theorem.version)
    return f"{theorem.version}, {_digest_of_module(type(theorem).__module__)[:16]}"


@functools.cache
def _digest_of_module(module: str) -> str:
    file = getattr(sys.modules.get(module), "__file__", None)
    with contextlib.suppress(OSError):
        return hashlib.sha256(Path(file).read_bytes() if file else module.encode()).hexdigest()
    return ""


def _least_excess(run: Transcript, theorem: Theorem, found: Verdict) -> float | None:
    """Return the theorem's `least_excess`, below which measured - allowed cannot fall; None if the theorem has none.

    If the theorem is a lower bound, the difference is allowed - measured. An `ArenaError` is raised if the difference
    in this match is less than `least_excess`.
    """
    given = _ask(theorem, "least_excess", run)
    if given is None:
        return None
    least, name = float(given), f"{type(theorem).__name__}.least_excess(run)"
    if not -np.inf < least < 0.0:
        raise ArenaError(f"{name} must give a finite number < 0, or None, but it gave {least!r}")
    assert found.measured is not None
    assert found.allowed is not None
    excess = found.allowed - found.measured if theorem.lower else found.measured - found.allowed
    if -np.inf < excess < least * (1.0 + 1e-6):
        measured, bound = f"{found.quantity} {found.measured:.6g}", f"the bound {found.allowed:.6g}"
        difference = f"{bound} minus {measured}" if theorem.lower else f"{measured} minus {bound}"
        raise ArenaError(
            f"{name} gave {least:.6g}, but in this match {difference} is {excess:.6g}: give a number that it cannot "
            "fall below"
        )
    return least


def _judge(run: Transcript, theorem: Theorem) -> Verdict:
    """Return the verdict of a theorem on a match whose measured values are known exactly.

    For intervals, `_judge_both_ends` calls this function once for each end.
    """
    if run.rounds == 0:
        return verdict_of(theorem, "no round was played")
    assumptions: tuple[Any, ...] = ()
    try:
        assumptions, failed = _ask(theorem, "assumptions", run, tuple), []
        for each in assumptions:
            if not isinstance(each, Assumption):
                owner = type(theorem).__name__
                raise ArenaError(f"{owner}.assumptions(run) must give Assumption(statement, holds, measured)")
            if not each.holds:
                failed.append(str(each))
        if failed:
            return verdict_of(theorem, "; ".join(failed), assumptions)
        measured = on_disk_if_large(_ask(theorem, "measured", run, as_floats))
        allowed = on_disk_if_large(_ask(theorem, "allowed", run, as_floats))
    except (NoHindsight, NoRoom) as reason:
        return verdict_of(theorem, str(reason), assumptions)
    except MemoryError:
        too_large = f"{run.rounds:,} rounds need more memory than there is; judge a shorter match"
        return verdict_of(theorem, too_large, assumptions)
    except (ArithmeticError, ValueError) as error:
        if is_built_in(type(theorem)) and _is_numerical(error):
            return verdict_of(theorem, f"{TOO_LARGE} ({error})", assumptions)
        raise
    for which, curve in (("measured", measured), ("allowed", allowed)):
        if curve.shape != (run.rounds,):
            raise ArenaError(
                f"{type(theorem).__name__}.{which}(run) must give one value for each of the {run.rounds} rounds, "
                f"but its shape is {curve.shape}"
            )
    return _compared(run, theorem, assumptions, measured, allowed)


def _is_numerical(error: BaseException) -> bool:
    """Return whether this error means that numbers in a computation were too large."""
    return isinstance(error, (np.linalg.LinAlgError, OverflowError)) or "infs or NaNs" in str(error)


def _compared(
    run: Transcript, theorem: Theorem, assumptions: tuple[Assumption, ...], measured: Array, allowed: Array
) -> Verdict:
    """Return the verdict on a theorem whose measured and allowed curves are `measured` and `allowed`.

    A violation that rounding explains does not count. A theorem of the arena is "not applicable" if, in some round, a
    curve is NaN or both curves are infinite. It is "violated" all the same if an earlier round violates it. A bound of
    a user's theorem that is NaN raises an `ArenaError`, unless an earlier round violates the theorem.
    """
    tolerance = on_disk_if_large(slack(_ask(theorem, "scale", run, as_floats), allowed))
    with np.errstate(over="ignore", invalid="ignore"):
        excess = allowed - measured if theorem.lower else measured - allowed
    # A measured value that is NaN counts as a violation, and so does infinity on the forbidden side of a finite bound.
    kept = np.isposinf(measured) if theorem.lower else np.isneginf(measured) | np.isposinf(allowed)
    broken = ~((excess <= tolerance) & np.isfinite(measured) | kept | np.isnan(allowed))
    if theorem.at_the_end:
        broken[:-1] = False
    found = verdict_of(
        theorem,
        "",
        assumptions,
        "holds",
        measured=float(measured[-1]),
        allowed=float(allowed[-1]),
        measured_curve=measured,
        allowed_curve=allowed,
        tolerance_curve=tolerance,
    )
    if broken.any():
        first = int(broken.argmax())
        decisive = _ask(theorem, "refutation", run) or (first + 1, measured[first])
        found = _violated(found, *decisive, first=first + 1)
    none, built_in = np.isnan(allowed), is_built_in(type(theorem))
    lost = np.isnan(measured) | none | np.isposinf(measured) & np.isposinf(allowed) if built_in else none
    if theorem.at_the_end:
        lost[:-1] = False
    if lost.any() and (found.round is None or found.round > int(lost.argmax())):
        since = f"from round {int(lost.argmax()) + 1} on"
        if built_in:
            return verdict_of(theorem, f"{TOO_LARGE} {since}", assumptions)
        raise ArenaError(
            f"{type(theorem).__name__}.allowed(run) gave NaN {since}, which bounds nothing: give numbers, or state the "
            "condition under which there is a bound in assumptions(run)"
        )
    return found


def _violated(found: Verdict, round_: int, measured: float, *, first: int) -> Verdict:
    """Return a copy of the verdict `found` with the outcome "violated"; the value `measured` in `round_` refutes it.

    `first` is the first round in which the curve of measured values violates the bound. It differs from `round_` if the
    theorem's method `refutation` gives another round.
    """
    assert found.allowed_curve is not None
    value, allowed = float(measured), float(found.allowed_curve[round_ - 1])
    excess = allowed - value if found.lower else value - allowed
    how = "falls below the lower bound" if found.lower else "exceeds the bound"
    when = f"first in round {round_}" if round_ == first else f"in round {round_}"
    reason = f"{found.quantity} {value:.6g} {how} {allowed:.6g} by {excess:.3g}, {when}"
    return dataclasses.replace(found, outcome="violated", reason=reason, round=round_, margin=excess)


def _judge_both_ends(run: Transcript, theorem: Theorem) -> Verdict:
    """Return the verdict of a theorem on a match whose regret, or other measured value, is known in intervals only.

    The theorem, which must be `monotone`, is judged at both ends of the intervals. If one verdict is "holds" and the
    other "violated", the result is "undecided".
    """
    high, low = (_judge(run.at_end(end), theorem) for end in ("unfavourable", "favourable"))
    worst, best = (low, high) if theorem.lower else (high, low)
    if not (worst.applicable and best.applicable):
        return best if worst.applicable else worst
    if worst.holds:
        return dataclasses.replace(worst, other_end=_last_values(best))
    if best.violated:
        reason = f"for every value in the interval: {best.reason}"
        return dataclasses.replace(best, reason=reason, other_end=_last_values(worst))
    reason = (
        f"{theorem.quantity} between {low.measured:.6g} and {high.measured:.6g}, "
        f"bound between {high.allowed:.6g} and {low.allowed:.6g}, "
        f"in doubt from round {worst.round} on"
    )
    if run.comparator.closed_form and run.comparator.in_intervals:
        reason += "; narrow it with `hindsight='exact'`, or run.comparator.interval(features=...)"
    return dataclasses.replace(
        worst, outcome="undecided", reason=reason, round=None, margin=None, other_end=_last_values(best)
    )


def _last_values(found: Verdict) -> tuple[float, float]:
    assert found.measured is not None
    assert found.allowed is not None
    return found.measured, found.allowed


def _ask(theorem: Theorem, method: str, run: Transcript, read: Callable[[Any], Any] | None = None) -> Any:
    """Call a theorem's method and return its result, converted by `read`.

    An exception becomes an `ArenaError` if the theorem is a user's, or if the match's evidence is the cause
    (`_fails_by_evidence`).
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # huge predictions give infinite losses
            given = getattr(theorem, method)(run)
            return given if read is None else read(given)
    except BaseException as error:
        if isinstance(error, ArenaError) or is_ctrl_c(error):
            raise
        if not is_built_in(type(theorem)):
            why = f"{type(theorem).__name__}.{method}(run) raised {describe_error(error)}"
        elif isinstance(error, MemoryError) or _is_numerical(error) or not _fails_by_evidence(theorem, method, run):
            raise
        else:
            names, what = ", ".join(run.evidence), describe_error(error, ours=True)
            why = f"{theorem.name} cannot use the evidence of this match ({names}): {what}"
        raise ArenaError(why) from error


def _fails_by_evidence(theorem: Theorem, method: str, run: Transcript) -> bool:
    """Return whether the evidence of the match is the reason why the theorem's method raises an exception.

    The test: on a copy of the match without evidence, the method succeeds or an assumption fails.
    """
    if not run.evidence:
        return False
    bare = copy.copy(run)
    bare.evidence, bare.error_bars, bare.remembered = {}, None, {}
    with contextlib.suppress(Exception):  # if the theorem fails without evidence, too, the mistake is its own
        if all(each.holds for each in theorem.assumptions(bare)):
            getattr(theorem, method)(bare)
        return True
    return False
