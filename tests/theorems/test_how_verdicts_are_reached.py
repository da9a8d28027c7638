"""How a verdict is computed: the first round that breaks a bound, the allowance for rounding, and the text."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from arena import ArenaError, Assumption, Theorem, Transcript, play
from arena_tests.players import LeavesEvidence

SQUARED = ["awv-leverage", "awv-logdet", "awv-effective-dimension", "ridge-identity", "clipped-krr", "ogd-ball"]


@dataclass(frozen=True)
class GivenCurves(Theorem):
    """A theorem with given curves and assumptions."""

    name: ClassVar[str] = ""
    curve: tuple = ()
    bound: tuple = ()
    assumed: bool = True

    def assumptions(self, run):
        return (Assumption("that it is so", self.assumed, "measured 7"), Assumption("always", True))

    def measured(self, run):
        return np.array(self.curve, dtype=float)

    def allowed(self, run):
        return np.array(self.bound, dtype=float)


NAN, INF = float("nan"), float("inf")


def transcript(rounds, B=1.0, losses=0.0):
    """Return a match with the label bound B whose losses sum to `losses`."""
    run = play("zero", "alternating", rounds=rounds, label_bound=B)
    run.losses = np.full(rounds, losses / rounds)
    return run


@pytest.mark.parametrize(
    ("curve", "bound", "outcome", "round_"),
    [
        ((1, 2, 3), (1, 2, 3), "holds", None),
        ((1, 2, 3), (2, 2, 2), "violated", 3),
        ((1, 3, 1), (2, 2, 2), "violated", 2),  # violated in round 2 although it holds at the end
        ((0, 2e-8, 0), (0, 0, 0), "violated", 2),
        ((0, 0.9e-8, 0), (0, 0, 0), "holds", None),
        ((-5, -5, -5), (0, 0, 0), "holds", None),
        ((-5, -4, -5), (-5, -5, -5), "violated", 2),
        ((0, NAN, 0), (1, 1, 1), "violated", 2),
        ((0, INF, INF), (1, 1, 1), "violated", 2),
        ((0, 0, -INF), (1, 1, 1), "holds", None),
        ((0, -INF, 3), (1, 1, 1), "violated", 3),
        ((0, 3, 0), (1, 1, NAN), "violated", 2),
        ((0, INF, NAN), (1, INF, INF), "holds", None),
        ((0, 5, 5), (0, INF, INF), "holds", None),
        ((0, 0, 0), (0, -INF, 0), "violated", 2),
    ],
)
def test_the_first_round_that_breaks_the_bound(curve, bound, outcome, round_):
    verdict = transcript(3).verdict(GivenCurves(curve=curve, bound=bound))
    assert verdict.outcome == outcome
    assert verdict.round == round_
    assert (verdict.holds, verdict.violated, verdict.applicable) == (outcome == "holds", outcome == "violated", True)
    if round_ and np.isfinite(curve[round_ - 1] - bound[round_ - 1]):
        assert verdict.margin == curve[round_ - 1] - bound[round_ - 1]
        assert f"first in round {round_}" in verdict.reason
    assert str(verdict)


def test_a_bound_of_a_user_that_is_nan_is_the_mistake_of_the_theorem():
    said = r"GivenCurves.allowed\(run\) gave NaN from round 2 on, which bounds nothing"
    for curve in ((0, 0, 0), (0, NAN, 5), (0, 0, INF)):
        with pytest.raises(ArenaError, match=said):
            transcript(3).verdict(GivenCurves(curve=curve, bound=(1, NAN, 1)))


def test_rounding_is_forgiven_in_proportion_to_the_loss_and_to_the_labels():
    assert transcript(1, losses=1e8).verdict(GivenCurves(curve=(0.9,), bound=(0,))).holds
    assert transcript(1, losses=1e8).verdict(GivenCurves(curve=(1.2,), bound=(0,))).violated
    assert transcript(1, B=1e-3).verdict(GivenCurves(curve=(1e-11,), bound=(0,))).violated
    assert transcript(1, B=1e-3).verdict(GivenCurves(curve=(0.9e-14,), bound=(0,))).holds
    assert transcript(1, B=1e8).verdict(GivenCurves(curve=(0.9e8,), bound=(0,))).holds
    assert transcript(1, B=1e8).verdict(GivenCurves(curve=(1.1e8,), bound=(0,))).violated
    # nothing is measurable any more
    assert transcript(1, losses=INF).verdict(GivenCurves(curve=(1e300,), bound=(0,))).holds
    assert transcript(1, losses=INF).verdict(GivenCurves(curve=(INF,), bound=(0,))).violated


def test_rounding_of_a_bound_is_forgiven_in_proportion_to_it():
    tiny = transcript(1, B=1e-12)
    assert tiny.verdict(GivenCurves(curve=(1 + 0.9e-8,), bound=(1,))).holds
    assert tiny.verdict(GivenCurves(curve=(1 + 1.1e-8,), bound=(1,))).violated


def failing(error):
    """Return a theorem that looks like a built-in one and raises this error."""

    class Fails(GivenCurves):
        __module__ = "arena.theorems.fails"

        def allowed(self, run):
            raise error

    return Fails(curve=(1,))


@pytest.mark.parametrize(
    "error", [np.linalg.LinAlgError("not positive definite"), OverflowError("too large"),
              ValueError("array must not contain infs or NaNs")]
)  # fmt: skip
def test_numbers_beyond_double_precision_are_no_violation_and_no_stack_trace(error):
    verdict = transcript(1).verdict(failing(error))
    assert verdict.outcome == "not applicable"
    assert verdict.reason == f"the numbers are beyond double precision ({error})"


def test_another_mistake_of_a_theorem_is_not_hidden():
    with pytest.raises(ValueError, match="a mistake"):
        transcript(1).verdict(failing(ValueError("a mistake")))


def test_failed_assumptions_are_listed_and_nothing_is_judged():
    verdict = transcript(1).verdict(GivenCurves(curve=(5,), bound=(0,), assumed=False))
    assert verdict.outcome == "not applicable"
    assert verdict.reason == "that it is so (measured 7)"
    assert verdict.measured is verdict.allowed is verdict.tightness is verdict.round is None
    assert not verdict.applicable
    assert "not applicable: that it is so (measured 7)" in str(verdict)


def test_tightness_and_words():
    verdict = transcript(2).verdict(GivenCurves(curve=(1, 3), bound=(2, 4)))
    assert verdict.tightness == 0.75
    assert str(verdict).endswith("holds: regret 3 of 4 allowed (75% of it)")
    assert transcript(1).verdict(GivenCurves(curve=(0,), bound=(0,))).tightness is None
    assert transcript(1).verdict(GivenCurves(curve=(INF,), bound=(INF,))).tightness is None
    assert "violated: regret 3 exceeds the bound 2 by 1, first in round 2" in str(
        transcript(2).verdict(GivenCurves(curve=(1, 3), bound=(2, 2)))
    )


@pytest.mark.parametrize("theorem", SQUARED)
def test_a_verdict_is_plain_json(theorem):
    for run in (play("clipped-krr", "alternating", rounds=5), play("fgd", "alternating", rounds=5, loss="hinge")):
        verdict = run.verdict(theorem)
        assert json.loads(json.dumps(verdict.as_json()))["outcome"] == verdict.outcome


def test_a_theorem_without_a_bound_says_what_is_missing():
    class Empty(Theorem):
        pass

    with pytest.raises(ArenaError, match="Empty must define allowed"):
        transcript(1).verdict(Empty())


def test_a_learner_that_blows_up_is_no_false_alarm_and_no_warning():
    """The learner's gradients overflow, too, so that the theorem on gradients is not applicable."""
    run = play("fgd(rate=5)", "alternating", rounds=300)
    assert run.ended == "completed"
    assert np.isinf(run.loss)
    assert run.verdict("ogd").reason.startswith("the numbers are beyond double precision from round ")
    assert run.verdict("awv-leverage").violated


def test_verdicts_read_nothing_but_the_transcript(tmp_path):
    run = play("kernel-awv", "repeated(points=3)", rounds=20)
    loaded = Transcript.load(run.save(tmp_path / "a.npz"))
    for theorem in SQUARED:
        assert str(loaded.verdict(theorem)) == str(run.verdict(theorem))


class _Fails(Theorem):
    """A theorem that raises an error when it is computed."""

    name: ClassVar[str] = "fails"

    def allowed(self, run):
        return run.evidence["norms"] @ np.ones((7, 7))


class _FailsOnEvidence(_Fails):
    def assumptions(self, run):
        return (Assumption("the norms are known", "norms" in run.evidence),)


def test_evidence_is_blamed_for_the_failure_of_a_theorem_that_needs_it(monkeypatch):
    monkeypatch.setattr(_Fails, "__module__", "arena.theorems.planted")
    monkeypatch.setattr(_FailsOnEvidence, "__module__", "arena.theorems.planted")
    run = play("zero", "alternating", rounds=4)
    run.evidence = {"norms": np.ones(4)}
    with pytest.raises(ArenaError, match=r"fails cannot use the evidence of this match \(norms\): ValueError"):
        run.verdict(_FailsOnEvidence())
    with pytest.raises(ValueError, match="mismatch") as caught:
        run.verdict(_Fails())
    assert not isinstance(caught.value, ArenaError)


@pytest.mark.parametrize(
    ("evidence", "theorem"), [({"removed_rounds": 3}, "ogd-any-loss"), ({"restarts": 3.0}, "newton-identity")]
)
def test_evidence_that_a_theorem_can_do_without_is_blamed_if_it_has_no_use(evidence, theorem):
    run = play(LeavesEvidence(evidence), "alternating", rounds=8)
    with pytest.raises(ArenaError, match=f"{theorem} cannot use the evidence of this match"):
        run.verdict(theorem)
